"""Fair sharing: every job is owed S/N slots; a free slot goes to the job that holds fewest.

Work-conserving and without pre-emption, so a share is reached as slots free. Ties go to the older
job. Under `budget` a job may add extra copies while it holds fewer than S/N slots.
"""

from __future__ import annotations

import math

from sim.engines.slots.rule import Sharing
from sim.engines.slots.sharing.ordered import EXTRA, ORIGINAL, file, foremost, wanted
from sim.engines.slots.signatures import next_job, update_order
from sim.model.rule import Formula


@update_order
def refile_job(world, j):
    """File the job by the slots it holds."""
    file(world, j, wanted(world, j, math.inf), float(world.jobs[j].held))


@next_job
def pick_job(world):
    """Pick the job that holds fewest slots; one that wants only a copy must be below its share."""
    share = world.cluster[0].slots / max(world.cluster[0].active, 1)
    poorest = world.job_heaps[EXTRA]
    if poorest >= 0 and world.jobs[poorest].held >= share:  # then so is every other job of that heap
        return world.job_heaps[ORIGINAL]
    return foremost(world)


FORMULA = Formula(
    "Fair sharing",
    r"H_i = S / N, \qquad \text{a free slot goes to } \arg\min_i S_i",
    "Each of the $N$ jobs is owed the same number of slots; the one that holds fewest gets the next.",
)


RULE = Sharing(
    key="fair",
    title="Fair shares",
    summary="every job is owed an equal share of the slots; the job that holds fewest gets the slot",
    update_order=refile_job,
    next_job=pick_job,
    formulas=(FORMULA,),
)
