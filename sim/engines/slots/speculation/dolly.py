r"""Dolly, task-level cloning: every task gets as many clones, on as good machines, as its job's target asks.

A slot m makes a copy an outlier with probability :math:`p_m`, so a task's copies are all outliers with
probability :math:`\prod p_m`. When an original of a job of n tasks starts, its task is cloned until that
product is at most :math:`1 - (1 - \epsilon)^{1/n}`, each clone on the free slot with the smallest
:math:`p_m` (ties: lower number), and while :math:`U + 1 < \tau S`, U being the busy slots. Clones start
in the instant in which their original does, once every original that could start then has; never later.
With ``small`` above 0 only jobs of at most so many tasks are cloned.

Clones give way: when more than :math:`\tau S` slots are busy, and when the next original belongs to a job
that holds fewer slots than its fair share S/N and no slot is free. The clone launched last goes first;
the original always stays.

:math:`p_m` starts at p, the probability that a copy takes more than twice the median of its job (the paper
prints "a progress rate less than 2x the median"), and is learned: at the end of each window it becomes the
mean of itself and the share of outliers among the copies the slot ran, unless it ran none. A copy that was
killed or dropped before it took twice the median is not counted, since nobody knows what it would have been.
A window has to be long enough for a hundred copies or so a slot: in a shorter one most slots see no outlier,
their :math:`p_m` halves each time, and soon nothing is cloned. So learning is off unless asked for.

On a recorded cluster (`sim.engines.slots.recorded`), whose slots come and go, clones start where any copy
would.

``printed=1`` follows Pseudocode 1 to the letter where it can be: the largest :math:`p_m` first, and a test of
the next clone before it is launched, so that the loop stops one clone short of the target.
`theory.clone_placement` is the same for one job.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import evict, next_check, on_copy_end, select_task
from sim.engines.slots.speculation.candidates import offer, retract, top
from sim.engines.slots.speculation.clones import (
    CLONES,
    EPSILON,
    SLACK,
    SMALL,
    TAU,
    must_give_way,
    newest_clone,
    outlier_probability,
    queue_clone,
)
from sim.engines.slots.speculation.slot_beliefs import (
    SEEN,
    TASKS,
    WINDOW_END,
    begin,
    best_free,
    file_free,
    learn,
    list_room,
    set_free,
)
from sim.kernel.compile import inlined
from sim.kernel.queue import unlink
from sim.model.formula import DOLLY, Formula
from sim.model.policy import parameter
from sim.telling.words import plain

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


class Values(NamedTuple):
    """The numbers of the hooks: the parameters, p of the law if 0 is given, and the bound of an outlier."""

    epsilon: float
    tau: float
    p: float
    small: float
    copies: float
    window: float
    printed: float
    outlier: float


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Take the outlier probability of the law where 0 is given; an outlier exceeds twice the median."""
    believed = values["p"] or outlier_probability(scenario)
    return Values(**{**values, "p": believed, "outlier": 2 * float(scenario.straggle_law.quantile(0.5))})


@inlined
def place_of(world, s):
    """Where the store holds the chance that all copies of the task in slot `s` are outliers."""
    slot = world.slots[s]
    return TASKS + world.jobs[slot.job].first_task + slot.task


@inlined
def next_slot(world):
    """Return the free slot that the next clone gets; -1 where slots come and go, which rules are not told."""
    return -1 if world.cluster[0].linked else best_free(world)


@inlined
def more(world, values, task_slot):
    """Tell whether the task led by slot `task_slot` is to get another clone now."""
    c = world.cluster[0]
    slot = world.slots[task_slot]
    if not (c.busy + 1 < values.tau * c.slots and slot.copies < values.copies and slot.start == c.now):
        return False
    job = world.jobs[slot.job]
    if c.free == 0 or (values.small > 0.0 and job.tasks > values.small):
        return False
    accepted = world.job_state[slot.job]
    if accepted.risk == 0.0:
        accepted.risk = -math.expm1(math.log1p(-values.epsilon) / job.tasks)
    chance = world.store[place_of(world, task_slot)]
    if values.printed:
        best = next_slot(world)
        chance *= world.slot_state[best].chance if best >= 0 else values.p
    return chance > SLACK * accepted.risk


@next_check
def start(world, values, s):
    """Take note of a copy that starts in slot `s`, and whether its task is to get another."""
    slot = world.slots[s]
    store = world.store
    if store[WINDOW_END] == 0.0:
        begin(world, values)
    set_free(world, s, math.inf)
    learn(world, values)
    task = place_of(world, s)
    if slot.number == 0:
        store[task] = world.slot_state[s].chance
        if more(world, values, s):
            offer(world, s, world.cluster[0].now, 0.0)
        return math.inf
    store[task] *= world.slot_state[s].chance
    queue_clone(world, s)
    if not more(world, values, slot.task_slot):
        retract(world, slot.task_slot)
    return math.inf


@on_copy_end
def free_slot(world, values, s, won):
    """Count a copy that ends for its slot, which will be free."""
    slot, seen = world.slots[s], world.slot_state[s]
    slow = world.cluster[0].now - slot.start > values.outlier * world.jobs[slot.job].task_size
    if won or slow:
        seen.ran += 1.0
    if slow:
        seen.slow += 1.0
    if slot.heap == CLONES:
        unlink(world.slots, world.slot_heaps, s)
    else:
        retract(world, s)
    file_free(world, values, s)


@select_task
def choose_task(world, values, j):
    """Clone the task that comes first, on the best free slot; drop those that are not to get more."""
    task_slot = top(world, j)
    while task_slot >= 0:
        if more(world, values, task_slot):
            world.cluster[0].placed = next_slot(world)
            return task_slot
        retract(world, task_slot)
        task_slot = top(world, j)
    return -1


@evict
def drop_clone(world, values, j):
    """Drop the clone launched last if too many slots are busy, or if job `j` is owed its slot."""
    return newest_clone(world) if must_give_way(world, values.tau, j) else -1


def store_size(slots: int, tasks: int) -> int:
    """Numbers the store needs."""
    return TASKS + tasks + list_room(slots)


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "Dolly, clones of a task",
            r"\prod_{m} p_m \le 1 - (1 - \epsilon)^{1/n}, \qquad U + 1 < \tau S, \qquad "
            rf"\epsilon = {plain(values['epsilon'])}, \quad \tau = {plain(values['tau'])}",
            "Every task gets clones, on the slots least likely to make outliers, until all copies are "
            "outliers with a small enough probability; they give way to originals that are owed a slot.",
            DOLLY + ", Pseudocode 1, corrected",
        ),
    )


RULE = Speculation(
    key="dolly",
    title="Dolly",
    summary="clones with the original until an outlier is unlikely enough, while the cluster is not busy",
    when="spare",
    at_launch=True,
    places=True,
    next_check=start,
    on_copy_end=free_slot,
    select_task=choose_task,
    evict=drop_clone,
    hears_every_copy_end=True,
    store_size=store_size,
    store_before_tasks=lambda slots: TASKS,
    job_state={"risk": 0.0},  # accepted probability that a task is an outlier, 0 if not computed
    slot_state=SEEN,
    parameters=(
        EPSILON,
        TAU,
        parameter(
            "p",
            0,
            "outlier probability believed at first; 0: that of the straggle law",
            low=0,
            high=0.999,
            label="Outlier probability p (0: of the law)",
            symbol="p",
        ),
        SMALL,
        parameter(
            "copies",
            8,
            "most copies of a task, the original included",
            whole=True,
            low=1,
            high=32,
            label="Most copies",
        ),
        parameter(
            "window",
            0,
            "time after which the slots' probabilities are learned; 0: never",
            unit="time_unit",
            low=0,
            high=10_000,
            label="Learn p every (0: never)",
        ),
        parameter(
            "printed",
            0,
            "1: follow Pseudocode 1 as printed",
            whole=True,
            low=0,
            high=1,
            label="As the paper prints it",
        ),
    ),
    prepare=prepare,
    reference="Ananthanarayanan et al., HotCloud 2012, Pseudocode 1",
    formulas=formulas,
)
