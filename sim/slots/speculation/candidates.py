"""Tasks a speculation rule would copy, in order of a key, and what may be known of a running copy.

Heap 0 holds the candidates of all jobs; where copies are part of a job's share (mode ``BUDGET``),
heap 1 + 2 j holds those of job j. Heap 2 + 2 j is for tasks of job j that are watched only.
"""

from __future__ import annotations

import math

from sim.kernel.compile import kernel
from sim.kernel.heap import push, remove

#: `engine.BUDGET`; repeated here because the engine is compiled only when a run starts.
BUDGET = 2
AGE, FRACTION, UNOBSERVED = range(3)


@kernel
def heap_of(cluster, j):
    """Heap of the candidates that compete with those of job `j`."""
    return 1 + 2 * j if cluster[0].mode == BUDGET else 0


@kernel
def watched_heap(j):
    """Heap of the tasks of job `j` that are watched but not candidates."""
    return 2 + 2 * j


@kernel
def offer(cluster, jobs, slots, roots, s, first, second):
    """Make the task led by slot `s` a candidate; smaller keys are copied first."""
    j = slots[s].job
    slots[s].first = first
    slots[s].second = second
    push(slots, roots, heap_of(cluster, j), s)
    cluster[0].candidates += 1
    if cluster[0].mode == BUDGET:
        jobs[j].candidates += 1


@kernel
def retract(cluster, jobs, slots, roots, s):
    """Take the task led by slot `s` out of the heap that holds it, if any does."""
    heap = slots[s].heap
    if heap < 0:
        return
    j = slots[s].job
    remove(slots, roots, s)
    if heap == heap_of(cluster, j):
        cluster[0].candidates -= 1
        if cluster[0].mode == BUDGET:
            jobs[j].candidates -= 1


@kernel
def top(cluster, roots, j):
    """Return the candidate to copy first, of job `j` or (if -1) of all jobs; -1 if there is none."""
    return roots[heap_of(cluster, j) if j >= 0 else 0]


@kernel
def mean_duration(cluster, jobs, s_job):
    """E[x] of a job's copies: its size times the mean straggle factor."""
    return jobs[s_job].task_size * cluster[0].mean_factor


@kernel
def known_from(cluster, jobs, slots, s):
    """Time from which the remaining time of the copy in slot `s` is known; ``inf`` if never."""
    c = cluster[0]
    slot = slots[s]
    if c.observe_kind == AGE:
        return slot.start + c.observe_at * mean_duration(cluster, jobs, slot.job)
    if c.observe_kind == FRACTION:
        return slot.start + c.observe_at * slot.duration
    return math.inf
