"""Jobs that have begun come first, then new ones; among either, least remaining work first.

The two lower scheduling levels that the algorithms of Xu and Lau share (sections IV-B, V-B, VI-A): the
waiting tasks of running jobs, the smallest remaining workload first, then jobs that have not begun, the
smallest workload first. Workload is unfinished tasks times their mean duration. Ties go to the older
job; nothing is pre-empted. Under `budget` a job may hold up to its virtual size theta T.
"""

from __future__ import annotations

from sim.engines.slots.rule import Sharing
from sim.engines.slots.sharing.ordered import foremost, wanted
from sim.engines.slots.signatures import next_job, update_order
from sim.kernel.compile import inlined
from sim.kernel.heap import push, remove
from sim.model.rule import XL, Formula


@inlined
def file_at_level(world, j, heap, level, work):
    """Put job `j` into this heap under its level and its work, or into none."""
    job = world.jobs[j]
    if job.heap == heap and (heap < 0 or (job.first == level and job.second == work)):
        return
    if job.heap >= 0:
        remove(world.jobs, world.job_heaps, j)
    if heap >= 0:
        job.first = level
        job.second = work
        push(world.jobs, world.job_heaps, heap, j)


@update_order
def refile_job(world, j):
    """File the job by whether it has begun, and by its remaining work."""
    job = world.jobs[j]
    remaining = float(job.tasks - job.finished)
    heap = wanted(world, j, world.cluster[0].theta * remaining)
    file_at_level(world, j, heap, 0.0 if job.launched > 0 else 1.0, remaining * job.task_size)


@next_job
def pick_job(world):
    """Pick the job with the least left to do among those that have begun, else among all."""
    return foremost(world)


FORMULA = Formula(
    "Begun first",
    r"\text{a free slot goes to } \arg\min_i (\text{not begun}_i,\ T_i \, E[x_i])",
    "Jobs that have begun come before new ones; among either the least remaining work goes first.",
    XL + ", algorithms 1 and 2",
)


RULE = Sharing(
    key="levels",
    title="Begun jobs first",
    summary="jobs that have begun come before new ones; among either the least remaining work gets the slot",
    update_order=refile_job,
    next_job=pick_job,
    reference="Xu and Lau, algorithms 1 and 2",
    formulas=(FORMULA,),
)
