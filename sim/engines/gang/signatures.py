"""How the gang engine calls the compiled function that makes up a policy.

The engine is compiled once against it, so a new rule costs only its own compilation.
"""

from __future__ import annotations

from numba import types

from sim.engines.gang.records import CLUSTER, JOB, NODE, TASK
from sim.kernel.heap import ENTRY
from sim.kernel.hook import FLOATS, Call, array_of, own_arrays
from sim.kernel.records import COPY

CLUSTERS, JOBS, NODES, TASKS, EVENTS, COPIES = map(array_of, (CLUSTER, JOB, NODE, TASK, ENTRY, COPY))
INTS = types.int32[::1]
WORDS = types.int64[::1]

#: The arrays that rules may see, by name.
HANDED = {"cluster": CLUSTERS, "jobs": JOBS, "nodes": NODES, "store": FLOATS, **own_arrays("")}
#: How many tasks a job starts. Those it needs are the least, the places of the cluster the most.
decide = Call(types.int64, "j", "cluster jobs nodes store", HANDED)
