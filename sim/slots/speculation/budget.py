"""Budgeted copies (Hopper): a job whose originals are all launched copies running tasks within its share.

The task with the fewest copies goes first, then the one that has run for longest, up to `copies`
copies a task. With `benefit` above 0 only tasks qualify whose original's remaining time is known (the
scenario's `observe`) and exceeds benefit x E[x], since a copy of a nearly finished task wastes a slot;
under ``observe=never`` a task qualifies once it has run for benefit x E[x] itself. What is known of a
task's other copies is not used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.kernel.compile import kernel
from sim.kernel.queue import append, unlink
from sim.policy import parameter
from sim.slots.rule import Speculation
from sim.slots.signatures import choose, lose, watch
from sim.slots.speculation.candidates import UNOBSERVED, known_from, mean_duration

if TYPE_CHECKING:
    from sim.scenario import Scenario


@kernel
def queue_of(j):
    """Queue of the tasks of job `j` that could get a copy."""
    return 1 + 2 * j


@kernel
def offer(cluster, jobs, slots, roots, lead):
    """File a task behind those with fewer copies, or as many and a longer run."""
    slots[lead].first = float(slots[lead].copies)
    slots[lead].second = slots[lead].start
    append(slots, roots, queue_of(slots[lead].job), lead)
    jobs[slots[lead].job].candidates += 1
    cluster[0].candidates += 1


@kernel
def retract(cluster, jobs, slots, roots, lead):
    """Take a task out of its queue, if it is in it."""
    if slots[lead].heap >= 0:
        unlink(slots, roots, lead)
        jobs[slots[lead].job].candidates -= 1
        cluster[0].candidates -= 1


@watch
def consider(cluster, jobs, slots, roots, store, numbers, s):
    """File the task of a copy just launched, or plan to look at it when its benefit is known."""
    slot = slots[s]
    lead = slot.lead
    most = numbers[0]
    if slot.number > 0:
        retract(cluster, jobs, slots, roots, lead)
        if slots[lead].copies < most:
            offer(cluster, jobs, slots, roots, lead)
        return math.inf
    if numbers[1] == 0.0:
        if most > 1.0:
            offer(cluster, jobs, slots, roots, s)
        return math.inf
    worth = numbers[1] * mean_duration(cluster, jobs, slot.job)
    if cluster[0].observe_kind == UNOBSERVED:
        at = slot.start + worth
        return at if at < slot.finish else math.inf
    at = known_from(cluster, jobs, slots, s)
    return at if slot.finish - at > worth else math.inf


@watch
def notice(cluster, jobs, slots, roots, store, numbers, s):
    """File a task whose original has been found worth a copy."""
    if slots[s].copies < numbers[0]:
        offer(cluster, jobs, slots, roots, s)
    return math.inf


@lose
def lose_copy(cluster, jobs, slots, roots, store, numbers, s, won):
    """Forget a task that has ended."""
    retract(cluster, jobs, slots, roots, s)


@choose
def choose_task(cluster, jobs, slots, roots, store, numbers, j):
    """Copy the task with fewest copies, longest running; drop those no longer worth it."""
    lead = roots[queue_of(j)]
    if numbers[1] == 0.0 or cluster[0].observe_kind == UNOBSERVED:
        return lead
    while lead >= 0:
        worth = numbers[1] * mean_duration(cluster, jobs, slots[lead].job)
        if slots[lead].finish - cluster[0].now > worth:
            return lead
        retract(cluster, jobs, slots, roots, lead)
        lead = roots[queue_of(j)]
    return -1


def prepare(scenario: Scenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on the cap and the benefit."""
    return np.array([values["copies"], values["benefit"]])


RULE = Speculation(
    key="budget",
    title="Budgeted copies",
    summary="extra copies of running tasks within the job's share of the slots",
    when="budget",
    watch=consider,
    notice=notice,
    lose=lose_copy,
    choose=choose_task,
    parameters=(
        parameter("copies", 4, "most copies of a task, the original included", whole=True, low=1, high=16),
        parameter(
            "benefit",
            0,
            "copy only tasks with more than this remaining",
            unit="mean durations",
            low=0,
            high=10,
        ),
    ),
    prepare=prepare,
    reference="Ren et al., theory note, section 3; systems.md names the choice of task",
)
