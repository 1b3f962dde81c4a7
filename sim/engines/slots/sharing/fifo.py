"""First in, first out: the oldest job with something to launch gets the slot.

Under `budget` a job may hold up to its virtual size theta T (Hopper's desired allocation).
"""

from __future__ import annotations

from sim.engines.slots.rule import Sharing
from sim.engines.slots.sharing.ordered import file, foremost, wanted
from sim.engines.slots.signatures import next_job, update_order
from sim.model.rule import Formula


@update_order
def refile_job(world, j):
    """File the job by its arrival; `rank` alone decides."""
    limit = world.cluster[0].theta * (world.jobs[j].tasks - world.jobs[j].finished)
    file(world, j, wanted(world, j, limit), 0.0)


@next_job
def pick_job(world):
    """Pick the oldest job."""
    return foremost(world)


FORMULA = Formula(
    "FIFO",
    r"\text{a free slot goes to } \arg\min_i \text{arrival}_i",
    "The oldest job that has something to launch goes first.",
)


RULE = Sharing(
    key="fifo",
    title="FIFO",
    summary="the oldest job with something to launch gets the slot",
    update_order=refile_job,
    next_job=pick_job,
    keeps_serving=True,
    formulas=(FORMULA,),
)
