"""What every policy of the gang engine is made of: one compiled function of this signature.

The engine is compiled once against it, so a new rule costs only its own compilation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import from_dtype, types

from sim.gang.records import CLUSTER, JOB, NODE, TASK
from sim.kernel.compile import Rule
from sim.kernel.records import COPY
from sim.kernel.tournament import ENTRY


def _array(dtype: Any) -> types.Array:
    return types.Array(from_dtype(dtype), 1, "C")


CLUSTERS, JOBS, NODES, TASKS, EVENTS, COPIES = map(_array, (CLUSTER, JOB, NODE, TASK, ENTRY, COPY))
FLOATS = types.float64[::1]
INTS = types.int32[::1]
WORDS = types.int64[::1]

#: (cluster, jobs, nodes, numbers, job) -> how many tasks the job starts; those it needs are the least,
#: the places of the cluster the most. May read what is known then: the job's `tasks` and `task_size`,
#: `cluster[0].busy` of `cluster[0].slots`, `nodes[i].held` (0 where tasks share one pool).
DECIDE = types.int64(CLUSTERS, JOBS, NODES, FLOATS, types.int64)


def decide(function: Callable[..., Any]) -> Rule:
    """Declare a rule's `decide`."""
    return Rule(function, DECIDE)
