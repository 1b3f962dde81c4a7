r"""ESE, Enhanced Speculative Execution (XL section VI): stragglers first, and clones for small new jobs.

When slots are free, tasks that run once and are known to have more than :math:`\sigma E[x]` left get one
copy each, longest remaining time first, before any original (level 1 of Algorithm 2). What is known is the
scenario's `observe`; ``fraction:0`` is a scheduler that can estimate every remaining time. A task is
copied at most once at a time, and gets no second copy while the first runs. Levels 2 and 3 are the sharing
rule's (`levels` in the paper).

A job that begins is small if :math:`m < \eta N/|\chi|` and :math:`E[x] < \xi`, with N the free slots and
:math:`|\chi|` the jobs that have not begun, this one included in both, at that instant (the paper leaves open
whether :math:`|\chi|` shrinks within one decision; here it does). Its tasks get the number of copies that
minimises duration plus :math:`\gamma` slot-time, equation (29), at most r and at most as many as there are
slots for. With the printed :math:`\xi = 1` and task times of mean 1 to 4 no job of the paper's simulations is
ever small: raise `xi` to see cloning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import next_check, select_task
from sim.engines.slots.speculation.candidates import forget, mean_duration, offer, retract, top
from sim.engines.slots.speculation.sca import best_whole_copies, needs_pareto
from sim.engines.slots.speculation.sda import (
    SIGMA,
    best_threshold,
    given_sigma,
    needs_observation,
    owe_copies,
    straggles,
    when_it_straggles,
)
from sim.kernel.compile import inlined
from sim.model.policy import parameter
from sim.model.rule import XL, Formula
from sim.telling.words import plain

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


class Values(NamedTuple):
    """The numbers of the hooks: the threshold, the limits of a small job, and the terms of (29)."""

    sigma: float
    eta: float
    xi: float
    gamma: float
    copies: float
    tail: float


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Take the best threshold where 0 is given, and the tail index of the law."""
    sigma = values["sigma"] or best_threshold(scenario.straggle_law, 2)[0]
    return Values(**{**values, "sigma": sigma, "tail": scenario.straggle_tail})


@inlined
def decide(world, values, j):
    """Decide the copies of the tasks of job `j`, whose first original has just been launched."""
    c = world.cluster[0]
    job = world.jobs[j]
    free = c.free + 1
    job.wanted = 1
    if job.tasks < values.eta * free / (c.unstarted + 1) and mean_duration(world, j) < values.xi:
        most = min(int(values.copies), free // job.tasks)
        job.wanted = best_whole_copies(float(job.tasks), most, values.tail, values.gamma)


@next_check
def plan(world, values, s):
    """Owe a small job's task its clones; look at another when its remaining time is known, if long."""
    slot = world.slots[s]
    job = world.jobs[slot.job]
    if slot.number > 0:
        if world.slots[slot.task_slot].copies >= max(job.wanted, 2):
            retract(world, slot.task_slot)
        return math.inf
    if job.wanted == 0:
        decide(world, values, slot.job)
    if job.wanted > 1:
        offer(world, s, 0.0, slot.start)  # after the stragglers
        return math.inf
    return when_it_straggles(world, values.sigma, s)


@select_task
def choose_task(world, values, j):
    """Copy the straggler with the longest remaining time, else a small job's task."""
    task_slot = top(world, j)
    while (
        task_slot >= 0
        and world.jobs[world.slots[task_slot].job].wanted == 1
        and not straggles(world, values.sigma, task_slot)
    ):
        retract(world, task_slot)
        task_slot = top(world, j)
    return task_slot


def refuses(scenario: SpeculativeScenario, values: Mapping[str, float]) -> str | None:
    """Refuse what ESE can do nothing with."""
    law = needs_pareto("ese", scenario, ", or ese:xi=0, which clones no job") if values["xi"] > 0 else None
    return needs_observation("ese", scenario) or law


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "ESE, backups and clones",
            r"t_{\text{rem}} > \sigma \, E[x] \text{: one copy}, \qquad "
            rf"m < {plain(values['eta'])} \, \frac{{N}}{{|\chi|}} \text{{ and }} E[x] < {plain(values['xi'])}"
            r"\text{: } c^* \text{ clones}" + given_sigma(values),
            "Free slots go to the tasks with most left, then to originals; a new job that is small for its "
            "part of the $N$ free slots is cloned as often as flowtime and slot-time together ask for.",
            XL + ", section VI",
        ),
    )


RULE = Speculation(
    key="ese",
    title="ESE",
    summary="tasks with most left are copied before any original; small new jobs are cloned",
    when="urgent",
    lists_new=True,
    next_check=plan,
    check=owe_copies,
    on_copy_end=forget,
    select_task=choose_task,
    parameters=(
        SIGMA,
        parameter(
            "eta",
            0.1,
            "a small job has fewer tasks than this share of its part of the free slots",
            low=0,
            high=10,
            label="Small jobs, η",
            symbol="η",
        ),
        parameter(
            "xi",
            1,
            "a small job has a mean task time below this",
            unit="time_unit",
            low=0,
            high=100,
            label="Small jobs, mean task time ξ",
            symbol="ξ",
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
        parameter(
            "copies",
            8,
            "most copies of a small job's task (r)",
            whole=True,
            low=1,
            high=16,
            label="Most copies of a small job’s task, r",
        ),
    ),
    prepare=prepare,
    reference="Xu and Lau, section VI",
    refuses=refuses,
    formulas=formulas,
)
