"""The slot engine: what happens, in which order, until nothing does.

The order of events is total. At one instant finishes come first (by job, task, copy), then notices
(a speculation rule looks at a running copy; same order), then deliveries (an output reaches the next
phase; by job, task), then arrivals (by index). Only when all of an instant has happened are its free
slots given out (with a decision interval: at the next multiple of it), one at a time:

1. an extra copy, if the speculation rule launches copies before originals (mode ``URGENT``);
2. the job the sharing rule picks: its next original or, if all are launched and copies are counted
   in its share (mode ``BUDGET``), an extra copy;
3. an extra copy, if copies get what is left (mode ``SPARE``).

What a launch makes happen at the same instant (a look at age 0) comes when the slots have been given
out; those still free are then offered again.

Before a slot is given out, a speculation rule may drop extra copies for others (Dolly); one that has found
a copy hopeless may restart it in its slot at the notice (Mantri).

A launch takes the slot that was freed last (lower numbers first at the start: its record is still at
hand, and a Gantt chart stays compact), unless it looks for its block (`sim.slots.places`). When a
task's first copy finishes, its other copies are killed at that instant; slots are freed the winner's
first, then the original's, then the last copy's and so on. (Where whole jobs are cloned a copy ends no
other, until its clone of the job is complete: `sim.slots.job_clones`.) Nothing else is pre-empted. A
copy that cannot finish before a running sibling is never put on the calendar.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types

from sim.kernel.calendar import next_item, resize_days, schedule, withdraw
from sim.kernel.compile import OPTIONS, inlined, kernel
from sim.kernel.integrals import edge_is_due, move_clock, note_edge
from sim.kernel.phases import deliver, open_job, send
from sim.kernel.streams import factor, job_key, uniform
from sim.slots.job_clones import completes, leave, stand_alone
from sim.slots.places import reading_factor, settle
from sim.slots.signatures import (
    CHOOSE,
    CLUSTERS,
    COPIES,
    DELIVERIES,
    FLOATS,
    INTS,
    ITEMS,
    JOBS,
    LEVELS,
    LOSE,
    PHASES,
    PICK,
    SITES,
    SLOTS,
    TOUCH,
    WATCH,
)
from sim.slots.tail import learn_tail, note_duration

#: When extra copies are launched.
NEVER, URGENT, BUDGET, SPARE = range(4)

#: What a call of `advance` ended with.
MORE, DONE = range(2)


@kernel
def note_holdings(cluster, jobs, holding):
    """Count the jobs in the system by the slots they hold per remaining task, in tenths."""
    c = cluster[0]
    while c.oldest < c.arrived and jobs[c.oldest].finish < math.inf:
        c.oldest += 1
    for j in range(c.oldest, c.arrived):
        job = jobs[j]
        if job.finish == math.inf:
            tenths = (10 * job.held) // (job.tasks - job.finished)
            holding[min(tenths, holding.size - 1)] += 1.0


@inlined
def pass_time(cluster, jobs, series, holding, now):
    """Move the clock to `now`, adding what was busy meanwhile to the integrals and the series."""
    while edge_is_due(cluster, series, now):
        note_edge(cluster, series)
        note_holdings(cluster, jobs, holding)
    move_clock(cluster, now)


@kernel
def join_new(cluster, jobs, j):
    """Put a job at the end of the list of those that have not begun."""
    c = cluster[0]
    last = c.last_new
    jobs[j].ahead = last
    jobs[j].behind = -1
    if last >= 0:
        jobs[last].behind = j
    else:
        c.first_new = j
    c.last_new = j
    c.unstarted += 1


@kernel
def leave_new(cluster, jobs, j):
    """Take a job that begins off the list of those that have not."""
    c = cluster[0]
    ahead = jobs[j].ahead
    behind = jobs[j].behind
    if ahead >= 0:
        jobs[ahead].behind = behind
    else:
        c.first_new = behind
    if behind >= 0:
        jobs[behind].ahead = ahead
    else:
        c.last_new = ahead
    c.unstarted -= 1


@kernel
def decision_due(cluster):
    """Tell whether slots are given out now, where that happens at multiples of an interval only."""
    c = cluster[0]
    if (c.free == 0 and not c.dropping) or (c.waiting == 0 and c.candidates == 0):
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
def arrive(cluster, jobs, phases, roots, run):
    """Let the next job enter the system; return its index."""
    c = cluster[0]
    j = c.arrived
    if j == c.first_counted:
        c.warm_time = c.now
        c.warm_area = c.area_busy
    c.arrived = j + 1
    if c.arrived == c.jobs:
        c.last_time = c.now
        c.last_area = c.area_busy
    c.active += 1
    c.remaining += jobs[j].tasks
    if c.phased:
        open_job(cluster, jobs, phases, roots, j)
    else:
        c.waiting += jobs[j].tasks
    jobs[j].key = job_key(run, j)
    jobs[j].rank = j
    if c.lists_new:
        join_new(cluster, jobs, j)
    return j


@inlined
def duration_of(cluster, jobs, roots, law, task_size, sites, j, task, copy, s):
    """Duration of copy `copy` of a task in slot `s`: size x straggle factor, longer in a worse place."""
    c = cluster[0]
    size = task_size[jobs[j].first_task + task] if c.sizes_per_task else jobs[j].task_size
    duration = size * factor(c.law, law, sites[s].share, uniform(jobs[j].key, task, copy)) * sites[s].slowness
    if c.replicas > 0:
        return duration * reading_factor(cluster, roots, jobs[j].first_task + task, s // c.machine_slots)
    return duration


@kernel
def take_placed(cluster, slots, idle):
    """Take the free slot that was chosen out of `idle`, whose last place has just been given up."""
    c = cluster[0]
    s = c.placed
    c.placed = -1
    last = idle[c.free]
    idle[slots[s].spot] = last
    slots[last].spot = slots[s].spot
    return s


@inlined
def launch(cluster, jobs, slots, items, buckets, front, idle, roots, law, task_size, sites, j, lead):
    """Launch a copy in the slot freed last: job `j`'s next original, or a copy of `lead`'s task."""
    c = cluster[0]
    job = jobs[j]
    if c.replicas > 0 and c.placed < 0:
        settle(cluster, jobs, slots, roots, idle, j, slots[lead].task if lead >= 0 else -1)
    c.free -= 1
    s = idle[c.free] if c.placed < 0 else take_placed(cluster, slots, idle)
    c.busy += 1
    slot = slots[s]
    if lead < 0:
        slot.task = roots[c.ready + job.first_task + job.launched] if c.listed else job.launched
        slot.number = 0
        slot.lead = s
        slot.twin = s
        slot.copies = 1
        slot.best = math.inf
        slot.second_last = s
        slot.third_last = s
        slot.rank = (np.int64(j) << 32) | slot.task  # without compilation `j` may have 32 bits
        if job.launched == 0:
            job.start = c.now
            if c.lists_new:
                leave_new(cluster, jobs, j)
        job.launched += 1
        c.waiting -= 1
        lead = s
    else:
        slot.task = slots[lead].task
        slot.number = slots[lead].copies
        slots[lead].copies += 1
        job.extra += 1
        c.busy_extra += 1
        if c.clones_jobs:
            slot.lead = s
            slot.best = math.inf
            stand_alone(slots, s)
            lead = s
        else:
            slot.lead = lead
            slot.twin = slots[lead].twin
            slots[lead].third_last = slots[lead].second_last
            slots[lead].second_last = slots[lead].twin
            slots[lead].twin = s
    slot.job = j
    slot.noticed = 0
    slot.start = c.now
    slot.duration = duration_of(cluster, jobs, roots, law, task_size, sites, j, slot.task, slot.number, s)
    slot.finish = c.now + slot.duration
    job.held += 1
    job.copies += 1
    if slot.finish < slots[lead].best:
        slots[lead].best = slot.finish
        schedule(cluster, items, buckets, front, slots, 2 * s, slot.finish)
    return s


@inlined
def end_copy(cluster, jobs, slots, items, buckets, front, idle, log, s, fate):
    """Account for a copy that ends now and free its slot."""
    c = cluster[0]
    slot = slots[s]
    job = jobs[slot.job]
    ran = c.now - slot.start
    job.resource += ran
    job.held -= 1
    if slot.number > 0:
        job.extra_time += ran
        c.busy_extra -= 1
    if fate > 0:
        job.killed += 1
    c.busy -= 1
    withdraw(cluster, items, buckets, front, slots, 2 * s)
    withdraw(cluster, items, buckets, front, slots, 2 * s + 1)
    idle[c.free] = s
    if c.placing:
        slot.spot = c.free
    c.free += 1
    if c.logged < log.size:
        line = log[c.logged]
        line.job = slot.job
        line.task = slot.task
        line.copy = slot.number
        line.slot = s
        line.start = slot.start
        line.end = c.now
        line.fate = fate
        c.logged += 1
    if c.learns_tail:
        note_duration(cluster, jobs, slots, s, ran, fate)


@kernel
def end_in_clone(
    cluster, jobs, slots, items, buckets, front, idle, roots, store, log, numbers, lose, winner
):  # fmt: skip
    """Finish a task in one clone of a job; with the clone that is complete first the job ends in all."""
    c = cluster[0]
    job = jobs[slots[winner].job]
    complete = completes(slots, winner)
    done = 1 if slots[winner].number == 0 else 0
    s = slots[winner].twin
    lose(cluster, jobs, slots, roots, store, numbers, winner, 1)
    leave(slots, winner)
    end_copy(cluster, jobs, slots, items, buckets, front, idle, log, winner, 0)
    if complete:
        done = job.tasks - job.finished
        while job.held > 0:
            after = slots[s].twin
            lose(cluster, jobs, slots, roots, store, numbers, s, 0)
            end_copy(cluster, jobs, slots, items, buckets, front, idle, log, s, 1)
            s = after
        job.finish = c.now
        c.active -= 1
    job.finished += done
    c.remaining -= done
    c.done_tasks += done
    if c.learns_tail and c.tail_finished >= c.tail_due:
        learn_tail(cluster, jobs, slots)


@inlined
def end_task(
    cluster, jobs, slots, items, buckets, front, idle, phases, deliveries, roots, store, log, numbers,
    lose, winner,
):  # fmt: skip
    """Finish the task whose copy in slot `winner` ends now: its other copies are killed."""
    c = cluster[0]
    j = slots[winner].job
    lead = slots[winner].lead
    if c.clones_jobs and jobs[j].wanted > 1:
        end_in_clone(
            cluster, jobs, slots, items, buckets, front, idle, roots, store, log, numbers, lose, winner
        )
        return j
    if c.learning:
        s = lead
        while True:
            lose(cluster, jobs, slots, roots, store, numbers, s, 1 if s == winner else 0)
            s = slots[s].twin
            if s == lead:
                break
    elif c.watching and slots[lead].heap >= 0:  # a task is filed by its lead only
        lose(cluster, jobs, slots, roots, store, numbers, lead, 1 if lead == winner else 0)
    end_copy(cluster, jobs, slots, items, buckets, front, idle, log, winner, 0)
    s = lead
    while True:
        after = slots[s].twin
        if s != winner:
            end_copy(cluster, jobs, slots, items, buckets, front, idle, log, s, 1)
        s = after
        if s == lead:
            break
    job = jobs[j]
    job.finished += 1
    c.remaining -= 1
    c.done_tasks += 1
    if c.phased:
        send(cluster, jobs, phases, deliveries, j, slots[winner].task)
    if c.learns_tail and c.tail_finished >= c.tail_due:
        learn_tail(cluster, jobs, slots)
    if job.finished == job.tasks:
        job.finish = c.now
        c.active -= 1
    return j


@kernel
def drop_copy(cluster, jobs, slots, items, buckets, front, idle, log, s):
    """Kill an extra copy whose task runs on."""
    if cluster[0].clones_jobs:
        leave(slots, s)
        end_copy(cluster, jobs, slots, items, buckets, front, idle, log, s, 3)
        return
    lead = slots[s].lead
    before = lead
    while slots[before].twin != s:
        before = slots[before].twin
    slots[before].twin = slots[s].twin
    slots[lead].second_last = lead  # these are only asked for early
    slots[lead].third_last = lead
    end_copy(cluster, jobs, slots, items, buckets, front, idle, log, s, 3)
    if slots[s].finish > slots[lead].best:
        return
    first = lead
    t = slots[lead].twin
    while t != lead:
        if slots[t].finish < slots[first].finish:
            first = t
        t = slots[t].twin
    slots[lead].best = slots[first].finish
    withdraw(cluster, items, buckets, front, slots, 2 * first)
    schedule(cluster, items, buckets, front, slots, 2 * first, slots[first].finish)


@kernel
def restart_copy(cluster, jobs, slots, items, buckets, front, idle, roots, log, law, task_size, sites, s):
    """Kill the only copy of a task and launch its next one in the same slot."""
    c = cluster[0]
    end_copy(cluster, jobs, slots, items, buckets, front, idle, log, s, 3)
    c.free -= 1
    c.busy += 1
    c.busy_extra += 1
    slot = slots[s]
    job = jobs[slot.job]
    job.held += 1
    job.copies += 1
    job.extra += 1
    slot.number = slot.copies
    slot.copies += 1
    slot.noticed = 0
    slot.start = c.now
    slot.duration = duration_of(
        cluster, jobs, roots, law, task_size, sites, slot.job, slot.task, slot.number, s
    )
    slot.finish = c.now + slot.duration
    slot.best = slot.finish
    schedule(cluster, items, buckets, front, slots, 2 * s, slot.finish)


@kernel
def wake(cluster, items, buckets, front, slots):
    """Let the speculation rule look at the slot it asked for while it looked at something else."""
    c = cluster[0]
    withdraw(cluster, items, buckets, front, slots, 2 * c.wake + 1)
    schedule(cluster, items, buckets, front, slots, 2 * c.wake + 1, c.wake_time)
    c.wake = -1


@inlined
def concerns_sharing(cluster, jobs, j):
    """Tell whether the sharing rule files job `j` now, or would."""
    job = jobs[j]
    return cluster[0].files_all or job.heap >= 0 or job.candidates > 0 or job.launched < job.released


@njit(
    types.int64(
        CLUSTERS, JOBS, SLOTS, ITEMS, INTS, INTS, INTS, LEVELS, FLOATS, INTS, INTS, FLOATS,
        types.float64[:, ::1], FLOATS, COPIES, PHASES, DELIVERIES, SITES,
        FLOATS, FLOATS, FLOATS, FLOATS, types.uint64,
        types.FunctionType(TOUCH), types.FunctionType(PICK),
        types.FunctionType(WATCH), types.FunctionType(WATCH),
        types.FunctionType(LOSE), types.FunctionType(CHOOSE), types.FunctionType(CHOOSE),
        types.int64,
    ),
    **OPTIONS,
)  # fmt: skip
def advance(
    cluster, jobs, slots, items, buckets, front, idle, levels, order, job_roots, slot_roots, store,
    series, holding, log, phases, deliveries, sites,
    law, task_size, share_numbers, copy_numbers, run,
    touch, pick, watch, notice, lose, choose, drop,
    limit,
):  # fmt: skip
    """Let time pass until the run is over or `limit` more events have happened; say which.

    Calls may be any number of events long: all state is in the arrays, and the result is the same.
    """
    c = cluster[0]
    mode = c.mode
    limit += c.events
    while True:
        # the next instant
        arrival = jobs[c.arrived].arrival if c.arrived < c.jobs else math.inf
        outside = min(arrival, deliveries[0].time) if c.deliveries > 0 else arrival
        item = next_item(cluster, items, buckets, front, slots, outside)
        time = items[item].time if item >= 0 else math.inf
        instant = min(min(time, outside), c.decide_at)
        if instant > c.horizon or instant == math.inf:
            if c.horizon < math.inf:
                pass_time(cluster, jobs, series, holding, c.horizon)
            return DONE
        if c.events >= limit:
            return MORE
        pass_time(cluster, jobs, series, holding, instant)

        # everything that happens at it
        while time == instant:
            c.events += 1
            c.pops += 1
            if item & 1 == 0:
                j = end_task(
                    cluster,
                    jobs,
                    slots,
                    items,
                    buckets,
                    front,
                    idle,
                    phases,
                    deliveries,
                    slot_roots,
                    store,
                    log,
                    copy_numbers,
                    lose,
                    item >> 1,
                )
                if concerns_sharing(cluster, jobs, j):
                    touch(cluster, jobs, levels, order, job_roots, share_numbers, j)
            else:
                withdraw(cluster, items, buckets, front, slots, item)
                again = notice(cluster, jobs, slots, slot_roots, store, copy_numbers, item >> 1)
                if again < math.inf:
                    schedule(cluster, items, buckets, front, slots, item, again)
                if c.restart >= 0:
                    s = c.restart
                    c.restart = -1
                    restart_copy(
                        cluster,
                        jobs,
                        slots,
                        items,
                        buckets,
                        front,
                        idle,
                        job_roots,
                        log,
                        law,
                        task_size,
                        sites,
                        s,
                    )
                    again = watch(cluster, jobs, slots, slot_roots, store, copy_numbers, s)
                    if again < math.inf:
                        schedule(cluster, items, buckets, front, slots, 2 * s + 1, again)
                if mode == BUDGET:
                    touch(cluster, jobs, levels, order, job_roots, share_numbers, slots[item >> 1].job)
            if c.wake >= 0:
                wake(cluster, items, buckets, front, slots)
            item = next_item(cluster, items, buckets, front, slots, instant)
            time = items[item].time if item >= 0 else math.inf
        while c.deliveries > 0 and deliveries[0].time == instant:
            c.events += 1
            j = deliver(cluster, jobs, phases, deliveries, job_roots)
            touch(cluster, jobs, levels, order, job_roots, share_numbers, j)
        while c.arrived < c.jobs and jobs[c.arrived].arrival == instant:
            c.events += 1
            j = arrive(cluster, jobs, phases, job_roots, run)
            touch(cluster, jobs, levels, order, job_roots, share_numbers, j)

        # the free slots
        served = -1  # the job a rule that keeps serving has picked
        deciding = c.interval == 0.0 or decision_due(cluster)
        while deciding and (c.free > 0 or c.dropping):
            if c.dropping:
                while True:  # copies that have to make room
                    j = -1
                    if c.free == 0 and c.waiting > 0:
                        j = pick(cluster, jobs, levels, order, job_roots, share_numbers)
                    s = drop(cluster, jobs, slots, slot_roots, store, copy_numbers, j)
                    if s < 0:
                        break
                    lose(cluster, jobs, slots, slot_roots, store, copy_numbers, s, 0)
                    drop_copy(cluster, jobs, slots, items, buckets, front, idle, log, s)
                    if concerns_sharing(cluster, jobs, slots[s].job):
                        touch(cluster, jobs, levels, order, job_roots, share_numbers, slots[s].job)
                if c.free == 0:
                    break
            lead = -1
            if c.replicas > 0:
                c.offered = idle[c.free - 1] // c.machine_slots
            if mode == URGENT and c.candidates > 0:
                lead = choose(cluster, jobs, slots, slot_roots, store, copy_numbers, -1)
            if lead < 0 and served < 0 and (c.waiting > 0 or (mode == BUDGET and c.candidates > 0)):
                served = pick(cluster, jobs, levels, order, job_roots, share_numbers)
                if served >= 0 and jobs[served].launched == jobs[served].released:
                    lead = choose(cluster, jobs, slots, slot_roots, store, copy_numbers, served)
                    if lead < 0:  # what looked worth a copy no longer is
                        touch(cluster, jobs, levels, order, job_roots, share_numbers, served)
                        served = -1
                        continue
            if lead < 0 and served < 0 and mode == SPARE and c.candidates > 0:
                lead = choose(cluster, jobs, slots, slot_roots, store, copy_numbers, -1)
            if lead < 0 and served < 0:
                break
            j = served if lead < 0 else slots[lead].job
            s = launch(
                cluster, jobs, slots, items, buckets, front, idle, job_roots, law, task_size, sites, j, lead
            )
            if c.watching:
                look = watch(cluster, jobs, slots, slot_roots, store, copy_numbers, s)
                if look < math.inf:
                    schedule(cluster, items, buckets, front, slots, 2 * s + 1, look)
            if lead >= 0 or not c.keeps_serving or jobs[j].launched == jobs[j].released:
                touch(cluster, jobs, levels, order, job_roots, share_numbers, j)
                if j == served:
                    served = -1

        if c.pops > buckets.size or c.visits > 8 * buckets.size:
            resize_days(cluster, items, buckets, front, slots)
