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
    COUNT,
    PRICE,
    RATIO,
    TASKS,
    VIRTUAL,
    WEIGHT,
    begin_of,
    own,
    precedes,
)
from sim.kernel.compile import inlined, kernel
from sim.kernel.sums import bounded_sums

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
