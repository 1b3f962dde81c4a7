"""Task sets inside the slot engine: the tasks that a rule of a real system judges together.

A task set is a phase of a job, or the whole job where it has one phase. It is known by the number of its
first task, counted over all jobs. Tasks that a rule would copy and that find no slot wait in a heap of their
own; they try again when a slot may have become free that suits them.
"""

from __future__ import annotations

from sim.kernel.compile import inlined, kernel
from sim.kernel.heap import push, remove
from sim.kernel.phases import phase_of

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
