"""Straggle factors inside the slot engine: those of a job's next originals are drawn in one go.

When a job's original starts while slots are free, more of its originals start at the same instant. A factor
takes a chain of some forty operations, each of which waits for the one before. So a processor draws several
side by side in little more time than one, if nothing else stands between them. What a copy draws depends on
its address alone (`sim.kernel.streams`): ahead or not, it is the same number.
"""

from __future__ import annotations

from sim.kernel.compile import inlined
from sim.kernel.streams import to_factors, uniform

#: Factors drawn in one go.
BLOCK = 32
#: Code of the law under which the slot matters.
OUTLIER = 5


@inlined
def draw(world, j, task):
    """Draw the factors of a job's originals from `task` on, as many as are about to start."""
    c = world.cluster[0]
    job = world.jobs[j]
    luck = world.luck
    left = job.released - job.launched
    count = 1
    if c.keeps_serving or c.waiting == left:  # no other job gets a slot before
        count += min(left, c.free, BLOCK - 1)
    for k in range(count):
        luck[k] = uniform(job.key, task + k, 0)
    to_factors(c.law, world.law, luck, count)
    c.lucky, c.luck_first, c.luck_end = j, task, task + count


@inlined
def drawn(world, j, task):
    """Straggle factor of an original that starts, whose job's originals start in order of their index."""
    c = world.cluster[0]
    if c.lucky != j or task >= c.luck_end:
        draw(world, j, task)
    return world.luck[task - c.luck_first]
