"""Candidates: the tasks a speculation rule would copy, in order of a key; what is known of a running copy.

Heap 0 holds the candidates of all jobs; where copies are part of a job's share (mode ``BUDGET``),
heap 1 + 2 j holds those of job j. Heap 2 + 2 j is for tasks of job j that are watched only.
"""

from __future__ import annotations

import math

from sim.engines.slots.signatures import on_copy_end, select_task
from sim.kernel.compile import kernel
from sim.kernel.heap import push, remove
from sim.kernel.records import AGE, BUDGET, FRACTION

# A quantile of the known durations of each job, updated whenever one more becomes known.
#
# A job's durations are two binary heaps inside its segment of `store`: the low heap holds the smallest
# share of them, the largest on top, and grows upwards from the job's first task; the high heap holds the
# others, the smallest on top, and grows downwards from its last. The top of the low heap is the quantile.

#: What is kept of a job: how many of its known durations are in its low heap and in its high heap.
KNOWN = {"low": 0, "high": 0}


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
def insert(store, bottom, ceiling, low, high, duration, wanted):
    """Add a duration to the heaps of `low` and `high` others; return how many the low heap has then.

    The low heap (largest on top) grows upwards from `bottom`, the high heap (smallest on top) downwards from
    `ceiling`. The low heap is to have `wanted` durations, as many as before or one more.
    """
    if low > 0 and duration > store[bottom]:
        store[ceiling - high] = duration
        high += 1
        sift_up(store, ceiling, -1, high - 1, 1.0)
        if low < wanted:
            duration = store[ceiling]
            high -= 1
            store[ceiling] = store[ceiling - high]
            sift_down(store, ceiling, -1, high, 1.0)
            store[bottom + low] = duration
            low += 1
            sift_up(store, bottom, 1, low - 1, -1.0)
        return low
    if low < wanted:
        store[bottom + low] = duration
        low += 1
        sift_up(store, bottom, 1, low - 1, -1.0)
        return low
    moved = max(store[bottom], duration)  # one value has to go up
    if moved > duration:
        store[bottom] = duration
        sift_down(store, bottom, 1, low, -1.0)
    store[ceiling - high] = moved
    high += 1
    sift_up(store, ceiling, -1, high - 1, 1.0)
    return low


@kernel
def learn(jobs, known, store, j, duration, share):
    """Add a known duration of job `j`; the `share` quantile is then at the top of the low heap."""
    job, known = jobs[j], known[j]
    total = known.low + known.high + 1
    wanted = max(1, math.ceil(share * total - 1e-9))
    ceiling = job.first_task + job.tasks - 1
    known.low = insert(store, job.first_task, ceiling, known.low, known.high, duration, wanted)
    known.high = total - known.low


@kernel
def heap_of(cluster, j):
    """Heap of the candidates that compete with those of job `j`."""
    return 1 + 2 * j if cluster[0].mode == BUDGET else 0


@kernel
def watched_heap(j):
    """Heap of the tasks of job `j` that are watched but not candidates."""
    return 2 + 2 * j


@kernel
def offer(world, s, first, second):
    """Make the task led by slot `s` a candidate; smaller keys are copied first."""
    c = world.cluster[0]
    slot = world.slots[s]
    slot.first = first
    slot.second = second
    push(world.slots, world.slot_heaps, heap_of(world.cluster, slot.job), s)
    c.candidates += 1
    if c.mode == BUDGET:
        world.jobs[slot.job].candidates += 1


@kernel
def retract(world, s):
    """Take the task led by slot `s` out of the heap that holds it, if any does."""
    c = world.cluster[0]
    slot = world.slots[s]
    heap = slot.heap
    if heap < 0:
        return
    remove(world.slots, world.slot_heaps, s)
    if heap == heap_of(world.cluster, slot.job):
        c.candidates -= 1
        if c.mode == BUDGET:
            world.jobs[slot.job].candidates -= 1


@on_copy_end
def forget(world, s, won):
    """Take a task that has ended out of the candidates."""
    retract(world, s)


@kernel
def top(world, j):
    """Return the candidate to copy first, of job `j` or (if -1) of all jobs; -1 if there is none."""
    return world.slot_heaps[heap_of(world.cluster, j) if j >= 0 else 0]


@select_task
def first_candidate(world, j):
    """Copy the candidate that comes first."""
    return top(world, j)


@kernel
def mean_duration(world, j):
    """E[x] of the copies of job `j`: its size times the mean straggle factor."""
    return world.jobs[j].task_size * world.cluster[0].mean_factor


@kernel
def left(world, s):
    """Remaining time of the copy in slot `s`, for a rule to which it is known."""
    return world.slots[s].finish - world.cluster[0].now


@kernel
def known_from(world, s):
    """Time from which the remaining time of the copy in slot `s` is known; ``inf`` if never."""
    c = world.cluster[0]
    slot = world.slots[s]
    if c.observe_kind == AGE:
        return slot.start + c.observe_at * mean_duration(world, slot.job)
    if c.observe_kind == FRACTION:
        return slot.start + c.observe_at * slot.duration
    return math.inf
