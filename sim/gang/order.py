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


#: More tasks than this are sorted, not counted.
FEW = 24


@kernel
def put_in_order(tasks, chosen, count, ranks):
    """Put the first `count` record numbers in `chosen` in order.

    Of a few tasks that end at different times it is counted how many end before each: which of two is first
    no processor guesses, and to compare all of them without a branch takes less time than wrong guesses.
    """
    if count > FEW or not count_before(tasks, chosen, count, ranks):
        sort(tasks, chosen, count)
        return
    for i in range(count):
        chosen[ranks[i].before] = ranks[i].task


@inlined
def count_before(tasks, chosen, count, ranks):
    """Count for each task how many end before it; tell whether no two end at one time."""
    for i in range(count):
        ranks[i].end = tasks[chosen[i]].end
        ranks[i].task = chosen[i]
        ranks[i].before = 0
    equal = 0
    for i in range(count):
        end, before = ranks[i].end, ranks[i].before
        for k in range(i + 1, count):
            first = int(ranks[k].end < end)
            equal += int(ranks[k].end == end)
            before += first
            ranks[k].before += 1 - first
        ranks[i].before = before
    return equal == 0


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
