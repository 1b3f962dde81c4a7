r"""Flink: tasks that are slow against the fastest of their vertex are copied on other machines.

As Flink 1.17 and later do it for batch jobs (ExecutionTimeBasedSlowTaskDetector, SpeculativeScheduler). At
each check, every `interval`, of each task set of which at least `ratio` has finished: with N = n x `ratio`,
rounded, let T be the middle one of the N shortest times. A running attempt, copy or original, is slow
when it has run for at least `lower_bound` and at least `multiplier` x T.

The machines of slow attempts are blocked until `block` after the last check that saw one: until then nothing
starts there, neither copies nor originals of any job. Then slow tasks get as many attempts as make `copies`,
all at once, on any machine that is not blocked and behind the originals that wait. With `block` 0 that may be
the machine of the slow attempt.

Where the bytes a task reads are known Flink compares times per byte; here it knows none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sim.engines.slots.arriving import offer_waiting
from sim.engines.slots.places import barring_place
from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import check, next_check, on_copy_end, select_task
from sim.engines.slots.speculation.candidates import offer, retract
from sim.engines.slots.speculation.task_sets import (
    WATCHED,
    done,
    first_that_fits,
    first_watched,
    learn_time,
    set_size,
    slowest_fast,
    store_size,
    wake_at,
    watch_task,
)
from sim.kernel.compile import kernel
from sim.kernel.heap import remove
from sim.model.policy import parameter
from sim.model.rule import Formula
from sim.telling.words import plain


@kernel
def shortest(world, values, s):
    """How many of the shortest times count in the set of slot `s`."""
    return math.floor(set_size(world, s) * values.ratio + 0.5)


@kernel
def limit_of(world, values, s):
    """How long an attempt of the set of slot `s` has to run before it is slow."""
    if done(world, s) == 0 or done(world, s) / set_size(world, s) < values.ratio:
        return math.inf
    return max(values.lower_bound, values.multiplier * slowest_fast(world, s))


@kernel
def time_of_next_check(world, values, s):
    """When the attempt watched first in the set of slot `s` is found slow."""
    first = first_watched(world, s)
    limit = limit_of(world, values, s)
    if first < 0 or limit == math.inf:
        return math.inf
    now, start = world.cluster[0].now, world.slots[first].start
    number = math.floor(max(now, start + limit) / values.interval) - 1.0
    while number * values.interval < now or number * values.interval - start < limit:
        number += 1.0
    return number * values.interval


@next_check
def watch_attempt(world, values, s):
    """Watch an attempt, original or copy."""
    task_slot = world.slots[s].task_slot
    if world.slots[s].number > 0 and world.slots[task_slot].copies >= values.copies:
        retract(world, task_slot)
    watch_task(world, s, world.slots[s].start)
    return time_of_next_check(world, values, s) if first_watched(world, s) == s else math.inf


@check
def check_set(world, values, s):
    """Find the attempt slow, or see that it still is: block its machine and ask for a copy of its task."""
    c = world.cluster[0]
    slot = world.slots[s]
    if slot.checked == 0:
        if c.now - slot.start < limit_of(world, values, s):
            return math.inf
        slot.checked = 1
        remove(world.slots, world.slot_heaps, s)
        if slot.number == 0 and values.copies > 1.0:
            offer(world, s, float(slot.set), c.now)
        wake_at(world, first_watched(world, s), time_of_next_check(world, values, s))
    world.store[barring_place(world, s // c.machine_slots)] = c.now + values.block
    number = math.floor(c.now / values.interval)
    while number * values.interval <= c.now:
        number += 1.0
    return number * values.interval


@kernel
def forget_all(world, task_slot):
    """Take all copies of a task out of the heaps they are in."""
    s = task_slot
    while True:
        if world.slots[s].heap >= WATCHED:
            remove(world.slots, world.slot_heaps, s)
        else:
            retract(world, s)
        s = world.slots[s].next_copy
        if s == task_slot:
            break


@on_copy_end
def learn(world, values, s, won):
    """Learn how long the winner took."""
    slot = world.slots[s]
    if won:
        wanted = min(done(world, s), shortest(world, values, s) // 2) + 1
        learn_time(world, s, slot.duration, wanted)
    if s == slot.task_slot:  # the first that is told: no copy of the task may be looked at again
        forget_all(world, s)
    wake_at(world, first_watched(world, s), time_of_next_check(world, values, s))


@select_task
def choose_unblocked(world, j):
    """Copy the slow task that comes first and finds a slot now; blocks end at any time."""
    task_slot = first_that_fits(world, j)
    offer_waiting(world)
    return task_slot


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "Flink",
            rf"t_{{\text{{elapsed}}}} \ge \max({plain(values['lower_bound'])},\ "
            rf"{plain(values['multiplier'])} \cdot "
            rf"\text{{median of the {plain(values['ratio'])} n shortest}})",
            "When a share of the tasks has finished, attempts are slow that have run for longer than a "
            "multiple of the median of the shortest; on their machines nothing starts for a time.",
            "Apache Flink 1.20, ExecutionTimeBasedSlowTaskDetector",
        ),
    )


RULE = Speculation(
    key="flink",
    title="Flink",
    summary="copies of tasks that take long against the fastest of their set; their machines are blocked",
    when="in turn",
    next_check=watch_attempt,
    check=check_set,
    on_copy_end=learn,
    select_task=choose_unblocked,
    parameters=(
        parameter(
            "multiplier",
            1.5,
            "times the median of the shortest",
            setting="slow-task-detector.execution-time.baseline-multiplier",
            unit="medians",
            low=0,
            high=100,
        ),
        parameter(
            "ratio",
            0.75,
            "share of the tasks that must have finished",
            setting="slow-task-detector.execution-time.baseline-ratio",
            low=0,
            high=1,
        ),
        parameter(
            "lower_bound",
            60,
            "no attempt is slow before",
            setting="slow-task-detector.execution-time.baseline-lower-bound",
            unit="time_unit",
            low=0,
            high=1e6,
        ),
        parameter(
            "interval",
            1,
            "time between checks",
            setting="slow-task-detector.check-interval",
            unit="time_unit",
            low=0.1,
            high=1e6,
        ),
        parameter(
            "copies",
            2,
            "attempts of a task that may run at once, the original included",
            setting="execution.batch.speculative.max-concurrent-executions",
            whole=True,
            low=1,
            high=8,
        ),
        parameter(
            "block",
            60,
            "for how long nothing starts on a slow attempt's machine",
            setting="execution.batch.speculative.block-slow-node-duration",
            unit="time_unit",
            low=0,
            high=1e6,
        ),
    ),
    reference="Apache Flink 1.20, ExecutionTimeBasedSlowTaskDetector",
    hears_every_copy_end=True,
    judges_task_sets=True,
    bars_machines=True,
    store_size=store_size,
    store_before_tasks=lambda slots: 0,
    formulas=formulas,
)
