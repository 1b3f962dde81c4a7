r"""The weighted optimum without an order: the price of a slot is found from bounds.

Where jobs begin to grow at the price at which they start (a tail index of at most 2, see `shares.weighted`),
jobs of a larger weight than the price :math:`\nu` hold :math:`V_i/\sqrt\nu`, those of a smaller one nothing.
Let A be the sum of V over the jobs that surely hold slots. They alone would pay :math:`(A/S)^2`, so that the
price is no less; nor is it more than what all that may hold slots would pay. Both bounds are brought together
until they no longer tell more jobs apart. What is left between are jobs whose weight is the price as a rule:
they start in their order, and the last one gets the slots that are left.

Weights are in units of the worth of a slot below virtual sizes, as prices are.
"""

from __future__ import annotations

import math

import numpy as np

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
    PRICE,
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
    precedes,
    seats_in,
)
from sim.engines.slots.sharing.ordered import EXTRA, ORIGINAL, wanted
from sim.engines.slots.sharing.seats import (
    list_of,
    nearest,
    note_all,
    note_distance,
    put_in_order,
    update,
    weigh_again,
)
from sim.engines.slots.sharing.shares import grows_at_once, max_srpt, plain, projected, weighted
from sim.engines.slots.signatures import next_job, update_order
from sim.kernel.compile import inlined, kernel
from sim.kernel.integrals import bounded_sums
from sim.model.policy import Parameter, parameter

#: More jobs than this between the bounds are put in order instead.
FEW = 12


@inlined
def sums_of(order, n, floor, ceiling):
    """Return the sums of V: of weights above the ceiling, of weights from the floor on, and of all."""
    return bounded_sums(order, begin_of(n, VIRTUAL), begin_of(n, WEIGHT), int(order[COUNT]), floor, ceiling)


@kernel
def set_ratios(order, n, price, ratio):
    """Let jobs of a weight above a price have targets in this ratio to V, others none."""
    w, r = np.uintp(begin_of(n, WEIGHT)), np.uintp(begin_of(n, RATIO))
    for k in range(np.uintp(order[COUNT])):
        order[r + k] = ratio if order[w + k] > price else 0.0


@kernel
def between(order, n, floor, ceiling):
    """Write the seats of the jobs between the bounds, in their order, to the room for T; count them."""
    w, scratch, count = begin_of(n, WEIGHT), begin_of(n, 1), 0
    for seat in range(int(order[COUNT])):
        if floor <= order[w + seat] <= ceiling:
            if count == FEW:
                return count + 1
            place = count
            while place > 0 and precedes(order, n, seat, int(order[scratch + place - 1])):
                order[scratch + place] = order[scratch + place - 1]
                place -= 1
            order[scratch + place] = seat
            count += 1
    return count


@kernel
def serve(order, n, count, surely, slots, theta):
    """Let jobs between the bounds start while slots last, those of a larger weight having V = `surely`."""
    w, v, scratch = begin_of(n, WEIGHT), begin_of(n, VIRTUAL), begin_of(n, 1)
    started, part = 0, 0.0
    price = 0.0
    while started < count:
        seat = int(order[scratch + started])
        weight = order[w + seat]
        held = surely / math.sqrt(weight)
        if slots <= held:
            break
        virtual = theta * order[own(n, seat) + TASKS]
        if slots <= held + virtual:
            part, price = slots - held, weight
            break
        surely += order[v + seat]
        started += 1
    ratio = slots / surely if price == 0.0 else 1.0 / math.sqrt(price)
    return started, part, ratio


@kernel
def share_by_price(order, n, slots, theta):
    """Set the targets of all jobs, per unit of V; return the sum of V, or 0 if jobs have to be in order."""
    guess = order[PRICE]
    above, upto, total = sums_of(order, n, guess, guess)
    if above * above <= slots * slots * guess:  # they would not pay so much
        floor, ceiling = (above / slots) ** 2, guess
    else:
        floor, ceiling = guess, (upto / slots) ** 2
    while True:
        before = floor, ceiling
        above, upto, _ = sums_of(order, n, floor, ceiling)
        floor, ceiling = max(floor, (above / slots) ** 2), min(ceiling, (upto / slots) ** 2)
        if above == upto or (floor == before[0] and ceiling == before[1]):
            break
    if above == upto:
        set_ratios(order, n, ceiling, slots / above)
        order[PRICE] = ceiling
        return total
    count = between(order, n, floor, ceiling)
    if count > FEW:
        return 0.0
    started, part, ratio = serve(order, n, count, above, slots, theta)
    set_ratios(order, n, ceiling, ratio)
    r, v, scratch = begin_of(n, RATIO), begin_of(n, VIRTUAL), begin_of(n, 1)
    for k in range(started):
        order[r + int(order[scratch + k])] = ratio
    if part > 0.0:
        seat = int(order[scratch + started])
        order[r + seat] = part / order[v + seat]
    order[PRICE] = 1.0 / (ratio * ratio)
    return total


# Hopper with real-valued virtual sizes: the job farthest below its target goes first.
#
# What `hopper_fair`, `hopper_dag` and `hopper_local` have in common. A free slot goes to the job with the
# largest :math:`H_i - S_i` (ties: fewer open tasks T, then the older job) that can use it: with an original
# at any difference, with an extra copy while :math:`S_i < H_i`. Where there is a floor F, jobs that hold
# less than its whole part come before all others.
#
# Targets of all jobs are computed anew when the virtual sizes have moved since by more than the share
# `refresh` of their sum (0: whenever anything has moved). Until then a job's target stays in proportion to
# its virtual size, and a job that comes in starts at the rate of its neighbour in the order. Under a floor,
# all targets are also computed anew when a job comes or goes, so that the floor is never stale.

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
