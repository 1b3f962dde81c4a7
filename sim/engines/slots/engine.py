"""The event loop of the slot engine.

The order of events is total. At one instant finishes come first (by job, task, copy), then notices
(a speculation rule looks at a running copy; same order), then deliveries (an output reaches the next
phase, by job and phase; or slots change and stages start, see `sim.engines.slots.arriving`), then arrivals
(by index). Only when all of an instant has happened are its free slots given out (with a decision interval:
at the next multiple of it), one at a time:

1. an extra copy, if the speculation rule launches copies before originals (mode ``URGENT``);
2. the job the sharing rule picks: its next original or, if all are launched and copies are counted
   in its share (mode ``BUDGET``), an extra copy; if the rule weighs copies against originals (mode
   ``IN_TURN``) it is asked first, told which job has been picked;
3. an extra copy, if copies get what is left (mode ``SPARE``).

What a launch makes happen at the same instant (a look at age 0) comes when the slots have been given
out; those still free are then offered again.

Before a slot is given out, a speculation rule may evict extra copies for others (Dolly); one that has found
a copy hopeless may restart it in its slot at the check (Mantri).

A launch takes the slot that was freed last (lower numbers first at the start: its record is still at
hand, and a Gantt chart stays compact), unless it looks for its block (`sim.engines.slots.places`). When a
task's first copy finishes, its other copies are killed at that instant; slots are freed the winner's
first, then the original's, then the last copy's and so on. (Where whole jobs are cloned a copy ends no
other, until its clone of the job is complete: `sim.engines.slots.launching`.) Nothing else is pre-empted. A
copy that cannot finish before a running sibling is never put on the calendar.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from sim.engines.slots import signatures as call
from sim.engines.slots.arriving import arrive, follow, receive
from sim.engines.slots.ending import drop_copy, end_task, restart_copy
from sim.engines.slots.launching import launch
from sim.engines.slots.places import next_open, next_opening
from sim.engines.slots.world import WORLD, ask_rule, plan_look, tell_end, wake
from sim.kernel.calendar import next_item, resize_if_due
from sim.kernel.compile import engine, inlined, kernel
from sim.kernel.hook import handed
from sim.kernel.integrals import edge_is_due, move_clock, note_edge
from sim.kernel.queue import soonest, take_first
from sim.kernel.records import BUDGET, IN_TURN, SPARE, URGENT

# The clock of the slot engine, and the numbers noted while it moves.


@kernel
def note_holdings(world):
    """Count the jobs in the system by the slots they hold per remaining task, in tenths."""
    c = world.cluster[0]
    jobs, holding, present = world.jobs, world.holding, world.present
    kept = 0  # those that were there the last time come first, then those that have arrived since
    for place in range(c.present + c.arrived - c.listed_to):
        j = present[place] if place < c.present else c.listed_to + place - c.present
        job = jobs[j]
        if job.finish == math.inf:
            tenths = (10 * job.held) // (job.tasks - job.finished)
            holding[min(tenths, holding.size - 1)] += 1.0
            present[kept] = j
            kept += 1
    c.present, c.listed_to = kept, c.arrived
    c.oldest = present[0] if kept > 0 else c.arrived


@inlined
def pass_time(world, now):
    """Move the clock to `now`, adding what was busy meanwhile to the integrals and the series."""
    while edge_is_due(world.cluster, world.series, now):
        note_edge(world.cluster, world.series)
        note_holdings(world)
    move_clock(world.cluster, now)


#: Results of a call of `advance`.
MORE, DONE = range(2)


@kernel
def decision_due(cluster):
    """Tell whether slots are given out now, where that happens at multiples of an interval only."""
    c = cluster[0]
    if (c.free == 0 and not c.evicting) or (c.waiting == 0 and c.candidates == 0):
        c.decide_at = math.inf
        return False
    if c.decide_at == math.inf:
        passed = np.rint(c.now / c.interval)
        c.decide_at = passed * c.interval
        if c.decide_at < c.now:
            c.decide_at = (passed + 1.0) * c.interval
    if c.now < c.decide_at:
        return False
    c.decide_at = math.inf
    return True


@inlined
def time_of(world, item):
    """Return when an item of the calendar happens, if there is one."""
    return world.items[item].time if item >= 0 else math.inf


@inlined
def next_arrival(world):
    """Return when the next job arrives."""
    c = world.cluster[0]
    return world.jobs[c.arrived].arrival if c.arrived < c.jobs else math.inf


@inlined
def tell_sharing(world, update_order, j):
    """Tell the sharing rule that something has happened to job `j`."""
    update_order(handed(world.table), j)


@inlined
def concerns_sharing(world, j):
    """Tell whether the place of job `j` in the sharing order may have changed."""
    job = world.jobs[j]
    return world.cluster[0].files_all or job.heap >= 0 or job.candidates > 0 or job.launched < job.released


@inlined
def ask_next_job(world, next_job):
    """Ask the sharing rule which job gets the next slot; it may say until when it would pick it again."""
    world.cluster[0].first_until = -math.inf
    return next_job(handed(world.table))


@inlined
def stays_first(world, j, task_slot):
    """Tell whether the sharing rule would pick job `j` again, which has just got a slot of its share.

    As long as that is so the rule need not be told of each copy.
    """
    c = world.cluster[0]
    job = world.jobs[j]
    wants = job.launched < job.released if task_slot < 0 else job.candidates > 0
    return job.held < c.first_until and wants and c.free > 0 and c.mode == BUDGET


@inlined
def finish(world, update_order, on_copy_end, s):
    """Let the copy in slot `s` finish, and with it its task."""
    j = end_task(world, on_copy_end, s)
    if concerns_sharing(world, j):
        tell_sharing(world, update_order, j)


@inlined
def look(world, update_order, next_check, check, s):
    """Let the speculation rule look at the copy in slot `s`."""
    c = world.cluster[0]
    take_first(world)
    plan_look(world, s, ask_rule(world, check, s))
    if c.restart >= 0:
        restarted = c.restart
        c.restart = -1
        restart_copy(world, restarted)
        plan_look(world, restarted, ask_rule(world, next_check, restarted))
    if c.mode == BUDGET:
        tell_sharing(world, update_order, world.slots[s].job)


@inlined
def evict_copies(world, update_order, next_job, on_copy_end, evict):
    """Evict the copies that the speculation rule gives up for others."""
    c = world.cluster[0]
    while True:
        j = -1
        if c.free == 0 and c.waiting > 0:
            j = ask_next_job(world, next_job)
        s = ask_rule(world, evict, j)
        if s < 0:
            break
        tell_end(world, on_copy_end, s, 0)
        drop_copy(world, s)
        j = world.slots[s].job
        if concerns_sharing(world, j):
            tell_sharing(world, update_order, j)


@engine(
    types.int64(
        WORLD,
        call.update_order.pointer,
        call.next_job.pointer,
        call.next_check.pointer,
        call.check.pointer,
        call.on_copy_end.pointer,
        call.select_task.pointer,
        call.evict.pointer,
        types.int64,
    )
)
def advance(world, update_order, next_job, next_check, check, on_copy_end, select_task, evict, limit):
    """Let time pass until the run is over or `limit` more events have happened; say which.

    Calls may be any number of events long: all state is in the arrays, and the result is the same.
    """
    c = world.cluster[0]
    jobs, slots, deliveries = world.jobs, world.slots, world.deliveries
    mode = c.mode
    limit += c.events
    arrival = next_arrival(world)
    while True:
        # the next instant
        outside = min(arrival, deliveries[0].time) if c.deliveries > 0 else arrival
        item = next_item(world, outside)
        time = time_of(world, item)
        instant = min(min(time, outside), min(c.decide_at, c.unbar_at))
        if instant > c.horizon or instant == math.inf:
            if c.horizon < math.inf:
                pass_time(world, c.horizon)
            return DONE
        if c.events >= limit:
            return MORE
        pass_time(world, instant)

        # everything that happens at it
        while time == instant:
            c.events += 1
            c.pops += 1
            if item & 1 == 0:
                finish(world, update_order, on_copy_end, item >> 1)
            else:
                look(world, update_order, next_check, check, item >> 1)
            wake(world)
            item = soonest(world)
            time = time_of(world, item)
        while c.deliveries > 0 and deliveries[0].time == instant:
            c.events += 1
            j = receive(world) if c.linked == 0 else follow(world)
            if j >= 0:
                tell_sharing(world, update_order, j)
        while arrival == instant:
            c.events += 1
            tell_sharing(world, update_order, arrive(world))
            arrival = next_arrival(world)

        # the free slots
        served = -1  # the job that keeps being served
        deciding = c.interval == 0.0 or decision_due(world.cluster)
        while deciding and (c.free > 0 or c.evicting):
            if c.evicting:
                evict_copies(world, update_order, next_job, on_copy_end, evict)
                if c.free == 0:
                    break
            spot = next_open(world) if c.barring else c.free - 1
            if spot < 0:
                break
            task_slot = -1
            if c.replicas > 0:
                c.offered = world.idle[spot] // c.machine_slots
            if mode == URGENT and c.candidates > 0:
                task_slot = ask_rule(world, select_task, -1)
            if mode == IN_TURN and c.candidates > 0:
                if served < 0 and c.waiting > 0:
                    served = ask_next_job(world, next_job)
                task_slot = ask_rule(world, select_task, served)
            if task_slot < 0 and served < 0 and (c.waiting > 0 or (mode == BUDGET and c.candidates > 0)):
                served = ask_next_job(world, next_job)
            if task_slot < 0 and served >= 0 and jobs[served].launched == jobs[served].released:
                task_slot = ask_rule(world, select_task, served)
                if task_slot < 0:  # what looked worth a copy no longer is
                    tell_sharing(world, update_order, served)
                    served = -1
                    continue
            if task_slot < 0 and served < 0 and mode == SPARE and c.candidates > 0:
                task_slot = ask_rule(world, select_task, -1)
            if task_slot < 0 and served < 0:
                break
            j = served if task_slot < 0 else slots[task_slot].job
            s = launch(world, j, task_slot, spot)
            if c.checking:
                plan_look(world, s, ask_rule(world, next_check, s))
            if stays_first(world, j, task_slot):
                continue
            if task_slot >= 0 or not c.keeps_serving or jobs[j].launched == jobs[j].released:
                tell_sharing(world, update_order, j)
                if j == served or mode == IN_TURN:
                    served = -1

        if c.barring:
            c.unbar_at = next_opening(world)
        resize_if_due(world)
