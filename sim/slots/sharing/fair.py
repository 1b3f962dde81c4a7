"""Fair sharing: every job is owed S/N slots; a free slot goes to the job that holds fewest.

Work-conserving and without pre-emption, so a share is reached as slots free. Ties go to the older
job. Under `budget` a job may add extra copies while it holds fewer than S/N slots.
"""

from __future__ import annotations

import math

from sim.slots.rule import Sharing
from sim.slots.sharing.ordered import EXTRA, ORIGINAL, file, foremost, wanted
from sim.slots.signatures import pick, touch


@touch
def touch_job(cluster, jobs, levels, order, roots, numbers, j):
    """File the job by the slots it holds."""
    file(jobs, roots, j, wanted(cluster, jobs, j, math.inf), float(jobs[j].held))


@pick
def pick_job(cluster, jobs, levels, order, roots, numbers):
    """Pick the job that holds fewest slots; one that wants only a copy must be below its share."""
    share = cluster[0].slots / max(cluster[0].active, 1)
    poorest = roots[EXTRA]
    if poorest >= 0 and jobs[poorest].held >= share:  # then so is every other job of that heap
        return roots[ORIGINAL]
    return foremost(jobs, roots)


RULE = Sharing(
    key="fair",
    title="Fair sharing",
    summary="every job is owed an equal share of the slots; the job that holds fewest gets the slot",
    touch=touch_job,
    pick=pick_job,
)
