"""Blocks and machines inside the slot engine: a copy runs longer where its input block is not.

The slot of number s belongs to machine s // `machine_slots`. A copy that reads a block

1. takes the slot freed last if the machine holds the block, else an idle slot of a machine that does
   (by replica, then by number);
2. if there is none, an original gives way to the waiting task of its job (lowest number) whose block
   is on the machine of the slot freed last;
3. if there is none either, it runs there and takes `remote_factor` times as long.

A slot that the speculation rule has chosen (Dolly) is taken whatever blocks it has. Where copies of a task
stay apart, a copy takes the slot freed last that is on another machine, whatever blocks that has. On a
machine that the rule has barred (Flink) nothing starts, neither an original nor a copy; when it is open again
the free slots are offered once more.

The waiting tasks of a job are found by machine in as many small lists as the job has tasks; tasks that
have started are dropped from a list when it is next read, so each is dropped once for each replica.
"""

from __future__ import annotations

import math

from sim.kernel.compile import inlined, kernel


@inlined
def note_turns(world, j, before):
    """Note the turns of the tasks of job `j` that may start, but for the `before` which could already."""
    c = world.cluster[0]
    if c.replicas > 0:
        job = world.jobs[j]
        for turn in range(before, job.released):
            world.tasks[job.first_task + world.ready[job.first_task + turn]].turn = turn


@kernel
def holds(cluster, replicas, task, machine):
    """Tell whether a machine holds the block of a task, counted over all jobs."""
    count = cluster[0].replicas
    for i in range(task * count, (task + 1) * count):  # noqa: SIM110 - a kernel knows no generators
        if replicas[i].machine == machine:
            return True
    return False


@inlined
def reading_factor(world, task, machine):
    """Count a copy as local or remote; return by what its duration is multiplied."""
    c = world.cluster[0]
    if world.replicas[task * c.replicas].machine < 0:
        return 1.0
    c.reading += 1
    if holds(world.cluster, world.replicas, task, machine):
        c.local += 1
        return 1.0
    return c.remote_factor


@kernel
def local_task(cluster, jobs, tasks, replicas, j, machine):
    """Return the first waiting task of job `j` whose block is on this machine, or -1."""
    job = jobs[j]
    number = job.first_task + machine % job.tasks  # of the list
    before = -1
    entry = tasks[number].head
    while entry >= 0:
        task = entry // cluster[0].replicas
        after = replicas[entry].next
        if tasks[task].turn < job.launched:  # it has started
            if before < 0:
                tasks[number].head = after
            else:
                replicas[before].next = after
        elif replicas[entry].machine == machine:
            return task - job.first_task
        else:
            before = entry
        entry = after
    return -1


@inlined
def lift(world, spot):
    """Move the free slot at a place in `idle` to the top."""
    c = world.cluster[0]
    slots, idle = world.slots, world.idle
    top = c.free - 1
    s, other = idle[spot], idle[top]
    idle[spot], idle[top] = other, s
    slots[other].spot, slots[s].spot = spot, top


@inlined
def lift_local(world, task):
    """Move an idle slot with the block of this task (over all jobs) to the top, if there is one."""
    c = world.cluster[0]
    slots, idle = world.slots, world.idle
    if holds(world.cluster, world.replicas, task, idle[c.free - 1] // c.machine_slots):
        return True
    for i in range(task * c.replicas, (task + 1) * c.replicas):
        first = world.replicas[i].machine * c.machine_slots
        for s in range(first, min(first + c.machine_slots, slots.size)):
            spot = slots[s].spot
            if spot < c.free and idle[spot] == s and not is_barred(world, world.replicas[i].machine):
                lift(world, spot)
                return True
    return False


@inlined
def barring_place(world, machine):
    """Return where in `store` it stands until when the speculation rule lets nothing start on a machine."""
    return world.store.size - world.slots.size + machine


@kernel
def is_barred(world, machine):
    """Tell whether the speculation rule lets nothing start on a machine now."""
    c = world.cluster[0]
    return c.barring > 0 and world.store[barring_place(world, machine)] > c.now


@kernel
def next_open(world):
    """Return the place in `idle` of the slot freed last that is on no barred machine, or -1."""
    c = world.cluster[0]
    spot = c.free - 1
    while spot >= 0 and is_barred(world, world.idle[spot] // c.machine_slots):
        spot -= 1
    return spot


@kernel
def next_opening(world):
    """When a barred machine with a free slot is open again, if something waits for one; else ``inf``."""
    c = world.cluster[0]
    soonest = math.inf
    if c.waiting > 0 or c.candidates > 0:
        for spot in range(c.free):
            until = world.store[barring_place(world, world.idle[spot] // c.machine_slots)]
            if until > c.now:
                soonest = min(soonest, until)
    return soonest


@inlined
def lift_apart(world, task_slot):
    """Move the slot freed last that is not on the machine of a copy of this task to the top."""
    c = world.cluster[0]
    slots, idle = world.slots, world.idle
    top = c.free - 1
    for spot in range(top, -1, -1):
        machine = idle[spot] // c.machine_slots
        t = task_slot
        while t // c.machine_slots != machine and slots[t].next_copy != task_slot:
            t = slots[t].next_copy
        if t // c.machine_slots != machine:
            lift(world, spot)
            break


@inlined
def settle(world, j, task):
    """Put the right slot on top and the right task first: for job `j`'s next original if `task` is -1."""
    c = world.cluster[0]
    ready, tasks = world.ready, world.tasks
    job = world.jobs[j]
    first = job.first_task
    following = ready[first + job.launched] if task < 0 else task
    reads = world.replicas[(first + following) * c.replicas].machine >= 0
    if reads and not lift_local(world, first + following) and task < 0:
        machine = world.idle[c.free - 1] // c.machine_slots
        nearer = local_task(world.cluster, world.jobs, tasks, world.replicas, j, machine)
        if nearer >= 0:
            turn = tasks[first + nearer].turn
            ready[first + turn] = following
            tasks[first + following].turn = turn
            ready[first + job.launched] = nearer
            tasks[first + nearer].turn = job.launched
