r"""Spark: a task is copied when it has run for several times the median of its task set.

As Spark 3 and 4 do it (TaskSetManager, TaskSchedulerImpl), with the defaults of 4.0; before that the
multiplier was 1.5 and the quantile 0.75. At each check, every `interval`, of each task set with k of its n
tasks finished, :math:`k \ge \max(\lfloor q n \rfloor, 1)`, those running tasks are marked that have one copy
and have run for *more* than max(multiplier x median, `min_runtime`). The median is of finished - launched of
the winning copies, the upper one of the two in the middle; up to 3.4 their mean (`cluster.middle_pair`).
Where k is too small, a `threshold` above 0 is the limit of sets that have no more tasks than an executor has
slots. A set of one task is left alone without a threshold. What is marked stays marked.

A copy runs on another machine than the original, so nothing is marked in a cluster of one. What was marked
last is copied first; of one check, the task of the lowest number. Copies come after the originals of their
own job and before those of later ones.

A task set is a phase of a job. The efficiency settings of 3.4 and later are left out: running tasks report no
run time in their heartbeats, so they hold nothing back. On recorded clusters a killed copy holds its slot
until it is dead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sim.engines.slots.arriving import offer_waiting
from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import check, next_check, on_copy_end
from sim.engines.slots.speculation.candidates import retract
from sim.engines.slots.speculation.task_sets import (
    DURATIONS,
    check_after,
    choose_in_turn,
    done,
    first_watched,
    learn_time,
    mark,
    segment,
    set_size,
    store_size,
    wake_at,
    watch_task,
)
from sim.kernel.compile import kernel
from sim.model.policy import parameter
from sim.model.rule import Formula
from sim.telling.words import plain


@kernel
def median(world, s):
    """Median of the times of the set of slot `s`: of an even number, the upper middle or the mean of both."""
    base, number = segment(world, s) + DURATIONS, int(done(world, s))
    upper = world.store[base]
    if world.cluster[0].middle_pair == 0 or number % 2 == 1:
        return upper
    lower = world.store[base + 1]  # the times up to the upper middle are a heap, the largest on top
    if number > 2:
        lower = max(lower, world.store[base + 2])
    return 0.5 * (lower + upper)


@kernel
def limit_of(world, values, s):
    """How long a task of the set of slot `s` may run before it is marked, by what has finished."""
    c = world.cluster[0]
    finished, tasks = done(world, s), set_size(world, s)
    if world.slots.size <= c.machine_slots or (tasks == 1 and values.threshold == 0.0):
        return math.inf
    if finished >= max(math.floor(values.quantile * tasks), 1):
        return max(values.multiplier * median(world, s), values.min_runtime)
    if values.threshold > 0.0 and tasks <= c.executor_slots:
        return values.threshold
    return math.inf


@kernel
def time_of_next_check(world, values, s):
    """When the task watched first in the set of slot `s` will be marked."""
    first = first_watched(world, s)
    limit = limit_of(world, values, s)
    if first < 0 or limit == math.inf:
        return math.inf
    return check_after(world.slots[first].start, limit, values.interval, world.cluster[0].now)


@next_check
def watch_original(world, values, s):
    """Watch an original; forget a task that gets its copy."""
    slot = world.slots[s]
    if slot.number > 0:
        retract(world, slot.task_slot)
        return math.inf
    watch_task(world, s, slot.start)
    return time_of_next_check(world, values, s) if first_watched(world, s) == s else math.inf


@check
def check_set(world, values, s):
    """Mark the tasks of the set that have run for longer than the limit."""
    c = world.cluster[0]
    limit = limit_of(world, values, s)
    first = s
    while first >= 0 and c.now - world.slots[first].start > limit:
        mark(world, first, -c.now)
        first = first_watched(world, s)
    wake_at(world, first, time_of_next_check(world, values, s))
    return math.inf


@on_copy_end
def learn(world, values, s, won):
    """Learn how long the winner took; others that have found no slot may find this one."""
    if won:
        learn_time(world, s, world.slots[s].duration, math.floor((done(world, s) + 1) / 2) + 1)
    if s == world.slots[s].task_slot:
        retract(world, s)
    offer_waiting(world)
    wake_at(world, first_watched(world, s), time_of_next_check(world, values, s))


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "Spark",
            rf"k \ge \max(\lfloor {plain(values['quantile'])} \, n \rfloor, 1), \qquad "
            rf"t_{{\text{{elapsed}}}} > \max({plain(values['multiplier'])} \cdot \text{{median}},\ "
            rf"{plain(values['min_runtime'])})",
            "When k of the n tasks of a task set have finished, each check marks the tasks that have run for "
            "longer than a multiple of the median. Each gets one copy, on another machine.",
            "Apache Spark 4.0, org.apache.spark.scheduler.TaskSetManager",
        ),
    )


RULE = Speculation(
    key="spark",
    title="Spark",
    summary="a copy when a task has run for several times the median of its finished siblings",
    when="in turn",
    next_check=watch_original,
    check=check_set,
    on_copy_end=learn,
    select_task=choose_in_turn,
    parameters=(
        parameter(
            "multiplier",
            3,
            "a task is slow when it has run for this times the median",
            setting="spark.speculation.multiplier",
            unit="medians",
            low=0,
            high=100,
        ),
        parameter(
            "quantile",
            0.9,
            "share of the tasks of a set that must have finished",
            setting="spark.speculation.quantile",
            low=0,
            high=1,
        ),
        parameter(
            "interval",
            0.1,
            "time between checks",
            setting="spark.speculation.interval",
            unit="time_unit",
            low=0.001,
            high=1e6,
        ),
        parameter(
            "min_runtime",
            0.1,
            "no task is slow before it has run this long",
            setting="spark.speculation.minTaskRuntime",
            unit="time_unit",
            low=0,
            high=1e6,
        ),
        parameter(
            "threshold",
            0,
            "in sets with no more tasks than an executor has slots, a task is slow when it has run this "
            "long, even if none has finished; 0: unset",
            setting="spark.speculation.task.duration.threshold",
            unit="time_unit",
            low=0,
            high=1e6,
        ),
    ),
    reference="Apache Spark 4.0, TaskSetManager",
    hears_every_copy_end=True,
    judges_task_sets=True,
    copies_on_other_machines=True,
    store_size=store_size,
    store_before_tasks=lambda slots: 0,
    formulas=formulas,
)
