r"""SCA, the Smart Cloning Algorithm (XL section IV): all waiting jobs cloned together when all of them fit.

When a job begins while the tasks of all jobs that have not begun are fewer than the free slots, problem P2
decides at once how many copies the tasks of each of them get (`sim.engines.slots.speculation.p2`),
:math:`\gamma` weighing slot-time against flowtime. Otherwise its tasks run once. Clones take the next slots,
before any original, oldest task first; so the copies of P2 all start in that instant. Which job begins is
the sharing rule's choice (`levels` in the paper); tasks of a job that begins without clones never get any.

The durations must be Pareto: the closed forms of P2 are for that law. Its mean size stands for a job's
tasks where sizes are drawn per task.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import next_check
from sim.engines.slots.speculation.candidates import first_candidate, forget, offer, retract
from sim.engines.slots.speculation.p2 import DUE, round_copies, solve, unhindered
from sim.kernel.compile import inlined
from sim.model.formula import XL, Formula
from sim.model.policy import parameter
from sim.telling.words import plain
from theory.shown import quoted

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario

#: The store begins with the price of a machine at the last decision, where the next search begins. Then it
#: remembers what jobs get where nothing else asks for the machines: their number of tasks, copies as a real
#: number, and as a whole one; for as many numbers of tasks as have different rests by `KEPT`.
PRICE, MEMORY = 0, 1
KEPT = 256


class Values(NamedTuple):
    """What the hooks read: the most copies, the weight of slot-time and the tail index."""

    copies: float
    gamma: float
    tail: float


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Take the tail index of the law."""
    return Values(**values, tail=scenario.straggle_tail)


@inlined
def remembered(world, values, tasks):
    """Where the store holds what a job of so many tasks gets where nothing else asks for the machines."""
    store = world.store
    place = MEMORY + 3 * (tasks % KEPT)
    if store[place] != tasks:
        store[place] = tasks
        store[place + 1], store[place + 2] = unhindered(tasks, values.copies, values.tail, values.gamma)
    return place


@inlined
def suffices(world, values, first, machines):
    """Grant the jobs from `first` on what each would get by itself, if the machines suffice for that."""
    jobs, store = world.jobs, world.store
    due = 0.0
    whole = 0.0
    j = first
    while j >= 0:
        place = remembered(world, values, jobs[j].tasks)
        due += jobs[j].tasks * store[place + 1]
        whole += jobs[j].tasks * store[place + 2]
        jobs[j].wanted = int(store[place + 2])
        j = jobs[j].behind
    return due <= machines and whole <= machines


@inlined
def decide(world, values, j):
    """Decide the copies of the tasks of job `j`, whose first original has just been launched."""
    c = world.cluster[0]
    jobs, store = world.jobs, world.store
    machines = c.free + 1
    waiting = int(jobs[j].tasks)
    i = c.first_new
    while i >= 0 and waiting < machines:
        waiting += jobs[i].tasks
        i = jobs[i].behind
    if waiting >= machines:
        jobs[j].wanted = 1
        return
    jobs[j].behind = c.first_new  # the jobs of the decision: this one, then the others
    if suffices(world, values, j, machines):
        store[PRICE] = 0.0
        return
    real, alpha, gamma = world.job_state, values.tail, values.gamma
    store[PRICE] = solve(jobs, real, j, float(machines), store[PRICE], values.copies, alpha, gamma)
    round_copies(jobs, real, j, machines, values.copies, alpha, gamma)


@next_check
def owe_clones(world, values, s):
    """Owe an original the clones its job was granted; a clone settles one of them."""
    slot = world.slots[s]
    job = world.jobs[slot.job]
    if slot.number == 0:
        if job.wanted == 0:
            decide(world, values, slot.job)
        if job.wanted > 1:
            offer(world, s, slot.start, 0.0)
    elif world.slots[slot.task_slot].copies >= job.wanted:
        retract(world, slot.task_slot)
    return math.inf


def needs_pareto(key: str, scenario: SpeculativeScenario, instead: str = "") -> str | None:
    """Refuse a law for which the duration of a cloned job is not known in closed form."""
    if scenario.straggle == "pareto":
        return None
    return f"straggle: {quoted(scenario.straggle)} is not accepted with {key}; give pareto{instead}"


def refuses(scenario: SpeculativeScenario, values: Mapping[str, float]) -> str | None:
    """Refuse what P2 has no closed form for."""
    return needs_pareto("sca", scenario)


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "SCA, problem P2",
            r"\min_{c} \sum_i E[d_i](c_i) + \gamma \sum_i m_i c_i E[t_i](c_i), \quad \sum_i m_i c_i \le N, "
            rf"\quad 1 \le c_i \le {plain(values['copies'])}, \quad \gamma = {plain(values['gamma'])}",
            "When the tasks of all jobs that have not begun are fewer than the $N$ free slots, their numbers "
            "of copies are chosen together: duration plus weighted slot-time. Otherwise tasks run once.",
            XL + ", section IV",
        ),
    )


RULE = Speculation(
    key="sca",
    title="SCA",
    summary="clones for all jobs that begin together, as problem P2 decides, if all of them fit",
    when="urgent",
    at_launch=True,
    lists_new=True,
    next_check=owe_clones,
    on_copy_end=forget,
    select_task=first_candidate,
    store_size=lambda slots, tasks: MEMORY + 3 * KEPT,
    job_state=DUE,
    parameters=(
        parameter(
            "copies",
            8,
            "most copies of a task, the original included (r)",
            whole=True,
            low=1,
            high=16,
            label="Most copies of a task, r",
        ),
        parameter(
            "gamma",
            0.01,
            "weight of slot-time against flowtime",
            low=0,
            high=1000,
            label="Weight γ of slot-time",
            symbol="γ",
        ),
    ),
    prepare=prepare,
    reference="Xu and Lau, section IV",
    refuses=refuses,
    formulas=formulas,
)
