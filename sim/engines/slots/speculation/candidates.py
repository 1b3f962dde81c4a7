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
