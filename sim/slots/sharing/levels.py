"""Jobs that have begun come first, then new ones; among either, least remaining work first.

The two lower scheduling levels that the algorithms of Xu and Lau share (sections IV-B, V-B, VI-A): the
waiting tasks of running jobs, the smallest remaining workload first, then jobs that have not begun, the
smallest workload first. Workload is unfinished tasks times their mean duration. Ties go to the older
job; nothing is pre-empted. Under `budget` a job may hold up to its virtual size theta T.
"""

from __future__ import annotations

from sim.kernel.compile import kernel
from sim.kernel.heap import push, remove
from sim.slots.rule import Sharing
from sim.slots.sharing.ordered import foremost, wanted
from sim.slots.signatures import pick, touch


@kernel
def file_at_level(jobs, roots, j, heap, level, work):
    """Put job `j` into this heap under its level and its work, or into none."""
    job = jobs[j]
    if job.heap == heap and (heap < 0 or (job.first == level and job.second == work)):
        return
    if job.heap >= 0:
        remove(jobs, roots, j)
    if heap >= 0:
        job.first = level
        job.second = work
        push(jobs, roots, heap, j)


@touch
def touch_job(cluster, jobs, levels, order, roots, numbers, j):
    """File the job by whether it has begun, and by its remaining work."""
    job = jobs[j]
    remaining = float(job.tasks - job.finished)
    heap = wanted(cluster, jobs, j, cluster[0].theta * remaining)
    file_at_level(jobs, roots, j, heap, 0.0 if job.launched > 0 else 1.0, remaining * job.task_size)


@pick
def pick_job(cluster, jobs, levels, order, roots, numbers):
    """Pick the job with the least left to do among those that have begun, else among all."""
    return foremost(jobs, roots)


RULE = Sharing(
    key="levels",
    title="Begun first, least work first",
    summary="jobs that have begun come before new ones; among either the least remaining work gets the slot",
    touch=touch_job,
    pick=pick_job,
    reference="Xu and Lau, algorithms 1 and 2",
)
