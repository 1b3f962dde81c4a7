"""The speculator of Hadoop MapReduce and Tez: from time to time a copy of the task that ends last.

Task sets are scanned at the times of a clock that starts when the first of them arrives: after a scan that
asked for a copy the next one comes `pause` later, else `wait` later. In Tez each set has a clock of its own;
in MapReduce maps and reduces, all sets of a job, share one. A scan asks for at most one copy of each set, and
only when a task has finished, and
5 % of them. It takes the running task with one copy whose end is farthest away, if that is later than now
plus the mean duration of the finished tasks, and while fewer tasks have a copy running than
max(`least_copies`, `total_share` x tasks, `running_share` x running tasks), each cut to a whole number. A
task with a copy running is not counted once it is too late for one: the source looks at its original first
(MAPREDUCE-7339).

The end of a running task is estimated from its progress: here it is known from when the scenario reveals it,
and not before its first report, `report` after its start.
The setting slowtaskthreshold is left out: the source computes with it and compares the result with nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sim.engines.slots.arriving import offer_waiting
from sim.engines.slots.signatures import check, next_check, on_copy_end
from sim.engines.slots.speculation.candidates import known_from, retract
from sim.engines.slots.speculation.sda import needs_observation
from sim.engines.slots.speculation.task_sets import (
    CHECKED,
    COPIED,
    LAUNCHED,
    NUMBERS,
    ORIGIN,
    QUEUED,
    SCANNED,
    TOTAL,
    WATCHED,
    done,
    first_watched,
    learn_time,
    mark,
    segment,
    set_size,
    wake_at,
    watch_task,
)
from sim.kernel.compile import kernel
from sim.model.policy import Parameter, parameter
from sim.model.rule import Formula
from sim.telling.words import plain

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


class Values(NamedTuple):
    """The numbers of the hooks: the parameters, and those in which the two systems differ."""

    wait: float
    pause: float
    least_copies: float
    total_share: float
    running_share: float
    gate: float  # nothing is asked for while a task of the set waits for a slot
    timeout: float  # of the task of a set of one; below 0: none
    report: float  # from its start to the first report of a task


#: Value of `checked` for an original that has a copy.
_COPIED = 2


@kernel
def is_single(world, values, s):
    """Tell whether the task of slot `s` is judged by its age alone."""
    return set_size(world, s) == 1 and values.timeout >= 0.0


@kernel
def clock(world, values, s):
    """Segment of the set that keeps the clock of the set of slot `s`: in MapReduce the first of the job."""
    if values.gate == 0.0:
        return segment(world, s)
    j = world.slots[world.slots[s].task_slot].job
    if world.cluster[0].linked > 0:
        j = world.jobs[j].first_phase
    return NUMBERS * world.jobs[j].first_task


@kernel
def next_scan(world, values, s):
    """When the set of slot `s` is scanned next; ``inf`` while nothing could come of it."""
    store, now, base = world.store, world.cluster[0].now, segment(world, s)
    if done(world, s) == 0 and not is_single(world, values, s):
        return math.inf
    origin = store[clock(world, values, s) + ORIGIN]
    number = max(math.floor((now - origin) / values.wait) - 1.0, 0.0)
    at = origin + number * values.wait
    while at < now or at <= store[base + CHECKED]:
        number += 1.0
        at = origin + number * values.wait
    return at


@kernel
def is_due(world, values, s):
    """Tell whether the set of slot `s` is scanned now: also when another set of its clock has just been."""
    now, base = world.cluster[0].now, segment(world, s)
    if world.store[base + CHECKED] >= now or next_scan(world, values, s) == math.inf:
        return False
    scanned = world.store[clock(world, values, s) + SCANNED] == now
    return scanned or next_scan(world, values, s) == now


@kernel
def copied(world, s):
    """Return how many tasks of the set of slot `s` count as having a copy."""
    c, base = world.cluster[0], segment(world, s)
    if world.store[base + COPIED] == 0 or done(world, s) == 0:
        return world.store[base + COPIED]
    late = c.now + world.store[base + TOTAL] / done(world, s)
    counted = 0.0
    for t in range(world.slots.size):
        if world.slots[t].checked == _COPIED and segment(world, t) == base and world.slots[t].finish > late:
            counted += 1.0
    return counted


@kernel
def may_copy(world, values, s):
    """Tell whether the set of slot `s` may ask for one more copy."""
    store, base, tasks = world.store, segment(world, s), set_size(world, s)
    finished, launched = done(world, s), store[base + LAUNCHED]
    if values.gate > 0.0 and (launched < tasks or store[base + QUEUED] > 0):
        return False
    if finished < max(1.0, 0.05 * tasks) and not is_single(world, values, s):
        return False
    most = max(
        math.floor(values.total_share * tasks), math.floor(values.running_share * (launched - finished))
    )
    allowed = max(values.least_copies, most) - store[base + QUEUED]
    return store[base + COPIED] < allowed or copied(world, s) < allowed  # to count them all takes long


@kernel
def is_worth_it(world, values, s):
    """Tell whether a copy of the task in slot `s` would end before it does, on average."""
    c = world.cluster[0]
    if is_single(world, values, s):
        return c.now - world.slots[s].start > values.timeout
    return world.slots[s].finish > c.now + world.store[segment(world, s) + TOTAL] / done(world, s)


@next_check
def watch_progress(world, values, s):
    """Look at an original when its end is known; count a copy."""
    slot = world.slots[s]
    base = segment(world, s)
    if slot.number > 0:
        retract(world, slot.task_slot)
        world.store[base + QUEUED] -= 1
        world.store[base + COPIED] += 1
        world.slots[slot.task_slot].checked = _COPIED
        return math.inf
    if world.store[base + LAUNCHED] == 0:
        world.store[base + CHECKED] = -1.0
        kept = clock(world, values, s)
        if world.store[kept + SCANNED] == 0.0:  # not running yet
            world.store[kept + SCANNED] = -1.0
            world.store[kept + ORIGIN] = world.jobs[slot.job].arrival
    world.store[base + LAUNCHED] += 1
    if is_single(world, values, s):
        return slot.start
    return max(known_from(world, s), slot.start + values.report)


@check
def scan(world, values, s):
    """Learn when the original ends; scan its set if that is due."""
    c = world.cluster[0]
    base = segment(world, s)
    if world.slots[s].checked == 0:
        world.slots[s].checked = 1
        watch_task(world, s, -world.slots[s].finish)
    first = first_watched(world, s)
    if first >= 0 and is_due(world, values, s):
        world.store[base + CHECKED] = c.now
        kept = clock(world, values, s)
        world.store[kept + SCANNED] = c.now
        if may_copy(world, values, first) and is_worth_it(world, values, first):
            mark(world, first, c.now)
            world.store[base + QUEUED] += 1
            world.store[kept + ORIGIN] = c.now + values.pause
    wake_at(world, first_watched(world, s), next_scan(world, values, s))
    return math.inf


@on_copy_end
def learn_winner(world, values, s, won):
    """Learn how long the winner took; others that have found no slot may find this one."""
    slot = world.slots[s]
    base = segment(world, s)
    if won:
        learn_time(world, s, slot.duration, 1)
    if s == slot.task_slot:
        if slot.heap >= 0 and slot.heap < WATCHED:
            world.store[base + QUEUED] -= 1
        elif slot.copies > 1:
            world.store[base + COPIED] -= 1
            slot.checked = 0
        retract(world, s)
    offer_waiting(world)
    wake_at(world, first_watched(world, s), next_scan(world, values, s))


def values_of(values: Mapping[str, float], *, gate: float) -> Values:
    """Return what the hooks read."""
    single = values.get("single_timeout", -1.0)
    shares = values["total_share"], values["running_share"]
    report = values.get("report", 0.0)
    return Values(values["wait"], values["pause"], values["least_copies"], *shares, gate, single, report)


def refusal(key: str) -> Callable[[SpeculativeScenario, Mapping[str, float]], str | None]:
    """Return a function that refuses a scenario without progress reports."""
    return lambda scenario, values: needs_observation(key, scenario)


def parameters(wait: str, pause: str, least: str, total: str, running: str) -> tuple[Parameter, ...]:
    """Return the parameters of both systems, given the names of their settings."""
    between: dict[str, Any] = {"unit": "time_unit", "low": 0.1, "high": 1e6}
    share: dict[str, Any] = {"low": 0, "high": 1}
    return (
        parameter("wait", 1, "time to the next scan after one without a copy", setting=wait, **between),
        parameter("pause", 15, "time to the next scan after a copy", setting=pause, **between),
        parameter(
            "least_copies",
            10,
            "so many tasks of a set may always have a copy",
            whole=True,
            low=0,
            high=1e6,
            setting=least,
        ),
        parameter(
            "total_share", 0.01, "share of the tasks of a set that may have a copy", setting=total, **share
        ),
        parameter(
            "running_share", 0.1, "share of its running tasks that may have a copy", setting=running, **share
        ),
    )


def formulas(name: str, values: Mapping[str, float], source: str) -> tuple[Formula, ...]:
    """Return the formula behind the rule of a system, with its numbers."""
    return (
        Formula(
            name,
            r"\arg\max \, t_{\text{end}} - t - \bar x, \quad t_{\text{end}} > t + \bar x",
            "A scan asks for one copy at most: of the running task that ends last, if a copy of mean "
            "duration would end before. After a copy the next scan comes "
            f"{plain(values['pause'])} later, else "
            f"{plain(values['wait'])} later.",
            source,
        ),
    )
