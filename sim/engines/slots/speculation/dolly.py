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
from sim.kernel.compile import inlined
from sim.kernel.heap import place_of_least, put
from sim.kernel.queue import append, last_of, unlink
from sim.model.policy import parameter
from sim.model.rule import DOLLY, Formula
from sim.model.speculative import SpeculativeScenario
from sim.telling.words import plain

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario

# Clones that make way for others: the common part of Dolly's two ways of cloning.
#
# Running clones stand in a queue, the oldest first. The clone launched last goes first when more than
# :math:`\tau S` slots are busy, or when the next original belongs to a job that holds fewer slots than its
# fair share S/N and no slot is free.

#: Queue of the running clones, oldest first.
CLONES = 2
#: The store begins with the number of clones launched so far.
LAUNCHED = 0
#: A product that misses the target by a rounding error has met it.
SLACK = 1 + 1e-9

EPSILON = parameter(
    "epsilon",
    0.05,
    "accepted probability that a job has an outlier",
    low=0.001,
    high=0.999,
    label="Accepted risk of an outlier",
    symbol="risk",
)
TAU = parameter(
    "tau",
    0.7,
    "share of the slots up to which clones may fill the cluster",
    low=0,
    high=1,
    label="Ceiling τ for clones",
    symbol="τ",
)
SMALL = parameter(
    "small",
    0,
    "clone only jobs of at most so many tasks; 0: all",
    whole=True,
    low=0,
    high=1000,
    label="Largest small job (0: clone all)",
    symbol="largest small job",
)


@inlined
def queue_clone(world, s):
    """Put the clone that has just been launched in slot `s` at the end of the queue."""
    world.store[LAUNCHED] += 1.0
    world.slots[s].first = world.store[LAUNCHED]
    world.slots[s].second = 0.0
    append(world.slots, world.slot_heaps, CLONES, s)


@inlined
def newest_clone(world):
    """Return the slot of the running clone launched last, or -1."""
    return last_of(world.slots, world.slot_heaps, CLONES)


@inlined
def must_give_way(world, tau, j):
    """Tell whether too many slots are busy, or job `j` (-1: none) is owed the slot of a clone."""
    c = world.cluster[0]
    return c.busy > tau * c.slots or (j >= 0 and world.jobs[j].held * c.active < c.slots)


def outlier_probability(scenario: SpeculativeScenario) -> float:
    """Probability that a copy takes more than twice the median of its job.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> round(outlier_probability(SlotScenario(straggle_tail=2)), 6)  # 2^-2 / 2
    0.125
    """
    law = scenario.straggle_law
    return float(law.survival(2 * law.quantile(0.5)))


# Dolly's beliefs about slots: the outlier probability of each, and the best of the free ones.

#: What the store holds beyond the clones launched: when the window ends, then for each task the probability
#: that all its copies are outliers; at its end the probabilities of the free slots as a list
#: (`sim.kernel.heap`).
WINDOW_END, TASKS = 1, 2
#: What is kept of a slot: its probability, copies and outliers of the window.
SEEN = {"chance": 0.0, "ran": 0.0, "slow": 0.0}
#: The list is in blocks of 2 to this power.
BITS = 6


def list_room(slots: int) -> int:
    """Numbers that the list of the free slots takes, with the least of its blocks."""
    blocks = (slots >> BITS) + 1
    return (blocks << BITS) + blocks + 3


@inlined
def list_of(world):
    """Where the list of the free slots begins, and where the least of its blocks."""
    blocks = (world.slots.size >> BITS) + 1
    above = world.store.size - blocks - 3
    return above - (blocks << BITS), above


@inlined
def set_free(world, s, number):
    """Set the place of a slot in the list of those that are free."""
    begin, above = list_of(world)
    put(world.store, begin, above, BITS, s, number)


@inlined
def file_free(world, values, s):
    """File a slot that is about to be free."""
    chance = world.slot_state[s].chance
    set_free(world, s, -chance if values.printed else chance)


@inlined
def best_free(world):
    """Return the free slot that comes first (ties: the lower number), or -1."""
    begin, above = list_of(world)
    return place_of_least(world.store, begin, above, BITS, world.slots.size)


@inlined
def window_end(now, window):
    """End of the window in which `now` lies; windows end at multiples of their length."""
    return (math.floor(now / window) + 1.0) * window if window > 0.0 else math.inf


@inlined
def begin(world, values):
    """Believe p of every slot, all of which are free."""
    world.store[WINDOW_END] = window_end(world.cluster[0].now, values.window)
    for place in range(list_of(world)[0], world.store.size):
        world.store[place] = math.inf
    for s in range(world.slots.size):
        world.slot_state[s].chance = values.p
        file_free(world, values, s)


@inlined
def learn(world, values):
    """Update what is believed of every slot if a window has ended."""
    store = world.store
    now = world.cluster[0].now
    if now < store[WINDOW_END]:
        return
    store[WINDOW_END] = window_end(now, values.window)  # in windows between nobody ran anything
    for s in range(world.slots.size):
        seen = world.slot_state[s]
        if seen.ran > 0.0:
            seen.chance = 0.5 * (seen.chance + seen.slow / seen.ran)
            seen.ran = 0.0
            seen.slow = 0.0
            if store[list_of(world)[0] + s] < math.inf:
                file_free(world, values, s)


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
