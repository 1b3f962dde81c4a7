"""No redundancy: a job starts its k tasks and ends with the slowest."""

from __future__ import annotations

from sim.engines.gang.scenario import Redundancy
from sim.engines.gang.signatures import decide


@decide
def no_more(world, j):
    """Start the tasks of the job."""
    return world.jobs[j].tasks


RULE = Redundancy(
    key="none",
    title="No redundancy",
    summary="a job starts its tasks and ends with the slowest",
    decide=no_more,
)
