"""What every policy of the slot engine is made of: compiled functions of these few signatures.

A sharing rule is `touch` and `pick`; a speculation rule is `watch`, `notice`, `lose` and `choose`.
The engine is compiled once against these types, so a new rule costs only its own compilation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import from_dtype, types

from sim.kernel.compile import Rule
from sim.slots.records import CLUSTER, COPY, DELIVERY, ITEM, JOB, LEVEL, PHASE, SITE, SLOT


def _array(dtype: Any) -> types.Array:
    return types.Array(from_dtype(dtype), 1, "C")


CLUSTERS, JOBS, SLOTS, ITEMS, LEVELS, COPIES = map(_array, (CLUSTER, JOB, SLOT, ITEM, LEVEL, COPY))
SITES, PHASES, DELIVERIES = map(_array, (SITE, PHASE, DELIVERY))
FLOATS = types.float64[::1]
INTS = types.int32[::1]

#: (cluster, jobs, levels, order, roots, numbers, job): file a job again after something happened to it.
TOUCH = types.void(CLUSTERS, JOBS, LEVELS, FLOATS, INTS, FLOATS, types.int64)
#: (cluster, jobs, levels, order, roots, numbers) -> the job that gets the next slot, or -1.
PICK = types.int64(CLUSTERS, JOBS, LEVELS, FLOATS, INTS, FLOATS)
#: (cluster, jobs, slots, roots, store, numbers, slot) -> when the rule wants to look at the copy
#: launched in this slot (``inf``: never); `notice`, called then, answers when to look again.
WATCH = types.float64(CLUSTERS, JOBS, SLOTS, INTS, FLOATS, FLOATS, types.int64)
#: (cluster, jobs, slots, roots, store, numbers, slot, won): a copy has ended, first or not.
LOSE = types.void(CLUSTERS, JOBS, SLOTS, INTS, FLOATS, FLOATS, types.int64, types.int64)
#: (cluster, jobs, slots, roots, store, numbers, job) -> lead of the task of this job (of any job
#: if -1) that gets an extra copy, or -1.
CHOOSE = types.int64(CLUSTERS, JOBS, SLOTS, INTS, FLOATS, FLOATS, types.int64)

Function = Callable[..., Any]


def touch(function: Function) -> Rule:
    """Declare a sharing rule's `touch`."""
    return Rule(function, TOUCH)


def pick(function: Function) -> Rule:
    """Declare a sharing rule's `pick`."""
    return Rule(function, PICK)


def watch(function: Function) -> Rule:
    """Declare a speculation rule's `watch` or `notice`."""
    return Rule(function, WATCH)


def lose(function: Function) -> Rule:
    """Declare a speculation rule's `lose`."""
    return Rule(function, LOSE)


def choose(function: Function) -> Rule:
    """Declare a speculation rule's `choose`."""
    return Rule(function, CHOOSE)
