"""Jobs in order of a key: the common part of `fifo`, `fair` and `srpt`.

Heap 0 holds the jobs with an original to launch, heap 1 those that could only use an extra copy
and whose share allows one. Nothing else is indexed, so in a cluster with free slots both are empty.
"""

from __future__ import annotations

from sim.kernel.compile import inlined
from sim.kernel.heap import precedes, push, remove

NOTHING, ORIGINAL, EXTRA = -1, 0, 1


@inlined
def wanted(world, j, limit):
    """Tell what job `j` would do with a slot; it may add extra copies while it holds fewer than `limit`."""
    job = world.jobs[j]
    if job.launched < job.released:
        return ORIGINAL
    if job.candidates > 0 and job.held < limit:
        return EXTRA
    return NOTHING


@inlined
def file(world, j, heap, key):
    """Put job `j` into this heap under this key (ties: arrival order), or into none."""
    job = world.jobs[j]
    if job.heap == heap and (heap == NOTHING or job.first == key):
        return
    if job.heap >= 0:
        remove(world.jobs, world.job_heaps, j)
    if heap >= 0:
        job.first = key
        push(world.jobs, world.job_heaps, heap, j)


@inlined
def foremost(world):
    """First job of both heaps, or -1."""
    a = world.job_heaps[ORIGINAL]
    b = world.job_heaps[EXTRA]
    if a < 0 or b < 0:
        return max(a, b)
    return a if precedes(world.jobs, a, b) else b
