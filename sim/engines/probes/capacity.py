"""Capacity for messages and reservations: checked before each event, so that none has to stop half-way."""

from __future__ import annotations

import numpy as np

from sim.engines.probes.network import is_ring_full
from sim.engines.probes.queue import is_full
from sim.engines.probes.records import MESSAGE, RESERVATION
from sim.engines.probes.world import World
from sim.kernel.compile import inlined
from sim.kernel.records import records

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
