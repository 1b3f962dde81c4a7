"""The signatures of the compiled hooks that make up a policy of the slot engine.

A sharing rule has `update_order` and `next_job`; a speculation rule has `next_check`, `check`, `on_copy_end`,
`select_task` and `evict`. The engine is compiled once against their types, so a new rule costs only its own
compilation.
``docs/how-to/write-a-rule.md`` says when each is called and what it may write.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from numba import from_dtype, types

from sim.kernel.hook import Hook
from sim.kernel.records import CLUSTER, COPY, EVENT, ITEM, JOB, PHASE, SITE, SLOT
from sim.rule import warn_of_old_name
from sim.slots.records import LEVEL, LINK, REPLICA, TASK
from theory.shown import quoted


def _array(dtype: Any) -> types.Array:
    return types.Array(from_dtype(dtype), 1, "C")


CLUSTERS, JOBS, SLOTS, ITEMS, LEVELS, COPIES = map(_array, (CLUSTER, JOB, SLOT, ITEM, LEVEL, COPY))
SITES, PHASES, DELIVERIES, TASKS, REPLICAS, LINKS = map(_array, (SITE, PHASE, EVENT, TASK, REPLICA, LINK))
FLOATS = types.float64[::1]
INTS = types.int32[::1]


class SharingView(NamedTuple):
    """The part of the world that `update_order` may see."""

    cluster: Any
    jobs: Any
    levels: Any
    order: Any
    job_heaps: Any


class NextJobView(NamedTuple):
    """The part of the world that `next_job` may see."""

    cluster: Any
    jobs: Any
    levels: Any
    order: Any
    job_heaps: Any
    tasks: Any
    replicas: Any


class SpeculationView(NamedTuple):
    """The part of the world that a speculation rule may see."""

    cluster: Any
    jobs: Any
    slots: Any
    slot_heaps: Any
    store: Any


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
    "share_numbers": FLOATS,
    "copy_numbers": FLOATS,
}
_INT = types.int64
#: What the engine calls: the address of its arrays (`sim.kernel.handing`), then what varies.
UPDATE_ORDER = types.void(_INT, _INT)
NEXT_JOB = _INT(_INT)
NEXT_CHECK = types.float64(_INT, _INT)
ON_COPY_END = types.void(_INT, _INT, _INT)
SELECT_TASK = _INT(_INT, _INT)


class SlotHook(Hook):
    """A function of a rule of the slot engine."""

    handed = HANDED

    @property
    def numbers(self) -> str:  # type: ignore[override]
        """The array with the numbers of the rule."""
        return "copy_numbers" if self.view is SpeculationView else "share_numbers"


Function = Callable[..., Any]
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


def update_order(function: Function) -> SlotHook:
    """Declare a sharing rule's ``update_order(world, [values,] j)``: job `j` may have another place."""
    return SlotHook(function, UPDATE_ORDER, SharingView)


def next_job(function: Function) -> SlotHook:
    """Declare a sharing rule's ``next_job(world[, values])``: the job that gets the next slot, or -1."""
    return SlotHook(function, NEXT_JOB, NextJobView)


def next_check(function: Function) -> SlotHook:
    """Declare a speculation rule's ``next_check(world, [values,] s)``: when to look at a new copy."""
    return SlotHook(function, NEXT_CHECK, SpeculationView)


def check(function: Function) -> SlotHook:
    """Declare a speculation rule's ``check(world, [values,] s)``: look at a copy; when to look again."""
    return SlotHook(function, NEXT_CHECK, SpeculationView)


def on_copy_end(function: Function) -> SlotHook:
    """Declare a speculation rule's ``on_copy_end(world, [values,] s, won)``."""
    return SlotHook(function, ON_COPY_END, SpeculationView)


def select_task(function: Function) -> SlotHook:
    """Declare a speculation rule's ``select_task(world, [values,] j)``: task slot of what to copy, or -1."""
    return SlotHook(function, SELECT_TASK, SpeculationView)


def evict(function: Function) -> SlotHook:
    """Declare a speculation rule's ``evict(world, [values,] j)``: slot of the copy to end, or -1."""
    return SlotHook(function, SELECT_TASK, SpeculationView)


@next_check
def never(world, s):
    """Never look at a copy."""
    return math.inf


@on_copy_end
def nothing(world, s, won):
    """Keep no account of copies."""


@select_task
def nobody(world, j):
    """Copy nothing."""
    return -1
