"""How the gang engine calls the compiled function that makes up a policy.

The engine is compiled once against it, so a new rule costs only its own compilation.
"""

from __future__ import annotations

import numpy as np
from numba import types

from sim.kernel.heap import ENTRY
from sim.kernel.hook import FLOATS, Call, array_of, own_arrays
from sim.kernel.records import COPY

# The records of the gang engine: one NumPy record array for each kind of thing.
#
# As in `sim.kernel.records`: indices are -1 where there is nothing to point at, and no field has the name
# of an attribute of NumPy's records.

#: The cluster as a whole; one record.
CLUSTER = np.dtype(
    [
        ("now", "f8"),
        ("horizon", "f8"),  # nothing happens after this time
        ("jobs", "i8"),  # jobs of the workload
        ("arrived", "i8"),
        ("head", "i8"),  # the job that starts next; those from it to `arrived` wait
        ("active", "i8"),  # jobs in the system
        ("waiting", "i8"),  # tasks of the jobs that wait, redundant ones not counted
        ("busy", "i8"),
        ("busy_extra", "i8"),  # slots that hold redundant tasks
        ("top", "i8"),  # of the events of the running jobs (`sim.kernel.heap`)
        ("leaf", "i8"),  # the next leaf without one
        ("unplayed", "i8"),  # the first leaf that is not below the top
        ("unused", "i8"),  # records of tasks that are free
        ("events", "i8"),
        ("done_tasks", "i8"),
        # what is fixed for a run
        ("slots", "i8"),
        ("nodes", "i8"),
        ("capacity", "i8"),
        ("words", "i8"),  # of a set of nodes (`sim.engines.gang.engine`)
        ("places", "i8"),  # most tasks of one job that can run
        ("pool", "i8"),  # tasks start in any free slot, instead of on different nodes
        ("replicated", "i8"),  # redundant tasks are replicas, instead of coded
        ("late", "i8"),  # a policy decides at the head of the queue, instead of on arrival
        ("asks", "i8"),  # the environment decides instead of a rule, at the head of the queue
        ("delay", "f8"),
        ("law", "i8"),
        ("outlier_share", "f8"),
        # integrals over time, for utilisation and the time series
        ("area_busy", "f8"),
        ("area_extra", "f8"),
        ("area_waiting", "f8"),
        ("area_active", "f8"),
        ("next_edge", "f8"),
        ("edge_step", "f8"),
        ("edges", "i8"),
        ("first_counted", "i8"),
        ("warm_time", "f8"),
        ("warm_area", "f8"),
        ("last_time", "f8"),
        ("last_area", "f8"),
        ("logged", "i8"),
    ]
)

JOB = np.dtype(
    [
        ("arrival", "f8"),
        ("task_size", "f8"),
        ("start", "f8"),
        ("finish", "f8"),
        ("resource", "f8"),  # slot-time of its tasks that have ended
        ("extra_time", "f8"),  # of which redundant ones
        ("key", "u8"),  # address of its luck
        ("tasks", "i4"),  # k: tasks that must finish
        ("planned", "i4"),  # n: tasks it is to start, 0 while that is open
        ("copies", "i4"),  # tasks started so far
        ("extra", "i4"),  # of which redundant
        ("killed", "i4"),
        ("left", "i4"),  # tasks that must still finish
        ("first", "i4"),  # of its running tasks, the one that ends first
        ("owed", "i4"),  # redundant tasks that are to start at age `delay`
    ]
)

#: A running task (of replicas: a copy of one). When it ends is known as soon as all that the job has
#: started are: a task that is removed ends with the one that makes it redundant.
TASK = np.dtype(
    [
        ("start", "f8"),
        ("end", "f8"),
        ("node", "i4"),  # -1 in a pool
        ("task", "i4"),
        ("number", "i4"),  # of the copy; of coded tasks each is its own task
        ("won", "i4"),  # it finishes, and is not removed
        ("extra", "i4"),  # it is redundant
        ("next", "i4"),  # task of the same job that ends next
    ]
)

#: A node: the tasks it holds, and 1 + the last job whose redundant tasks avoided it.
NODE = np.dtype([("held", "i4"), ("mark", "i4")])

#: What happens next to a running job is an event (`sim.kernel.heap`): of one time, in order of
#: these kinds, then by job.
END, REINFORCE = range(2)
#: Its key is the kind, the job and its leaf, in so many bits.
JOB_BITS, LEAF_BITS = 32, 24


CLUSTERS, JOBS, NODES, TASKS, EVENTS, COPIES = map(array_of, (CLUSTER, JOB, NODE, TASK, ENTRY, COPY))
INTS = types.int32[::1]
WORDS = types.int64[::1]

#: The arrays that rules may see, by name.
HANDED = {"cluster": CLUSTERS, "jobs": JOBS, "nodes": NODES, "store": FLOATS, **own_arrays("")}
#: How many tasks a job starts. Those it needs are the least, the places of the cluster the most.
decide = Call(types.int64, "j", "cluster jobs nodes store", HANDED)
