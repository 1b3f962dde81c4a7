r"""SCA, the Smart Cloning Algorithm (XL section IV): all waiting jobs cloned together when all of them fit.

When a job begins while the tasks of all jobs that have not begun are fewer than the free slots, problem P2
decides at once how many copies the tasks of each of them get (`sim.slots.speculation.p2`), :math:`\gamma`
weighing slot-time against flowtime. Otherwise its tasks run once. Clones take the next slots, before
any original, oldest task first; so the copies of P2 all start in that instant. Which job begins is the
sharing rule's choice (`levels` in the paper); tasks of a job that begins without clones never get any.

The durations must be Pareto: the closed forms of P2 are for that law. Its mean size stands for a job's
tasks where sizes are drawn per task.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.kernel.compile import kernel
from sim.policy import parameter
from sim.slots.rule import Speculation
from sim.slots.signatures import choose, lose, watch
from sim.slots.speculation.candidates import offer, retract, top
from sim.slots.speculation.p2 import round_copies, solve

if TYPE_CHECKING:
    from sim.scenario import Scenario


@kernel
def decide(cluster, jobs, numbers, j):
    """Decide the copies of the tasks of job `j`, whose first original has just been launched."""
    c = cluster[0]
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
    numbers[3] = solve(jobs, j, float(machines), numbers[3], numbers[1], numbers[0], numbers[2])
    round_copies(jobs, j, machines, numbers[1], numbers[0], numbers[2])


@watch
def owe_clones(cluster, jobs, slots, roots, store, numbers, s):
    """Owe an original the clones its job was granted; a clone settles one of them."""
    lead = slots[s].lead
    j = slots[s].job
    if slots[s].number == 0:
        if jobs[j].wanted == 0:
            decide(cluster, jobs, numbers, j)
        if jobs[j].wanted > 1:
            offer(cluster, jobs, slots, roots, s, slots[s].start, 0.0)
    elif slots[lead].copies >= jobs[j].wanted:
        retract(cluster, jobs, slots, roots, lead)
    return math.inf


@watch
def look(cluster, jobs, slots, roots, store, numbers, s):
    """Never look at a copy again."""
    return math.inf


@lose
def lose_copy(cluster, jobs, slots, roots, store, numbers, s, won):
    """Forget the clones owed to a task that has ended."""
    retract(cluster, jobs, slots, roots, s)


@choose
def choose_task(cluster, jobs, slots, roots, store, numbers, j):
    """Serve the task that has been owed a clone for longest."""
    return top(cluster, roots, j)


def prepare(scenario: Scenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on the tail index, the most copies, the weight, and room for the price of the last decision."""
    return np.array([scenario.straggle_tail, values["copies"], values["gamma"], 0.0])


def needs_pareto(key: str, scenario: Scenario, instead: str = "") -> str | None:
    """Refuse a law for which the duration of a cloned job is not known in closed form."""
    if scenario.straggle == "pareto":
        return None
    return f"straggle: {scenario.straggle!r} is not accepted with {key}; give pareto{instead}"


def refuses(scenario: Scenario, values: Mapping[str, float]) -> str | None:
    """Refuse what P2 has no closed form for."""
    return needs_pareto("sca", scenario)


RULE = Speculation(
    key="sca",
    title="SCA, smart cloning",
    summary="clones for all jobs that begin together, as problem P2 decides, if all of them fit",
    when="urgent",
    at_launch=True,
    lists_new=True,
    watch=owe_clones,
    notice=look,
    lose=lose_copy,
    choose=choose_task,
    parameters=(
        parameter(
            "copies", 8, "most copies of a task, the original included (r)", whole=True, low=1, high=16
        ),
        parameter("gamma", 0.01, "weight of slot-time against flowtime", low=0, high=1000),
    ),
    prepare=prepare,
    reference="Xu and Lau, section IV",
    refuses=refuses,
)
