"""Dolly's slots: with what probability each makes a copy an outlier, and the free ones in order of it."""

from __future__ import annotations

import math

from sim.kernel.compile import inlined
from sim.kernel.heap import push, remove

#: Heap of the free slots, by outlier probability.
FREE = 1
#: What the store holds beyond the clones launched: when the window ends, then for each slot its probability,
#: copies and outliers of the window, then for each task the probability that all its copies are outliers.
WINDOW_END, SLOTS = 1, 2


@inlined
def file_free(world, values, s):
    """File a slot that is about to be free."""
    slot = world.slots[s]
    slot.first = -world.store[SLOTS + s] if values.printed else world.store[SLOTS + s]
    slot.second = 0.0
    slot.rank = s
    push(world.slots, world.slot_heaps, FREE, s)


@inlined
def window_end(now, window):
    """End of the window in which `now` lies; windows end at multiples of their length."""
    return (math.floor(now / window) + 1.0) * window if window > 0.0 else math.inf


@inlined
def begin(world, values):
    """Believe p of every slot, all of which are free."""
    world.store[WINDOW_END] = window_end(world.cluster[0].now, values.window)
    for s in range(world.slots.size):
        world.store[SLOTS + s] = values.p
        file_free(world, values, s)


@inlined
def learn(world, values):
    """Update what is believed of every slot if a window has ended."""
    store = world.store
    count = world.slots.size
    now = world.cluster[0].now
    if now < store[WINDOW_END]:
        return
    store[WINDOW_END] = window_end(now, values.window)  # in windows between nobody ran anything
    for s in range(count):
        ran = store[SLOTS + count + s]
        if ran > 0.0:
            store[SLOTS + s] = 0.5 * (store[SLOTS + s] + store[SLOTS + 2 * count + s] / ran)
            store[SLOTS + count + s] = 0.0
            store[SLOTS + 2 * count + s] = 0.0
            if world.slots[s].heap == FREE:
                remove(world.slots, world.slot_heaps, s)
                file_free(world, values, s)
