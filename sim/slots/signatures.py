"""What every policy of the slot engine is made of: compiled hooks of these few signatures.

A sharing rule has `refile` and `pick`; a speculation rule has `watch`, `notice`, `copy_ended`, `choose` and
`drop`. The engine is compiled once against their types, so a new rule costs only its own compilation.
``docs/how-to/write-a-rule.md`` says when each is called and what it may write.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from numba import from_dtype, types

from sim.kernel.hook import Hook
from sim.kernel.records import CLUSTER, COPY, EVENT, ITEM, JOB, PHASE, SITE, SLOT
from sim.slots.records import LEVEL, LINK, REPLICA, TASK


def _array(dtype: Any) -> types.Array:
    return types.Array(from_dtype(dtype), 1, "C")


CLUSTERS, JOBS, SLOTS, ITEMS, LEVELS, COPIES = map(_array, (CLUSTER, JOB, SLOT, ITEM, LEVEL, COPY))
SITES, PHASES, DELIVERIES, TASKS, REPLICAS, LINKS = map(_array, (SITE, PHASE, EVENT, TASK, REPLICA, LINK))
FLOATS = types.float64[::1]
INTS = types.int32[::1]


class SharingView(NamedTuple):
    """The part of the world that `refile` may see."""

    cluster: Any
    jobs: Any
    levels: Any
    order: Any
    job_heaps: Any


class PickingView(NamedTuple):
    """The part of the world that `pick` may see."""

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
REFILE = types.void(_INT, _INT)
PICK = _INT(_INT)
WATCH = types.float64(_INT, _INT)
COPY_ENDED = types.void(_INT, _INT, _INT)
CHOOSE = _INT(_INT, _INT)


class SlotHook(Hook):
    """A function of a rule of the slot engine."""

    handed = HANDED

    @property
    def numbers(self) -> str:  # type: ignore[override]
        """The array with the numbers of the rule."""
        return "copy_numbers" if self.view is SpeculationView else "share_numbers"


Function = Callable[..., Any]


def refile(function: Function) -> SlotHook:
    """Declare a sharing rule's ``refile(world, [values,] j)``: the place of job `j` may have changed."""
    return SlotHook(function, REFILE, SharingView)


def pick(function: Function) -> SlotHook:
    """Declare a sharing rule's ``pick(world[, values])``: the job that gets the next slot, or -1."""
    return SlotHook(function, PICK, PickingView)


def watch(function: Function) -> SlotHook:
    """Declare a speculation rule's ``watch(world, [values,] s)``: when to look at a copy just launched."""
    return SlotHook(function, WATCH, SpeculationView)


def notice(function: Function) -> SlotHook:
    """Declare a speculation rule's ``notice(world, [values,] s)``: look at a copy; when to look again."""
    return SlotHook(function, WATCH, SpeculationView)


def copy_ended(function: Function) -> SlotHook:
    """Declare a speculation rule's ``copy_ended(world, [values,] s, won)``."""
    return SlotHook(function, COPY_ENDED, SpeculationView)


def choose(function: Function) -> SlotHook:
    """Declare a speculation rule's ``choose(world, [values,] j)``: lead of the task to copy, or -1."""
    return SlotHook(function, CHOOSE, SpeculationView)


def drop(function: Function) -> SlotHook:
    """Declare a speculation rule's ``drop(world, [values,] j)``: slot of the copy that makes room, or -1."""
    return SlotHook(function, CHOOSE, SpeculationView)


@watch
def never(world, s):
    """Never look at a copy."""
    return math.inf


@copy_ended
def nothing(world, s, won):
    """Keep no account of copies."""


@choose
def nobody(world, j):
    """Copy nothing."""
    return -1
