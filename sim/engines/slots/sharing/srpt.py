"""Shortest remaining first: the job with the fewest remaining tasks (or the least work) gets the slot.

Ties go to the older job; nothing is pre-empted. Under `budget` a job may hold up to its virtual
size theta T.
"""

from __future__ import annotations

from sim.engines.slots.rule import Sharing
from sim.engines.slots.sharing.ordered import file, foremost, wanted
from sim.engines.slots.signatures import next_job, update_order
from sim.model.policy import parameter
from sim.model.rule import Formula


@update_order
def refile_job(world, values, j):
    """File the job by its remaining tasks, times their size if work is what counts."""
    job = world.jobs[j]
    remaining = float(job.tasks - job.finished)
    key = remaining * job.task_size if values.work else remaining
    file(world, j, wanted(world, j, world.cluster[0].theta * remaining), key)


@next_job
def pick_job(world):
    """Pick the job with the least left to do."""
    return foremost(world)


FORMULA = Formula(
    "SRPT",
    r"\text{a free slot goes to } \arg\min_i T_i",
    "The job with the fewest tasks left goes first.",
)


RULE = Sharing(
    key="srpt",
    title="Shortest first",
    summary="the job with the fewest remaining tasks gets the slot",
    update_order=refile_job,
    next_job=pick_job,
    keeps_serving=True,
    parameters=(
        parameter(
            "work",
            0,
            "count remaining work (tasks × size) instead of tasks",
            whole=True,
            low=0,
            high=1,
            label="Count work, not tasks",
            symbol="by work",
        ),
    ),
    formulas=(FORMULA,),
)
