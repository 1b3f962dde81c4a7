"""Order of the running tasks of one job: by end, then task, then copy."""

from __future__ import annotations

import math

import numpy as np

from sim.kernel.compile import inlined, kernel
from sim.kernel.streams import EIGHT, less_of_eight, lowest_bit


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


# Chooses the nodes on which the tasks of a job start: different ones, least loaded first, then by number.
#
# The nodes that hold h tasks are a set of bits, `BITS` to a word, in row h of `sets`; `sizes[h]` is how
# many they are. A step up or down costs O(1), and finding n nodes little more than n steps.

#: Bits used of a word: a power of two, since other divisions take longer than what they are for, and few
#: enough for the largest word to be a positive whole number.
BITS = 32


@inlined
def move(cluster, nodes, sets, sizes, node, step):
    """Count `step` (1 or -1) tasks more on a node."""
    held = nodes[node].held
    word = node // BITS
    bit = np.int64(1) << np.int64(node % BITS)
    sets[held * cluster[0].words + word] ^= bit
    sizes[held] -= 1
    held += step
    sets[held * cluster[0].words + word] |= bit
    sizes[held] += 1
    nodes[node].held = held


@inlined
def fits(cluster, sizes, count):
    """Tell whether `count` tasks of a job can start now."""
    c = cluster[0]
    if c.pool:
        return count <= c.slots - c.busy
    return count <= c.nodes - sizes[c.capacity]


@kernel
def pick(cluster, nodes, sets, sizes, picked, wanted, mark):
    """List up to `wanted` nodes with a free slot that do not bear this mark; return how many they are."""
    words = cluster[0].words
    found = 0
    for held in range(cluster[0].capacity):
        if sizes[held] == 0:
            continue
        for word in range(words):
            left = sets[held * words + word]
            while left:
                node = word * BITS + lowest_bit(left)
                left &= left - 1
                if nodes[node].mark != mark:
                    picked[found] = node
                    found += 1
                    if found == wanted:
                        return found
    return found
