r"""Hopper with data locality: one of the smallest jobs may overtake if its data is where the slot is.

Among the smallest :math:`\lceil W k/100 \rceil` of the W jobs that have tasks waiting, by T (equal ones by
arrival), the first that is below its virtual size and has a waiting task whose input block is on the
machine of the slot gets it; if there is none, the slot goes to the job farthest below its target, as under
Algorithm 1. Which of the smallest jobs is chosen the paper leaves open, and of which jobs they are the
smallest: of all jobs, the smallest have hardly ever a task waiting. ``percent=0`` is no relaxation at all.

The choice of task within a job and of slot among idle ones is the engine's and the same for
every policy (`sim.slots.places`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.policy import parameter
from sim.slots.places import local_task
from sim.slots.rule import Sharing
from sim.slots.sharing.members import BEGIN, KNOB, MEMORY, PLAIN, WAITING, open_tasks
from sim.slots.sharing.ordered import ORIGINAL
from sim.slots.sharing.targets import LEARN_TAIL, farthest_below, refreshed, touch_member
from sim.slots.signatures import pick, touch

if TYPE_CHECKING:
    from sim.scenario import Scenario


@touch
def touch_job(cluster, jobs, levels, order, roots, numbers, j):
    """File the job by its distance from its target."""
    touch_member(cluster, jobs, order, roots, numbers, j)


@pick
def pick_job(cluster, jobs, levels, order, roots, numbers):
    """Pick the first of the smallest jobs that is at home in the slot, else the one farthest below."""
    c = cluster[0]
    window = math.ceil(order[WAITING] * numbers[KNOB] / 100.0 - 1e-9) if c.replicas > 0 else 0
    k = 0
    while window > 0:
        j = int(order[BEGIN + k])
        k += 1
        if jobs[j].heap == ORIGINAL:
            window -= 1
            room = jobs[j].held < c.theta * open_tasks(cluster, jobs, j)
            if room and local_task(cluster, jobs, roots, j, c.offered) >= 0:
                return j
    return farthest_below(cluster, jobs, order, roots, numbers)


def prepare(scenario: Scenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on the allocation, the refresh and the percentage."""
    return np.array([PLAIN, values["refresh"], values["percent"], 1.0])


RULE = Sharing(
    key="hopper-local",
    title="Hopper with locality",
    summary="any of the smallest k % of the jobs goes first if its data is where the slot is",
    touch=touch_job,
    pick=pick_job,
    files_all=True,
    memory=MEMORY,
    parameters=(
        parameter("percent", 5, "share k of the jobs that may overtake", unit="%", low=0, high=100),
        refreshed(0.02),
        LEARN_TAIL,
    ),
    prepare=prepare,
    reference="Ren et al., SIGCOMM 2015, section 4.4",
    budgets=True,
    default_speculation="budget",
)
