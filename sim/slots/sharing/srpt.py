"""Shortest remaining first: the job with the fewest remaining tasks (or the least work) gets the slot.

Ties go to the older job; nothing is pre-empted. Under `budget` a job may hold up to its virtual
size theta T.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.policy import parameter
from sim.slots.rule import Sharing
from sim.slots.sharing.ordered import file, foremost, wanted
from sim.slots.signatures import pick, touch

if TYPE_CHECKING:
    from sim.scenario import Scenario


@touch
def touch_job(cluster, jobs, levels, order, roots, numbers, j):
    """File the job by its remaining tasks, times their size if work is what counts."""
    job = jobs[j]
    remaining = float(job.tasks - job.finished)
    key = remaining * job.task_size if numbers[0] else remaining
    file(jobs, roots, j, wanted(cluster, jobs, j, cluster[0].theta * remaining), key)


@pick
def pick_job(cluster, jobs, levels, order, roots, numbers):
    """Pick the job with the least left to do."""
    return foremost(jobs, roots)


def prepare(scenario: Scenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on whether work (1) or tasks (0) are counted."""
    return np.array([values["work"]])


RULE = Sharing(
    key="srpt",
    title="Shortest remaining first",
    summary="the job with the fewest remaining tasks gets the slot",
    touch=touch_job,
    pick=pick_job,
    keeps_serving=True,
    parameters=(
        parameter(
            "work", 0, "count remaining work (tasks x size) instead of tasks", whole=True, low=0, high=1
        ),
    ),
    prepare=prepare,
)
