"""How the slot engine calls the compiled hooks that make up a policy.

A sharing rule has `update_order` and `next_job`; a speculation rule has `next_check`, `check`, `on_copy_end`,
`select_task` and `evict`. The engine is compiled once against their types, so a new rule costs only its own
compilation.
``docs/how-to/write-a-rule.md`` says when each is called and what it may write.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from sim.kernel.hook import FLOATS, Call, array_of, own_arrays
from sim.kernel.records import CLUSTER, COPY, EVENT, ITEM, JOB, PHASE, SITE, SLOT
from sim.model.rule import warn_of_old_name
from theory.quoting import quoted

# The records of the slot engine beside those of all engines (`sim.kernel.records`).

#: Jobs with the same number of remaining tasks (Hopper); `place` is where `order` lists the level, and
#: level 0 counts the levels listed.
LEVEL = np.dtype(
    [("place", "i4"), ("jobs", "i4"), ("unstarted", "i4"), ("head", "i4"), ("tail", "i4"), ("unused", "i4")]
)

#: What a stage waits for, where jobs are stages (`sim.engines.slots.arriving`).
LINK = np.dtype(
    [
        ("gap", "f8"),  # between the end of its last parent and its own start
        ("waits", "i4"),  # parents that have not ended
        ("first", "i4"),  # of its children in the list of all
        ("children", "i4"),
        ("unused", "i4"),
    ]
)

#: A task whose input is a block (`sim.engines.slots.places`).
TASK = np.dtype(
    [
        ("turn", "i4"),  # its place in the order in which the tasks of its job start
        ("head", "i4"),  # first replica of the list with this number, -1 if it is empty
    ]
)

#: A replica of a block: the machine it is on (-1: nothing is read), and the next one in its list.
REPLICA = np.dtype([("machine", "i4"), ("next", "i4")])


CLUSTERS, JOBS, SLOTS, ITEMS, LEVELS, COPIES = map(array_of, (CLUSTER, JOB, SLOT, ITEM, LEVEL, COPY))
SITES, PHASES, DELIVERIES, TASKS, REPLICAS, LINKS = map(array_of, (SITE, PHASE, EVENT, TASK, REPLICA, LINK))
INTS = types.int32[::1]

#: How the names of the arrays begin that only sharing rules, or only speculation rules see.
SHARE, COPIED = "share_", "copy_"
#: The arrays that hooks may see, by name.
HANDED = {
    "cluster": CLUSTERS,
    "jobs": JOBS,
    "slots": SLOTS,
    "levels": LEVELS,
    "order": FLOATS,
    "job_heaps": INTS,
    "slot_heaps": INTS,
    "store": FLOATS,
    "tasks": TASKS,
    "replicas": REPLICAS,
    **own_arrays(SHARE),
    **own_arrays(COPIED),
}
_SHARING = "cluster jobs levels order job_heaps"
_SPECULATION = "cluster jobs slots slot_heaps store"
#: Decorators by the names of release 0.2.
_OLD_NAMES = {
    "refile": "update_order",
    "pick": "next_job",
    "watch": "next_check",
    "notice": "check",
    "copy_ended": "on_copy_end",
    "choose": "select_task",
    "drop": "evict",
}


def __getattr__(name: str) -> Any:
    if name not in _OLD_NAMES:
        raise AttributeError(f"{__name__} has no {quoted(name)}")
    warn_of_old_name(name, _OLD_NAMES[name])
    return globals()[_OLD_NAMES[name]]


def never(world, s):
    """Never look at a copy."""
    return math.inf


def nothing(world, s, won):
    """Keep no account of copies."""


def nobody(world, j):
    """Copy nothing."""
    return -1


#: Job `j` may have another place.
update_order = Call(types.void, "j", _SHARING, HANDED, SHARE)
#: The job that gets the next slot, or -1.
next_job = Call(types.int64, "", f"{_SHARING} tasks replicas", HANDED, SHARE)
#: When to look at a new copy.
next_check = Call(types.float64, "s", _SPECULATION, HANDED, COPIED, never)
#: Look at a copy; when to look again.
check = Call(types.float64, "s", _SPECULATION, HANDED, COPIED, never)
#: A copy has ended, by itself or not.
on_copy_end = Call(types.void, "s won", _SPECULATION, HANDED, COPIED, nothing)
#: Task slot of what to copy, or -1.
select_task = Call(types.int64, "j", _SPECULATION, HANDED, COPIED, nobody)
#: Slot of the copy to end, or -1.
evict = Call(types.int64, "j", _SPECULATION, HANDED, COPIED, nobody)
