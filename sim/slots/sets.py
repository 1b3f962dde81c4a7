"""Task sets inside the slot engine: the tasks that a rule of a real system judges together.

A task set is a phase of a job, or the whole job where it has one phase. It is known by the number of its
first task, counted over all jobs.
"""

from __future__ import annotations

from sim.kernel.compile import inlined
from sim.kernel.phases import phase_of


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
