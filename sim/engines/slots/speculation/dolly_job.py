r"""Dolly, job-level cloning: small jobs run several times as a whole, and the first complete run counts.

A copy is an outlier with probability p, so one run of a job of n tasks has an outlier with probability
:math:`1 - (1 - p)^n`. A job gets the fewest copies c (the original counted) for which

.. math:: \big( 1 - (1 - p)^n \big)^c \le \epsilon,

but no more than fit under the ceiling: :math:`U + c\,n \le \tau S`, U being the busy slots but its own. This
is decided in the instant in which the job starts, once every original that could start then has (ties: by
arrival), for jobs of which all originals have started in that instant; a clone starts with all its tasks
at once, task after task, or not at all. With ``small`` above 0 only jobs of at most so many tasks are cloned.

A task that ends in one clone goes on in the others. The job ends with the first clone that is complete
(the original is one), and all other copies are killed then: after the winner's, slots are freed in the order
of launching, beginning with the copy launched next and going on with the original's, by task. Until
then a job has as many tasks left, for the sharing rules, as its original has.

Clones give way as under task-level cloning (`sim.engines.slots.speculation.dolly`): when more than
:math:`\tau S` slots are busy, and when the next original belongs to a job that holds fewer slots than its
fair share S/N and no slot is free. The clone launched last goes first, with all its copies, since it could
never be complete without one; the original always stays.

Which slots clones get is the engine's choice, and p is that of the whole cluster: the paper looks at single
machines at task level only. Jobs with phases are refused: what a clone reads from its own earlier
phase the paper leaves open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from sim.engines.slots.launching import join, stand_alone
from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import evict, next_check, on_copy_end, select_task
from sim.engines.slots.speculation.candidates import offer, retract, top
from sim.engines.slots.speculation.dolly import (
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
from sim.kernel.compile import inlined, kernel
from sim.kernel.queue import unlink
from sim.model.policy import parameter
from sim.model.rule import DOLLY, Formula
from sim.telling.words import plain

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario

#: What the store holds beyond the clones launched: the clone that is being dropped (`name_of`), then for
#: each task the slot of its original.
DROPPED, ORIGINALS = 1, 2
#: More than the copies a job may have.
MANY = 64.0


class Values(NamedTuple):
    """What the hooks read: the parameters, with p of the law where 0 is given."""

    epsilon: float
    tau: float
    p: float
    small: float
    copies: float


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Take the outlier probability of the law where 0 is given."""
    return Values(**{**values, "p": values["p"] or outlier_probability(scenario)})


@kernel
def name_of(slots, s):
    """Return a number that the copies of one clone share, above 0."""
    return MANY * slots[s].job + slots[s].number


@inlined
def copies_of(world, values, tasks):
    """Return the copies of a job of so many tasks, all of which have just started."""
    c = world.cluster[0]
    if values.small > 0.0 and tasks > values.small:
        return 1
    outlier = -math.expm1(tasks * math.log1p(-values.p))
    chance = outlier
    copies = 1
    while (
        chance > SLACK * values.epsilon
        and copies < values.copies
        and c.busy + copies * tasks <= values.tau * c.slots  # its own tasks are among the busy ones
        and copies * tasks <= c.free  # killed copies may linger: neither busy nor free
    ):
        copies += 1
        chance *= outlier
    return copies


@inlined
def decide(world, values, j):
    """Decide how often job `j` runs; if more than once, its originals form the circle."""
    job = world.jobs[j]
    job.wanted = copies_of(world, values, job.tasks)
    if job.wanted > 1:
        first = int(world.store[ORIGINALS + job.first_task])
        stand_alone(world.slots, first)
        for task in range(1, job.tasks):
            join(world.slots, first, int(world.store[ORIGINALS + job.first_task + task]))


@next_check
def start(world, s):
    """Take note of a copy that starts in slot `s`; the last original makes the job a candidate."""
    now = world.cluster[0].now
    slot = world.slots[s]
    job = world.jobs[slot.job]
    if slot.number == 0:
        world.store[ORIGINALS + job.first_task + slot.task] = s
        if job.launched == job.tasks and job.start == now:
            offer(world, s, now, 0.0)
        return math.inf
    join(world.slots, int(world.store[ORIGINALS + job.first_task]), s)
    queue_clone(world, s)
    return math.inf


@on_copy_end
def forget_copy(world, s, won):
    """Forget a copy that ends."""
    if world.slots[s].heap == CLONES:
        unlink(world.slots, world.slot_heaps, s)
    else:
        retract(world, s)


@select_task
def choose_task(world, values, j):
    """Clone the first job that has just started, task after task; drop those that get no more."""
    task_slot = top(world, j)
    while task_slot >= 0:
        job = world.jobs[world.slots[task_slot].job]
        if job.start == world.cluster[0].now:
            if job.wanted == 0:
                decide(world, values, world.slots[task_slot].job)
            if job.extra < (job.wanted - 1) * job.tasks:
                return int(world.store[ORIGINALS + job.first_task + job.extra % job.tasks])
        retract(world, task_slot)
        task_slot = top(world, j)
    return -1


@evict
def drop_clone(world, values, j):
    """Drop the clone launched last if too many slots are busy, or if job `j` is owed a slot: copy by copy."""
    newest = newest_clone(world)
    if newest < 0 or world.store[DROPPED] == name_of(world.slots, newest):
        return newest
    if must_give_way(world, values.tau, j):
        world.store[DROPPED] = name_of(world.slots, newest)
        return newest
    return -1


def store_size(slots: int, tasks: int) -> int:
    """Numbers the store needs."""
    return ORIGINALS + tasks


def refuses(scenario: SpeculativeScenario, values: Mapping[str, float]) -> str | None:
    """Refuse jobs with phases."""
    if scenario.phases == 1:
        return None
    return f"phases: {scenario.phases} is not accepted with dolly-job, which clones jobs of one phase; give 1"


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "Dolly, clones of a job",
            r"\big( 1 - (1 - p)^n \big)^c \le \epsilon, \qquad U + c \, n \le \tau S, \qquad "
            rf"\epsilon = {plain(values['epsilon'])}, \quad \tau = {plain(values['tau'])}",
            "The whole job runs $c$ times at once, and the first complete run counts; clones give way to "
            "originals that are owed a slot.",
            DOLLY + ", section 3.1",
        ),
    )


RULE = Speculation(
    key="dolly-job",
    title="Dolly for whole jobs",
    summary="runs a whole job several times until an outlier in every run is unlikely enough",
    when="spare",
    at_launch=True,
    clones_jobs=True,
    next_check=start,
    on_copy_end=forget_copy,
    select_task=choose_task,
    evict=drop_clone,
    hears_every_copy_end=True,
    store_size=store_size,
    store_before_tasks=lambda slots: ORIGINALS,
    refuses=refuses,
    parameters=(
        EPSILON,
        TAU,
        parameter(
            "p",
            0,
            "outlier probability of a copy; 0: that of the straggle law",
            low=0,
            high=0.999,
            label="Outlier probability p (0: of the law)",
            symbol="p",
        ),
        SMALL,
        parameter(
            "copies",
            8,
            "most copies of a job, the original included",
            whole=True,
            low=1,
            high=32,
            label="Most copies",
        ),
    ),
    prepare=prepare,
    reference="Ananthanarayanan et al., HotCloud 2012, section 3.1",
    formulas=formulas,
)
