"""Tournament tree of events: the first event is at the top, by time, then by a unique key.

The tree of Knuth (The Art of Computer Programming 3, section 5.4.1): the leaves hold the events, an inner
node the first of both below it, so that the top is the first of all. An event is put in the place of another
one on the way from its leaf to the top, which has as many steps whatever the times are: where in a heap an
event comes to rest no processor can guess.

The nodes below ``events[n]`` are ``events[2 n]`` and ``events[2 n + 1]``; the second half of `events` are the
leaves. A leaf without an event is at `NEVER` or later, and its key is the next such leaf. Of the tree only
what has ever been in use is played, the part below ``cluster[0].top``; the first leaf beyond is `unplayed`,
and `leaf` the next one without an event.

What it buys: with a heap, and without `sim.kernel.bits.less_of_eight`, which came with it, a run of the gang
engine without redundancy takes 1.18 of its time, one with two copies of all tasks 1.30.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.kernel.compile import inlined

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
