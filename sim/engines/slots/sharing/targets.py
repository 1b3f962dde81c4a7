r"""Hopper with real-valued virtual sizes: the job farthest below its target goes first.

What `hopper_fair`, `hopper_dag` and `hopper_local` have in common. A free slot goes to the job with the
largest :math:`H_i - S_i` (ties: fewer open tasks T, then the older job) that can use it: with an original
at any difference, with an extra copy while :math:`S_i < H_i`. Where there is a floor F, jobs that hold
less than its whole part come before all others.

Targets of all jobs are computed anew when the virtual sizes have moved since by more than the share
`refresh` of their sum (0: whenever anything has moved). Until then a job's target stays in proportion to its
virtual size, and a job that comes in starts at the rate of its neighbour in the order. Under a floor, all
targets are also computed anew when a job comes or goes, so that the floor is never stale.
"""

from __future__ import annotations

import math

import numpy as np

from sim.engines.slots.sharing.distances import list_of, nearest, note_all, note_distance
from sim.engines.slots.sharing.members import (
    BEGIN,
    CHANGED,
    COUNT,
    FLOOR,
    HELD,
    HELD_OUT_AT,
    LIMIT,
    MAX_SRPT,
    MOVED,
    OTHERS_AT,
    PROJECTED,
    RATIO,
    TASKS,
    THETA,
    TOTAL,
    UNSORTED,
    VIRTUAL,
    WAITING,
    WEIGHT,
    WEIGHTED,
    begin_of,
    millionths,
    own,
    seats_in,
)
from sim.engines.slots.sharing.ordered import EXTRA, ORIGINAL, wanted
from sim.engines.slots.sharing.price import share_by_price
from sim.engines.slots.sharing.seats import put_in_order, update, weigh_again
from sim.engines.slots.sharing.shares import grows_at_once, max_srpt, plain, projected, weighted
from sim.engines.slots.signatures import next_job, update_order
from sim.kernel.compile import inlined, kernel
from sim.model.policy import Parameter, parameter

#: More than any distance from a target: jobs short of the whole part of the floor come first.
OWED = 2.0**21


@inlined
def distance(held, target, limit, floor):
    """Slots held beyond its target by a member; ``inf`` if that is not below its limit."""
    beyond = held - millionths(max(floor, target))
    if held + 1.0 <= floor:
        beyond -= OWED
    return beyond if beyond < limit else math.inf


@inlined
def find_use(world, j):
    """Find out what job `j` would do with a slot; return the distance below which it wants one."""
    job = world.jobs[j]
    use = wanted(world, j, math.inf)
    if use != job.heap:
        world.order[WAITING] += (1.0 if use == ORIGINAL else 0.0) - (1.0 if job.heap == ORIGINAL else 0.0)
        job.heap = use
    if use == ORIGINAL:
        return math.inf
    return 0.0 if use == EXTRA else -math.inf


@update_order
def refile_job(world, values, j):
    """File the job by its distance from its target."""
    order = world.order
    update(world, values, j)
    limit = find_use(world, j)
    n = seats_in(order)
    seat = int(world.job_state[j].seat)
    if seat >= 0:
        held = float(world.jobs[j].held)
        target = order[begin_of(n, RATIO) + seat] * order[begin_of(n, VIRTUAL) + seat]
        order[begin_of(n, HELD) + seat], order[begin_of(n, LIMIT) + seat] = held, limit
        note_distance(order, n, seat, distance(held, target, limit, order[FLOOR]))


@inlined
def slots_to_share(c):
    """How many slots the cluster has; one where it has none, so that targets stay numbers."""
    return float(max(c.slots, 1))


@kernel
def compute_shares(world, values):
    """Gather the members in their order and compute their shares."""
    c = world.cluster[0]
    order = world.order
    n, count = seats_in(order), int(order[COUNT])
    if order[UNSORTED]:
        put_in_order(order, n)
    t, w, h = BEGIN + n, BEGIN + 2 * n, BEGIN + 3 * n
    for k in range(count):
        seat = int(order[BEGIN + k])
        order[t + k] = order[own(n, seat) + TASKS]
        order[w + k] = order[begin_of(n, WEIGHT) + seat]
    slots = slots_to_share(c)
    order[FLOOR] = 0.0
    if values.allocation == PROJECTED:
        order[FLOOR] = (1.0 - values.epsilon) * slots / max(count, 1)
        projected(order, t, h, count, slots, c.theta, order[FLOOR])
    elif values.allocation == WEIGHTED:
        weighted(order, t, w, h, count, slots, c.theta, c.tail)
    elif values.allocation == MAX_SRPT:
        max_srpt(order, t, w, h, count, slots, c.theta)
    else:
        plain(order, t, h, count, slots, c.theta)


@kernel
def measure_all(order, n):
    """Note how far all members are from their targets."""
    # an index that might be negative would be checked at each place
    held, limit = np.uintp(begin_of(n, HELD)), np.uintp(begin_of(n, LIMIT))
    ratio, virtual = np.uintp(begin_of(n, RATIO)), np.uintp(begin_of(n, VIRTUAL))
    far, floor = np.uintp(list_of(n)), order[FLOOR]
    for seat in range(np.uintp(order[COUNT])):
        target = order[ratio + seat] * order[virtual + seat]
        order[far + seat] = distance(order[held + seat], target, order[limit + seat], floor)
    note_all(order, n)


@kernel
def share_in_order(world, values):
    """Compute all shares in the order of the members; return the sum of V."""
    order = world.order
    n, count = seats_in(order), int(order[COUNT])
    if count > 0:
        compute_shares(world, values)
    virtuals, ratios, shares = begin_of(n, VIRTUAL), begin_of(n, RATIO), begin_of(n, 3)
    total = 0.0
    for k in range(count):
        seat = int(order[BEGIN + k])
        order[ratios + seat] = order[shares + k] / order[virtuals + seat]
        total += order[virtuals + seat]
    return total


@kernel
def refresh(world, values):
    """Compute all targets anew, and how far all jobs are from them."""
    c = world.cluster[0]
    order = world.order
    n, slots = seats_in(order), slots_to_share(c)
    if c.learns_weight:
        weigh_again(world, values)  # every output seen moves all that is estimated
    if c.learns_weight or order[THETA] != c.theta:
        virtuals = begin_of(n, VIRTUAL)
        for k in range(int(order[COUNT])):
            seat = int(order[BEGIN + k])
            weight = order[begin_of(n, WEIGHT) + seat]
            order[virtuals + seat] = c.theta * order[own(n, seat) + TASKS] * math.sqrt(weight)
    total = 0.0
    if order[COUNT] > 0.0 and values.allocation == WEIGHTED and grows_at_once(c.tail, c.theta):
        total = share_by_price(order, n, slots, c.theta)
    if total == 0.0:
        total = share_in_order(world, values)
    measure_all(order, n)
    order[TOTAL], order[MOVED], order[CHANGED], order[THETA] = total, 0.0, 0.0, c.theta


@kernel
def farthest_below(world, values):
    """Return the job farthest below its target, after computing targets anew if that is due."""
    order = world.order
    if (
        order[MOVED] > values.refresh * order[TOTAL]
        or order[THETA] != world.cluster[0].theta
        or (order[CHANGED] > 0.0 and values.allocation == PROJECTED)
    ):
        refresh(world, values)
    return nearest(order, seats_in(order))


@inlined
def staying(world, j):
    """Say how long job `j`, just picked as the nearest to its target, stays so; return it.

    Copies that it starts move nothing else, unless they lift it above the whole part of the floor, or what
    is learned of transfers has moved its virtual size.
    """
    c, order = world.cluster[0], world.order
    if j >= 0 and not c.learns_weight and order[HELD_OUT_AT] > -0.5 * OWED:
        limit = order[OTHERS_AT] if world.jobs[j].heap == ORIGINAL else min(order[OTHERS_AT], 0.0)
        c.first_until = world.jobs[j].held + (limit - order[HELD_OUT_AT])
    return j


@next_job
def pick_job(world, values):
    """Pick the job that is farthest below its target."""
    return staying(world, farthest_below(world, values))


def refreshed(share: float) -> Parameter:
    """Declare how far virtual sizes may move before targets are computed anew."""
    return parameter(
        "refresh",
        share,
        "targets are computed anew when virtual sizes have moved by this share of their sum",
        low=0,
        high=1,
        label="New targets after a change of",
    )


#: Whether the tail index is given or learned.
LEARN_TAIL = parameter(
    "learn_tail",
    0,
    "1: the tail index β is learned from finished and running copies; 0: it is known",
    whole=True,
    low=0,
    high=1,
    label="Learn the tail",
)
