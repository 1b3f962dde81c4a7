"""Order of the running tasks of one job: by end, then task, then copy."""

from __future__ import annotations

import math

from sim.kernel.bits import EIGHT, less_of_eight
from sim.kernel.compile import inlined, kernel


@inlined
def precedes(tasks, a, b):
    """Tell whether task record `a` ends before `b`."""
    x = tasks[a]
    y = tasks[b]
    if x.end != y.end:
        return x.end < y.end
    if x.task != y.task:
        return x.task < y.task
    return x.number < y.number


#: More tasks than this are sorted, not counted.
FEW = 24


@inlined
def put_in_order(tasks, started, chosen, count, ends):
    """List the first `count` record numbers in `started` in order in `chosen`.

    Of a few tasks that end at different times it is counted how many end before each: which of two is first
    no processor guesses, and to compare all of them without a branch takes less time than wrong guesses.
    """
    if count > FEW or not place_by_count(tasks, started, chosen, count, ends):
        for i in range(count):
            chosen[i] = started[i]
        sort(tasks, chosen, count)


@inlined
def place_by_count(tasks, started, chosen, count, ends):
    """Place each task behind those that end before; tell whether no two end at one time."""
    for i in range(count):
        ends[i] = tasks[started[i]].end
    for i in range(count, (count + EIGHT - 1) & -EIGHT):
        ends[i] = math.inf
    places = 0
    for i in range(count):
        before = 0
        for first in range(0, count, EIGHT):
            before += less_of_eight(ends, first, ends[i])
        chosen[before] = started[i]
        places += before
    return places == (count * (count - 1)) >> 1  # else two have one place


@kernel
def sort(tasks, chosen, count):
    """Sort the first `count` record numbers in `chosen` (Shell 1959, CACM 2(7); plain insertion of few)."""
    gap = 1
    while 9 * gap < count:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            moved = chosen[i]
            end = tasks[moved].end  # read once: each step writes what it might be, for all the compiler knows
            place = i
            while place >= gap:
                other = chosen[place - gap]
                if tasks[other].end < end or not (tasks[other].end > end or precedes(tasks, moved, other)):
                    break
                chosen[place] = other
                place -= gap
            chosen[place] = moved
        gap //= 3
