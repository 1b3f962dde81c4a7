"""Redundancy for every job: k tasks become n = ceil(r k), whatever their size and the load."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.gang.redundancy.expansion import RATE, expanded
from sim.gang.rule import Redundancy
from sim.gang.signatures import decide

if TYPE_CHECKING:
    from sim.gang.scenario import GangScenario


@decide
def expand(cluster, jobs, nodes, numbers, j):
    """Start r times the tasks of the job."""
    return expanded(numbers[0], jobs[j].tasks)


def prepare(scenario: GangScenario, values: Mapping[str, float]) -> np.ndarray:
    """Pass on the rate."""
    return np.array([values["r"]])


RULE = Redundancy(
    key="all",
    title="Redundancy for all",
    summary="every job of k tasks starts r k, rounded up",
    decide=expand,
    parameters=(RATE,),
    prepare=prepare,
    reference="Aktas and Soljanin, section 4, with d infinite",
)
