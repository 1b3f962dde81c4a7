r"""Jobs in an order of real-valued keys, with what a sharing rule keeps of them in `order`.

T is the number of unfinished tasks of a job's running phases (of all its tasks where jobs have no
phases), T' the transfers still to come out of those phases, in sizes of the job's tasks. A job is a
member while T > 0. Its DAG weight is :math:`\alpha = T'/T`, or `final_weight` where nothing is left to
transfer. Its virtual size is :math:`V = \theta T \sqrt\alpha`.

Weights, T' and targets count in millionths (2**-20), so that numbers which are equal but for the
rounding of sums are equal.

`order` begins with a few numbers of the rule as a whole (see the constants), then has for n jobs the
members in order, and by job V, the target per unit of V, and the two keys; then room for T, weights and
shares in order.
"""

from __future__ import annotations

import math

from sim.compile import kernel

#: What `order` begins with: how many members; how far virtual sizes have moved since the targets were
#: computed, their sum then; the floor; theta then; whether the members have changed; how many of them have
#: an original to launch.
COUNT, MOVED, TOTAL, FLOOR, THETA, CHANGED, WAITING = range(7)
#: Numbers before the members, and kept of each job.
BEGIN, MEMORY = 8, 8
#: Which allocation a rule computes, the first of its `numbers`.
PROJECTED, PLAIN, WEIGHTED, MAX_SRPT = range(4)
#: The others: how far virtual sizes may move; epsilon, percent; weight of a job without downstream work.
RULE_, REFRESH, KNOB, FINAL_WEIGHT = range(4)


@kernel
def millionths(x):
    """Round to a multiple of 2**-20."""
    return math.floor(x * 1048576.0 + 0.5) / 1048576.0


@kernel
def open_tasks(cluster, jobs, j):
    """T: unfinished tasks of the running phases of job `j`."""
    return float(jobs[j].open if cluster[0].phased else jobs[j].tasks - jobs[j].finished)


@kernel
def downstream(cluster, jobs, j):
    """T': transfers still to come, a ratio not yet seen taken to be the mean of all seen (1 before any)."""
    c = cluster[0]
    left = jobs[j].transfer
    if jobs[j].unknown > 0:
        left += jobs[j].unknown * (c.seen_ratio / c.seen if c.seen > 0 else 1.0)
    return millionths(left)


@kernel
def weight_of(cluster, jobs, numbers, j):
    """DAG weight of job `j`; 1 where the rule has no use for it."""
    if numbers[RULE_] < WEIGHTED:
        return 1.0
    weight = millionths(downstream(cluster, jobs, j) / open_tasks(cluster, jobs, j))
    return weight if weight > 0.0 else numbers[FINAL_WEIGHT]


@kernel
def keys_of(cluster, jobs, numbers, j):
    """Keys by which job `j` takes its place: smaller first, then by arrival."""
    tasks = open_tasks(cluster, jobs, j)
    if numbers[RULE_] == WEIGHTED:
        return -weight_of(cluster, jobs, numbers, j), tasks
    if numbers[RULE_] == MAX_SRPT:
        return max(tasks, downstream(cluster, jobs, j)), -weight_of(cluster, jobs, numbers, j)
    return tasks, 0.0


@kernel
def place_of(order, n, j, first, second):
    """Return the place among the members at which job `j` stands, or would, under these keys."""
    low, high = 0, int(order[COUNT])
    while low < high:
        middle = (low + high) >> 1
        other = int(order[BEGIN + middle])
        a, b = order[BEGIN + 3 * n + other], order[BEGIN + 4 * n + other]
        if a < first or (a == first and (b < second or (b == second and other < j))):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def put_in(order, n, j, first, second):
    """Make job `j` a member; its target per unit of virtual size is that of its neighbour."""
    count = int(order[COUNT])
    place = place_of(order, n, j, first, second)
    for k in range(count, place, -1):
        order[BEGIN + k] = order[BEGIN + k - 1]
    order[BEGIN + place] = j
    order[COUNT] = count + 1
    order[BEGIN + 3 * n + j], order[BEGIN + 4 * n + j] = first, second
    ratio = 0.0
    if count > 0:
        neighbour = int(order[BEGIN + (place + 1 if place < count else place - 1)])
        ratio = order[BEGIN + 2 * n + neighbour]
    order[BEGIN + 2 * n + j] = ratio


@kernel
def take_out(order, n, j):
    """Let job `j` no longer be a member."""
    count = int(order[COUNT]) - 1
    for k in range(place_of(order, n, j, order[BEGIN + 3 * n + j], order[BEGIN + 4 * n + j]), count):
        order[BEGIN + k] = order[BEGIN + k + 1]
    order[COUNT] = count


@kernel
def move(order, n, j, first, second):
    """Give member `j` new keys and the place they ask for."""
    place = place_of(order, n, j, order[BEGIN + 3 * n + j], order[BEGIN + 4 * n + j])
    goal = place_of(order, n, j, first, second)
    if goal > place:
        goal -= 1  # it stands in its own way
    while place < goal:
        order[BEGIN + place] = order[BEGIN + place + 1]
        place += 1
    while place > goal:
        order[BEGIN + place] = order[BEGIN + place - 1]
        place -= 1
    order[BEGIN + goal] = j
    order[BEGIN + 3 * n + j], order[BEGIN + 4 * n + j] = first, second


@kernel
def sort_again(cluster, jobs, order, numbers):
    """Put the members in order after something may have moved all keys: few places each, as a rule."""
    n = jobs.size
    for k in range(int(order[COUNT])):
        j = int(order[BEGIN + k])
        first, second = keys_of(cluster, jobs, numbers, j)
        order[BEGIN + 3 * n + j], order[BEGIN + 4 * n + j] = first, second
        place = k
        while place > 0:
            other = int(order[BEGIN + place - 1])
            a, b = order[BEGIN + 3 * n + other], order[BEGIN + 4 * n + other]
            if a < first or (a == first and (b < second or (b == second and other < j))):
                break
            order[BEGIN + place] = other
            place -= 1
        order[BEGIN + place] = j


@kernel
def update(cluster, jobs, order, numbers, j):
    """Let the members say what is true of job `j` now."""
    n = jobs.size
    tasks = open_tasks(cluster, jobs, j)
    is_member = jobs[j].level >= 0
    if tasks == 0.0:
        if is_member:
            take_out(order, n, j)
            jobs[j].level = -1
            order[MOVED] += order[BEGIN + n + j]
            order[CHANGED] = 1.0
            order[BEGIN + n + j] = 0.0
        return
    first, second = keys_of(cluster, jobs, numbers, j)
    virtual = cluster[0].theta * tasks * math.sqrt(weight_of(cluster, jobs, numbers, j))
    if not is_member:
        put_in(order, n, j, first, second)
        jobs[j].level = 0
        order[CHANGED] = 1.0
        order[MOVED] += virtual
    elif first != order[BEGIN + 3 * n + j] or second != order[BEGIN + 4 * n + j]:
        move(order, n, j, first, second)
        # never nothing: keys that have moved may leave V where it was
        order[MOVED] += abs(virtual - order[BEGIN + n + j]) + 1e-9
    order[BEGIN + n + j] = virtual
