"""Pairing heap inside record arrays: O(1) push, amortised O(log n) removal of any member.

A node is an index into `nodes`, whose records carry the fields of `sim.kernel.records.NODE`. Smaller
keys come first: `first`, then `second`, then `rank`, which callers make unique. `roots[r]` is the
top of heap `r`, -1 when it is empty. (Fredman, Sedgewick, Sleator and Tarjan 1986.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.kernel.compile import inlined, kernel

# The least of a list of numbers that change one by one: a second list holds the least of each block.
#
# Where keys change often and keep their places, such as those of slots, this does what a heap does with
# less: a number is set where it stands, which costs at most a look at its block, and the least of all costs
# a look at each block. Blocks of about the root of the length cost least. Places that hold nothing are
# ``inf``.
#
# The list begins at ``numbers[begin]``, in whole blocks of ``1 << bits`` numbers, at least 4; the least of
# each block stand from ``numbers[above]`` on, in multiples of 4.
#
# What the second list buys: without it `dolly-task` on 3,000 slots takes twice its time.


@inlined
def blocks_of(count, bits):
    """Return how many blocks hold `count` numbers."""
    return (count + (1 << bits) - 1) >> bits


@kernel
def least_in(numbers, first, last):
    """Return the least number from place `first` to before `last`, which are a multiple of 4 apart."""
    one, two, three = np.uintp(1), np.uintp(2), np.uintp(3)
    a = b = c = d = math.inf  # four, since each step of one waits for the step before
    for k in range(np.uintp(first), np.uintp(last), np.uintp(4)):
        a = min(a, numbers[k])
        b = min(b, numbers[k + one])
        c = min(c, numbers[k + two])
        d = min(d, numbers[k + three])
    return min(min(a, b), min(c, d))


@inlined
def note_block(numbers, begin, above, bits, block):
    """Note the least number of a block."""
    first = begin + (block << bits)
    numbers[above + block] = least_in(numbers, first, first + (1 << bits))


@inlined
def put(numbers, begin, above, bits, place, number):
    """Set the number at a place of the list."""
    before = numbers[begin + place]
    block = place >> bits
    numbers[begin + place] = number
    if number <= numbers[above + block]:
        numbers[above + block] = number
    elif before == numbers[above + block]:
        note_block(numbers, begin, above, bits, block)


@inlined
def least_of(numbers, above, bits, count):
    """Return the least of the first `count` numbers of the list."""
    return least_in(numbers, above, above + ((blocks_of(count, bits) + 3) & -4))


@kernel
def place_of_least(numbers, begin, above, bits, count):
    """Return the first place that has the least of the first `count` numbers, -1 if they hold nothing."""
    least = least_of(numbers, above, bits, count)
    if least == math.inf:
        return -1
    block = 0
    while numbers[above + block] != least:
        block += 1
    place = block << bits
    while numbers[begin + place] != least:
        place += 1
    return place


# Tournament tree of events: the first event is at the top, by time, then by a unique key.
#
# The tree of Knuth (The Art of Computer Programming 3, section 5.4.1): the leaves hold the events, an inner
# node the first of both below it, so that the top is the first of all. An event is put in the place of
# another one on the way from its leaf to the top, which has as many steps whatever the times are: where in
# a heap an event comes to rest no processor can guess.
#
# The nodes below ``events[n]`` are ``events[2 n]`` and ``events[2 n + 1]``; the second half of `events` are
# the leaves. A leaf without an event is at `NEVER` or later, and its key is the next such leaf. Of the tree
# only what has ever been in use is played, the part below ``cluster[0].top``; the first leaf beyond is
# `unplayed`, and `leaf` the next one without an event.
#
# What it buys: with a heap, and without `sim.kernel.streams.less_of_eight`, which came with it, a run of the
# gang engine without redundancy takes 1.18 of its time, one with two copies of all tasks 1.30.

#: An event: its time, as `in_bits` says it, and its key, which is not negative.
ENTRY = np.dtype([("when", "i8"), ("key", "i8")])
#: When nothing happens: infinity. What is later is no time, but told from others that never happen.
NEVER = int(np.float64(np.inf).view(np.int64))


def records_needed(players: int) -> int:
    """Return how many records a tournament of up to so many events has.

    Examples
    --------
    >>> records_needed(1), records_needed(4), records_needed(5)
    (2, 8, 16)
    """
    return 2 << (players - 1).bit_length()


def clear(events: Any, cluster: Any) -> None:
    """Set a tournament without events.

    Parameters
    ----------
    events : recarray
        `records_needed` records.
    cluster : recarray
        One record with `top`, `leaf` and `unplayed`.
    """
    events.when = NEVER + np.arange(events.size)
    events.key = np.arange(events.size) + 1
    c = cluster[0]
    c.leaf = c.top = events.size // 2
    c.unplayed = c.top + 1


@inlined
def in_bits(time):
    """Return a time, which is not negative, as a whole number of the same order: its bits."""
    return np.float64(time).view(np.int64)


@inlined
def first_time(events, top):
    """Return when the first event happens."""
    return np.int64(min(events[top].when, NEVER)).view(np.float64)


@inlined
def play(events, top, node, when, key):
    """Put an event at a leaf, in the place of the one there, and find the first of all.

    Written as a choice, which of two is first would be a branch; that two have one time is guessed well.
    """
    events[node].when = when
    events[node].key = key
    while node != top:
        other = events[node ^ 1]
        first = (other.when - when) >> 63  # all bits, or none
        if other.when == when:
            first = (other.key - key) >> 63
        when ^= (other.when ^ when) & first
        key ^= (other.key ^ key) & first
        node >>= 1
        events[node].when = when
        events[node].key = key


@inlined
def take_leaf(events, cluster):
    """Return a leaf for one more event, which is to be played; move the top up if it is not below."""
    c = cluster[0]
    leaf = c.leaf
    c.leaf = events[leaf].key
    if leaf >= c.unplayed:
        c.unplayed += c.unplayed - (events.size >> 1)
        c.top >>= 1
    return leaf


@inlined
def give_leaf(events, cluster, leaf):
    """Take the event of a leaf away."""
    c = cluster[0]
    play(events, c.top, leaf, NEVER + leaf, c.leaf)
    c.leaf = leaf


@kernel
def precedes(nodes, a, b):
    """Tell whether node `a` comes before node `b`."""
    x = nodes[a]
    y = nodes[b]
    if x.first != y.first:
        return x.first < y.first
    if x.second != y.second:
        return x.second < y.second
    return x.rank < y.rank


@kernel
def meld(nodes, a, b):
    """Join two heaps given by their tops; return the top of both."""
    if precedes(nodes, b, a):
        a, b = b, a
    child = nodes[a].child
    nodes[b].next = child
    nodes[b].prev = a
    if child >= 0:
        nodes[child].prev = b
    nodes[a].child = b
    nodes[a].next = -1
    nodes[a].prev = -1
    return a


@kernel
def push(nodes, roots, r, i):
    """Add node `i`, whose keys are set, to heap `r`."""
    nodes[i].child = -1
    nodes[i].next = -1
    nodes[i].prev = -1
    nodes[i].heap = r
    roots[r] = i if roots[r] < 0 else meld(nodes, roots[r], i)


@kernel
def join_children(nodes, i):
    """Make one heap of the children of `i`, pairing them from the left; return its top or -1."""
    pairs = -1  # chain of melded pairs, last one first, linked by `next`
    a = nodes[i].child
    while a >= 0:
        b = nodes[a].next
        if b < 0:
            after = -1
            top = a
        else:
            after = nodes[b].next
            top = meld(nodes, a, b)
        nodes[top].next = pairs
        pairs = top
        a = after
    if pairs < 0:
        return pairs
    top = pairs
    pairs = nodes[top].next
    nodes[top].next = -1
    nodes[top].prev = -1
    while pairs >= 0:
        after = nodes[pairs].next
        top = meld(nodes, top, pairs)
        pairs = after
    return top


@kernel
def remove(nodes, roots, i):
    """Take node `i` out of the heap that holds it."""
    r = nodes[i].heap
    rest = join_children(nodes, i)
    if roots[r] == i:
        roots[r] = rest
    else:
        before = nodes[i].prev
        after = nodes[i].next
        if nodes[before].child == i:
            nodes[before].child = after
        else:
            nodes[before].next = after
        if after >= 0:
            nodes[after].prev = before
        if rest >= 0:
            roots[r] = meld(nodes, roots[r], rest)
    nodes[i].heap = -1
