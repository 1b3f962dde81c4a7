r"""GRASS (Ananthanarayanan et al., NSDI 2014), for jobs that need every task: greedy at last, thrifty before.

A copy costs slots that other tasks of the job could have. Early in a job it must save them: a task with one
copy is copied where :math:`t_{rem} > 2\, t_{new}` (resource aware). In the last waves nothing else wants the
slots, and what shortens the job is worth it: :math:`t_{rem} > t_{new}` (greedy). A job is in its last waves
from the moment on at which its unfinished tasks are at most `waves` times the slots it holds, seen whenever
one of its tasks ends or is looked at. With ``waves=0`` all is resource aware, with many waves all is greedy.

A task is looked at once, when the remaining time of its original becomes known (the scenario's `observe`;
under ``never`` it does not, and nothing is copied), and gets one copy at most. :math:`t_{new}` is the mean of
a new copy. Copies take the next slots, before any original, longest remaining time first. The paper learns
from earlier jobs when to change over; its analysis, of Pareto durations, does so two waves before the end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import check, next_check, on_copy_end, select_task
from sim.engines.slots.speculation.candidates import (
    known_from,
    left,
    mean_duration,
    offer,
    retract,
    top,
    watched_heap,
)
from sim.kernel.compile import kernel
from sim.kernel.heap import push, remove
from sim.kernel.records import UNOBSERVED
from sim.model.policy import parameter
from sim.model.rule import Formula
from sim.telling.words import plain

#: Remaining times, in mean durations of a new copy, above which a task is copied: at first, and at last.
SAVES, SHORTENS = 2.0, 1.0


@kernel
def is_greedy(world, values, j, ending):
    """Tell whether job `j` is in its last waves, now or since earlier; `ending` tasks end just now."""
    mine, job = world.job_state[j], world.jobs[j]
    if mine.greedy == 0 and job.tasks - job.finished - ending <= values.waves * job.held:
        mine.greedy = 1
        s = world.slot_heaps[watched_heap(j)]
        while s >= 0:
            remove(world.slots, world.slot_heaps, s)
            offer(world, s, -world.slots[s].finish, 0.0)
            s = world.slot_heaps[watched_heap(j)]
    return mine.greedy != 0


@kernel
def watch(world, s):
    """Keep a task in mind that only a job in its last waves copies."""
    slot = world.slots[s]
    slot.first, slot.second = -slot.finish, 0.0
    push(world.slots, world.slot_heaps, watched_heap(slot.job), s)


@next_check
def plan(world, s):
    """Look at an original when its remaining time becomes known; a task that gets its copy is settled."""
    slot = world.slots[s]
    if slot.number > 0:
        retract(world, slot.task_slot)
        return math.inf
    if world.cluster[0].observe_kind == UNOBSERVED:
        return math.inf
    at = known_from(world, s)
    return at if at < slot.finish else math.inf


@check
def judge(world, values, s):
    """Make the task a candidate if a copy pays now; watch it if one will pay at last."""
    slot = world.slots[s]
    mean = mean_duration(world, slot.job)
    greedy = is_greedy(world, values, slot.job, 0)
    if left(world, s) > (SHORTENS if greedy else SAVES) * mean:
        offer(world, s, -slot.finish, 0.0)
    elif left(world, s) > SHORTENS * mean:
        watch(world, s)
    return math.inf


@on_copy_end
def see_the_end(world, values, s, won):
    """Forget a task that has ended, and see whether its job comes into its last waves."""
    retract(world, s)
    if won:
        is_greedy(world, values, world.slots[s].job, 1)


@select_task
def choose_task(world, j):
    """Copy the candidate with the longest remaining time; drop those for which a copy no longer pays."""
    task_slot = top(world, j)
    while task_slot >= 0:
        job = world.slots[task_slot].job
        mean = mean_duration(world, job)
        greedy = world.job_state[job].greedy != 0
        if left(world, task_slot) > (SHORTENS if greedy else SAVES) * mean:
            return task_slot
        retract(world, task_slot)
        if left(world, task_slot) > SHORTENS * mean:
            watch(world, task_slot)
        task_slot = top(world, j)
    return -1


class Values(NamedTuple):
    """What the hooks read."""

    waves: float


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "GRASS",
            r"t_{\text{rem}} > 2 \, E[x], \quad \text{in the last waves} \quad t_{\text{rem}} > E[x]",
            "A task gets a copy if that saves slot-time; from the moment on at which the unfinished tasks of "
            f"its job are at most {plain(values['waves'])} times the slots it holds, if it ends sooner.",
            "Ananthanarayanan et al., GRASS: Trimming Stragglers in Approximation Analytics (NSDI 2014)",
        ),
    )


RULE = Speculation(
    key="grass",
    title="GRASS",
    summary="copy where that saves slot-time, in the last waves of a job where it ends sooner",
    when="urgent",
    next_check=plan,
    check=judge,
    on_copy_end=see_the_end,
    hears_every_copy_end=True,
    select_task=choose_task,
    parameters=(
        parameter(
            "waves",
            2,
            "waves left at which any copy that ends sooner is worth it",
            low=0,
            high=1000,
            label="Greedy in the last waves",
            symbol="waves",
        ),
    ),
    job_state={"greedy": 0},
    prepare=lambda scenario, values: Values(values["waves"]),
    reference="Ananthanarayanan et al., NSDI 2014, for jobs that need every task",
    formulas=formulas,
)
