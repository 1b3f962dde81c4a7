"""The clock of the slot engine, and the numbers noted while it moves."""

from __future__ import annotations

import math

from sim.kernel.compile import inlined, kernel
from sim.kernel.integrals import edge_is_due, move_clock, note_edge


@kernel
def note_holdings(world):
    """Count the jobs in the system by the slots they hold per remaining task, in tenths."""
    c = world.cluster[0]
    jobs, holding, present = world.jobs, world.holding, world.present
    kept = 0  # those that were there the last time come first, then those that have arrived since
    for place in range(c.present + c.arrived - c.listed_to):
        j = present[place] if place < c.present else c.listed_to + place - c.present
        job = jobs[j]
        if job.finish == math.inf:
            tenths = (10 * job.held) // (job.tasks - job.finished)
            holding[min(tenths, holding.size - 1)] += 1.0
            present[kept] = j
            kept += 1
    c.present, c.listed_to = kept, c.arrived
    c.oldest = present[0] if kept > 0 else c.arrived


@inlined
def pass_time(world, now):
    """Move the clock to `now`, adding what was busy meanwhile to the integrals and the series."""
    while edge_is_due(world.cluster, world.series, now):
        note_edge(world.cluster, world.series)
        note_holdings(world)
    move_clock(world.cluster, now)
