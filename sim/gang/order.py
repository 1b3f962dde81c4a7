"""Order of the running tasks of one job: by end, then task, then copy."""

from __future__ import annotations

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
