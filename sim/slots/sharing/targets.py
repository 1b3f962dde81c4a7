r"""Hopper with real-valued virtual sizes: jobs in a heap by how far they are below their targets.

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

from sim.kernel.compile import inlined, kernel
from sim.kernel.heap import precedes, push, remove
from sim.policy import Parameter, parameter
from sim.slots.sharing.members import (
    BEGIN,
    CHANGED,
    COUNT,
    FLOOR,
    MAX_SRPT,
    MOVED,
    PROJECTED,
    RATIO,
    TASKS,
    THETA,
    TOTAL,
    VIRTUAL,
    WAITING,
    WEIGHT,
    WEIGHTED,
    millionths,
    own,
    sort_again,
    update,
)
from sim.slots.sharing.ordered import EXTRA, ORIGINAL, wanted
from sim.slots.sharing.shares import max_srpt, plain, projected, weighted

#: More than any distance from a target: jobs short of the whole part of the floor come first.
OWED = 2.0**21


@inlined
def file(world, j):
    """File job `j` by its distance from its target, if it could use a slot."""
    order = world.order
    job = world.jobs[j]
    at = own(world.jobs.size, j)
    if job.heap >= 0:
        order[WAITING] -= 1.0 if job.heap == ORIGINAL else 0.0
        remove(world.jobs, world.job_heaps, j)
    heap = wanted(world, j, math.inf)
    if heap >= 0:
        order[WAITING] += 1.0 if heap == ORIGINAL else 0.0
        job.first = job.held - millionths(max(order[FLOOR], order[at + RATIO] * order[at + VIRTUAL]))
        if job.held + 1.0 <= order[FLOOR]:
            job.first -= OWED
        job.second = order[at + TASKS]
        push(world.jobs, world.job_heaps, heap, j)


@inlined
def refile_member(world, values, j):
    """Update what is kept of job `j` and file it."""
    update(world, values, j)
    file(world, j)


@kernel
def compute_shares(world, values):
    """Gather the members in their order and compute their shares."""
    c = world.cluster[0]
    order = world.order
    n, count = world.jobs.size, int(order[COUNT])
    t, w, h = BEGIN + n, BEGIN + 2 * n, BEGIN + 3 * n
    for k in range(count):
        at = own(n, int(order[BEGIN + k]))
        order[t + k] = order[at + TASKS]
        order[w + k] = order[at + WEIGHT]
    slots = float(c.slots)
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
def refresh(world, values):
    """Compute all targets anew and file all jobs by them."""
    c = world.cluster[0]
    jobs, order, heaps = world.jobs, world.order, world.job_heaps
    n, count = jobs.size, int(order[COUNT])
    if c.learns_weight:
        sort_again(world, values)  # every output seen moves all that is estimated
    if count > 0:
        compute_shares(world, values)
    known = not c.learns_weight and order[THETA] == c.theta  # virtual sizes
    total = 0.0
    order[WAITING] = 0.0
    heaps[ORIGINAL] = -1
    heaps[EXTRA] = -1
    for k in range(count):
        j = int(order[BEGIN + k])
        at = own(n, j)
        if not known:
            order[at + VIRTUAL] = c.theta * order[at + TASKS] * math.sqrt(order[at + WEIGHT])
        virtual = order[at + VIRTUAL]
        order[at + RATIO] = order[BEGIN + 3 * n + k] / virtual
        total += virtual
        jobs[j].heap = -1
        file(world, j)
    order[TOTAL], order[MOVED], order[CHANGED], order[THETA] = total, 0.0, 0.0, c.theta


@kernel
def farthest_below(world, values):
    """Return the job farthest below its target, after computing targets anew if that is due."""
    order, heaps = world.order, world.job_heaps
    if (
        order[MOVED] > values.refresh * order[TOTAL]
        or order[THETA] != world.cluster[0].theta
        or (order[CHANGED] > 0.0 and values.allocation == PROJECTED)
    ):
        refresh(world, values)
    a = heaps[ORIGINAL]
    b = heaps[EXTRA]
    if b >= 0 and world.jobs[b].first >= 0.0:
        b = -1  # no job of that heap is below its target
    if a < 0 or b < 0:
        return max(a, b)
    return a if precedes(world.jobs, a, b) else b


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
