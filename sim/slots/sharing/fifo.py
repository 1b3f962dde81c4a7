"""First in, first out: the oldest job with something to launch gets the slot.

Under `budget` a job may hold up to its virtual size theta T (Hopper's desired allocation).
"""

from __future__ import annotations

from sim.slots.rule import Sharing
from sim.slots.sharing.ordered import file, foremost, wanted
from sim.slots.signatures import pick, touch


@touch
def touch_job(cluster, jobs, levels, order, roots, numbers, j):
    """File the job by its arrival; `rank` alone decides."""
    limit = cluster[0].theta * (jobs[j].tasks - jobs[j].finished)
    file(jobs, roots, j, wanted(cluster, jobs, j, limit), 0.0)


@pick
def pick_job(cluster, jobs, levels, order, roots, numbers):
    """Pick the oldest job."""
    return foremost(jobs, roots)


RULE = Sharing(
    key="fifo",
    title="First in, first out",
    summary="the oldest job with something to launch gets the slot",
    touch=touch_job,
    pick=pick_job,
    keeps_serving=True,
)
