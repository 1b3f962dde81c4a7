r"""Hopper with a guarantee, by iterated projection (Hopper, SIGCOMM 2015, section 4.3).

Algorithm 1 shares the slots; jobs with less than :math:`F = (1-\epsilon) S/N` are raised to it, Algorithm 1
shares what is left among the others, and again until nobody is below F. (The text stops after one
projection, which can leave other jobs below F; `theory.fairness.projected_fair_allocation` shows it.)
`hopper:epsilon=...` is Algorithm 2, which attains the same sum of service rates with shares of its own.

Nothing is pre-empted: jobs that hold less than the whole part of F are first in line as slots free, those
farthest below their targets before the others. N counts the jobs with open tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.policy import parameter
from sim.slots.rule import Sharing
from sim.slots.sharing.members import MEMORY, PROJECTED
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
    """Pick the job that is farthest below its target."""
    return farthest_below(cluster, jobs, order, roots, numbers)


def prepare(scenario: Scenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on the allocation, the refresh and epsilon."""
    return np.array([PROJECTED, values["refresh"], values["epsilon"], 1.0])


RULE = Sharing(
    key="hopper-fair",
    title="Hopper, ε-fair by projection",
    summary="every job is owed (1 - epsilon) S/N slots; Hopper shares the rest",
    touch=touch_job,
    pick=pick_job,
    files_all=True,
    memory=MEMORY,
    parameters=(
        parameter("epsilon", 0.1, "how far below the fair share S/N a job may be held", low=0, high=1),
        refreshed(0.02),
        LEARN_TAIL,
    ),
    prepare=prepare,
    reference="Ren et al., SIGCOMM 2015, section 4.3 (iterated)",
    budgets=True,
    default_speculation="budget",
)
