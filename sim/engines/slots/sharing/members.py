r"""Jobs in an order of real-valued keys, with what a sharing rule keeps of them in `order`.

T is the number of unfinished tasks of a job's running phases (of all its tasks where jobs have no
phases), T' the transfers still to come out of those phases, in sizes of the job's tasks. A job is a
member while T > 0. Its DAG weight is :math:`\alpha = T'/T`, or `final_weight` where nothing is left to
transfer. Its virtual size is :math:`V = \theta T \sqrt\alpha`.

Weights, T' and targets count in millionths (2**-20), so that numbers which are equal but for the
rounding of sums are equal.

A member has a *seat*; the first ones are taken (`sim.engines.slots.sharing.seats`), so that what is kept of
the members lies close together however many jobs come and go. `order` begins with a few numbers of the rule
as a whole (see the constants), then has the seats of the members in their order; room for T, weights and
shares in that order; by seat how far a member is from its target (`sim.engines.slots.sharing.seats`)
and, in a list each, what that depends on, since new targets ask for all of them; then, by seat, what else is
kept of a job: the numbers of one job lie together, since an event asks for all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.kernel.compile import inlined

# What `order` begins with.
COUNT = 0  # members
MOVED = 1  # by how much virtual sizes have moved since the targets were computed
TOTAL = 2  # their sum when the targets were computed
FLOOR = 3  # slots that each job is owed
THETA = 4  # theta when the targets were computed
CHANGED = 5  # 1 if a job has come or gone since
WAITING = 6  # members with an original to launch
UNSORTED = 7  # 1 if members may stand out of their order
PRICE = 8  # what a slot was worth when weighted targets were computed (`sim.engines.slots.sharing.targets`)
HELD_OUT = 9  # the seat that stands beside the list of distances, its distance, the least on the list
HELD_OUT_AT = 10
OTHERS_AT = 11
#: Numbers before the members.
BEGIN = 16
#: Lists of as many numbers as there are seats: seats in order, T, weights, shares; by seat distances, the
#: least of each block of them, and the next seven.
LISTS = 13
VIRTUAL = 6  # virtual sizes V
RATIO = 7  # targets per unit of V
HELD = 8  # slots that jobs hold
LIMIT = 9  # distances below which they want a slot
PLACE = 10  # their places in the order
WEIGHT = 11  # their DAG weights
TURN = 12  # which of those of one weight comes first: T and who it is, in one number
#: Numbers kept of each member beside.
FIELDS = 5
#: Seats are in blocks of 2 to this power (`sim.kernel.heap`).
BITS = 4
#: More than the number of any job.
YOUNGEST = 2.0**27
FIRST = 0  # its keys in the order
SECOND = 1
TASKS = 2  # T when it was last looked at
TRANSFER = 3  # the transfers to come, as the job's record had them then
JOB = 4  # who it is
#: What is kept of a job: its seat, -1 if it has none.
SEATED = {"seat": -1}
#: Which allocation a rule computes.
PROJECTED, PLAIN, WEIGHTED, MAX_SRPT = range(4)


class Values(NamedTuple):
    """What the hooks of a rule with targets read."""

    allocation: float
    refresh: float  # share of their sum by which virtual sizes may move before targets are computed anew
    epsilon: float = 0.0
    percent: float = 0.0
    final_weight: float = 1.0  # of a job without transfers to come


def no_members(jobs: int, largest: int) -> np.ndarray:
    """Return an order without members, with a seat for each of so many jobs, in whole blocks."""
    n = -(-jobs >> BITS) << BITS
    order = np.zeros(BEGIN + (LISTS + FIELDS) * n)
    order[BEGIN + 4 * n : BEGIN + 6 * n] = np.inf  # nobody wants a slot
    order[BEGIN + LIMIT * n : BEGIN + (LIMIT + 1) * n] = -np.inf
    order[HELD_OUT_AT] = order[OTHERS_AT] = np.inf
    return order


def more_seats(order: np.ndarray, jobs: int) -> np.ndarray:
    """Return the same order with a seat for each of so many jobs, which are more."""
    wider = no_members(jobs, 0)
    n, seats = ((one.size - BEGIN) // (LISTS + FIELDS) for one in (order, wider))
    wider[:BEGIN] = order[:BEGIN]
    for each in range(LISTS):
        wider[BEGIN + each * seats :][:n] = order[BEGIN + each * n :][:n]
    wider[BEGIN + LISTS * seats :][: FIELDS * n] = order[BEGIN + LISTS * n :]
    return wider


@inlined
def seats_in(order):
    """Return how many seats there are."""
    return (order.size - BEGIN) // (LISTS + FIELDS)


@inlined
def begin_of(n, which):
    """Where in `order` a list of `n` numbers begins."""
    return BEGIN + which * n


@inlined
def own(n, seat):
    """Where in `order` the numbers kept of the member in a seat begin, of `n` seats."""
    return BEGIN + LISTS * n + FIELDS * seat


@inlined
def in_turn(tasks, j):
    """Return a number by which jobs of one weight come in their order: fewer tasks first, then the older job.

    It is exact for fewer than 2**26 tasks.
    """
    return tasks * YOUNGEST + j


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


@inlined
def weight_of(world, values, j):
    """DAG weight of job `j`; 1 where the rule has no use for it."""
    if values.allocation < WEIGHTED:
        return 1.0
    weight = millionths(downstream(world.cluster, world.jobs, j) / open_tasks(world.cluster, world.jobs, j))
    return weight if weight > 0.0 else values.final_weight


@inlined
def keys_of(world, values, j, tasks, weight):
    """Keys by which job `j` takes its place: smaller first, then by arrival."""
    if values.allocation == WEIGHTED:
        return -weight, tasks
    if values.allocation == MAX_SRPT:
        return max(tasks, downstream(world.cluster, world.jobs, j)), -weight
    return tasks, 0.0


@inlined
def stands_before(order, n, seat, j, first, second):
    """Tell whether the member in a seat comes before job `j` under these keys."""
    at = own(n, seat)
    a, b = order[at + FIRST], order[at + SECOND]
    return a < first or (a == first and (b < second or (b == second and order[at + JOB] < j)))


@inlined
def precedes(order, n, seat, other):
    """Tell whether the member in a seat comes before the one in another seat."""
    at = own(n, other)
    return stands_before(order, n, seat, order[at + JOB], order[at + FIRST], order[at + SECOND])
