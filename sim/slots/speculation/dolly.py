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

``printed=1`` follows Pseudocode 1 to the letter where it can be: the largest :math:`p_m` first, and a test of
the next clone before it is launched, so that the loop stops one clone short of the target.
`theory.clone_placement` is the same for one job.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.kernel.compile import kernel
from sim.kernel.heap import push, remove
from sim.kernel.queue import append, unlink
from sim.policy import parameter
from sim.slots.rule import Speculation
from sim.slots.signatures import choose, lose, watch
from sim.slots.speculation.candidates import offer, retract, top

if TYPE_CHECKING:
    from sim.scenario import Scenario

#: Heap of the free slots, by outlier probability; queue of the running clones, oldest first.
FREE, CLONES = 1, 2
#: What the store holds: when the window ends, clones launched so far, then for each slot its probability,
#: copies and outliers of the window, then for each task the probability that all its copies are outliers.
WINDOW_END, LAUNCHED, SLOTS = 0, 1, 2
#: A product that misses the target by a rounding error has met it.
SLACK = 1 + 1e-9


@kernel
def file_free(slots, roots, store, numbers, s):
    """File a slot that is about to be free."""
    slots[s].first = -store[SLOTS + s] if numbers[6] else store[SLOTS + s]
    slots[s].second = 0.0
    slots[s].rank = s
    push(slots, roots, FREE, s)


@kernel
def window_end(now, window):
    """End of the window in which `now` lies; windows end at multiples of their length."""
    return (math.floor(now / window) + 1.0) * window if window > 0.0 else math.inf


@kernel
def begin(cluster, slots, roots, store, numbers):
    """Believe p of every slot, all of which are free."""
    store[WINDOW_END] = window_end(cluster[0].now, numbers[5])
    for s in range(slots.size):
        store[SLOTS + s] = numbers[2]
        file_free(slots, roots, store, numbers, s)


@kernel
def learn(cluster, slots, roots, store, numbers):
    """Update what is believed of every slot if a window has ended."""
    count = slots.size
    if cluster[0].now < store[WINDOW_END]:
        return
    store[WINDOW_END] = window_end(cluster[0].now, numbers[5])  # in windows between nobody ran anything
    for s in range(count):
        ran = store[SLOTS + count + s]
        if ran > 0.0:
            store[SLOTS + s] = 0.5 * (store[SLOTS + s] + store[SLOTS + 2 * count + s] / ran)
            store[SLOTS + count + s] = 0.0
            store[SLOTS + 2 * count + s] = 0.0
            if slots[s].heap == FREE:
                remove(slots, roots, s)
                file_free(slots, roots, store, numbers, s)


@kernel
def more(cluster, jobs, slots, roots, store, numbers, lead):
    """Tell whether the task led by slot `lead` is to get another clone now."""
    c = cluster[0]
    slot = slots[lead]
    if not (c.busy + 1 < numbers[1] * c.slots and slot.copies < numbers[4] and slot.start == c.now):
        return False
    job = jobs[slot.job]
    if roots[FREE] < 0 or (numbers[3] > 0.0 and job.tasks > numbers[3]):
        return False
    target = -math.expm1(math.log1p(-numbers[0]) / job.tasks)
    outlier = store[SLOTS + 3 * slots.size + job.first_task + slot.task]
    if numbers[6]:
        outlier *= store[SLOTS + roots[FREE]]
    return outlier > SLACK * target


@watch
def start(cluster, jobs, slots, roots, store, numbers, s):
    """Take note of a copy that starts in slot `s`, and whether its task is to get another."""
    c = cluster[0]
    rank = slots[s].rank
    if store[WINDOW_END] == 0.0:
        begin(cluster, slots, roots, store, numbers)
    remove(slots, roots, s)
    slots[s].rank = rank  # of the copy; the first one's has been overwritten with the slot's
    learn(cluster, slots, roots, store, numbers)
    slot = slots[s]
    lead = slot.lead
    task = SLOTS + 3 * slots.size + jobs[slot.job].first_task + slot.task
    if slot.number == 0:
        store[task] = store[SLOTS + s]
        if more(cluster, jobs, slots, roots, store, numbers, s):
            offer(cluster, jobs, slots, roots, s, c.now, 0.0)
        return math.inf
    store[task] *= store[SLOTS + s]
    store[LAUNCHED] += 1.0
    slot.first = store[LAUNCHED]
    slot.second = 0.0
    append(slots, roots, CLONES, s)
    if not more(cluster, jobs, slots, roots, store, numbers, lead):
        retract(cluster, jobs, slots, roots, lead)
    return math.inf


@watch
def look(cluster, jobs, slots, roots, store, numbers, s):
    """Never look at a copy again."""
    return math.inf


@lose
def lose_copy(cluster, jobs, slots, roots, store, numbers, s, won):
    """Count a copy that ends for its slot, which will be free."""
    slot = slots[s]
    slow = cluster[0].now - slot.start > numbers[7] * jobs[slot.job].task_size
    if won or slow:
        store[SLOTS + slots.size + s] += 1.0
    if slow:
        store[SLOTS + 2 * slots.size + s] += 1.0
    if slot.heap == CLONES:
        unlink(slots, roots, s)
    else:
        retract(cluster, jobs, slots, roots, s)
    file_free(slots, roots, store, numbers, s)


@choose
def choose_task(cluster, jobs, slots, roots, store, numbers, j):
    """Clone the task that comes first, on the best free slot; drop those that are not to get more."""
    lead = top(cluster, roots, j)
    while lead >= 0:
        if more(cluster, jobs, slots, roots, store, numbers, lead):
            cluster[0].placed = roots[FREE]
            return lead
        retract(cluster, jobs, slots, roots, lead)
        lead = top(cluster, roots, j)
    return -1


@choose
def drop_clone(cluster, jobs, slots, roots, store, numbers, j):
    """Drop the clone launched last if too many slots are busy, or if job `j` is owed its slot."""
    c = cluster[0]
    newest = roots[CLONES + 1]
    if newest < 0 or c.busy > numbers[1] * c.slots:
        return newest
    if j >= 0 and jobs[j].held * c.active < c.slots:
        return newest
    return -1


def outlier_probability(scenario: Scenario) -> float:
    """Probability that a copy takes more than twice the median of its job.

    Examples
    --------
    >>> from sim.slots.scenario import SlotScenario
    >>> round(outlier_probability(SlotScenario(straggle_tail=2)), 6)  # 2^-2 / 2
    0.125
    """
    law = scenario.straggle_law
    return float(law.survival(2 * law.quantile(0.5)))


def prepare(scenario: Scenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on target, ceiling, p, small jobs, most copies, window, order, and what an outlier exceeds."""
    law = scenario.straggle_law
    believed = values["p"] or outlier_probability(scenario)
    named = [values["small"], values["copies"], values["window"], values["printed"]]
    return np.array([values["epsilon"], values["tau"], believed, *named, 2 * float(law.quantile(0.5))])


def room(slots: int, tasks: int) -> int:
    """Numbers the store needs."""
    return SLOTS + 3 * slots + tasks


RULE = Speculation(
    key="dolly",
    title="Dolly, task-level cloning",
    summary="clones with the original until an outlier is unlikely enough, while the cluster is not busy",
    when="spare",
    at_launch=True,
    places=True,
    watch=start,
    notice=look,
    lose=lose_copy,
    choose=choose_task,
    drop=drop_clone,
    room=room,
    parameters=(
        parameter("epsilon", 0.05, "acceptable probability that a job has an outlier", low=0.001, high=0.999),
        parameter("tau", 0.7, "share of the slots up to which clones may fill the cluster", low=0, high=1),
        parameter(
            "p", 0, "outlier probability believed at first; 0: that of the straggle law", low=0, high=0.999
        ),
        parameter(
            "small", 0, "clone only jobs of at most so many tasks; 0: all", whole=True, low=0, high=1000
        ),
        parameter("copies", 8, "most copies of a task, the original included", whole=True, low=1, high=32),
        parameter(
            "window",
            0,
            "time after which the slots' probabilities are learned; 0: never",
            unit="time_unit",
            low=0,
            high=10_000,
        ),
        parameter("printed", 0, "1: follow Pseudocode 1 as printed", whole=True, low=0, high=1),
    ),
    prepare=prepare,
    reference="Ananthanarayanan et al., HotCloud 2012, Pseudocode 1",
)
