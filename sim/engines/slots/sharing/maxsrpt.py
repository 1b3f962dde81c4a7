"""MaxSRPT: shortest remaining first for jobs whose phases overlap, by tasks or by transfers.

With T open tasks and T' transfers still to come out of the running phases, in sizes of the job's tasks, the
job with the smallest max(T, T') gets the slot. Ties go to the older job; nothing is pre-empted. Under
`budget` a job may hold up to its virtual size theta T. Without phases it is `srpt`.
"""

from __future__ import annotations

from sim.engines.slots.rule import Sharing
from sim.engines.slots.sharing.members import downstream, open_tasks
from sim.engines.slots.sharing.ordered import file, foremost, wanted
from sim.engines.slots.signatures import next_job, update_order
from sim.model.rule import Formula


@update_order
def refile_job(world, j):
    """File the job by its open tasks or its transfers, whichever are more."""
    job = world.jobs[j]
    left = max(open_tasks(world.cluster, world.jobs, j), downstream(world.cluster, world.jobs, j))
    file(world, j, wanted(world, j, world.cluster[0].theta * float(job.tasks - job.finished)), left)


@next_job
def pick_job(world):
    """Pick the job with the least left to do."""
    return foremost(world)


REFERENCE = (
    "Lin, Zhang, Wierman and Tan, Joint optimization of overlapping phases in MapReduce (Performance 2013), "
    "as Ren et al., theory note, section 3.2, state it"
)
RULE = Sharing(
    key="maxsrpt",
    title="MaxSRPT",
    summary="the job with the least left gets the slot, by tasks or transfers, whichever are more",
    update_order=refile_job,
    next_job=pick_job,
    keeps_serving=True,
    reference=REFERENCE,
    formulas=(
        Formula(
            "MaxSRPT",
            r"\text{a free slot goes to } \arg\min_i \max(T_i, T'_i)",
            "$T$ tasks of the running phases are open and $T'$ transfers are still to come out of them; the "
            "job with the least of what takes longer goes first.",
            REFERENCE,
        ),
    ),
)
