"""Blocks and machines inside the slot engine: a copy runs longer where its input block is not.

The slot of number s belongs to machine s // `machine_slots`. A copy that reads a block

1. takes the slot freed last if the machine holds the block, else an idle slot of a machine that does
   (by replica, then by number);
2. if there is none, an original gives way to the waiting task of its job (lowest number) whose block
   is on the machine of the slot freed last;
3. if there is none either, it runs there and takes `remote_factor` times as long.

A slot that the speculation rule has chosen (Dolly) is taken whatever blocks it has.

The waiting tasks of a job are found by machine in as many small lists as the job has tasks; tasks that
have started are dropped from a list when it is next read, so each is dropped once for each replica.
"""

from __future__ import annotations

from sim.kernel.compile import kernel


@kernel
def holds(cluster, roots, task, machine):
    """Tell whether a machine holds the block of a task, counted over all jobs."""
    c = cluster[0]
    for i in range(c.replicas):  # noqa: SIM110 - a kernel knows no generators
        if roots[c.blocks + task * c.replicas + i] == machine:
            return True
    return False


@kernel
def reading_factor(cluster, roots, task, machine):
    """Count a copy as local or remote; return by what its duration is multiplied."""
    c = cluster[0]
    if roots[c.blocks + task * c.replicas] < 0:
        return 1.0
    c.reading += 1
    if holds(cluster, roots, task, machine):
        c.local += 1
        return 1.0
    return c.remote_factor


@kernel
def local_task(cluster, jobs, roots, j, machine):
    """Return the first waiting task of job `j` whose block is on this machine, or -1."""
    c = cluster[0]
    job = jobs[j]
    before = c.heads + job.first_task + machine % job.tasks
    entry = roots[before]
    while entry >= 0:
        task = entry // c.replicas
        after = roots[c.links + entry]
        if roots[c.whereabouts + task] < job.launched:
            roots[before] = after  # it has started
        elif roots[c.blocks + entry] == machine:
            return task - job.first_task
        else:
            before = c.links + entry
        entry = after
    return -1


@kernel
def lift_local(cluster, slots, roots, idle, task):
    """Move an idle slot with the block of this task (over all jobs) to the top, if there is one."""
    c = cluster[0]
    top = c.free - 1
    if holds(cluster, roots, task, idle[top] // c.machine_slots):
        return True
    for i in range(c.replicas):
        first = roots[c.blocks + task * c.replicas + i] * c.machine_slots
        for s in range(first, min(first + c.machine_slots, c.slots)):
            spot = slots[s].spot
            if spot < c.free and idle[spot] == s:
                other = idle[top]
                idle[spot], idle[top] = other, s
                slots[other].spot, slots[s].spot = spot, top
                return True
    return False


@kernel
def settle(cluster, jobs, slots, roots, idle, j, task):
    """Put the right slot on top and the right task first: for job `j`'s next original if `task` is -1."""
    c = cluster[0]
    job = jobs[j]
    first = job.first_task
    following = roots[c.ready + first + job.launched] if task < 0 else task
    reads = roots[c.blocks + (first + following) * c.replicas] >= 0
    if reads and not lift_local(cluster, slots, roots, idle, first + following) and task < 0:
        nearer = local_task(cluster, jobs, roots, j, idle[c.free - 1] // c.machine_slots)
        if nearer >= 0:
            place = roots[c.whereabouts + first + nearer]
            roots[c.ready + first + place] = following
            roots[c.whereabouts + first + following] = place
            roots[c.ready + first + job.launched] = nearer
            roots[c.whereabouts + first + nearer] = job.launched
