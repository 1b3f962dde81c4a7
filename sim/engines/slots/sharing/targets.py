r"""Hopper with real-valued virtual sizes: the job farthest below its target goes first.

What `hopper_fair`, `hopper_dag` and `hopper_local` have in common. A free slot goes to the job with the
largest :math:`H_i - S_i` (ties: fewer open tasks T, then the older job) that can use it: with an original
at any difference, with an extra copy while :math:`S_i < H_i`. Where there is a floor F, jobs that hold
less than its whole part come before all others.

Targets of all jobs are computed anew when the virtual sizes have moved since by more than the share
`refresh` of their sum (0: whenever anything has moved). Until then a job's target stays in proportion to
its virtual size, and a job that comes in starts at the rate of its neighbour in the order. Under a floor,
all targets are also computed anew when a job comes or goes, so that the floor is never stale.
"""

from __future__ import annotations

import math

from sim.engines.slots.sharing.members import (
    CHANGED,
    COUNT,
    FAR,
    FLOOR,
    MAX_SRPT,
    MOVED,
    PROJECTED,
    ROOM,
    THETA,
    TOTAL,
    WEIGHTED,
    list_of,
    member_at,
    millionths,
    neighbour,
    open_tasks,
    put_at,
    put_in_order,
    take_out,
    weigh,
)
from sim.engines.slots.sharing.ordered import EXTRA, NOTHING, ORIGINAL, wanted
from sim.engines.slots.sharing.shares import max_srpt, plain, projected, weighted
from sim.engines.slots.signatures import next_job, update_order
from sim.kernel.compile import inlined, kernel
from sim.model.policy import Parameter, parameter

#: More than any distance from a target: jobs short of the whole part of the floor come first.
OWED = 2.0**21


@inlined
def distance(job, target, floor):
    """Slots that a job holds beyond its target; ``inf`` if it would not use another one."""
    beyond = job.held - millionths(max(floor, target))
    if job.held + 1.0 <= floor:
        beyond -= OWED
    if job.heap == NOTHING or (job.heap == EXTRA and beyond >= 0.0):
        return math.inf
    return beyond


@inlined
def note_distance(world, j):
    """Note how far job `j` is from its target."""
    member, order = world.job_state[j], world.order
    far = distance(world.jobs[j], member.ratio * member.virtual, order[FLOOR])
    order[list_of(order, FAR) + member.place] = far


@update_order
def refile_job(world, values, j):
    """Note what is true of job `j` now."""
    order, members = world.order, world.job_state
    member = members[j]
    world.jobs[j].heap = wanted(world, j, math.inf)
    tasks = open_tasks(world.cluster, world.jobs, j)
    if tasks == 0.0:
        if member.place >= 0:
            order[MOVED] += member.virtual
            order[CHANGED] = 1.0
            take_out(members, order, j)
        return
    first, second, virtual = member.first, member.second, member.virtual
    member.tasks = tasks
    weigh(world, values, j)
    if member.place < 0:
        beside = neighbour(members, order, j)
        member.ratio = members[beside].ratio if beside >= 0 else 0.0
        put_at(members, order, int(order[COUNT]), j, math.inf)
        order[COUNT] += 1.0
        order[CHANGED] = 1.0
        order[MOVED] += member.virtual
    elif first != member.first or second != member.second:
        # never nothing: keys that have moved may leave V where it was
        order[MOVED] += abs(member.virtual - virtual) + 1e-9
    note_distance(world, j)


@inlined
def slots_to_share(c):
    """How many slots the cluster has; one where it has none, so that targets stay numbers."""
    return float(max(c.slots, 1))


@kernel
def compute_shares(world, values, t, w, h):
    """Compute the shares of the members, whose T and weights stand in their order."""
    c, order = world.cluster[0], world.order
    count, slots = int(order[COUNT]), slots_to_share(c)
    if values.allocation == PROJECTED:
        order[FLOOR] = (1.0 - values.epsilon) * slots / count
        projected(order, t, h, count, slots, c.theta, order[FLOOR])
    elif values.allocation == WEIGHTED:
        weighted(order, t, w, h, count, slots, c.theta, c.tail)
    elif values.allocation == MAX_SRPT:
        max_srpt(order, t, w, h, count, slots, c.theta)
    else:
        plain(order, t, h, count, slots, c.theta)


@kernel
def refresh(world, values):
    """Compute all targets anew, and how far all jobs are from them."""
    c, order, members = world.cluster[0], world.order, world.job_state
    count = int(order[COUNT])
    t, w, h = list_of(order, ROOM), list_of(order, ROOM + 1), list_of(order, ROOM + 2)
    if c.learns_weight or order[THETA] != c.theta:  # every output seen moves all that is estimated
        for place in range(count):
            weigh(world, values, member_at(order, place))
    put_in_order(members, order)
    total = 0.0
    for place in range(count):
        member = members[member_at(order, place)]
        order[t + place], order[w + place] = member.tasks, member.weight
        total += member.virtual
    if count > 0:
        compute_shares(world, values, t, w, h)
    for place in range(count):
        j = member_at(order, place)
        members[j].ratio = order[h + place] / members[j].virtual
        note_distance(world, j)
    order[TOTAL], order[MOVED], order[CHANGED], order[THETA] = total, 0.0, 0.0, c.theta


@inlined
def smaller(members, i, j):
    """Tell whether job `i` has fewer open tasks than job `j`, or as many and is older."""
    return members[i].tasks < members[j].tasks or (members[i].tasks == members[j].tasks and i < j)


@kernel
def farthest_below(world, values):
    """Return the job farthest below its target, -1 if a slot helps nobody; its distance, the next least.

    Targets are computed anew if that is due.
    """
    order, members = world.order, world.job_state
    if (
        order[MOVED] > values.refresh * order[TOTAL]
        or order[THETA] != world.cluster[0].theta
        or (order[CHANGED] > 0.0 and values.allocation == PROJECTED)
    ):
        refresh(world, values)
    fars, best, least, others = list_of(order, FAR), -1, math.inf, math.inf
    for place in range(int(order[COUNT])):
        far = order[fars + place]
        if far > others or far == math.inf:
            continue
        j = member_at(order, place)
        if far < least or (far == least and smaller(members, j, best)):
            best, least, others = j, far, least
        else:
            others = far
    return best, least, others


@next_job
def pick_job(world, values):
    """Pick the job that is farthest below its target, and say how long it stays so.

    Copies that it starts move nothing else, unless they lift it above the whole part of the floor, or what
    is learned of transfers has moved its virtual size.
    """
    c = world.cluster[0]
    j, least, others = farthest_below(world, values)
    if j >= 0 and not c.learns_weight and least > -0.5 * OWED:
        limit = others if world.jobs[j].heap == ORIGINAL else min(others, 0.0)
        c.first_until = world.jobs[j].held + (limit - least)
    return j


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
