"""A quantile of the known durations of each job, updated whenever one more becomes known.

A job's durations are two binary heaps inside its segment of `store`: the low heap holds the smallest share
of them, the largest on top, and grows upwards from the job's first task; the high heap holds the others,
the smallest on top, and grows downwards from its last. The top of the low heap is the quantile.
"""

from __future__ import annotations

import math

from sim.kernel.compile import kernel

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
