"""Jobs filed by their remaining tasks T, in levels that are listed in ascending order.

A level has a queue of its unstarted jobs and two heaps, by slots held, of its started ones: those with
originals to launch, and those that could use an extra copy only. `order` lists the T of the levels in use,
and beside each the fewest slots held by a job of it that could use one more.
"""

from __future__ import annotations

import math

import numpy as np

from sim.kernel.compile import kernel

#: What is kept of a job: the level in which it is filed and the next unstarted job of that level; -1: none.
FILED = {"level": -1, "queued": -1}
#: Levels looked at in one go: few enough to find the right one again quickly.
BLOCK = 32


def no_levels(jobs: int, largest: int) -> np.ndarray:
    """Return an empty list of levels with room for jobs of up to `largest` tasks.

    The first half is for the levels, the second for the fewest slots held by a job of each: infinitely
    many where none is listed. Either half is of whole blocks.
    """
    places = BLOCK * -(-(largest + 2) // BLOCK)
    return np.repeat([0.0, np.inf], places)


@kernel
def place_of(order, count, t):
    """First place in `order` whose level is not below `t`."""
    low = 0
    while low < count:
        middle = (low + count) >> 1
        if order[middle] < t:
            low = middle + 1
        else:
            count = middle
    return low


@kernel
def insert_level(levels, order, t, place):
    """List an empty level at `place`."""
    half = order.size >> 1
    for k in range(levels[0].jobs, place, -1):
        order[k] = order[k - 1]
        order[half + k] = order[half + k - 1]
        levels[int(order[k])].place = k
    levels[0].jobs += 1
    label(levels, order, t, place)


@kernel
def label(levels, order, t, place):
    """Let `place` list the empty level `t`."""
    order[place] = t
    levels[t].place = place
    levels[t].jobs = 0
    levels[t].unstarted = 0


@kernel
def delete_level(levels, order, place):
    """Take the level at `place` off the list."""
    half = order.size >> 1
    levels[0].jobs -= 1
    for k in range(place, levels[0].jobs):
        order[k] = order[k + 1]
        order[half + k] = order[half + k + 1]
        levels[int(order[k])].place = k
    order[half + levels[0].jobs] = math.inf


@kernel
def least_held(jobs, levels, order, heaps, t):
    """Note the fewest slots held by a job of level `t` that could use another one."""
    held = math.inf
    if levels[t].unstarted > 0:
        held = 0.0
    for heap in (2 * t, 2 * t + 1):
        if heaps[heap] >= 0:
            held = min(held, jobs[heaps[heap]].first)
    order[(order.size >> 1) + levels[t].place] = held


@kernel
def enter(jobs, own, levels, order, j):
    """File a job that has just arrived, as unstarted."""
    t = jobs[j].tasks
    count = levels[0].jobs
    place = place_of(order, count, t)
    if place == count or order[place] != t:
        insert_level(levels, order, t, place)
    level = levels[t]
    own[j].queued = -1
    if level.unstarted == 0:
        level.head = j
    else:
        own[level.tail].queued = j
    level.tail = j
    level.unstarted += 1
    level.jobs += 1
    own[j].level = t


@kernel
def move_down(jobs, own, levels, order, heaps, j, t):
    """Move job `j` from its level to level `t`, the next lower number of tasks (0: it is done)."""
    old = own[j].level
    place = levels[old].place
    levels[old].jobs -= 1
    listed = place > 0 and order[place - 1] == t
    if levels[old].jobs > 0:
        least_held(jobs, levels, order, heaps, old)
        if t > 0 and not listed:
            insert_level(levels, order, t, place)
    elif t > 0 and not listed:
        label(levels, order, t, place)
    else:
        delete_level(levels, order, place)
    if t > 0:
        levels[t].jobs += 1
    own[j].level = t
