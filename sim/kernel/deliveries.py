"""Deliveries in the order of their events: a queue for those sent in order, beside a heap for the others.

Where all transfers take equally long, each output arrives after those that were sent before it. Such an event
joins the end of a queue, in a step that does not depend on how many there are. One that comes before the last
of the queue joins a heap (`sim.kernel.deliveries`). The soonest of both is the top of the heap, always.

The queue goes round in the last `cluster.queue_capacity` rows of ``world.deliveries``, the heap stands in the
rows before. An event for which the queue has no room joins the heap, too. `cluster.deliveries` counts all.

What the queue buys: with the heap alone `hopper-dag` on 3,000 slots took 1.06 of its time, when Hopper's rule
took half of today's.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from sim.kernel.compile import inlined, kernel

# Binary heap of events that are never withdrawn: sorted by time, then `first`, then `second`.
#
# The heap is the first `size` records of `events` (`sim.kernel.records.EVENT`); the first of them is the
# top. The caller keeps the size.


@inlined
def sooner(event, time, first, second):
    """Tell whether an event comes before the one with these keys."""
    if event.time != time:
        return event.time < time
    return event.first < first or (event.first == first and event.second < second)


@inlined
def write(event, time, first, second):
    """Fill in an event."""
    event.time = time
    event.first = first
    event.second = second


@kernel
def push(events, size, time, first, second):
    """Add an event to a heap of `size`."""
    place = size
    while place > 0:
        above = (place - 1) >> 1
        up = events[above]
        if sooner(up, time, first, second):
            break
        write(events[place], up.time, up.first, up.second)
        place = above
    write(events[place], time, first, second)


@inlined
def is_second(events, place):
    """Return 1 if the event behind `place` comes before the one there, else 0.

    Times are compared without a branch, which would be unpredictable.
    """
    here, behind = events[place], events[place + 1]
    if here.time == behind.time:
        return 1 if sooner(behind, here.time, here.first, here.second) else 0
    return int(behind.time < here.time)


@kernel
def replace_top(events, size, time, first, second):
    """Put an event in the place of the first one of a heap of `size`."""
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size:
            below += is_second(events, below)
        down = events[below]
        if not sooner(down, time, first, second):
            break
        write(events[place], down.time, down.first, down.second)
        place = below
    write(events[place], time, first, second)


@inlined
def pop(events, size):
    """Remove the first event of a heap of `size`."""
    if size > 1:
        last = events[size - 1]
        replace_top(events, size - 1, last.time, last.first, last.second)


# Asks the processor to load a record before it is needed.
#
# Large clusters do not fit into the caches, and a record that is reached through another one is waited for
# twice. A request costs nothing when it comes too early or for nothing, and changes no result.
#
# What it buys: without requests `srpt+none` on 100,000 slots takes 1.4 to 1.8 of its time, `hopper` 1.3 to
# 1.4, and `sparrow` on 10,000 workers 1.3. Where a task slot does not name its last copies but one and but
# two, `hopper` takes 1.05 of its time; where only the latter is left out, 1.03.


def _requested(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit LLVM's prefetch (read and write, to stay in all caches) of each line of ``records[index]``."""
    records, index = arguments
    array = signature.args[0]
    data = context.make_array(array)(context, builder, records).data
    address = builder.bitcast(builder.gep(data, [index]), ir.IntType(8).as_pointer())
    word = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [address.type, word, word, word])
    request = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
    for place in range(0, context.get_abi_sizeof(context.get_data_type(array.dtype)), 64):
        builder.call(request, [builder.gep(address, [word(place)]), word(1), word(3), word(1)])
    return context.get_dummy_value()


if numba.config.DISABLE_JIT:

    def prefetch(records: Any, index: int) -> None:
        """Do nothing: Python does not know of caches."""

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch(typing: Any, records: Any, index: Any) -> Any:
        """Ask for the record ``records[index]``; `index` must be an int64 within bounds."""
        return types.none(records, types.intp), _requested


def queue_capacity(most: int, slots: int) -> int:
    """Return how long a queue may be, given how many deliveries there may be and slots.

    As many as slots are under way where a transfer takes as long as a task. A longer queue would go round in
    more memory than caches hold.
    """
    return min(most, slots)


@inlined
def add_delivery(world, time, first, second):
    """Add an event to the deliveries."""
    c = world.cluster[0]
    events = world.deliveries
    begin = events.size - c.queue_capacity
    last = events[begin + c.queue_last if c.queued > 0 else 0]  # the top is the last one of an empty queue
    full = c.queued == c.queue_capacity
    if c.deliveries == 0 or full or not sooner(last, time, first, second):
        push(events, c.deliveries - c.queued, time, first, second)
    else:
        place = c.queue_last + 1
        c.queue_last = place if place < c.queue_capacity else 0
        write(events[begin + c.queue_last], time, first, second)
        c.queued += 1
    c.deliveries += 1


@inlined
def first_queued(world):
    """Return the place of the first event of the queue, which is not empty."""
    c = world.cluster[0]
    place = c.queue_last - c.queued + 1
    return world.deliveries.size - c.queue_capacity + (place if place >= 0 else place + c.queue_capacity)


@inlined
def remove_delivery(world):
    """Remove the first of the deliveries."""
    c = world.cluster[0]
    events = world.deliveries
    heap = c.deliveries - c.queued
    c.deliveries -= 1
    if c.queued > 0:
        following = events[first_queued(world)]
        if heap == 1 or comes_first(events, heap, following):
            write(events[0], following.time, following.first, following.second)
            c.queued -= 1
            return
    pop(events, heap)


@inlined
def comes_first(events, heap, event):
    """Tell whether an event comes before all those of a heap but its top; the heap has more than one."""
    for place in range(1, min(heap, 3)):
        if sooner(events[place], event.time, event.first, event.second):
            return False
    return True
