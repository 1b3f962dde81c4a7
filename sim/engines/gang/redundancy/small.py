r"""Redundant-small: a job of k tasks of size b starts :math:`\lceil rk \rceil` if its demand is at most d.

The demand, k b, is known on arrival: tasks and their size are in the request of the job, its luck is not.
"""

from __future__ import annotations

import math

from sim.engines.gang.redundancy.expansion import RATE, expanded
from sim.engines.gang.scenario import Redundancy
from sim.engines.gang.signatures import decide
from sim.model.policy import parameter


@decide
def expand_small(world, values, j):
    """Start r times the tasks of a job of small demand."""
    job = world.jobs[j]
    return expanded(values.r, job.tasks) if job.tasks * job.task_size <= values.d else job.tasks


RULE = Redundancy(
    key="redundant-small",
    title="Redundant-small",
    summary="a job whose demand, tasks × size, is at most d starts r times its tasks, rounded up",
    decide=expand_small,
    parameters=(
        RATE,
        parameter(
            "d",
            120,
            "largest demand, tasks × size, of a job that is expanded",
            unit="time_unit",
            low=0,
            high=math.inf,
        ),
    ),
    reference="Aktas and Soljanin, section 4",
)
