r"""The jobs among which a rule with targets shares the slots, in an order of real-valued keys.

T is the number of unfinished tasks of a job's running phases (of all its tasks where jobs have no
phases), T' the transfers still to come out of those phases, in sizes of the job's tasks. A job is a
member while T > 0. Its DAG weight is :math:`\alpha = T'/T`, or `final_weight` where nothing is left to
transfer. Its virtual size is :math:`V = \theta T \sqrt\alpha`.

Weights, T' and targets count in millionths (2**-20), so that numbers which are equal but for the
rounding of sums are equal.

`order` begins with a few numbers of the rule as a whole (see the constants). Lists follow, in the order of
the members: who they are, how far they are from their targets, and room for T, weights and shares. The order
is restored only when it is asked for. What else is kept of a member stands in its record (`MEMBER`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim.kernel.compile import inlined, kernel

# What `order` begins with.
COUNT = 0  # members
MOVED = 1  # by how much virtual sizes have moved since the targets were computed
TOTAL = 2  # their sum when the targets were computed
FLOOR = 3  # slots that each job is owed
THETA = 4  # theta when the targets were computed
CHANGED = 5  # 1 if a job has come or gone since
#: Numbers before the lists.
BEGIN = 8
#: Lists of as many numbers as there may be members.
LISTS = 5
#: The list of distances, and the room for T, weights and shares; the members come first.
FAR, ROOM = 1, 2
#: What is kept of a job.
MEMBER = {
    "place": -1,  # among the members
    "tasks": 0.0,  # T
    "weight": 0.0,
    "virtual": 0.0,  # V
    "ratio": 0.0,  # its target per unit of V
    "first": 0.0,  # its keys in the order
    "second": 0.0,
}
# Which allocation a rule computes.
PROJECTED, PLAIN, WEIGHTED, MAX_SRPT = range(4)


class Values(NamedTuple):
    """What the hooks of a rule with targets read."""

    allocation: float
    refresh: float  # share of their sum by which virtual sizes may move before targets are computed anew
    epsilon: float = 0.0
    percent: float = 0.0
    final_weight: float = 1.0  # of a job without transfers to come


def no_members(jobs: int, largest: int) -> np.ndarray:
    """Return an order without members, with room for so many jobs."""
    return np.zeros(BEGIN + LISTS * jobs)


def more_seats(order: np.ndarray, jobs: int) -> np.ndarray:
    """Return the same order with room for so many jobs, which are more."""
    wider = no_members(jobs, 0)
    before = order[BEGIN:].reshape(LISTS, -1)
    wider[:BEGIN] = order[:BEGIN]
    wider[BEGIN:].reshape(LISTS, -1)[:, : before.shape[1]] = before
    return wider


@inlined
def list_of(order, which):
    """Where in `order` a list begins."""
    return BEGIN + which * ((order.size - BEGIN) // LISTS)


@inlined
def member_at(order, place):
    """Return which job stands at a place."""
    return int(order[BEGIN + place])


@inlined
def millionths(x):
    """Round to a multiple of 2**-20."""
    return np.floor(x * 1048576.0 + 0.5) / 1048576.0  # of NumPy: no detour by a whole number


@inlined
def open_tasks(cluster, jobs, j):
    """T: unfinished tasks of the running phases of job `j`."""
    return float(jobs[j].open if cluster[0].phased else jobs[j].tasks - jobs[j].finished)


@inlined
def downstream(cluster, jobs, j):
    """T': transfers still to come, a ratio not yet seen taken to be the mean of all seen (1 before any)."""
    c = cluster[0]
    left = jobs[j].transfer
    if jobs[j].unknown > 0:
        left += jobs[j].unknown * (c.seen_ratio / c.seen if c.seen > 0 else 1.0)
    return millionths(left)


@kernel
def weigh(world, values, j):
    """Note the weight and the virtual size of job `j`, and the keys by which it takes its place."""
    member = world.job_state[j]
    member.weight, member.first, member.second = 1.0, member.tasks, 0.0
    if values.allocation >= WEIGHTED:
        left = downstream(world.cluster, world.jobs, j)
        weight = millionths(left / member.tasks)
        member.weight = weight if weight > 0.0 else values.final_weight
        if values.allocation == WEIGHTED:
            member.first, member.second = -member.weight, member.tasks
        else:
            member.first, member.second = max(member.tasks, left), -member.weight
    member.virtual = world.cluster[0].theta * member.tasks * math.sqrt(member.weight)


@inlined
def precedes(members, i, j):
    """Tell whether job `i` comes before job `j`: smaller keys first, then by arrival."""
    a, b = members[i], members[j]
    return a.first < b.first or (
        a.first == b.first and (a.second < b.second or (a.second == b.second and i < j))
    )


@kernel
def neighbour(members, order, j):
    """Return the member that comes next after job `j`; the last one if none does, -1 if there are none."""
    after = last = -1
    for place in range(int(order[COUNT])):
        i = member_at(order, place)
        if precedes(members, i, j):
            if last < 0 or precedes(members, last, i):
                last = i
        elif after < 0 or precedes(members, i, after):
            after = i
    return after if after >= 0 else last


@inlined
def put_at(members, order, place, j, far):
    """Let job `j` stand at a place, so far from its target."""
    order[BEGIN + place], order[list_of(order, FAR) + place] = j, far
    members[j].place = place


@kernel
def take_out(members, order, j):
    """Let job `j` be no member any more."""
    order[COUNT] -= 1.0
    for place in range(members[j].place, int(order[COUNT])):
        far = order[list_of(order, FAR) + place + 1]
        put_at(members, order, place, member_at(order, place + 1), far)
    members[j].place = -1


@kernel
def put_in_order(members, order):
    """Let the members stand in their order again: few have more than a few places to go, as a rule."""
    fars = list_of(order, FAR)
    for k in range(int(order[COUNT])):
        j, far, place = member_at(order, k), order[fars + k], k
        while place > 0 and precedes(members, j, member_at(order, place - 1)):
            put_at(members, order, place, member_at(order, place - 1), order[fars + place - 1])
            place -= 1
        if place < k:
            put_at(members, order, place, j, far)
