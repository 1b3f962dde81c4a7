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
    KNOB,
    MAX_SRPT,
    MOVED,
    PROJECTED,
    RATIO,
    REFRESH,
    RULE_,
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
def file(cluster, jobs, order, roots, j):
    """File job `j` by its distance from its target, if it could use a slot."""
    job = jobs[j]
    at = own(jobs.size, j)
    if job.heap >= 0:
        order[WAITING] -= 1.0 if job.heap == ORIGINAL else 0.0
        remove(jobs, roots, j)
    heap = wanted(cluster, jobs, j, math.inf)
    if heap >= 0:
        order[WAITING] += 1.0 if heap == ORIGINAL else 0.0
        job.first = job.held - millionths(max(order[FLOOR], order[at + RATIO] * order[at + VIRTUAL]))
        if job.held + 1.0 <= order[FLOOR]:
            job.first -= OWED
        job.second = order[at + TASKS]
        push(jobs, roots, heap, j)


@inlined
def touch_member(cluster, jobs, order, roots, numbers, j):
    """Update what is kept of job `j` and file it."""
    update(cluster, jobs, order, numbers, j)
    file(cluster, jobs, order, roots, j)


@kernel
def compute_shares(cluster, jobs, order, numbers):
    """Gather the members in their order and compute their shares."""
    c = cluster[0]
    n, count = jobs.size, int(order[COUNT])
    t, w, h = BEGIN + n, BEGIN + 2 * n, BEGIN + 3 * n
    for k in range(count):
        at = own(n, int(order[BEGIN + k]))
        order[t + k] = order[at + TASKS]
        order[w + k] = order[at + WEIGHT]
    slots = float(c.slots)
    order[FLOOR] = 0.0
    if numbers[RULE_] == PROJECTED:
        order[FLOOR] = (1.0 - numbers[KNOB]) * slots / max(count, 1)
        projected(order, t, h, count, slots, c.theta, order[FLOOR])
    elif numbers[RULE_] == WEIGHTED:
        weighted(order, t, w, h, count, slots, c.theta, c.tail)
    elif numbers[RULE_] == MAX_SRPT:
        max_srpt(order, t, w, h, count, slots, c.theta)
    else:
        plain(order, t, h, count, slots, c.theta)


@kernel
def refresh(cluster, jobs, order, roots, numbers):
    """Compute all targets anew and file all jobs by them."""
    n, count = jobs.size, int(order[COUNT])
    if cluster[0].learns_weight:
        sort_again(cluster, jobs, order, numbers)  # every output seen moves all that is estimated
    if count > 0:
        compute_shares(cluster, jobs, order, numbers)
    known = not cluster[0].learns_weight and order[THETA] == cluster[0].theta  # virtual sizes
    total = 0.0
    order[WAITING] = 0.0
    roots[ORIGINAL] = -1
    roots[EXTRA] = -1
    for k in range(count):
        j = int(order[BEGIN + k])
        at = own(n, j)
        if not known:
            order[at + VIRTUAL] = cluster[0].theta * order[at + TASKS] * math.sqrt(order[at + WEIGHT])
        virtual = order[at + VIRTUAL]
        order[at + RATIO] = order[BEGIN + 3 * n + k] / virtual
        total += virtual
        jobs[j].heap = -1
        file(cluster, jobs, order, roots, j)
    order[TOTAL], order[MOVED], order[CHANGED], order[THETA] = total, 0.0, 0.0, cluster[0].theta


@kernel
def farthest_below(cluster, jobs, order, roots, numbers):
    """Return the job farthest below its target, after computing targets anew if that is due."""
    if (
        order[MOVED] > numbers[REFRESH] * order[TOTAL]
        or order[THETA] != cluster[0].theta
        or (order[CHANGED] > 0.0 and numbers[RULE_] == PROJECTED)
    ):
        refresh(cluster, jobs, order, roots, numbers)
    a = roots[ORIGINAL]
    b = roots[EXTRA]
    if b >= 0 and jobs[b].first >= 0.0:
        b = -1  # no job of that heap is below its target
    if a < 0 or b < 0:
        return max(a, b)
    return a if precedes(jobs, a, b) else b


def refreshed(share: float) -> Parameter:
    """Declare how far virtual sizes may move before targets are computed anew."""
    return parameter(
        "refresh",
        share,
        "targets are computed anew when virtual sizes have moved by this share of their sum",
        low=0,
        high=1,
    )


#: Whether the tail index is given or learned.
LEARN_TAIL = parameter(
    "learn_tail",
    0,
    "1: the tail index beta is learned from finished and censored copies; 0: it is known",
    whole=True,
    low=0,
    high=1,
)
