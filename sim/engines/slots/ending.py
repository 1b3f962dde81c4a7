"""Ends of copies inside the slot engine: finished, killed with their task, dropped, restarted."""

from __future__ import annotations

import math

from sim.engines.slots.arriving import DEAD, release_children
from sim.engines.slots.launching import completes, leave, run_copy
from sim.engines.slots.world import tell_end, tell_ends
from sim.kernel.calendar import schedule, withdraw
from sim.kernel.compile import inlined, kernel
from sim.kernel.deliveries import add_delivery
from sim.kernel.phases import send
from sim.kernel.queue import take_first

# The tail index of the straggle factor, learned online from finished and censored copies.
#
# A Pareto factor z > 1 has :math:`\Pr(Z > z) = z^{-\beta}`. With n copies seen to their end and any number
# seen up to some factor only (killed when another copy of their task had finished, or still running), the
# maximum likelihood estimate (Hill's, censored) is n over the sum of all their logarithms. Here
#
# .. math:: \hat\beta = \frac{n_0 + n}{n_0 / \beta_0 + \sum_i \ln z_i}, \qquad n_0 = 10,\ \beta_0 = 2,
#
# the mean of the posterior under a gamma prior worth ten copies of index 2, at which nobody is copied yet.
# Only factors above 1 count, so that for another law this is the tail beyond a task's size. Relative
# standard error: 1 / sqrt(n). `z` is the time a copy has run over the mean size of its job's tasks, since
# that is what a scheduler can know.
#
# A copy is killed when another one finishes, whose luck is independent. So censoring tells nothing as long
# as who gets a rival does not depend on what is to come (`budget` under ``observe=never``); a rule that
# sees remaining times gives rivals to the copies that would last longest, and the index is found about 1 %
# too large.
#
# It is looked at again when finished copies have grown by 5 %, and by as many as a quarter of the slots, so
# that reading the running copies costs a few visits a task.

PRIOR_COPIES, PRIOR_TAIL = 10.0, 2.0
#: No index below this is acted upon: at 1 a copy would take for ever.
LEAST = 1.01


@inlined
def note_duration(world, s, ran, fate):
    """Learn from the copy in slot `s`, which has ended after `ran`."""
    c = world.cluster[0]
    slot = world.slots[s]
    z = ran / world.jobs[slot.job].task_size
    if z > 1.0:
        c.tail_logs += math.log(z)
        if fate == 0:
            c.tail_finished += 1.0
    slot.start = math.inf  # no copy runs here


@kernel
def learn_tail(world):
    """Estimate the tail index anew, and with it the threshold theta."""
    c = world.cluster[0]
    logs = c.tail_logs
    for s in range(world.slots.size):
        slot = world.slots[s]
        if slot.start < c.now:
            z = (c.now - slot.start) / world.jobs[slot.job].task_size
            if z > 1.0:
                logs += math.log(z)
    c.tail = (PRIOR_COPIES + c.tail_finished) / (PRIOR_COPIES / PRIOR_TAIL + logs)
    # in millionths, so that rounding in another order of addition moves no decision
    c.theta = max(1.0, math.floor(2.0 / max(c.tail, LEAST) * 2.0**20 + 0.5) / 2.0**20)
    c.tail_due = c.tail_finished + max(20.0, 0.05 * c.tail_finished, 0.25 * c.slots)


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
        add_delivery(world, slot.finish, DEAD, s)
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
