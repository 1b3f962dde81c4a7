"""What every policy of the slot engine is made of: compiled hooks of these few signatures.

A sharing rule has `refile` and `pick`; a speculation rule has `watch`, `notice`, `copy_ended`, `choose` and
`drop`. The engine is compiled once against their types, so a new rule costs only its own compilation.
``docs/write-a-rule.md`` says when each is called and what it may write.
"""

from __future__ import annotations

import inspect
import math
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from numba import from_dtype, types

from sim.kernel.handing import reader, taking
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


class Hook:
    """A function of a rule, compiled on first use: it is handed a view of the world and named numbers.

    Parameters
    ----------
    function : callable
        ``function(world, ...)``, or ``function(world, values, ...)`` if it needs the rule's numbers; it may
        call functions decorated with `sim.kernel.compile.kernel` or `inlined`.
    signature : numba signature
        What the engine calls.
    view : type of named tuple
        What `world` is.
    """

    def __init__(self, function: Callable[..., Any], signature: Any, view: Any) -> None:
        self.function = function
        self.signature = signature
        self.view = view
        self.__doc__ = function.__doc__

    def compiled(self, values: type) -> Any:
        """Return what the engine calls (a plain function where compilation is switched off).

        Parameters
        ----------
        values : type of named tuple
            The numbers of the rule.
        """
        asks = "values" in inspect.signature(self.function).parameters
        return _compiled(self, values if asks else None)


@cache
def _compiled(hook: Hook, values: Any) -> Any:
    """Compile a function of the declared signature that hands a hook its view and its named numbers."""
    names = values._fields if values else ()
    _, *rest = [name for name in inspect.signature(hook.function).parameters if name != "values"]
    arrays = ", ".join(f"{name}(world)" for name in hook.view._fields)
    numbers = ", ".join(f"numbers(world)[{place}]" for place in range(len(names)))
    words = [f"View({arrays})", *([f"Values({numbers})"] if names else []), *rest]
    own_numbers = "copy_numbers" if hook.view is SpeculationView else "share_numbers"
    scope = {"View": hook.view, "Values": values, "numbers": _reader(own_numbers)}
    scope |= {name: _reader(name) for name in hook.view._fields}
    name = f"{hook.function.__name__}_{zlib.crc32(repr(names).encode()):08x}"
    return taking(hook.function, hook.signature, words, rest, scope, name)


@cache
def _reader(name: str) -> Any:
    """Return what reads an array of a world that has been handed over."""
    return reader(tuple(HANDED), name, HANDED[name])


Function = Callable[..., Any]


def refile(function: Function) -> Hook:
    """Declare a sharing rule's ``refile(world, [values,] j)``: the place of job `j` may have changed."""
    return Hook(function, REFILE, SharingView)


def pick(function: Function) -> Hook:
    """Declare a sharing rule's ``pick(world[, values])``: the job that gets the next slot, or -1."""
    return Hook(function, PICK, PickingView)


def watch(function: Function) -> Hook:
    """Declare a speculation rule's ``watch(world, [values,] s)``: when to look at a copy just launched."""
    return Hook(function, WATCH, SpeculationView)


def notice(function: Function) -> Hook:
    """Declare a speculation rule's ``notice(world, [values,] s)``: look at a copy; when to look again."""
    return Hook(function, WATCH, SpeculationView)


def copy_ended(function: Function) -> Hook:
    """Declare a speculation rule's ``copy_ended(world, [values,] s, won)``."""
    return Hook(function, COPY_ENDED, SpeculationView)


def choose(function: Function) -> Hook:
    """Declare a speculation rule's ``choose(world, [values,] j)``: lead of the task to copy, or -1."""
    return Hook(function, CHOOSE, SpeculationView)


def drop(function: Function) -> Hook:
    """Declare a speculation rule's ``drop(world, [values,] j)``: slot of the copy that makes room, or -1."""
    return Hook(function, CHOOSE, SpeculationView)


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
