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

Clones give way as under task-level cloning (`sim.slots.speculation.dolly`): when more than :math:`\tau S`
slots are busy, and when the next original belongs to a job that holds fewer slots than its fair share S/N
and no slot is free. The clone launched last goes first, with all its copies, since it could never be
complete without one; the original always stays.

Which slots clones get is the engine's choice, and p is that of the whole cluster: the paper looks at single
machines at task level only. Jobs with phases are refused: what a clone reads from its own earlier
phase the paper leaves open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.kernel.compile import kernel
from sim.kernel.queue import append, unlink
from sim.policy import parameter
from sim.slots.job_clones import join, stand_alone
from sim.slots.rule import Speculation
from sim.slots.signatures import choose, lose, watch
from sim.slots.speculation.candidates import offer, retract, top
from sim.slots.speculation.dolly import SLACK, outlier_probability

if TYPE_CHECKING:
    from sim.scenario import Scenario

#: Queue of the copies of running clones, oldest first.
CLONES = 1
#: What the store holds: copies of clones launched so far, the clone that is being dropped (`name_of`), then
#: for each task the slot of its original.
LAUNCHED, DROPPED, ORIGINALS = 0, 1, 2
#: More than the copies a job may have.
MANY = 64.0


@kernel
def name_of(slots, s):
    """Return a number that the copies of one clone share, above 0."""
    return MANY * slots[s].job + slots[s].number


@kernel
def copies_of(cluster, tasks, numbers):
    """Return the copies of a job of so many tasks, all of which have just started."""
    c = cluster[0]
    if numbers[3] > 0.0 and tasks > numbers[3]:
        return 1
    outlier = -math.expm1(tasks * math.log1p(-numbers[2]))
    chance = outlier
    copies = 1
    while (
        chance > SLACK * numbers[0]
        and copies < numbers[4]
        and c.busy + copies * tasks <= numbers[1] * c.slots  # its own tasks are among the busy ones
    ):
        copies += 1
        chance *= outlier
    return copies


@kernel
def decide(cluster, jobs, slots, store, numbers, j):
    """Decide how often job `j` runs; if more than once, its originals form the circle."""
    job = jobs[j]
    job.wanted = copies_of(cluster, job.tasks, numbers)
    if job.wanted > 1:
        first = int(store[ORIGINALS + job.first_task])
        stand_alone(slots, first)
        for task in range(1, job.tasks):
            join(slots, first, int(store[ORIGINALS + job.first_task + task]))


@watch
def start(cluster, jobs, slots, roots, store, numbers, s):
    """Take note of a copy that starts in slot `s`; the last original makes the job a candidate."""
    c = cluster[0]
    slot = slots[s]
    job = jobs[slot.job]
    if slot.number == 0:
        store[ORIGINALS + job.first_task + slot.task] = s
        if job.launched == job.tasks and job.start == c.now:
            offer(cluster, jobs, slots, roots, s, c.now, 0.0)
        return math.inf
    join(slots, int(store[ORIGINALS + job.first_task]), s)
    store[LAUNCHED] += 1.0
    slot.first = store[LAUNCHED]
    slot.second = 0.0
    append(slots, roots, CLONES, s)
    return math.inf


@watch
def look(cluster, jobs, slots, roots, store, numbers, s):
    """Never look at a copy again."""
    return math.inf


@lose
def lose_copy(cluster, jobs, slots, roots, store, numbers, s, won):
    """Forget a copy that ends."""
    if slots[s].heap == CLONES:
        unlink(slots, roots, s)
    else:
        retract(cluster, jobs, slots, roots, s)


@choose
def choose_task(cluster, jobs, slots, roots, store, numbers, j):
    """Clone the first job that has just started, task after task; drop those that get no more."""
    lead = top(cluster, roots, j)
    while lead >= 0:
        job = jobs[slots[lead].job]
        if job.start == cluster[0].now:
            if job.wanted == 0:
                decide(cluster, jobs, slots, store, numbers, slots[lead].job)
            if job.extra < (job.wanted - 1) * job.tasks:
                return int(store[ORIGINALS + job.first_task + job.extra % job.tasks])
        retract(cluster, jobs, slots, roots, lead)
        lead = top(cluster, roots, j)
    return -1


@choose
def drop_clone(cluster, jobs, slots, roots, store, numbers, j):
    """Drop the clone launched last if too many slots are busy, or if job `j` is owed a slot: copy by copy."""
    c = cluster[0]
    newest = roots[CLONES + 1]
    if newest < 0 or store[DROPPED] == name_of(slots, newest):
        return newest
    if c.busy > numbers[1] * c.slots or (j >= 0 and jobs[j].held * c.active < c.slots):
        store[DROPPED] = name_of(slots, newest)
        return newest
    return -1


def prepare(scenario: Scenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on target, ceiling, p, small jobs and most copies."""
    believed = values["p"] or outlier_probability(scenario)
    return np.array([values["epsilon"], values["tau"], believed, values["small"], values["copies"]])


def room(slots: int, tasks: int) -> int:
    """Numbers the store needs."""
    return ORIGINALS + tasks


def refuses(scenario: Scenario, values: Mapping[str, float]) -> str | None:
    """Refuse jobs with phases."""
    if scenario.phases == 1:
        return None
    return f"phases: {scenario.phases} is not accepted with dolly-job, which clones jobs of one phase; give 1"


RULE = Speculation(
    key="dolly-job",
    title="Dolly, job-level cloning",
    summary="runs a whole job several times until an outlier in every run is unlikely enough",
    when="spare",
    at_launch=True,
    clones_jobs=True,
    watch=start,
    notice=look,
    lose=lose_copy,
    choose=choose_task,
    drop=drop_clone,
    room=room,
    refuses=refuses,
    parameters=(
        parameter("epsilon", 0.05, "acceptable probability that a job has an outlier", low=0.001, high=0.999),
        parameter("tau", 0.7, "share of the slots up to which clones may fill the cluster", low=0, high=1),
        parameter("p", 0, "outlier probability of a copy; 0: that of the straggle law", low=0, high=0.999),
        parameter(
            "small", 0, "clone only jobs of at most so many tasks; 0: all", whole=True, low=0, high=1000
        ),
        parameter("copies", 8, "most copies of a job, the original included", whole=True, low=1, high=32),
    ),
    prepare=prepare,
    reference="Ananthanarayanan et al., HotCloud 2012, section 3.1",
)
