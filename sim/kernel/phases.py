"""Phases inside the engines: tasks are released as their inputs arrive (`sim.model.phases`).

A task that is done sends its output on its way, and a *delivery* is the moment at which that reaches
the next phase. A phase of m tasks may start the whole part of m x the share that has arrived of its
least complete input, none of them before the `barrier` share of each input is there. Released tasks
join a list of their job, `ready`, from which originals are launched in turn.

A phase *runs* from its first release to its last finish. For the sharing rules a job carries, summed
over its running phases, the unfinished tasks and the transfers to come out of them.
"""

from __future__ import annotations

import math

from sim.kernel.compile import inlined, kernel
from sim.kernel.deliveries import add_delivery, remove_delivery


@kernel
def phase_of(jobs, phases, j, task):
    """Return the phase to which a task of job `j` belongs."""
    p = q = jobs[j].first_phase
    while phases[q].into >= 0:  # as many steps for every task: which one it is no processor guesses
        p += int(task >= phases[q].first + phases[q].tasks)
        q += 1
    return p


@inlined
def release(world, j, p, count):
    """Let `count` more tasks of phase `p` start."""
    c = world.cluster[0]
    job = world.jobs[j]
    phase = world.phases[p]
    if phase.released == 0:
        job.open += phase.tasks
        if phase.into >= 0:
            if phase.known or not c.learns_weight:
                job.transfer += phase.tasks * phase.ratio
            else:
                job.unknown += phase.tasks
    for i in range(count):
        world.ready[job.first_task + job.released + i] = phase.first + phase.released + i
    phase.released += count
    job.released += count
    c.waiting += count


@inlined
def open_job(world, j):
    """Release all tasks of the phases of job `j`, just arrived, that nothing feeds."""
    phases = world.phases
    p = world.jobs[j].first_phase
    while True:
        if not phases[p].fed:
            release(world, j, p, phases[p].tasks)
        if phases[p].into < 0:
            break
        p += 1


@inlined
def send(world, j, task):
    """Account for the end of a task and send its output, if its phase feeds another one."""
    c = world.cluster[0]
    jobs, phases = world.jobs, world.phases
    p = phase_of(jobs, phases, j, task)
    jobs[j].open -= 1
    if phases[p].into < 0:
        return
    add_delivery(world, c.now + phases[p].ratio * jobs[j].task_size, j, p - jobs[j].first_phase)


@kernel
def released_by_inputs(cluster, jobs, phases, j, into):
    """Tasks of phase `into` of job `j` that may start by what has arrived."""
    count = phases[into].tasks
    for p in range(jobs[j].first_phase, into):
        feeding = phases[p]
        if feeding.into == into:
            if feeding.delivered < math.ceil(cluster[0].barrier * feeding.tasks - 1e-9):
                return 0
            count = min(count, phases[into].tasks * feeding.delivered // feeding.tasks)
    return count


@inlined
def deliver(world):
    """Let the next output arrive; return its job."""
    c = world.cluster[0]
    jobs, phases = world.jobs, world.phases
    j = int(world.deliveries[0].first)
    job = jobs[j]
    phase = phases[job.first_phase + world.deliveries[0].second]
    remove_delivery(world)
    if c.learns_weight:
        c.seen += 1
        c.seen_ratio += phase.ratio
        if not phase.known:
            phase.known = 1
            job.unknown -= phase.tasks
            job.transfer += phase.tasks * phase.ratio
    phase.delivered += 1
    job.transfer -= phase.ratio
    into = int(phase.into)
    more = released_by_inputs(world.cluster, jobs, phases, j, into) - phases[into].released
    if more > 0:
        release(world, j, into, more)
    return j
