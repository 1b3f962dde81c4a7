"""Launches inside the slot engine: which slot a copy takes, and how long it runs."""

from __future__ import annotations

import math

import numpy as np

from sim.engines.slots.arriving import leave_new
from sim.engines.slots.dominated_copies import surely_outlived
from sim.engines.slots.job_clones import stand_alone
from sim.engines.slots.luck import OUTLIER, drawn
from sim.engines.slots.places import lift, lift_apart, reading_factor, settle
from sim.engines.slots.sets import note_set
from sim.kernel.calendar import schedule
from sim.kernel.compile import inlined
from sim.kernel.streams import factor, uniform


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
