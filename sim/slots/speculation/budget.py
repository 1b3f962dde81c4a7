"""Budgeted copies (Hopper): a job whose originals are all launched copies running tasks within its share.

The task with the fewest copies goes first, then the one that has run for longest, up to `copies`
copies a task. With `benefit` above 0 only tasks qualify whose original's remaining time is known (the
scenario's `observe`) and exceeds benefit x E[x], since a copy of a nearly finished task wastes a slot;
under ``observe=never`` a task qualifies once it has run for benefit x E[x] itself. What is known of a
task's other copies is not used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sim.formula import RAWY, Formula, plain
from sim.kernel.compile import kernel
from sim.kernel.queue import append, unlink
from sim.kernel.records import UNOBSERVED
from sim.policy import parameter
from sim.slots.rule import Speculation
from sim.slots.signatures import choose, copy_ended, notice, watch
from sim.slots.speculation.candidates import known_from, left, mean_duration


@kernel
def queue_of(j):
    """Queue of the tasks of job `j` that could get a copy."""
    return 1 + 2 * j


@kernel
def offer(world, lead):
    """File a task behind those with fewer copies, or as many and a longer run."""
    slot = world.slots[lead]
    slot.first = float(slot.copies)
    slot.second = slot.start
    append(world.slots, world.slot_heaps, queue_of(slot.job), lead)
    world.jobs[slot.job].candidates += 1
    world.cluster[0].candidates += 1


@kernel
def retract(world, lead):
    """Take a task out of its queue, if it is in it."""
    if world.slots[lead].heap >= 0:
        unlink(world.slots, world.slot_heaps, lead)
        world.jobs[world.slots[lead].job].candidates -= 1
        world.cluster[0].candidates -= 1


@watch
def consider(world, values, s):
    """File the task of a copy just launched, or plan to look at it when its benefit is known."""
    slot = world.slots[s]
    if slot.number > 0:
        retract(world, slot.lead)
        if world.slots[slot.lead].copies < values.copies:
            offer(world, slot.lead)
        return math.inf
    if values.benefit == 0.0:
        if values.copies > 1.0:
            offer(world, s)
        return math.inf
    worth = values.benefit * mean_duration(world, slot.job)
    if world.cluster[0].observe_kind == UNOBSERVED:
        at = slot.start + worth
        return at if at < slot.finish else math.inf
    at = known_from(world, s)
    return at if slot.finish - at > worth else math.inf


@notice
def worth_a_copy(world, values, s):
    """File a task whose original has been found worth a copy."""
    if world.slots[s].copies < values.copies:
        offer(world, s)
    return math.inf


@copy_ended
def forget(world, s, won):
    """Take a task that has ended out of its queue."""
    retract(world, s)


@choose
def choose_task(world, values, j):
    """Copy the task with fewest copies, longest running; drop those no longer worth it."""
    lead = world.slot_heaps[queue_of(j)]
    if values.benefit == 0.0 or world.cluster[0].observe_kind == UNOBSERVED:
        return lead
    while lead >= 0:
        if left(world, lead) > values.benefit * mean_duration(world, world.slots[lead].job):
            return lead
        retract(world, lead)
        lead = world.slot_heaps[queue_of(j)]
    return -1


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "Budgeted copies",
            f"S_i < H_i, \\qquad \\text{{copies of a task}} \\le {plain(values['copies'])}",
            "A job whose originals all run spends what is left of its share on copies of running tasks, "
            "those with the fewest copies first.",
            RAWY + ", section 3",
        ),
    )


RULE = Speculation(
    key="budget",
    title="budgeted copies",
    summary="extra copies of running tasks within the job's share of the slots",
    when="budget",
    watch=consider,
    notice=worth_a_copy,
    copy_ended=forget,
    choose=choose_task,
    skips_outlived=True,
    parameters=(
        parameter(
            "copies",
            4,
            "most copies of a task, the original included",
            whole=True,
            low=1,
            high=16,
            label="Most copies of a task",
        ),
        parameter(
            "benefit",
            0,
            "copy only tasks with more than this remaining",
            unit="mean durations",
            low=0,
            high=10,
            label="Least time left of a copied task",
        ),
    ),
    reference="Ren et al., theory note, section 3 (which task is copied is ours to choose)",
    formulas=formulas,
)
