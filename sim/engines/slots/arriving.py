"""Arrivals inside the slot engine: jobs and outputs of phases, and the list of jobs that have not begun."""

from __future__ import annotations

from sim.engines.slots.places import note_turns
from sim.kernel.compile import inlined, kernel
from sim.kernel.deliveries import add_delivery, remove_delivery
from sim.kernel.heap import push, remove
from sim.kernel.phases import deliver, open_job, phase_of
from sim.kernel.streams import job_key

# Task sets inside the slot engine: the tasks that a rule of a real system judges together.
#
# A task set is a phase of a job, or the whole job where it has one phase. It is known by the number of its
# first task, counted over all jobs. Tasks that a rule would copy and that find no slot wait in a heap of
# their own; they try again when a slot may have become free that suits them.

#: The heap of tasks to copy that find no slot.
WAITING = 1


@kernel
def offer_waiting(world):
    """Let tasks that found no slot for their copy try again: one has become free, or is about to."""
    s = world.slot_heaps[WAITING]
    while s >= 0:
        remove(world.slots, world.slot_heaps, s)
        push(world.slots, world.slot_heaps, 0, s)
        world.cluster[0].candidates += 1
        s = world.slot_heaps[WAITING]


@inlined
def note_set(world, j, s):
    """Note the task set of the original of job `j` that begins in slot `s`."""
    slot = world.slots[s]
    job = world.jobs[j]
    if world.cluster[0].phased:
        phase = world.phases[phase_of(world.jobs, world.phases, j, slot.task)]
        slot.set = job.first_task + phase.first
        slot.set_tasks = phase.tasks
    else:
        slot.set = job.first_task
        slot.set_tasks = job.tasks


# Stages inside the slot engine: jobs that are general graphs of stages, on slots that come and go.
#
# Where a run is `linked`, what the engine calls a job is a stage: it starts a `gap` after the last of its
# parents has ended, so that a barrier stands between them, and sharing and speculation rules see each stage
# as a set of tasks of its own. That is how Spark and MapReduce judge and order them: first in, first out is
# by job, then by stage, since stages are numbered in that order. What starts a stage, and what changes the
# slots, is a delivery: of one time, slots of dead copies are free again (`first` is `DEAD`), slots come
# (`COMES`) or go (`GOES`, `LEAVES`), then stages start by number.
#
# A copy that another has beaten to it may take some time to die (`cluster.linger`). A slot that is to go
# while it holds a copy leaves when that copy would have ended, unless it comes again before: then it stays.

DEAD, COMES, GOES, LEAVES = -4, -3, -2, -1


@inlined
def release_children(world, j):
    """Let the stages start that have waited for stage `j` last."""
    c = world.cluster[0]
    link = world.links[j]
    for i in range(link.first, link.first + link.children):
        child = world.children[i]
        world.links[child].waits -= 1
        if world.links[child].waits == 0:
            add_delivery(world, c.now + world.links[child].gap, child, 0)


@inlined
def change_slot(world, change, s):
    """Let slot `s` come or go, or be free of a copy that is dead."""
    c = world.cluster[0]
    slots, idle, site = world.slots, world.idle, world.sites[s]
    machine = s - s % c.machine_slots
    if change == COMES and site.leaving == 1:  # before it has left: it stays
        site.leaving = 0
        return
    if change == LEAVES and site.leaving == 0:
        return
    if change in (COMES, DEAD):
        idle[c.free] = s
        slots[s].spot = c.free
        c.free += 1
        c.slots += change == COMES
        slots[machine].free_slots += 1
        if c.judges_task_sets:
            offer_waiting(world)
        return
    spot = 0
    while spot < c.free and idle[spot] != s:
        spot += 1
    if spot == c.free:
        site.leaving = 1
        add_delivery(world, slots[s].finish, LEAVES, s)
        return
    site.leaving = 0
    c.free -= 1
    c.slots -= 1
    for place in range(spot, c.free):  # the order in which slots were freed stays
        idle[place] = idle[place + 1]
        slots[idle[place]].spot = place
    slots[machine].free_slots -= 1


@inlined
def join_new(world, j):
    """Put a job at the end of the list of those that have not begun."""
    c = world.cluster[0]
    jobs = world.jobs
    last = c.last_new
    jobs[j].ahead = last
    jobs[j].behind = -1
    if last >= 0:
        jobs[last].behind = j
    else:
        c.first_new = j
    c.last_new = j
    c.unstarted += 1


@inlined
def leave_new(world, j):
    """Take a job that begins off the list of those that have not."""
    c = world.cluster[0]
    jobs = world.jobs
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


@inlined
def arrive(world):
    """Let the next job enter the system; return its index."""
    c = world.cluster[0]
    j = c.arrived
    if j == c.first_counted:
        c.warm_time = c.now
        c.warm_area = c.area_busy
    c.arrived = j + 1
    if c.arrived == c.jobs:
        c.last_time = c.now
        c.last_area = c.area_busy
    enter(world, j)
    return j


@inlined
def enter(world, j):
    """Let job `j` be in the system."""
    c = world.cluster[0]
    jobs = world.jobs
    c.active += 1
    c.remaining += jobs[j].tasks
    if c.phased:
        open_job(world, j)
        note_turns(world, j, 0)
    else:
        c.waiting += jobs[j].tasks
    jobs[j].key = job_key(c.run, j)
    jobs[j].rank = j
    if c.lists_new:
        join_new(world, j)


@inlined
def follow(world):
    """Let the next stage start, or the next change of slots happen; return the stage, or -1."""
    c = world.cluster[0]
    j, s = int(world.deliveries[0].first), int(world.deliveries[0].second)
    remove_delivery(world)
    if j < 0:
        change_slot(world, j, s)
        return -1
    world.jobs[j].arrival = c.now
    enter(world, j)
    return j


@inlined
def receive(world):
    """Let the next output reach its phase; return its job."""
    before = world.jobs[world.deliveries[0].first].released
    j = deliver(world)
    note_turns(world, j, before)
    return j
