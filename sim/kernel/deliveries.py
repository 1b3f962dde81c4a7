"""Deliveries in the order of their events: a queue for those sent in order, beside a heap for the others.

Where all transfers take equally long, each output arrives after those that were sent before it. Such an event
joins the end of a queue, in a step that does not depend on how many there are. One that comes before the last
of the queue joins a heap (`sim.kernel.event_heap`). The soonest of both is the top of the heap, always.

The queue goes round in the last `cluster.queue_capacity` rows of ``world.deliveries``, the heap stands in the
rows before. An event for which the queue has no room joins the heap, too. `cluster.deliveries` counts all.

What the queue buys: with the heap alone `hopper-dag` on 3,000 slots takes 1.06 of its time.
"""

from __future__ import annotations

from sim.kernel.compile import inlined
from sim.kernel.event_heap import pop, push, sooner, write


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
