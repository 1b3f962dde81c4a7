"""Budgeted copies (Hopper): a job whose originals are all launched copies running tasks within its share.

The task with the fewest copies goes first, up to `copies` copies a task; of those with as many the one with
the longest remaining time, where that is known (the scenario's `observe`), before those of which only the
elapsed time is known, longest first. A task's remaining time is its original's: what is known of its other
copies is not used. With `benefit` above 0 only tasks qualify whose remaining time is known and exceeds
benefit x E[x], since a copy of a nearly finished task wastes a slot; under ``observe=never`` a task
qualifies once it has run for benefit x E[x] itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import check, next_check, on_copy_end, select_task
from sim.engines.slots.speculation.candidates import (
    heap_of,
    known_from,
    left,
    mean_duration,
    retract,
)
from sim.kernel.compile import kernel
from sim.kernel.heap import push
from sim.kernel.queue import append, unlink
from sim.kernel.records import FRACTION, UNOBSERVED
from sim.model.policy import parameter
from sim.model.rule import RAWY, Formula
from sim.telling.words import plain


@kernel
def queue_of(j):
    """Queue of the candidates of job `j` that are not filed by their remaining time yet."""
    return 2 + 2 * j


@kernel
def is_known(world, task_slot):
    """Tell whether the remaining time of a task's original is known now."""
    c = world.cluster[0]
    return world.slots[task_slot].checked > 0 if c.reported else c.now >= known_from(world, task_slot)


@kernel
def file(world, task_slot):
    """Make a task a candidate: behind those with fewer copies, and before those that are not known.

    In which order those stand that are known does not matter here.
    """
    c = world.cluster[0]
    slot = world.slots[task_slot]
    slot.first = float(slot.copies)
    slot.second = -1.0 / (1.0 + c.now) if is_known(world, task_slot) else slot.start
    append(world.slots, world.slot_heaps, queue_of(slot.job), task_slot)
    world.jobs[slot.job].candidates += 1
    c.candidates += 1


@kernel
def unfile(world, task_slot):
    """Make a task no candidate, if it is one."""
    slot = world.slots[task_slot]
    if slot.heap == queue_of(slot.job):
        unlink(world.slots, world.slot_heaps, task_slot)
        world.jobs[slot.job].candidates -= 1
        world.cluster[0].candidates -= 1
    else:
        retract(world, task_slot)


@kernel
def file_known(world, task_slot):
    """File a candidate by its remaining time, which is known."""
    slot = world.slots[task_slot]
    unlink(world.slots, world.slot_heaps, task_slot)
    slot.second = -slot.finish
    push(world.slots, world.slot_heaps, heap_of(world.cluster, slot.job), task_slot)


@kernel
def first_of(world, j):
    """Return the candidate of job `j` to copy first, or -1.

    By their remaining times are filed only those with the fewest copies: the others may end before it is
    their turn.
    """
    slots = world.slots
    heap = heap_of(world.cluster, j)
    following = world.slot_heaps[queue_of(j)]
    first = world.slot_heaps[heap]
    while following >= 0 and (first < 0 or slots[following].copies <= slots[first].copies):
        if not is_known(world, following):
            return first if first >= 0 and slots[first].copies == slots[following].copies else following
        file_known(world, following)
        following = world.slot_heaps[queue_of(j)]
        first = world.slot_heaps[heap]
    return first


@next_check
def consider(world, values, s):
    """File the task of a copy just launched, or plan to look at it when its benefit is known.

    Ages become known in the order in which copies began: the queue shows them. Where shares of the work or
    reports tell, a look is needed.
    """
    c = world.cluster[0]
    slot = world.slots[s]
    if slot.number > 0:
        unfile(world, slot.task_slot)
        if world.slots[slot.task_slot].copies < values.copies:
            file(world, slot.task_slot)
        return math.inf
    if values.copies == 1.0:
        return math.inf
    if values.benefit > 0.0 and c.observe_kind == UNOBSERVED:
        at = slot.start + values.benefit * mean_duration(world, slot.job)
        return at if at < slot.finish else math.inf
    at = known_from(world, s)
    if values.benefit > 0.0:
        return at if slot.finish - at > values.benefit * mean_duration(world, slot.job) else math.inf
    file(world, s)
    by_look = c.reported > 0 or (c.observe_kind == FRACTION and at > c.now)
    return at if by_look and at < slot.finish else math.inf


@check
def learn(world, values, s):
    """File a task by its remaining time, or, where none is known, as one worth a copy."""
    slot = world.slots[s]
    slot.checked = 0 if world.cluster[0].observe_kind == UNOBSERVED else 1
    if slot.heap == queue_of(slot.job):
        file_known(world, s)
    elif values.benefit > 0.0 and slot.copies < values.copies:
        file(world, s)
    return math.inf


@on_copy_end
def forget(world, s, won):
    """Take a task that has ended out of the candidates."""
    unfile(world, s)


@select_task
def choose_task(world, values, j):
    """Copy the task that comes first; drop those no longer worth it."""
    task_slot = first_of(world, j)
    if values.benefit == 0.0 or world.cluster[0].observe_kind == UNOBSERVED:
        return task_slot
    while task_slot >= 0:
        if left(world, task_slot) > values.benefit * mean_duration(world, world.slots[task_slot].job):
            return task_slot
        retract(world, task_slot)
        task_slot = first_of(world, j)
    return -1


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    order = "the one that has run for longest"
    if observed != "never":
        order = f"the one with the longest time left where that is known, then {order}"
    return (
        Formula(
            "Budgeted copies",
            f"S_i < H_i, \\qquad \\text{{copies of a task}} \\le {plain(values['copies'])}",
            "A job whose originals all run spends what is left of its share on copies of running tasks, "
            f"those with the fewest copies first and of these {order}.",
            RAWY + ", section 3",
        ),
    )


RULE = Speculation(
    key="budget",
    title="budgeted copies",
    summary="extra copies of running tasks within the job's share of the slots",
    when="budget",
    next_check=consider,
    check=learn,
    on_copy_end=forget,
    select_task=choose_task,
    skips_dominated_copies=True,
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
