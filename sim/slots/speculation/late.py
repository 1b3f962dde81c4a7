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

A job's known durations are kept in two heaps inside its segment of `store`, so that the quantile is
at the top of one of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.kernel.compile import kernel
from sim.kernel.heap import push, remove
from sim.policy import parameter
from sim.slots.rule import Speculation
from sim.slots.signatures import choose, lose, watch
from sim.slots.speculation.candidates import (
    BUDGET,
    UNOBSERVED,
    known_from,
    mean_duration,
    offer,
    retract,
    top,
    watched_heap,
)

if TYPE_CHECKING:
    from sim.scenario import Scenario


@kernel
def sift_up(store, base, step, place, sign):
    """Restore a binary heap of `store[base + step * k]` after a value was added at `place`."""
    value = store[base + step * place]
    while place > 0:
        above = (place - 1) >> 1
        if sign * store[base + step * above] <= sign * value:
            break
        store[base + step * place] = store[base + step * above]
        place = above
    store[base + step * place] = value


@kernel
def sift_down(store, base, step, size, sign):
    """Restore a binary heap of `size` values after the one at its top was replaced."""
    value = store[base]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and sign * store[base + step * (below + 1)] < sign * store[base + step * below]:
            below += 1
        if sign * store[base + step * below] >= sign * value:
            break
        store[base + step * place] = store[base + step * below]
        place = below
    store[base + step * place] = value


@kernel
def learn(jobs, store, j, duration, share):
    """Add a known duration of job `j`; the `share` quantile is then at the top of the low heap."""
    job = jobs[j]
    bottom = job.first_task  # the low heap (largest on top) grows upwards from here,
    ceiling = job.first_task + job.tasks - 1  # the high heap (smallest on top) downwards from here
    total = job.low + job.high + 1
    wanted = max(1, math.ceil(share * total - 1e-9))
    if job.low > 0 and duration > store[bottom]:
        store[ceiling - job.high] = duration
        job.high += 1
        sift_up(store, ceiling, -1, job.high - 1, 1.0)
        if job.low < wanted:
            duration = store[ceiling]
            job.high -= 1
            store[ceiling] = store[ceiling - job.high]
            sift_down(store, ceiling, -1, job.high, 1.0)
            store[bottom + job.low] = duration
            job.low += 1
            sift_up(store, bottom, 1, job.low - 1, -1.0)
        return
    if job.low < wanted:
        store[bottom + job.low] = duration
        job.low += 1
        sift_up(store, bottom, 1, job.low - 1, -1.0)
        return
    moved = max(store[bottom], duration)  # one value has to go up
    if moved > duration:
        store[bottom] = duration
        sift_down(store, bottom, 1, job.low, -1.0)
    store[ceiling - job.high] = moved
    job.high += 1
    sift_up(store, ceiling, -1, job.high - 1, 1.0)


@kernel
def is_slow(cluster, jobs, slots, store, s):
    """Tell whether the original in slot `s` is slow for its job, by what is known now."""
    slot = slots[s]
    job = jobs[slot.job]
    if job.low == 0:
        return False
    unobserved = cluster[0].observe_kind == UNOBSERVED
    known = cluster[0].now - slot.start if unobserved else slot.duration
    return known > store[job.first_task]


@kernel
def offer_slow(cluster, jobs, slots, roots, s):
    """Make a slow task a candidate: longest time to end (under ``never``: longest elapsed) first."""
    unobserved = cluster[0].observe_kind == UNOBSERVED
    offer(cluster, jobs, slots, roots, s, slots[s].start if unobserved else -slots[s].finish, 0.0)


@kernel
def keep_watching(cluster, jobs, slots, roots, s):
    """Watch a task that is not slow; the first of its job to become so comes first."""
    unobserved = cluster[0].observe_kind == UNOBSERVED
    slots[s].first = slots[s].start if unobserved else -slots[s].duration
    slots[s].second = 0.0
    push(slots, roots, watched_heap(slots[s].job), s)


@kernel
def promote(cluster, jobs, slots, roots, store, j):
    """Make candidates of the watched tasks of job `j` that have become slow."""
    s = roots[watched_heap(j)]
    while s >= 0 and is_slow(cluster, jobs, slots, store, s):
        remove(slots, roots, s)
        offer_slow(cluster, jobs, slots, roots, s)
        s = roots[watched_heap(j)]


@kernel
def set_alarm(cluster, jobs, slots, roots, store, j):
    """Under ``never``: look again just after the oldest watched task of job `j` becomes slow."""
    c = cluster[0]
    s = roots[watched_heap(j)]
    if c.observe_kind == UNOBSERVED and s >= 0 and jobs[j].low > 0:
        c.wake = s
        c.wake_time = np.nextafter(max(slots[s].start + store[jobs[j].first_task], c.now), math.inf)


@watch
def plan(cluster, jobs, slots, roots, store, numbers, s):
    """Look at an original when it is old enough and known; a task that gets a copy is left alone."""
    slot = slots[s]
    if slot.number > 0:
        retract(cluster, jobs, slots, roots, slot.lead)
        return math.inf
    at = slot.start + numbers[2] * mean_duration(cluster, jobs, slot.job)
    if cluster[0].observe_kind != UNOBSERVED:
        at = max(at, known_from(cluster, jobs, slots, s))
    return at if at < slot.finish else math.inf


@watch
def notice(cluster, jobs, slots, roots, store, numbers, s):
    """Learn the original's duration and see which tasks are slow; under ``never``, ages alone tell."""
    slot = slots[s]
    j = slot.job
    if slot.noticed == 0:
        slot.noticed = 1
        if cluster[0].observe_kind != UNOBSERVED:
            learn(jobs, store, j, slot.duration, numbers[1])
        keep_watching(cluster, jobs, slots, roots, s)
    promote(cluster, jobs, slots, roots, store, j)
    set_alarm(cluster, jobs, slots, roots, store, j)
    return math.inf


@lose
def lose_copy(cluster, jobs, slots, roots, store, numbers, s, won):
    """Forget a task that has ended; learn the duration of the copy that ended it."""
    slot = slots[s]
    retract(cluster, jobs, slots, roots, s)
    if won and (slots[slot.lead].noticed == 0 or cluster[0].observe_kind == UNOBSERVED):
        learn(jobs, store, slot.job, slot.duration, numbers[1])
        promote(cluster, jobs, slots, roots, store, slot.job)
        set_alarm(cluster, jobs, slots, roots, store, slot.job)


@choose
def choose_task(cluster, jobs, slots, roots, store, numbers, j):
    """Copy the slow task with the longest time to end, unless the cap is reached."""
    c = cluster[0]
    if c.mode != BUDGET and c.busy_extra + 1 > numbers[0] * c.slots:
        return -1
    lead = top(cluster, roots, j)
    if c.observe_kind == UNOBSERVED:
        return lead
    while lead >= 0 and not is_slow(cluster, jobs, slots, store, lead):
        retract(cluster, jobs, slots, roots, lead)  # its job has slowed down as a whole
        keep_watching(cluster, jobs, slots, roots, lead)
        lead = top(cluster, roots, j)
    return lead


def prepare(scenario: Scenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on the cap, the quantile of durations and the age."""
    return np.array([values["speculative_cap"], 1 - values["slow_percentile"] / 100, values["min_age"]])


RULE = Speculation(
    key="late",
    title="LATE",
    summary="copies of the tasks with the longest time to end, in slots no original wants",
    when="spare",
    watch=plan,
    notice=notice,
    lose=lose_copy,
    choose=choose_task,
    parameters=(
        parameter("speculative_cap", 0.1, "share of the slots that may hold extra copies", low=0, high=1),
        parameter(
            "slow_percentile",
            25,
            "a task is slow if its progress rate is below this percentile",
            low=0,
            high=100,
        ),
        parameter(
            "min_age",
            0.5,
            "a task is judged once it has run this long",
            unit="mean durations",
            low=0,
            high=10,
        ),
    ),
    prepare=prepare,
    reference="Zaharia et al., OSDI 2008",
    stores_durations=True,
)
