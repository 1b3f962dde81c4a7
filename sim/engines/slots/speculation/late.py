"""LATE, Longest Approximate Time to End (Zaharia et al., OSDI 2008): best effort, when no original waits.

At most `speculative_cap` of the slots hold extra copies. A task qualifies when its original has run
for `min_age`, its remaining time is known (the scenario's `observe`) and its progress rate, 1 / duration,
is below the `slow_percentile` of the known rates of its job: that is, when its duration exceeds the
(1 - slow_percentile) quantile (smallest duration with at least that share at or below it) of the
durations known in its job: originals looked at while running, and copies that finished a task whose
original had not been looked at. Longest estimated time to end first; no task twice.

Under ``never`` only elapsed times are known of running tasks: a task of that age qualifies when it has
run for longer than that quantile of the durations of the job's finished tasks. It is judged when it
reaches `min_age`, whenever a task of its job ends, and in the instant after its age reaches the
quantile; once found slow it stays so. Longest elapsed first.

Where copies are part of a job's share (Hopper) that share replaces the cap.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import check, next_check, on_copy_end, select_task
from sim.engines.slots.speculation.candidates import (
    KNOWN,
    known_from,
    learn,
    mean_duration,
    offer,
    retract,
    top,
    watched_heap,
)
from sim.kernel.compile import kernel
from sim.kernel.heap import push, remove
from sim.kernel.records import BUDGET, UNOBSERVED
from sim.model.policy import parameter
from sim.model.rule import Formula
from sim.telling.words import plain

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


@kernel
def is_slow(world, s):
    """Tell whether the original in slot `s` is slow for its job, by what is known now."""
    c = world.cluster[0]
    slot = world.slots[s]
    if world.job_state[slot.job].low == 0:
        return False
    known = c.now - slot.start if c.observe_kind == UNOBSERVED else slot.duration
    return known > world.store[world.jobs[slot.job].first_task]


@kernel
def offer_slow(world, s):
    """Make a slow task a candidate: longest time to end (under ``never``: longest elapsed) first."""
    slot = world.slots[s]
    offer(world, s, slot.start if world.cluster[0].observe_kind == UNOBSERVED else -slot.finish, 0.0)


@kernel
def keep_watching(world, s):
    """Watch a task that is not slow; the first of its job to become so comes first."""
    slot = world.slots[s]
    slot.first = slot.start if world.cluster[0].observe_kind == UNOBSERVED else -slot.duration
    slot.second = 0.0
    push(world.slots, world.slot_heaps, watched_heap(slot.job), s)


@kernel
def promote(world, j):
    """Make candidates of the watched tasks of job `j` that have become slow."""
    s = world.slot_heaps[watched_heap(j)]
    while s >= 0 and is_slow(world, s):
        remove(world.slots, world.slot_heaps, s)
        offer_slow(world, s)
        s = world.slot_heaps[watched_heap(j)]


@kernel
def set_alarm(world, j):
    """Under ``never``: look again just after the oldest watched task of job `j` becomes slow."""
    c = world.cluster[0]
    job = world.jobs[j]
    s = world.slot_heaps[watched_heap(j)]
    if c.observe_kind == UNOBSERVED and s >= 0 and world.job_state[j].low > 0:
        c.wake = s
        c.wake_time = np.nextafter(max(world.slots[s].start + world.store[job.first_task], c.now), math.inf)


@next_check
def plan(world, values, s):
    """Look at an original when it is old enough and known; a task that gets a copy is left alone."""
    slot = world.slots[s]
    if slot.number > 0:
        retract(world, slot.task_slot)
        return math.inf
    at = slot.start + values.min_age * mean_duration(world, slot.job)
    if world.cluster[0].observe_kind != UNOBSERVED:
        at = max(at, known_from(world, s))
    return at if at < slot.finish else math.inf


@check
def judge(world, values, s):
    """Learn the original's duration and see which tasks are slow; under ``never``, ages alone tell."""
    slot = world.slots[s]
    if slot.checked == 0:
        slot.checked = 1
        if world.cluster[0].observe_kind != UNOBSERVED:
            learn(world.jobs, world.job_state, world.store, slot.job, slot.duration, values.quantile)
        keep_watching(world, s)
    promote(world, slot.job)
    set_alarm(world, slot.job)
    return math.inf


@on_copy_end
def learn_winner(world, values, s, won):
    """Forget a task that has ended; learn the duration of the copy that ended it."""
    slot = world.slots[s]
    retract(world, s)
    if won and (world.slots[slot.task_slot].checked == 0 or world.cluster[0].observe_kind == UNOBSERVED):
        learn(world.jobs, world.job_state, world.store, slot.job, slot.duration, values.quantile)
        promote(world, slot.job)
        set_alarm(world, slot.job)


@select_task
def choose_task(world, values, j):
    """Copy the slow task with the longest time to end, unless the cap is reached."""
    c = world.cluster[0]
    if c.mode != BUDGET and c.busy_extra + 1 > values.cap * c.slots:
        return -1
    task_slot = top(world, j)
    if c.observe_kind == UNOBSERVED:
        return task_slot
    while task_slot >= 0 and not is_slow(world, task_slot):
        retract(world, task_slot)  # its job has slowed down as a whole
        keep_watching(world, task_slot)
        task_slot = top(world, j)
    return task_slot


class Values(NamedTuple):
    """What the hooks read: share of extra copies, quantile of durations, age in mean durations."""

    cap: float
    quantile: float
    min_age: float


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Turn the percentile of progress rates into the quantile of durations."""
    return Values(values["speculative_cap"], 1 - values["slow_percentile"] / 100, values["min_age"])


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    known = "t_{\\text{elapsed}}" if observed == "never" else "t_{\\text{total}}"
    quantile = plain(round(1 - values["slow_percentile"] / 100, 6))
    return (
        Formula(
            "LATE",
            f"{known} > q_{{{quantile}}}(\\text{{durations known in the job}}), \\qquad "
            f"\\text{{extra copies}} \\le {plain(values['speculative_cap'])} \\, S",
            "When no original waits, a task whose progress rate is among the slowest of its job gets one "
            "copy, the longest time to end first; it must have run for "
            f"{plain(values['min_age'])} mean durations.",
            "Zaharia et al., Improving MapReduce Performance in Heterogeneous Environments (OSDI 2008), "
            "section 4",
        ),
    )


RULE = Speculation(
    key="late",
    title="LATE",
    summary="copies of the tasks with the longest time to end, in slots no original wants",
    when="spare",
    next_check=plan,
    check=judge,
    on_copy_end=learn_winner,
    select_task=choose_task,
    parameters=(
        parameter(
            "speculative_cap",
            0.1,
            "share of the slots that may hold extra copies",
            low=0,
            high=1,
            label="Most slots with extra copies",
        ),
        parameter(
            "slow_percentile",
            25,
            "a task is slow if its progress rate is below this percentile",
            low=0,
            high=100,
            label="Slow below percentile",
        ),
        parameter(
            "min_age",
            0.5,
            "a task is judged once it has run this long",
            unit="mean durations",
            low=0,
            high=10,
            label="Age at which a task is judged",
        ),
    ),
    prepare=prepare,
    reference="Zaharia et al., OSDI 2008",
    hears_every_copy_end=True,
    job_state=KNOWN,
    store_size=lambda slots, tasks: tasks,
    store_before_tasks=lambda slots: 0,
    formulas=formulas,
)
