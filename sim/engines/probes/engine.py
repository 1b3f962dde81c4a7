"""The probe engine: schedulers that own jobs, workers that own queues, messages that take time.

A job arrives at a scheduler (job j at scheduler j modulo their number), which at once sends d probes for
each task that may start. A probe becomes a reservation in its worker's queue. A free slot asks, for one
reservation at a time, whether the job has something for it; the answer is a task, which then runs, or no.
A slot waits for its answer. The end of a copy is reported to the scheduler, which has the task's other
copies killed (the original first, then the last copy and so on). All messages take the same time (the
scenario's latency), so none overtakes another.

Where jobs have phases (`sim.model.phases`) the output of a task is on its way from the end of the task,
and its scheduler hears of both a latency later: the report of the end says when the output will have
arrived, since transfer times are known. Tasks that may start then are probed for, those of one delivery
in one batch. Reservations left over from a phase serve the next one, too, unless a slot has asked for
them in between; they are withdrawn when no task of the job is left to launch.

The order of events is total. At one instant finishes come first (by job, task, copy), then looks of the
speculation rule (same order), then deliveries (by job, phase), then messages (in order of sending), then
arrivals (by index). What is sent at an instant without latency is delivered at it.

A scheduler knows of its copies what they reported, a latency ago: a speculation rule of the slot engine
looks at them with that delay (a worker knows of which copies the rule wants to be told, and tells of no
others), and a task it finds slow is probed for like a task (d probes). A job is done when its last task
is, whoever knows it yet. A copy that cannot finish before it is killed is never put on the calendar.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from sim.engines.probes import signatures as call
from sim.engines.probes.network import is_ring_full, prefetch_subject
from sim.engines.probes.queue import is_full
from sim.engines.probes.records import (
    CANCEL,
    KILL,
    MESSAGE,
    NO,
    PROBES,
    QUESTION,
    REPORT,
    RESERVATION,
)
from sim.engines.probes.scheduler import (
    answer_question,
    look_at_copy,
    receive_job,
    receive_output,
    receive_report,
)
from sim.engines.probes.signatures import WORLD, World
from sim.engines.probes.worker import (
    begin_decision,
    cancel,
    finish_copy,
    prefetch_copies,
    receive_kill,
    receive_no,
    receive_probe,
)
from sim.engines.slots import signatures as of_slots
from sim.engines.slots.engine import note_holdings
from sim.kernel.calendar import NEAR, day_of, next_item_by_day, resize_if_due
from sim.kernel.compile import engine, inlined
from sim.kernel.records import records

# Capacity for messages and reservations: checked before each event, so that none has to stop half-way.

#: Which array is too small, in `short`.
RING_SHORT, QUEUES_SHORT = range(2)


@inlined
def lacks_capacity(w):
    """Tell whether an array might be too small for what the next event adds to it, and note which."""
    if is_ring_full(w):
        w.net[0].short = RING_SHORT
        return True
    if is_full(w.net, w.entries):
        w.net[0].short = QUEUES_SHORT
        return True
    return False


def widened(world: World) -> World:
    """Return a world whose array that was too small has twice the capacity."""
    n = world.net[0]
    if n.short == RING_SHORT:
        count = int(n.tail - n.head)
        waiting = world.ring[(n.head + np.arange(count)) & (world.ring.size - 1)]
        ring = records(2 * world.ring.size, MESSAGE)
        ring[:count] = waiting
        n.head, n.tail = 0, count
        return world._replace(ring=ring)
    entries = records(2 * max(world.entries.size, int(n.top + 2 * n.widest)), RESERVATION)
    entries[: n.top] = world.entries[: n.top]
    return world._replace(entries=entries)


# The event loop.

#: Results of a call of `advance`.
MORE, DONE, GROW = range(3)


@inlined
def receive_probes(w, ask, message):
    """Let the probes of a message arrive, each an event, as far as there is room for them."""
    while message.count > 0 and not lacks_capacity(w):
        receive_probe(w, ask, message)
    if message.count == 0:
        w.net[0].head += 1


@inlined
def receive(w, label, ask, answer, update_order, next_check, on_copy_end, select_task, message):
    """Let a message arrive that is no probe."""
    w.cluster[0].events += 1
    w.net[0].head += 1
    if w.slots.size > NEAR:
        prefetch_subject(w)
    kind = message.kind
    if kind == QUESTION:
        answer_question(w, label, answer, update_order, next_check, select_task, message.subject)
    elif kind == NO:
        receive_no(w, ask, message)
    elif kind == REPORT:
        receive_report(w, label, update_order, on_copy_end, message.subject)
    elif kind == KILL:
        receive_kill(w, ask, message.subject, message.detail)
    elif kind == CANCEL:
        cancel(w, message.subject)


@inlined
def is_next(w, message, until):
    """Tell whether this message comes before all that happens elsewhere; `until` is when a job arrives.

    What is on the calendar is known up to the day that was reached.
    """
    c = w.cluster[0]
    n = w.net[0]
    if n.head == n.tail or not message.time < min(until, c.next_edge):
        return False
    if c.deliveries > 0 and w.deliveries[0].time <= message.time:
        return False
    if c.front > 0:
        return message.time < w.items[w.front[0]].time
    return c.filed == 0 or day_of(w.cluster, message.time) <= c.day


@inlined
def receive_all(w, label, ask, answer, update_order, next_check, on_copy_end, select_task, until, limit):
    """Let messages arrive, one after the other, until something else comes next."""
    c = w.cluster[0]
    n = w.net[0]
    while True:
        message = w.ring[n.head & (w.ring.size - 1)]
        if message.kind == PROBES:
            receive_probes(w, ask, message)
        else:
            receive(w, label, ask, answer, update_order, next_check, on_copy_end, select_task, message)
        message = w.ring[n.head & (w.ring.size - 1)]
        if c.events >= limit or not is_next(w, message, until) or lacks_capacity(w):
            return
        c.now = message.time


@engine(
    types.int64(
        WORLD,
        call.label.pointer,
        call.ask.pointer,
        call.answer.pointer,
        call.update_order.pointer,
        of_slots.next_check.pointer,
        of_slots.check.pointer,
        of_slots.on_copy_end.pointer,
        of_slots.select_task.pointer,
        types.int64,
    )
)
def advance(w, label, ask, answer, update_order, next_check, check, on_copy_end, select_task, limit):
    """Let time pass until the run is over, `limit` more events have happened, or an array is too small.

    Calls may be any number of events long: all state is in the arrays, and the result is the same.
    After `GROW` the array named by `short` must be replaced by a larger one with the same content.
    """
    c = w.cluster[0]
    n = w.net[0]
    limit += c.events
    while True:
        arrival = w.jobs[c.arrived].arrival if c.arrived < c.jobs else math.inf
        news = w.ring[n.head & (w.ring.size - 1)].time if n.head < n.tail else math.inf
        delivery = w.deliveries[0].time if c.deliveries > 0 else math.inf
        until = min(min(arrival, news), delivery)
        item = next_item_by_day(w, until, prefetch_copies)
        time = w.items[item].time if item >= 0 else math.inf
        instant = min(time, until)
        if instant > c.horizon or instant == math.inf:
            if c.horizon < math.inf:
                c.now = c.horizon
            return DONE
        if c.events >= limit:
            return MORE
        if lacks_capacity(w):
            return GROW
        while c.next_edge <= instant and c.edges < w.jump.shape[0]:
            note_holdings(w)
            c.edges += 1
            c.next_edge = c.edge_step * (c.edges + 1)
        c.now = instant

        if time == instant:
            c.events += 1
            c.pops += 1
            if item & 1 == 0:
                finish_copy(w, item >> 1)
                begin_decision(w, ask, item >> 1)
            else:
                look_at_copy(w, label, update_order, check, item)
        elif delivery == instant:
            c.events += 1
            receive_output(w, label, update_order)
        elif news == instant:
            until = min(arrival, c.horizon)
            receive_all(
                w, label, ask, answer, update_order, next_check, on_copy_end, select_task, until, limit
            )
        else:
            c.events += 1
            receive_job(w, label, update_order)

        resize_if_due(w)
