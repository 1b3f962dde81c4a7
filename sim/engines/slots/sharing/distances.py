"""The distance of each member of an order from its target, by seat.

All distances change whenever targets are computed anew, which is every few events, and a heap would have to
be built anew each time: they are a list, beside which stands the least of each block. A job that no slot
would help is infinitely far.

The job that is nearest is held out of the list: what it is given or loses changes one number, and it stays
the answer until it is no longer nearer than all on the list.
"""

from __future__ import annotations

import math

from sim.engines.slots.sharing.members import (
    BEGIN,
    BITS,
    COUNT,
    HELD_OUT,
    HELD_OUT_AT,
    JOB,
    OTHERS_AT,
    TASKS,
    own,
)
from sim.kernel.compile import inlined, kernel
from sim.kernel.lanes import LANES, lane_of, least_but, least_in_lanes
from sim.kernel.least import blocks_of


@inlined
def list_of(n):
    """Where in `order` the distances of `n` seats begin."""
    return BEGIN + 4 * n


@inlined
def note_distance(order, n, seat, distance):
    """Note how far the member in a seat is from its target."""
    if seat == int(order[HELD_OUT]):
        order[HELD_OUT_AT] = distance
        return
    if distance < order[HELD_OUT_AT] and distance < order[OTHERS_AT]:  # the next answer without a search
        put(order, n, int(order[HELD_OUT]), order[HELD_OUT_AT])
        order[OTHERS_AT] = min(order[OTHERS_AT], order[HELD_OUT_AT])
        order[HELD_OUT], order[HELD_OUT_AT] = seat, distance
        distance = math.inf
    put(order, n, seat, distance)
    order[OTHERS_AT] = min(order[OTHERS_AT], distance)


@inlined
def put(order, n, seat, distance):
    """Put a distance on the list, and note what its block has at least."""
    place, block = list_of(n) + seat, list_of(n) + n + (seat >> BITS)
    if distance <= order[block]:
        order[block] = distance
    elif order[place] == order[block]:
        order[block] = min(distance, least_but(order, list_of(n) + (seat & -LANES), seat & (LANES - 1)))
    order[place] = distance


@inlined
def distance_at(order, n, seat):
    """How far the member in a seat is from its target."""
    return order[HELD_OUT_AT] if seat == int(order[HELD_OUT]) else order[list_of(n) + seat]


@kernel
def note_all(order, n):
    """Note the least distances, when distances have been written one by one."""
    for block in range(blocks_of(int(order[COUNT]), BITS)):
        order[list_of(n) + n + block] = least_in_lanes(order, list_of(n) + (block << BITS))
    hold_out(order, n)


@kernel
def hold_out(order, n):
    """Hold the least distance out of the list."""
    above = list_of(n) + n
    least = others = math.inf
    group = above  # of blocks
    for first in range(above, above + blocks_of(int(order[COUNT]), BITS), LANES):
        least_here = least_in_lanes(order, first)
        if least_here < least:
            group = first
        others = min(others, max(least, least_here))
        least = min(least, least_here)
    if least == math.inf:
        order[HELD_OUT_AT] = order[OTHERS_AT] = math.inf
        return
    block = group + lane_of(order, group, least)
    first = list_of(n) + ((block - above) << BITS)
    lane = lane_of(order, first, least)
    rest = least_but(order, first, lane)
    others = min(min(others, rest), least_but(order, group, block - group))
    seat = first + lane - list_of(n)
    if others == least:
        seat = first_of_equal(order, n, least)
        put(order, n, seat, math.inf)
    else:
        order[first + lane], order[block] = math.inf, rest
    order[HELD_OUT], order[HELD_OUT_AT], order[OTHERS_AT] = seat, least, others


@kernel
def exchanged(order, n):
    """Hold the nearest of the list out instead, if it is found at once and none is as near; tell whether so.

    All is read before anything is written: a vector in which a number has just been written is late.
    """
    least, away = order[OTHERS_AT], order[HELD_OUT_AT]
    above = list_of(n) + n
    block = lane_of(order, above, least)
    if block == LANES or away == least or order[COUNT] > LANES << BITS:
        return False
    first = list_of(n) + (block << BITS)
    lane = lane_of(order, first, least)
    rest = least_but(order, first, lane)
    others = min(min(least_but(order, above, block), rest), away)
    if others == least:
        return False
    order[first + lane], order[above + block] = math.inf, rest
    seat = int(order[HELD_OUT])
    order[list_of(n) + seat] = away
    order[above + (seat >> BITS)] = min(order[above + (seat >> BITS)], away)
    order[HELD_OUT], order[HELD_OUT_AT], order[OTHERS_AT] = first + lane - list_of(n), least, others
    return True


@kernel
def nearest(order, n):
    """Job with the least distance (ties: fewest open tasks, then the oldest); -1 if a slot helps nobody.

    The last answer stands beside the list, and so does what the list has at least. As a rule its distance is
    all that has changed since, so that the list need not be looked at, nor changed.
    """
    if order[HELD_OUT_AT] >= order[OTHERS_AT]:
        if order[OTHERS_AT] == math.inf:
            return -1
        if not exchanged(order, n):
            put(order, n, int(order[HELD_OUT]), order[HELD_OUT_AT])
            hold_out(order, n)
        if order[HELD_OUT_AT] == math.inf:
            return -1
    return int(order[own(n, int(order[HELD_OUT])) + JOB])


@kernel
def first_of_equal(order, n, least):
    """Seat of the job that comes first among those with the least distance."""
    best, first, fewest = -1, math.inf, math.inf
    for seat in range(int(order[COUNT])):
        if order[list_of(n) + seat] == least:
            at = own(n, seat)
            tasks, j = order[at + TASKS], order[at + JOB]
            if tasks < fewest or (tasks == fewest and j < first):
                best, first, fewest = seat, j, tasks
    return best
