r"""Redundant-small: a job of k tasks of size b starts :math:`\lceil rk \rceil` if its demand is at most d.

The demand, k b, is known on arrival: tasks and their size are in the request of the job, its luck is not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.gang.redundancy.expansion import RATE, expanded
from sim.gang.rule import Redundancy
from sim.gang.signatures import decide
from sim.policy import parameter

if TYPE_CHECKING:
    from sim.gang.scenario import GangScenario


@decide
def expand_small(cluster, jobs, nodes, numbers, j):
    """Start r times the tasks of a job of small demand."""
    job = jobs[j]
    return expanded(numbers[0], job.tasks) if job.tasks * job.task_size <= numbers[1] else job.tasks


def prepare(scenario: GangScenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on the rate and the largest demand."""
    return np.array([values["r"], values["d"]])


RULE = Redundancy(
    key="redundant-small",
    title="Redundant-small",
    summary="a job whose demand, tasks × size, is at most d starts r times its tasks, rounded up",
    decide=expand_small,
    parameters=(
        RATE,
        parameter(
            "d", 120, "largest demand, tasks × size, of a job that is expanded", unit="time_unit", low=0,
            high=math.inf,
        ),
    ),
    prepare=prepare,
    reference="Aktas and Soljanin, section 4",
)  # fmt: skip
