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
from typing import TYPE_CHECKING

import numpy as np

from sim.kernel.compile import kernel
from sim.policy import parameter
from sim.slots.rule import Speculation
from sim.slots.signatures import choose, lose, watch
from sim.slots.speculation.candidates import known_from, mean_duration, offer, retract, top
from sim.slots.speculation.clone_cost import best_whole_copies
from sim.slots.speculation.sca import needs_pareto
from sim.slots.speculation.sda import best_threshold, needs_observation

if TYPE_CHECKING:
    from sim.speculative import SpeculativeScenario


@kernel
def decide(cluster, jobs, numbers, j):
    """Decide the copies of the tasks of job `j`, whose first original has just been launched."""
    c = cluster[0]
    job = jobs[j]
    free = c.free + 1
    job.wanted = 1
    if job.tasks < numbers[1] * free / (c.unstarted + 1) and mean_duration(cluster, jobs, j) < numbers[2]:
        most = min(int(numbers[4]), free // job.tasks)
        job.wanted = best_whole_copies(float(job.tasks), most, numbers[5], numbers[3])


@watch
def plan(cluster, jobs, slots, roots, store, numbers, s):
    """Owe a small job's task its clones; look at another when its remaining time is known, if long.

    The engine knows the future; planning a look at stragglers only saves events and shows nothing early.
    """
    slot = slots[s]
    j = slot.job
    if slot.number > 0:
        if slots[slot.lead].copies >= max(jobs[j].wanted, 2):
            retract(cluster, jobs, slots, roots, slot.lead)
        return math.inf
    if jobs[j].wanted == 0:
        decide(cluster, jobs, numbers, j)
    if jobs[j].wanted > 1:
        offer(cluster, jobs, slots, roots, s, 0.0, slot.start)  # after the stragglers
        return math.inf
    at = known_from(cluster, jobs, slots, s)
    return at if slot.finish - at > numbers[0] * mean_duration(cluster, jobs, j) else math.inf


@watch
def notice(cluster, jobs, slots, roots, store, numbers, s):
    """Put a straggler into the backup set."""
    offer(cluster, jobs, slots, roots, s, -slots[s].finish, 0.0)
    return math.inf


@lose
def lose_copy(cluster, jobs, slots, roots, store, numbers, s, won):
    """Forget a task that has ended."""
    retract(cluster, jobs, slots, roots, s)


@choose
def choose_task(cluster, jobs, slots, roots, store, numbers, j):
    """Copy the straggler with the longest remaining time, else a small job's task."""
    lead = top(cluster, roots, j)
    while lead >= 0 and jobs[slots[lead].job].wanted == 1:
        limit = numbers[0] * mean_duration(cluster, jobs, slots[lead].job)
        if slots[lead].finish - cluster[0].now > limit:
            return lead
        retract(cluster, jobs, slots, roots, lead)
        lead = top(cluster, roots, j)
    return lead


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on the threshold, what makes a job small, and what (29) needs."""
    sigma = values["sigma"] or best_threshold(scenario.straggle_law, 2)[0]
    named = [values[name] for name in ("eta", "xi", "gamma", "copies")]
    return np.array([sigma, *named, scenario.straggle_tail])


def refuses(scenario: SpeculativeScenario, values: Mapping[str, float]) -> str | None:
    """Refuse what ESE can do nothing with."""
    law = needs_pareto("ese", scenario, ", or ese:xi=0, which clones no job") if values["xi"] > 0 else None
    return needs_observation("ese", scenario) or law


RULE = Speculation(
    key="ese",
    title="ESE, for a busy cluster",
    summary="tasks with most left are copied before any original; small new jobs are cloned",
    when="urgent",
    lists_new=True,
    watch=plan,
    notice=notice,
    lose=lose_copy,
    choose=choose_task,
    parameters=(
        parameter(
            "sigma",
            0,
            "a straggler has more than this left; 0: the threshold that saves most",
            unit="mean durations",
            low=0,
            high=100,
        ),
        parameter(
            "eta",
            0.1,
            "a small job has fewer tasks than this share of its part of the free slots",
            low=0,
            high=10,
        ),
        parameter("xi", 1, "a small job has a mean task time below this", unit="time_unit", low=0, high=100),
        parameter("gamma", 0.01, "weight of slot-time against flowtime", low=0, high=1000),
        parameter("copies", 8, "most copies of a small job's task (r)", whole=True, low=1, high=16),
    ),
    prepare=prepare,
    reference="Xu and Lau, section VI",
    refuses=refuses,
)
