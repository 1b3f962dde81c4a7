"""Arrivals inside the slot engine: jobs and outputs of phases, and the list of jobs that have not begun."""

from __future__ import annotations

from sim.engines.slots.places import note_turns
from sim.engines.slots.sets import change_slot
from sim.kernel.compile import inlined
from sim.kernel.deliveries import remove_delivery
from sim.kernel.phases import deliver, open_job
from sim.kernel.streams import job_key


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
