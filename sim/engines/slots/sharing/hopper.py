r"""Hopper: slots by virtual size, speculation included (RAWY Algorithms 1 and 2).

With :math:`V_i = \theta T_i` and :math:`F = (1-\epsilon) S / N` (the epsilon-fair floor, 0 by default):

1. if :math:`S \le \sum_{V_i > F} V_i + F\,|\{V_i \le F\}|` everyone has target F, and jobs with
   :math:`V_i > F` are raised by :math:`V_i - F` in order of T until the slots are used;
2. else :math:`H_i = \max(F, c T_i)` with c such that :math:`\sum H_i = S`.

A free slot goes to the job with the largest :math:`H_i - S_i` (ties: fewer remaining tasks, then the
older job) that can use it: with an original at any difference, with an extra copy while
:math:`S_i < H_i`. Equal T in case 1, where the maximiser of :math:`\sum\mu_i` is not unique: jobs
that have started come first and share what is left equally, then the others in order of arrival.

The floor is one of targets, not an order of service: a job that holds less than F waits while another is
farther below its own target. `hopper-fair` serves jobs that are short of the floor before all others.

Jobs are filed by T (`sim.engines.slots.sharing.hopper`). Where the cluster is constrained only levels whose
target can exceed the best difference so far are visited, at most about :math:`\sqrt{2S/\theta}`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from sim.engines.slots.rule import Sharing
from sim.engines.slots.sharing.targets import LEARN_TAIL
from sim.engines.slots.signatures import next_job, update_order
from sim.kernel.compile import inlined, kernel
from sim.kernel.heap import push, remove
from sim.model.policy import parameter
from sim.model.rule import RAWY, Formula
from sim.telling.words import plain

# Jobs filed by their remaining tasks T, in levels that are listed in ascending order.
#
# A level has a queue of its unstarted jobs and two heaps, by slots held, of its started ones: those with
# originals to launch, and those that could use an extra copy only. `order` lists the T of the levels in
# use, and beside each the fewest slots held by a job of it that could use one more.

#: What is kept of a job: the level in which it is filed and the next unstarted job of that level; -1: none.
FILED = {"level": -1, "queued": -1}
#: Levels looked at in one go: few enough to find the right one again quickly.
BLOCK = 32


def no_levels(jobs: int, largest: int) -> np.ndarray:
    """Return an empty list of levels with room for jobs of up to `largest` tasks.

    The first half is for the levels, the second for the fewest slots held by a job of each: infinitely
    many where none is listed. Either half is of whole blocks.
    """
    places = BLOCK * -(-(largest + 2) // BLOCK)
    return np.repeat([0.0, np.inf], places)


@kernel
def place_of(order, count, t):
    """First place in `order` whose level is not below `t`."""
    low = 0
    while low < count:
        middle = (low + count) >> 1
        if order[middle] < t:
            low = middle + 1
        else:
            count = middle
    return low


@kernel
def insert_level(levels, order, t, place):
    """List an empty level at `place`."""
    half = order.size >> 1
    for k in range(levels[0].jobs, place, -1):
        order[k] = order[k - 1]
        order[half + k] = order[half + k - 1]
        levels[int(order[k])].place = k
    levels[0].jobs += 1
    label(levels, order, t, place)


@kernel
def label(levels, order, t, place):
    """Let `place` list the empty level `t`."""
    order[place] = t
    levels[t].place = place
    levels[t].jobs = 0
    levels[t].unstarted = 0


@kernel
def delete_level(levels, order, place):
    """Take the level at `place` off the list."""
    half = order.size >> 1
    levels[0].jobs -= 1
    for k in range(place, levels[0].jobs):
        order[k] = order[k + 1]
        order[half + k] = order[half + k + 1]
        levels[int(order[k])].place = k
    order[half + levels[0].jobs] = math.inf


@kernel
def least_held(jobs, levels, order, heaps, t):
    """Note the fewest slots held by a job of level `t` that could use another one."""
    held = math.inf
    if levels[t].unstarted > 0:
        held = 0.0
    for heap in (2 * t, 2 * t + 1):
        if heaps[heap] >= 0:
            held = min(held, jobs[heaps[heap]].first)
    order[(order.size >> 1) + levels[t].place] = held


@kernel
def enter(jobs, own, levels, order, j):
    """File a job that has just arrived, as unstarted."""
    t = jobs[j].tasks
    count = levels[0].jobs
    place = place_of(order, count, t)
    if place == count or order[place] != t:
        insert_level(levels, order, t, place)
    level = levels[t]
    own[j].queued = -1
    if level.unstarted == 0:
        level.head = j
    else:
        own[level.tail].queued = j
    level.tail = j
    level.unstarted += 1
    level.jobs += 1
    own[j].level = t


@kernel
def move_down(jobs, own, levels, order, heaps, j, t):
    """Move job `j` from its level to level `t`, the next lower number of tasks (0: it is done)."""
    old = own[j].level
    place = levels[old].place
    levels[old].jobs -= 1
    listed = place > 0 and order[place - 1] == t
    if levels[old].jobs > 0:
        least_held(jobs, levels, order, heaps, old)
        if t > 0 and not listed:
            insert_level(levels, order, t, place)
    elif t > 0 and not listed:
        label(levels, order, t, place)
    else:
        delete_level(levels, order, place)
    if t > 0:
        levels[t].jobs += 1
    own[j].level = t


@update_order
def refile_job(world, j):
    """File the job by its remaining tasks and, if it could use a slot, by the slots it holds."""
    jobs, levels, order, heaps = world.jobs, world.levels, world.order, world.job_heaps
    job, own = jobs[j], world.job_state
    remaining = job.tasks - job.finished
    if own[j].level < 0:
        enter(jobs, own, levels, order, j)
    elif job.launched > 0:
        if job.launched == 1 and levels[remaining].unstarted > 0 and levels[remaining].head == j:
            levels[remaining].head = own[j].queued  # its first launch: only the head of the queue is picked
            levels[remaining].unstarted -= 1
        if job.heap >= 0:
            remove(jobs, heaps, j)
        if own[j].level != remaining:
            move_down(jobs, own, levels, order, heaps, j, remaining)
        extra_only = job.launched == job.released
        if remaining > 0 and (not extra_only or job.candidates > 0):
            job.first = float(job.held)
            push(jobs, heaps, 2 * remaining + (1 if extra_only else 0), j)
    if remaining > 0:
        least_held(jobs, levels, order, heaps, remaining)


@kernel
def floor_and_slope(cluster, levels, order, epsilon):
    """Return the floor F, what case 1 may raise above it (-1 in case 2), and case 2's slope c."""
    c = cluster[0]
    slots = float(c.slots)
    floor = (1.0 - epsilon) * slots / c.active
    small_jobs = small_tasks = 0
    k = 0
    while k < levels[0].jobs and c.theta * order[k] <= floor:
        t = int(order[k])
        small_jobs += levels[t].jobs
        small_tasks += t * levels[t].jobs
        k += 1
    if slots <= c.theta * (c.remaining - small_tasks) + small_jobs * floor:
        return floor, slots - c.active * floor, 0.0
    jobs_below = 0
    tasks_above = c.remaining
    slope = slots / tasks_above
    k = 0
    while slope * order[k] < floor and k + 1 < levels[0].jobs:
        t = int(order[k])
        jobs_below += levels[t].jobs
        tasks_above -= t * levels[t].jobs
        slope = (slots - jobs_below * floor) / tasks_above
        k += 1
    return floor, -1.0, slope


@inlined
def larger(most, slope, order, half, k):
    """Return the larger of `most` and the difference at place `k`."""
    gap = slope * order[k] - order[half + k]
    return gap if gap > most else most


@kernel
def largest_gap(order, first, slope):
    """Largest difference between a target slope x T and the slots held, in the block from `first` on."""
    half = np.uintp(order.size >> 1)  # an index that might be negative would be checked at each place
    one, two, three = np.uintp(1), np.uintp(2), np.uintp(3)
    a = b = c = d = -math.inf  # four maxima, since each step of one waits for the step before
    for k in range(np.uintp(first), np.uintp(first + BLOCK), np.uintp(4)):
        a = larger(a, slope, order, half, k)
        b = larger(b, slope, order, half, k + one)
        c = larger(c, slope, order, half, k + two)
        d = larger(d, slope, order, half, k + three)
    return max(max(a, b), max(c, d))


@kernel
def most_wanting(order, count, slope):
    """Return the largest difference and the block of places that first has it."""
    most = -math.inf
    block = 0
    for first in range(0, count, BLOCK):
        gap = largest_gap(order, first, slope)
        if gap > most:
            most = gap
            block = first
    return most, block


@kernel
def first_with_gap(jobs, levels, order, heaps, slope, gap, k):
    """Job with this difference from its target: fewest remaining tasks, then the oldest.

    `k` is a place of `order` before which no level has it.
    """
    half = order.size >> 1
    while slope * order[k] - order[half + k] != gap:
        k += 1
    t = int(order[k])
    held = order[half + k]
    best = levels[t].head if levels[t].unstarted > 0 and held == 0.0 else jobs.size
    for heap in (2 * t, 2 * t + 1):
        if heaps[heap] >= 0 and jobs[heaps[heap]].first == held:
            best = min(best, heaps[heap])
    return best


@next_job
def pick_job(world, values):
    """Pick the job that is farthest below its target."""
    jobs, levels, order, heaps = world.jobs, world.levels, world.order, world.job_heaps
    own = world.job_state
    count = levels[0].jobs
    if count == 0:
        return -1
    theta = world.cluster[0].theta
    floor, left, slope = floor_and_slope(world.cluster, levels, order, values.epsilon)
    constrained = slope == 0.0
    if not constrained and floor == 0.0:
        gap, block = most_wanting(order, count, slope)
        if gap > 0.0:  # else jobs that want only an extra copy may not have it
            return first_with_gap(jobs, levels, order, heaps, slope, gap, block)
    best = -1
    most = -math.inf
    raised_tasks = 0  # of the jobs raised above the floor so far, and their number
    raised_jobs = 0
    for k in range(count):
        t = int(order[k])
        level = levels[t]
        started = level.jobs - level.unstarted
        if not constrained:
            target = max(floor, slope * t)
            target_unstarted = target
        else:
            need = theta * t - floor
            target = floor
            target_unstarted = floor
            if need > 0.0:
                spare = left - (theta * raised_tasks - floor * raised_jobs)
                if spare > 0.0:
                    if started > 0:
                        target = floor + (need if need * started <= spare else spare / started)
                    target_unstarted = floor + min(need, max(spare - need * started, 0.0))
                elif most >= floor:
                    break  # a job beyond the slots is at most `floor` below its target
                raised_tasks += t * level.jobs
                raised_jobs += level.jobs
        j = heaps[2 * t]
        if j >= 0 and target - jobs[j].held > most:
            best = j
            most = target - jobs[j].held
        j = heaps[2 * t + 1]
        if j >= 0 and jobs[j].held < target:
            short = target - jobs[j].held
            if short > most or (short == most and own[best].level == t and j < best):
                best = j
                most = short
        if level.unstarted > 0:
            j = level.head
            if target_unstarted > most or (target_unstarted == most and own[best].level == t and j < best):
                best = j
                most = target_unstarted
    return best


ALGORITHM_1 = Formula(
    "Hopper, targets",
    r"H_i = \begin{cases} V_i \text{ in order of } T_i, \text{ while slots last} & S \le \sum_j V_j "
    r"\\[2pt] S \, T_i / \sum_j T_j & S > \sum_j V_j \end{cases} \qquad \text{a free slot goes to } "
    r"\arg\max_i (H_i - S_i)",
    "When slots are scarce the smallest jobs get their virtual size $V_i = \\theta T_i$, the others what "
    "is left; when there are enough, all share them in proportion to the tasks they have left.",
    RAWY + ", Algorithm 1",
)


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    if (epsilon := values["epsilon"]) == 1:
        return (ALGORITHM_1,)
    return (
        Formula(
            "Hopper, ε-fair targets",
            r"F = (1 - \epsilon) \frac{S}{N}, \qquad H_i = \begin{cases} \max(F, V_i) \text{ in order of } "
            r"T_i, \text{ while slots last, then } F & \text{slots scarce} \\[2pt] \max(F, c \, T_i), \ "
            r"\textstyle\sum_i H_i = S & \text{else} \end{cases} \qquad (\epsilon = " + plain(epsilon) + ")",
            "As Hopper's targets, but none is below the floor $F$, a part of the fair share; a job short of "
            "it still waits for those farther below their targets.",
            RAWY + ", Algorithm 2, corrected",
        ),
    )


RULE = Sharing(
    key="hopper",
    title="Hopper",
    summary="slots by virtual size, so that speculation is part of a job's share",
    update_order=refile_job,
    next_job=pick_job,
    files_all=True,
    order=no_levels,
    job_state=FILED,
    parameters=(
        parameter(
            "epsilon",
            1.0,
            "how far below the fair share S/N a job may be held: 0 is fair, 1 is performance only",
            low=0,
            high=1,
            label="Unfairness ε allowed",
            symbol="ε",
        ),
        LEARN_TAIL,
    ),
    reference="Ren, Ananthanarayanan, Wierman and Yu, theory note, Algorithms 1 and 2 (corrected)",
    budgets=True,
    default_speculation="budget",
    formulas=formulas,
)
