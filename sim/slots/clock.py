"""The clock of the slot engine, and what is noted while it moves."""

from __future__ import annotations

import math

from sim.kernel.compile import inlined, kernel
from sim.kernel.integrals import edge_is_due, move_clock, note_edge


@kernel
def note_holdings(world):
    """Count the jobs in the system by the slots they hold per remaining task, in tenths."""
    c = world.cluster[0]
    jobs, holding = world.jobs, world.holding
    while c.oldest < c.arrived and jobs[c.oldest].finish < math.inf:
        c.oldest += 1
    for j in range(c.oldest, c.arrived):
        job = jobs[j]
        if job.finish == math.inf:
            tenths = (10 * job.held) // (job.tasks - job.finished)
            holding[min(tenths, holding.size - 1)] += 1.0


@inlined
def pass_time(world, now):
    """Move the clock to `now`, adding what was busy meanwhile to the integrals and the series."""
    while edge_is_due(world.cluster, world.series, now):
        note_edge(world.cluster, world.series)
        note_holdings(world)
    move_clock(world.cluster, now)
