"""The distance of each member of an order from its target, by seat.

All distances change whenever targets are computed anew, which is every few events, and a heap would have to
be built anew each time: they are a list, beside which stands the least of each block. A job that no slot
would help is infinitely far.

The job that is nearest is held out of the list: what it is given or loses changes one number, and it stays
the answer until it is no longer nearer than all on the list.
"""

from __future__ import annotations

import math

import numpy as np

from sim.engines.slots.sharing.members import (
    BEGIN,
    BITS,
    CHANGED,
    COUNT,
    FIELDS,
    FIRST,
    HELD,
    HELD_OUT,
    HELD_OUT_AT,
    JOB,
    LIMIT,
    MAX_SRPT,
    MOVED,
    OTHERS_AT,
    PLACE,
    RATIO,
    SECOND,
    TASKS,
    THETA,
    TRANSFER,
    TURN,
    UNSORTED,
    VIRTUAL,
    WEIGHT,
    WEIGHTED,
    YOUNGEST,
    begin_of,
    in_turn,
    keys_of,
    open_tasks,
    own,
    precedes,
    seats_in,
    stands_before,
    weight_of,
)
from sim.engines.slots.sharing.shares import grows_at_once
from sim.kernel.compile import inlined, kernel
from sim.kernel.heap import blocks_of
from sim.kernel.queue import LANES, lane_of, least_but, least_in_lanes


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


# Members that join or leave an order, and their moves within it.
#
# Seats are taken from the first on, without gaps: the member in the last seat moves into one that is left,
# so that what is computed for all of them passes as few as there are. Their order is restored only when it
# is asked for: as a rule keys change much more often, and to and fro.


@inlined
def seat_at(order, n, place, seat):
    """Let the member in a seat stand at a place."""
    order[BEGIN + place] = seat
    order[begin_of(n, PLACE) + int(seat)] = place


@kernel
def neighbour(order, n, j, first, second):
    """Seat of the member that comes next after job `j` under these keys; of the last one if none does."""
    after = last = -1
    for place in range(int(order[COUNT])):
        seat = int(order[BEGIN + place])
        if stands_before(order, n, seat, j, first, second):
            if after < 0 and (last < 0 or precedes(order, n, last, seat)):
                last = seat
        elif after < 0 or precedes(order, n, seat, after):
            after = seat
    return after if after >= 0 else last


@inlined
def kept_upto(number, bound):
    """Return a number that is at most `bound`, else 0."""
    return number if number <= bound else 0.0


@kernel
def heaviest_upto(order, n, bound):
    """Return the largest DAG weight that is at most `bound`; 0 if none is."""
    w = np.uintp(begin_of(n, WEIGHT))
    one, two, three = np.uintp(1), np.uintp(2), np.uintp(3)
    a = b = c = d = 0.0  # four, since each step of one waits for the step before
    for k in range(w, w + np.uintp(order[COUNT]), np.uintp(4)):  # free seats have the weight 0
        a = max(a, kept_upto(order[k], bound))
        b = max(b, kept_upto(order[k + one], bound))
        c = max(c, kept_upto(order[k + two], bound))
        d = max(d, kept_upto(order[k + three], bound))
    return max(max(a, b), max(c, d))


@inlined
def turn_of(order, w, t, k, weight, turn):
    """Return the turn of the member in a seat if that has a weight and comes after `turn`, else ``inf``."""
    return order[t + k] if (order[w + k] == weight) & (order[t + k] > turn) else math.inf


@kernel
def first_of_weight(order, n, weight, turn):
    """First turn after `turn` of members of a DAG weight; ``inf`` if there is none.

    Which members have the weight no processor guesses, so that no branch depends on it.
    """
    w, t = np.uintp(begin_of(n, WEIGHT)), np.uintp(begin_of(n, TURN))
    one, two, three = np.uintp(1), np.uintp(2), np.uintp(3)
    a = b = c = d = math.inf
    for k in range(np.uintp(0), np.uintp(order[COUNT]), np.uintp(4)):
        a = min(a, turn_of(order, w, t, k, weight, turn))
        b = min(b, turn_of(order, w, t, k + one, weight, turn))
        c = min(c, turn_of(order, w, t, k + two, weight, turn))
        d = min(d, turn_of(order, w, t, k + three, weight, turn))
    return min(min(a, b), min(c, d))


@kernel
def neighbour_by_weight(seats, order, n, j, weight, tasks):
    """Seat that `neighbour` finds where members stand by decreasing DAG weight, then by tasks."""
    heaviest = heaviest_upto(order, n, weight)
    turn = first_of_weight(order, n, heaviest, in_turn(tasks, j) if heaviest == weight else 0.0)
    if turn == math.inf and heaviest == weight:
        heaviest = heaviest_upto(order, n, np.nextafter(weight, 0.0))
        turn = first_of_weight(order, n, heaviest, 0.0)
    if heaviest == 0.0:
        return neighbour(order, n, j, -weight, tasks)
    return int(seats[int(turn % YOUNGEST)].seat)


@kernel
def put_in(seats, values, order, n, j, first, second):
    """Give job `j` a seat, and return it; its target per unit of virtual size is that of its neighbour."""
    count = int(order[COUNT])
    if values.allocation == WEIGHTED:
        beside = neighbour_by_weight(seats, order, n, j, -first, second)
    else:
        beside = neighbour(order, n, j, first, second)
    seat_at(order, n, count, count)
    at = own(n, count)
    order[at + FIRST], order[at + SECOND], order[at + JOB] = first, second, j
    order[COUNT] = count + 1
    ratios = begin_of(n, RATIO)
    order[ratios + count] = order[ratios + beside] if beside >= 0 else 0.0
    return count


@kernel
def take_out(seats, order, n, seat):
    """Let the member in a seat leave it, and the one in the last seat have it."""
    last = int(order[COUNT]) - 1
    for place in range(int(order[begin_of(n, PLACE) + seat]), last):
        seat_at(order, n, place, order[BEGIN + place + 1])
    order[COUNT] = last
    seats[int(order[own(n, seat) + JOB])].seat = -1
    note_distance(order, n, seat, math.inf)
    if seat < last:
        change_seat(seats, order, n, last, seat)
    order[begin_of(n, VIRTUAL) + last] = order[begin_of(n, WEIGHT) + last] = 0.0  # it counts in no sum


@kernel
def change_seat(seats, order, n, last, seat):
    """Let the member in the last seat move into one that is free."""
    for which in (VIRTUAL, RATIO, HELD, LIMIT, WEIGHT, TURN):
        order[begin_of(n, which) + seat] = order[begin_of(n, which) + last]
    for field in range(FIELDS):
        order[own(n, seat) + field] = order[own(n, last) + field]
    seats[int(order[own(n, seat) + JOB])].seat = seat
    seat_at(order, n, int(order[begin_of(n, PLACE) + last]), seat)
    distance = distance_at(order, n, last)
    note_distance(order, n, last, math.inf)
    note_distance(order, n, seat, distance)


@kernel
def put_in_order(order, n):
    """Let the members stand in their order again: few have more than a few places to go, as a rule."""
    for k in range(int(order[COUNT])):
        seat, place = int(order[BEGIN + k]), k
        while place > 0 and precedes(order, n, seat, int(order[BEGIN + place - 1])):
            seat_at(order, n, place, order[BEGIN + place - 1])
            place -= 1
        if place < k:
            seat_at(order, n, place, seat)
    order[UNSORTED] = 0.0


@kernel
def bring(order, n, seat):
    """Let the member in a seat, the only one that may be out of its place, stand where it should."""
    at = own(n, seat)
    first, second, j = order[at + FIRST], order[at + SECOND], order[at + JOB]
    place, last = int(order[begin_of(n, PLACE) + seat]), int(order[COUNT]) - 1
    while place > 0 and not stands_before(order, n, int(order[BEGIN + place - 1]), j, first, second):
        seat_at(order, n, place, order[BEGIN + place - 1])
        place -= 1
    while place < last and stands_before(order, n, int(order[BEGIN + place + 1]), j, first, second):
        seat_at(order, n, place, order[BEGIN + place + 1])
        place += 1
    seat_at(order, n, place, seat)


@kernel
def weigh_again(world, values):
    """Note weights and keys of all members after something may have moved them all."""
    order = world.order
    n = seats_in(order)
    for k in range(int(order[COUNT])):
        seat = int(order[BEGIN + k])
        at = own(n, seat)
        j = int(order[at + JOB])
        weight = weight_of(world, values, j)
        order[begin_of(n, WEIGHT) + seat] = weight
        order[at + FIRST], order[at + SECOND] = keys_of(world, values, j, order[at + TASKS], weight)
    order[UNSORTED] = 1.0


@inlined
def note_place(c, values, order, n, seat):
    """Bring a member to its place if targets need the order every time, else when it is asked for."""
    sorts = values.allocation == WEIGHTED and not grows_at_once(c.tail, c.theta)
    if order[UNSORTED] == 0.0 and (sorts or values.allocation == MAX_SRPT):
        bring(order, n, seat)
    else:
        order[UNSORTED] = 1.0


@kernel
def update(world, values, j):
    """Let the members say what is true of job `j` now."""
    c = world.cluster[0]
    jobs, seats, order = world.jobs, world.job_state, world.order
    n = seats_in(order)
    seat = int(seats[j].seat)
    at = own(n, max(seat, 0))
    tasks = open_tasks(world.cluster, jobs, j)
    if tasks == 0.0:
        if seat >= 0:
            order[MOVED] += order[begin_of(n, VIRTUAL) + seat]
            order[CHANGED] = 1.0
            take_out(seats, order, n, seat)
        return
    same = tasks == order[at + TASKS] and jobs[j].transfer == order[at + TRANSFER]
    if seat >= 0 and same and not c.learns_weight and c.theta == order[THETA]:
        return  # only the slots that it holds or wants have changed
    weight = weight_of(world, values, j)
    first, second = keys_of(world, values, j, tasks, weight)
    virtual = c.theta * tasks * math.sqrt(weight)
    if seat < 0:
        seat = put_in(seats, values, order, n, j, first, second)
        seats[j].seat = seat
        at = own(n, seat)
        order[CHANGED] = 1.0
        order[MOVED] += virtual
        note_place(c, values, order, n, seat)
    elif first != order[at + FIRST] or second != order[at + SECOND]:
        order[at + FIRST], order[at + SECOND] = first, second
        note_place(c, values, order, n, seat)
        # never nothing: keys that have moved may leave V where it was
        order[MOVED] += abs(virtual - order[begin_of(n, VIRTUAL) + seat]) + 1e-9
    order[at + TASKS], order[at + TRANSFER] = tasks, jobs[j].transfer
    order[begin_of(n, WEIGHT) + seat], order[begin_of(n, VIRTUAL) + seat] = weight, virtual
    order[begin_of(n, TURN) + seat] = in_turn(tasks, j)
