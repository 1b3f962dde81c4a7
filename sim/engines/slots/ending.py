"""Ends of copies inside the slot engine: finished, killed with their task, dropped, restarted."""

from __future__ import annotations

from sim.engines.slots.hooks import tell_end, tell_ends
from sim.engines.slots.job_clones import completes, leave
from sim.engines.slots.launching import run_copy
from sim.engines.slots.stages import COMES, release_children
from sim.engines.slots.tail import learn_tail, note_duration
from sim.kernel.calendar import schedule, withdraw
from sim.kernel.compile import inlined
from sim.kernel.deliveries import add_delivery
from sim.kernel.front import take_first
from sim.kernel.phases import send

#: Fates of a copy, in the order of `sim.kernel.records.FATES`.
FINISHED, KILLED, _, DROPPED = range(4)


@inlined
def note_copy(world, s, end, fate):
    """Remember the copy that ends in slot `s`, if there is room."""
    c = world.cluster[0]
    if c.logged < world.log.size:
        slot = world.slots[s]
        line = world.log[c.logged]
        line.job = slot.job
        line.task = slot.task
        line.copy = slot.number
        line.slot = s
        line.start = slot.start
        line.end = end
        line.fate = fate
        c.logged += 1


@inlined
def end_copy(world, s, fate):
    """Account for a copy that ends now and free its slot; that of one that is killed may come later."""
    c = world.cluster[0]
    slots = world.slots
    slot = slots[s]
    job = world.jobs[slot.job]
    lingers = c.linger if fate == KILLED else 0.0
    ran = c.now - slot.start + lingers
    job.resource += ran
    job.held -= 1
    if slot.number > 0:
        job.extra_time += ran
        c.busy_extra -= 1
    if fate > 0:
        job.killed += 1
    c.busy -= 1
    if fate == FINISHED:
        take_first(world)
    else:
        withdraw(world, 2 * s)
    withdraw(world, 2 * s + 1)
    if lingers > 0.0:
        slot.finish = c.now + lingers
        add_delivery(world, slot.finish, COMES, s)
    else:
        world.idle[c.free] = s
        if c.placing:
            slot.spot = c.free
        if c.copies_on_other_machines or c.barring:
            slots[s - s % c.machine_slots].free_slots += 1
        c.free += 1
    note_copy(world, s, c.now + lingers, fate)
    if c.learns_tail:
        note_duration(world, s, ran, fate)


@inlined
def end_in_clone(world, on_copy_end, winner):
    """Finish a task in one clone of a job; with the clone that is complete first the job ends in all."""
    c = world.cluster[0]
    slots = world.slots
    job = world.jobs[slots[winner].job]
    complete = completes(slots, winner)
    done = 1 if slots[winner].number == 0 else 0
    s = slots[winner].next_copy
    tell_end(world, on_copy_end, winner, 1)
    leave(slots, winner)
    end_copy(world, winner, FINISHED)
    if complete:
        done = job.tasks - job.finished
        while job.held > 0:
            after = slots[s].next_copy
            tell_end(world, on_copy_end, s, 0)
            end_copy(world, s, KILLED)
            s = after
        job.finish = c.now
        c.active -= 1
        if c.linked:
            release_children(world, slots[winner].job)
    job.finished += done
    c.remaining -= done
    c.done_tasks += done
    if c.learns_tail and c.tail_finished >= c.tail_due:
        learn_tail(world)


@inlined
def end_copies(world, task_slot, winner):
    """End the copy in slot `winner`, then kill the others of its task, the original first."""
    slots = world.slots
    end_copy(world, winner, FINISHED)
    s = task_slot
    while True:
        after = slots[s].next_copy
        if s != winner:
            end_copy(world, s, KILLED)
        s = after
        if s == task_slot:
            break


@inlined
def end_task(world, on_copy_end, winner):
    """Finish the task whose copy in slot `winner` ends now; return its job."""
    c = world.cluster[0]
    slots = world.slots
    j = slots[winner].job
    job = world.jobs[j]
    if c.clones_jobs and job.wanted > 1:
        end_in_clone(world, on_copy_end, winner)
        return j
    task_slot = slots[winner].task_slot
    tell_ends(world, on_copy_end, task_slot, winner)
    end_copies(world, task_slot, winner)
    job.finished += 1
    c.remaining -= 1
    c.done_tasks += 1
    if c.phased:
        send(world, j, slots[winner].task)
    if c.learns_tail and c.tail_finished >= c.tail_due:
        learn_tail(world)
    if job.finished == job.tasks:
        job.finish = c.now
        c.active -= 1
        if c.linked:
            release_children(world, j)
    return j


@inlined
def drop_copy(world, s):
    """Kill an extra copy whose task runs on."""
    slots = world.slots
    if world.cluster[0].clones_jobs:
        leave(slots, s)
        end_copy(world, s, DROPPED)
        return
    task_slot = slots[s].task_slot
    before = task_slot
    while slots[before].next_copy != s:
        before = slots[before].next_copy
    slots[before].next_copy = slots[s].next_copy
    slots[task_slot].second_last = task_slot  # these are only asked for early
    slots[task_slot].third_last = task_slot
    end_copy(world, s, DROPPED)
    if slots[s].finish > slots[task_slot].best:
        return
    first = task_slot
    t = slots[task_slot].next_copy
    while t != task_slot:
        if slots[t].finish < slots[first].finish:
            first = t
        t = slots[t].next_copy
    slots[task_slot].best = slots[first].finish
    withdraw(world, 2 * first)
    schedule(world, 2 * first, slots[first].finish)


@inlined
def restart_copy(world, s):
    """Kill the only copy of a task and launch its next one in the same slot."""
    c = world.cluster[0]
    slot = world.slots[s]
    end_copy(world, s, DROPPED)
    c.free -= 1
    c.busy += 1
    c.busy_extra += 1
    world.jobs[slot.job].extra += 1
    slot.number = slot.copies
    slot.copies += 1
    run_copy(world, slot.job, s)
    slot.best = slot.finish
    schedule(world, 2 * s, slot.finish)
