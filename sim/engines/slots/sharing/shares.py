r"""Shares of the slots, compiled: the allocations of `theory` for jobs already in their order.

Each function reads `count` numbers of remaining tasks T from ``order[t:]`` (and weights from
``order[w:]``) and writes the shares to ``order[h:]``; slots are real numbers. All are tested equal to
`theory.allocation`, `theory.fairness`, `theory.weighted_optimum` and `theory.dag_allocation`. Each takes
a number of steps proportional to `count`.
"""

from __future__ import annotations

import math

import numpy as np

from sim.kernel.compile import kernel

#: What is below another number by this factor is so whatever rounding does.
SURELY = 1.0 + 1e-6


@kernel
def plain(order, t, h, count, slots, theta):
    """Algorithm 1: virtual sizes by increasing T while slots last, else slots in proportion to T."""
    tasks = 0.0
    for k in range(count):
        tasks += order[t + k]
    if theta * tasks < slots:
        for k in range(count):
            order[h + k] = slots * (order[t + k] / tasks)
        return
    left = slots
    for k in range(count):
        order[h + k] = min(theta * order[t + k], left)
        left -= order[h + k]


@kernel
def projected(order, t, h, count, slots, theta, floor):
    r"""Raise jobs below the floor to it, and again (iterated projection; Hopper, section 4.3).

    By increasing T, the jobs not raised are always those of places a to b - 1: small ones are raised
    when their virtual size is below the floor, large ones when slots run out before their turn.
    """
    a, b = 0, count
    tasks = 0.0
    for k in range(count):
        tasks += order[t + k]
        order[h + k] = floor
    while a < b:
        left = max(0.0, slots - floor * (count - (b - a)))
        begin, end = a, b
        if theta * tasks < left:
            slope = left / tasks
            while a < b and slope * order[t + a] < floor:
                tasks -= order[t + a]
                a += 1
            if a == begin:
                for k in range(a, b):
                    order[h + k] = slope * order[t + k]
                return
            continue
        served = theta * tasks
        last = b  # the first job that does not get its virtual size, if any
        while last > a and served > left:
            last -= 1
            served -= theta * order[t + last]
        part = left - served
        whole = last
        if last < b and part >= floor:
            whole = last + 1
        while b > whole:
            b -= 1
            tasks -= order[t + b]
        while a < min(last, b) and theta * order[t + a] < floor:
            tasks -= order[t + a]
            a += 1
        if a == begin and b == end:
            for k in range(a, last):
                order[h + k] = theta * order[t + k]
            if last < b:
                order[h + last] = part
            return


@kernel
def weighted(order, t, w, h, count, slots, theta, tail):
    r"""Exact optimum of :math:`\sum \alpha_i \mu_i`, for jobs by decreasing weight, then increasing T.

    The price of a slot falls from one job's starting price to the next; `growing` jobs (a prefix) hold
    more than their virtual size at it.
    """
    tail = max(tail, 1.01)  # a learned index may be anything
    worth = tail * tail / (4.0 * (tail - 1.0)) if theta > 1.0 else 1.0
    growth = min(worth, 1.0 / ((tail - 1.0) * theta * theta))
    for k in range(np.uintp(count)):  # an index that might be negative would be checked at each place
        began = math.sqrt(order[np.uintp(w) + k] * growth)  # all at once: several to a step
        order[np.uintp(h) + k] = theta * order[np.uintp(t) + k] * began
    growing = 0
    root = 0.0  # of the growing jobs: virtual sizes x the roots of the prices at which they begin to grow
    fixed = 0.0  # virtual sizes of the other jobs that have started
    started = 0
    price = 0.0
    part = 0.0
    while started < count:
        price = order[w + started] * worth
        before = growing, root, fixed
        while growing < started and order[w + growing] * growth > price:
            root += order[h + growing]
            fixed -= theta * order[t + growing]
            growing += 1
        virtual = theta * order[t + started]
        spare = slots - fixed - virtual
        if spare > 1.0 and root * root * SURELY < spare * spare * price:  # slots > held + virtual
            fixed += virtual
            started += 1
            continue
        held = root / math.sqrt(price) + fixed
        if slots <= held:  # reached at a higher price, at which fewer jobs may grow
            growing, root, fixed = before
            price = 0.0
            break
        if slots <= held + virtual:
            part = slots - held
            break
        fixed += virtual
        started += 1
    if started == count or price == 0.0:
        while growing < started:
            price = (root / (slots - fixed)) ** 2  # more slots than the started jobs' virtual sizes
            if growing > 0 and price >= order[w + growing] * growth:
                break
            root += order[h + growing]
            fixed -= theta * order[t + growing]
            growing += 1
        price = (root / (slots - fixed)) ** 2
    for k in range(np.uintp(started)):
        virtual = theta * order[np.uintp(t) + k]
        order[np.uintp(h) + k] = virtual * max(1.0, math.sqrt(order[np.uintp(w) + k] * growth / price))
    for k in range(started, count):
        order[h + k] = 0.0
    if part > 0.0:
        order[h + started] = part


@kernel
def max_srpt(order, t, w, h, count, slots, theta):
    """Algorithm 3, corrected, for jobs in MaxSRPT order.

    Where equal weights make S the bound of a case, rounding decides: as `theory.dag_allocation` rounds.
    """
    total = theta * order[t] * math.sqrt(order[w])
    least = order[w]
    among = 1  # jobs that share in proportion to their virtual sizes
    while among < count:
        least = min(least, order[w + among])
        root = math.sqrt(least)
        virtual = theta * order[t + among] * math.sqrt(order[w + among])
        if slots <= total / root:
            break
        if slots <= (total + virtual) / root:
            serve_least_last(order, t, w, h, count, slots, theta, among + 1, least)
            return
        total += virtual
        among += 1
    for k in range(count):
        order[h + k] = 0.0
        if k < among:
            order[h + k] = slots * (theta * order[t + k] * math.sqrt(order[w + k]) / total)


@kernel
def serve_least_last(order, t, w, h, count, slots, theta, among, least):
    """Case 2 of Algorithm 3: desired allocations in order, the job of least weight last."""
    last = among - 1
    while order[w + last] != least:
        last -= 1
    left = slots
    for k in range(count):
        order[h + k] = 0.0
        if k < among and k != last:
            order[h + k] = min(theta * order[t + k] * math.sqrt(order[w + k]) / math.sqrt(least), left)
            left -= order[h + k]
    order[h + last] = min(theta * order[t + last], left)
