"""Launches inside the slot engine: which slot a copy takes, and how long it runs."""

from __future__ import annotations

import math

import numpy as np

from sim.engines.slots.arriving import leave_new, note_set
from sim.engines.slots.places import lift, lift_apart, reading_factor, settle
from sim.kernel.calendar import schedule
from sim.kernel.compile import inlined, kernel
from sim.kernel.streams import factor, to_factors, uniform
from sim.model.laws import StraggleLaw

# Copies that surely end after another of their task: their durations need not be drawn exactly.
#
# A copy that does not end first is killed when another one ends, so that the engine never asks for more
# than that. Logarithms and exponentials are the longest part of a launch. So a rule may say
# (`skips_dominated_copies`) that it never asks when an extra copy would end; then the copy's luck, which is
# a number between 0 and 1, is looked up among bounds first. A copy that is left out by its bound leaves
# `finish` and `duration` of its slot as they are. Results are the same to the bit: `hopper-dag` on 3,000
# slots took 1.05 of its time without, when Hopper's rule took half of today's.

#: Equal parts of the luck of a copy, each with a bound of its own.
PARTS = 256


def least_factors(law: StraggleLaw) -> np.ndarray:
    """Return the least straggle factor of each part of a copy's luck, which is a survival probability.

    Parameters
    ----------
    law : StraggleLaw
        Of factors that are the same on all slots.

    Examples
    --------
    >>> bounds = least_factors(StraggleLaw("pareto", (1.5,)))
    >>> [round(float(bounds[part]), 2) for part in (0, 127, 255)]
    [40.32, 1.59, 1.0]
    """
    at_most = np.arange(1, PARTS + 1) / PARTS
    return law.quantile(1 - at_most) * (1 - 1e-9)  # less than any rounding makes of it


@inlined
def surely_outlived(world, j, s, task_slot):
    """Tell whether the copy that begins in slot `s` surely does not end before another of its task."""
    c = world.cluster[0]
    job = world.jobs[j]
    slot = world.slots[s]
    size = world.task_size[job.first_task + slot.task] if c.sizes_per_task else job.task_size
    part = int(uniform(job.key, slot.task, slot.number) * PARTS)
    return c.now + size * world.least_factors[part] * world.sites[s].slowness >= world.slots[task_slot].best


# Clones of whole jobs inside the slot engine: a copy of a task does not end the others.
#
# The running copies of a cloned job form a circle through `next_copy` and `back`: the original's, by task,
# then those of each clone in the order of launching. So the copies of one clone are neighbours, and a clone
# is complete when a copy of it ends that has no neighbour of its number. Each copy leads itself.
#
# Only jobs of which all originals have started in one instant are cloned, each clone with all its tasks at
# once; such a job has `wanted` above 1.


@kernel
def stand_alone(slots, s):
    """Make the copy in slot `s` a circle of its own."""
    slots[s].next_copy = s
    slots[s].back = s


@kernel
def join(slots, first, s):
    """Put slot `s` at the end of the circle that begins with slot `first`."""
    last = slots[first].back
    slots[last].next_copy = s
    slots[s].back = last
    slots[s].next_copy = first
    slots[first].back = s


@kernel
def leave(slots, s):
    """Take slot `s` out of its circle."""
    before = slots[s].back
    after = slots[s].next_copy
    slots[before].next_copy = after
    slots[after].back = before
    stand_alone(slots, s)


@kernel
def completes(slots, s):
    """Tell whether the copy in slot `s` is the last one of its clone that runs."""
    number = slots[s].number
    before = slots[s].back
    after = slots[s].next_copy
    return (before == s or slots[before].number != number) and (after == s or slots[after].number != number)


# Straggle factors inside the slot engine: those of a job's next originals are drawn in one go.
#
# When a job's original starts while slots are free, more of its originals start at the same instant. A
# factor takes a chain of some forty operations, each of which waits for the one before. So a processor
# draws several side by side in little more time than one, if nothing else stands between them. What a copy
# draws depends on its address alone (`sim.kernel.streams`): ahead or not, it is the same number.

#: Factors drawn in one go.
BLOCK = 32
#: Code of the law under which the slot matters.
OUTLIER = 5


@inlined
def draw(world, j, task):
    """Draw the factors of a job's originals from `task` on, as many as are about to start."""
    c = world.cluster[0]
    job = world.jobs[j]
    luck = world.luck
    left = job.released - job.launched
    count = 1
    if c.keeps_serving or c.waiting == left:  # no other job gets a slot before
        count += min(left, c.free, BLOCK - 1)
    for k in range(count):
        luck[k] = uniform(job.key, task + k, 0)
    to_factors(c.law, world.law, luck, count)
    c.lucky, c.luck_first, c.luck_end = j, task, task + count


@inlined
def drawn(world, j, task):
    """Straggle factor of an original that starts, whose job's originals start in order of their index."""
    c = world.cluster[0]
    if c.lucky != j or task >= c.luck_end:
        draw(world, j, task)
    return world.luck[task - c.luck_first]


@inlined
def size_of(world, j, task):
    """Size of a task of job `j`."""
    job = world.jobs[j]
    return world.task_size[job.first_task + task] if world.cluster[0].sizes_per_task else job.task_size


@inlined
def duration_of(world, j, task, copy, s):
    """Duration of copy `copy` of a task in slot `s`: size x straggle factor, longer in a slow slot."""
    c = world.cluster[0]
    job = world.jobs[j]
    site = world.sites[s]
    if c.given > 0:
        return world.law[(job.first_task + task) * c.given + min(copy, c.given - 1)] * site.slowness
    z = factor(c.law, world.law, site.share, uniform(job.key, task, copy))
    return size_of(world, j, task) * z * site.slowness


@inlined
def duration_in_turn(world, j, task, copy, s):
    """Duration of a copy that starts now; the luck of originals is drawn together."""
    c = world.cluster[0]
    if copy > 0 or c.law == OUTLIER or c.listed or c.given > 0:
        return duration_of(world, j, task, copy, s)
    return size_of(world, j, task) * drawn(world, j, task) * world.sites[s].slowness


@inlined
def begin_copy(world, j, s):
    """Account for the copy that now begins in slot `s`."""
    world.slots[s].checked = 0
    world.slots[s].start = world.cluster[0].now
    world.jobs[j].held += 1
    world.jobs[j].copies += 1


@inlined
def run_copy(world, j, s):
    """Draw the duration of the copy that now begins in slot `s`, and account for it."""
    c = world.cluster[0]
    slot = world.slots[s]
    begin_copy(world, j, s)
    slot.duration = duration_in_turn(world, j, slot.task, slot.number, s)
    if c.replicas > 0:
        task = world.jobs[j].first_task + slot.task
        slot.duration *= reading_factor(world, task, s // c.machine_slots)
    slot.finish = c.now + slot.duration


@inlined
def take_placed(world):
    """Remove the chosen free slot from `idle`; its last place has just been given up."""
    c = world.cluster[0]
    slots, idle = world.slots, world.idle
    s = c.placed
    c.placed = -1
    last = idle[c.free]
    idle[slots[s].spot] = last
    slots[last].spot = slots[s].spot
    return s


@inlined
def take_slot(world, j, task_slot, spot):
    """Take the slot for job `j`'s next original, or a copy of a task: at `spot`, near or chosen."""
    c = world.cluster[0]
    if c.barring:
        lift(world, spot)
    if c.copies_on_other_machines and task_slot >= 0:
        lift_apart(world, task_slot)
    elif c.replicas > 0 and c.placed < 0:
        settle(world, j, world.slots[task_slot].task if task_slot >= 0 else -1)
    c.free -= 1
    c.busy += 1
    s = world.idle[c.free] if c.placed < 0 else take_placed(world)
    if c.copies_on_other_machines or c.barring:
        world.slots[s - s % c.machine_slots].free_slots -= 1
    return s


@inlined
def begin_task(world, j, s):
    """Make slot `s` the task slot of job `j`'s next task."""
    c = world.cluster[0]
    job = world.jobs[j]
    slot = world.slots[s]
    slot.task = world.ready[job.first_task + job.launched] if c.listed else job.launched
    slot.number = 0
    slot.task_slot = s
    slot.next_copy = s
    slot.copies = 1
    slot.best = math.inf
    slot.second_last = s
    slot.third_last = s
    slot.rank = (np.int64(j) << 32) | slot.task  # without compilation `j` may have 32 bits
    if c.judges_task_sets:
        note_set(world, j, s)
    if job.launched == 0:
        job.start = c.now
        if c.lists_new:
            leave_new(world, j)
    job.launched += 1
    c.waiting -= 1


@inlined
def join_task(world, j, s, task_slot):
    """Make slot `s` hold another copy of the task of `task_slot`; return the task slot of the copy."""
    c = world.cluster[0]
    slots = world.slots
    slot = slots[s]
    slot.task = slots[task_slot].task
    slot.number = slots[task_slot].copies
    slots[task_slot].copies += 1
    world.jobs[j].extra += 1
    c.busy_extra += 1
    if c.clones_jobs:
        slot.task_slot = s
        slot.best = math.inf
        stand_alone(slots, s)
        return s
    slot.task_slot = task_slot
    slot.next_copy = slots[task_slot].next_copy
    slots[task_slot].third_last = slots[task_slot].second_last
    slots[task_slot].second_last = slots[task_slot].next_copy
    slots[task_slot].next_copy = s
    return task_slot


@inlined
def launch(world, j, task_slot, spot):
    """Launch job `j`'s next original (`task_slot` is -1), or a copy of `task_slot`'s task; return the slot.

    `spot` is the place in `idle` of the slot freed last on which anything may start.
    """
    slots = world.slots
    s = take_slot(world, j, task_slot, spot)
    slot = slots[s]
    slot.job = j
    if task_slot < 0:
        begin_task(world, j, s)
        task_slot = s
    else:
        task_slot = join_task(world, j, s, task_slot)
        if world.cluster[0].skips_dominated_copies and surely_outlived(world, j, s, task_slot):
            begin_copy(world, j, s)
            return s
    run_copy(world, j, s)
    if slot.finish < slots[task_slot].best:
        slots[task_slot].best = slot.finish
        schedule(world, 2 * s, slot.finish)
    return s
