"""Redundancy for every job: k tasks become n = ceil(r k), whatever their size and the load."""

from __future__ import annotations

from sim.engines.gang.redundancy.expansion import RATE, expanded
from sim.engines.gang.scenario import Redundancy
from sim.engines.gang.signatures import decide


@decide
def expand(world, values, j):
    """Start r times the tasks of the job."""
    return expanded(values.r, world.jobs[j].tasks)


RULE = Redundancy(
    key="all",
    title="Redundancy for all",
    summary="every job of k tasks starts r k, rounded up",
    decide=expand,
    parameters=(RATE,),
    reference="Aktas and Soljanin, section 4, with d infinite",
)
