r"""Hedging: a second request when the first has not been answered for some time.

As gRPC does it (proposal A6): attempt k is sent k x `delay` after the first one, if there is no answer, up
to `copies` attempts, and the first answer ends all; with `delay` 0 all are sent at once. Below 0 the delay is
the `quantile` of the times from sending to the answer that have been seen in the task set (Dean and Barroso
advise the 95th percentile).

A task is sent when its job arrives; where jobs have phases, when it starts, since only then it is known to
have been released. Requests queue in the order in which they were sent: a copy waits behind the originals of
jobs that arrived before it was sent. It takes any free slot.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import check, next_check, on_copy_end, select_task
from sim.engines.slots.speculation.candidates import offer, retract
from sim.engines.slots.speculation.task_sets import (
    done,
    first_watched,
    learn_time,
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
def sent(world, s):
    """When the original of the task in slot `s` was sent."""
    slot = world.slots[world.slots[s].task_slot]
    return slot.start if world.cluster[0].phased else world.jobs[slot.job].arrival


@kernel
def delay_of(world, values, s):
    """How long after one attempt the next is sent, in the set of slot `s`."""
    if values.delay >= 0.0:
        return values.delay
    return slowest_fast(world, s) if done(world, s) > 0 else math.inf


@kernel
def next_due(world, values, s):
    """When the next attempt of the set of slot `s` is sent."""
    first = first_watched(world, s)
    if first < 0:
        return math.inf
    return max(world.slots[first].first + delay_of(world, values, s), world.cluster[0].now)


@next_check
def await_answer(world, values, s):
    """Await the answer to an attempt; when it does not come another attempt is sent."""
    task_slot = world.slots[s].task_slot
    retract(world, task_slot)
    attempts = world.slots[task_slot].copies
    if attempts >= values.copies:
        return math.inf
    before = sent(world, s)
    if attempts > 1:
        before += (attempts - 1) * delay_of(world, values, s)
    watch_task(world, task_slot, before)
    return next_due(world, values, s) if first_watched(world, s) == task_slot else math.inf


@check
def send(world, values, s):
    """Send the attempts of the set that are due."""
    c = world.cluster[0]
    first = first_watched(world, s)
    while first >= 0 and world.slots[first].first + delay_of(world, values, s) <= c.now:
        due = world.slots[first].first + delay_of(world, values, s)
        remove(world.slots, world.slot_heaps, first)
        offer(world, first, due, 0.0)
        first = first_watched(world, s)
    wake_at(world, first, next_due(world, values, s))
    return math.inf


@on_copy_end
def take_answer(world, values, s, won):
    """Learn how long the answer took."""
    if won:
        wanted = max(1, math.ceil(values.quantile * (done(world, s) + 1) - 1e-9))
        learn_time(world, s, world.cluster[0].now - sent(world, s), wanted)
    if s == world.slots[s].task_slot:
        retract(world, s)
    wake_at(world, first_watched(world, s), next_due(world, values, s))


@select_task
def in_order_of_sending(world, j):
    """Launch the attempt sent first, unless the original of job `j` was sent before it."""
    task_slot = world.slot_heaps[0]
    if task_slot >= 0 and j >= 0 and world.jobs[j].arrival <= world.slots[task_slot].first:
        return -1
    return task_slot


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    delay = plain(values["delay"]) if values["delay"] >= 0 else rf"q_{{{plain(values['quantile'])}}}"
    return (
        Formula(
            "Hedging",
            rf"t_k = t_0 + k \cdot {delay}, \quad k < {plain(values['copies'])}",
            "Attempt k is sent then, unless an answer has come; the first answer ends all.",
            "gRPC proposal A6; Dean and Barroso, The Tail at Scale (CACM 2013)",
        ),
    )


RULE = Speculation(
    key="hedge",
    title="Request hedging",
    summary="another copy when the first has not been answered for a delay",
    when="in turn",
    next_check=await_answer,
    check=send,
    on_copy_end=take_answer,
    select_task=in_order_of_sending,
    parameters=(
        parameter(
            "copies", 2, "attempts, the original included", setting="maxAttempts", whole=True, low=1, high=5
        ),
        parameter(
            "delay",
            -1,
            "time between attempts; 0: all at once; below 0: the quantile of the times seen",
            setting="hedgingDelay",
            unit="time_unit",
            low=-1,
            high=1e6,
        ),
        parameter(
            "quantile",
            0.95,
            "quantile of the times seen in the task set, where delay is below 0",
            low=0,
            high=1,
        ),
    ),
    reference="gRPC proposal A6; Dean and Barroso, CACM 2013",
    hears_every_copy_end=True,
    judges_task_sets=True,
    store_size=store_size,
    store_before_tasks=lambda slots: 0,
    formulas=formulas,
)
