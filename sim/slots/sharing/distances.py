"""How far the members of an order are from their targets, by seat.

All distances change whenever targets are computed anew, which is every few events, and a heap would have to
be built anew each time: they are a list (`sim.kernel.least`). A job that no slot would help is infinitely
far.
"""

from __future__ import annotations

import math

from sim.kernel.compile import inlined, kernel
from sim.kernel.least import blocks_of, least_of, note_block, only_place, put
from sim.slots.sharing.members import BEGIN, BITS, JOB, SEATED, TASKS, own


@inlined
def list_of(n):
    """Where in `order` the distances of `n` seats begin."""
    return BEGIN + 4 * n


@inlined
def note_distance(order, n, seat, distance):
    """Note how far the member in a seat is from its target."""
    put(order, list_of(n), list_of(n) + n, BITS, seat, distance)


@kernel
def note_all(order, n):
    """Note the least distances, when distances have been written one by one."""
    for block in range(blocks_of(int(order[SEATED]), BITS)):
        note_block(order, list_of(n), list_of(n) + n, BITS, block)


@kernel
def nearest(order, n):
    """Job with the least distance (ties: fewest open tasks, then the oldest); -1 if a slot helps nobody."""
    begin, above, seated = list_of(n), list_of(n) + n, int(order[SEATED])
    least = least_of(order, above, BITS, seated)
    if least == math.inf:
        return -1
    block = only_place(order, above, above + blocks_of(seated, BITS), least) - above
    if block >= 0:
        first = begin + (block << BITS)
        seat = only_place(order, first, first + (1 << BITS), least) - begin
        if seat >= 0:
            return int(order[own(n, seat) + JOB])
    return first_of_equal(order, n, least)


@kernel
def first_of_equal(order, n, least):
    """Job that comes first among those with the least distance."""
    best, fewest = -1, math.inf
    for seat in range(int(order[SEATED])):
        if order[list_of(n) + seat] == least:
            at = own(n, seat)
            j = int(order[at + JOB])
            if best < 0 or order[at + TASKS] < fewest or (order[at + TASKS] == fewest and j < best):
                best, fewest = j, order[at + TASKS]
    return best
