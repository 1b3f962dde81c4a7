"""The signatures of the compiled functions that make up a protocol of the probe engine.

A protocol is `label`, `ask`, `answer` and `update_order`; which task gets an extra copy is decided by a
speculation rule of the slot engine, at the scheduler. As there, the engine is compiled once, and hands its
arrays by one address; as arrays, seven words each, they cost sparrow on 10,000 workers a fifth of its time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numba import from_dtype, types

from sim.kernel.hook import Hook
from sim.probes.records import (
    LINE,
    MESSAGE,
    MOVED,
    NETWORK,
    OWN,
    RESERVATION,
    SCHEDULER,
    SEAT,
    WORKER,
)
from sim.rule import warn_of_old_name
from sim.slots.signatures import FLOATS, INTS
from sim.slots.signatures import HANDED as SEEN
from theory.shown import quoted


def _array(dtype: Any) -> types.Array:
    return types.Array(from_dtype(dtype), 1, "C")


NETWORKS, OWNS, SCHEDULERS, WORKERS, ENTRIES, SEATS, RING, MOVES, LINES = map(
    _array, (NETWORK, OWN, SCHEDULER, WORKER, RESERVATION, SEAT, MESSAGE, MOVED, LINE)
)

#: The arrays that protocols and speculation rules may see, by name; those of the latter first, as in the slot
#: engine, so that both read one table (`sim.kernel.handing`).
HANDED = SEEN | {
    "net": NETWORKS,
    "schedulers": SCHEDULERS,
    "workers": WORKERS,
    "entries": ENTRIES,
    "seats": SEATS,
    "asked": INTS,
    "numbers": FLOATS,
}
_INT = types.int64
#: What the engine calls: the address of its arrays, then what varies.
LABEL = types.float64(_INT, _INT)
ASK = _INT(_INT, _INT)
ANSWER = _INT(_INT, _INT, _INT)
UPDATE_ORDER = types.void(_INT, _INT)


class LabelView(NamedTuple):
    """The part of the world that `label` may see."""

    cluster: Any
    jobs: Any


class AskView(NamedTuple):
    """The part of the world that `ask` may see."""

    cluster: Any
    net: Any
    workers: Any
    entries: Any
    seats: Any
    asked: Any


class AnswerView(NamedTuple):
    """The part of the world that `answer` may see."""

    cluster: Any
    net: Any
    jobs: Any
    schedulers: Any


class UpdateOrderView(NamedTuple):
    """The part of the world that `update_order` may see."""

    cluster: Any
    net: Any
    jobs: Any
    job_heaps: Any


class ProbeHook(Hook):
    """A function of a protocol."""

    handed = HANDED
    numbers = "numbers"


Function = Callable[..., Any]


def __getattr__(name: str) -> Any:
    if name != "refile":
        raise AttributeError(f"{__name__} has no {quoted(name)}")
    warn_of_old_name(name, "update_order")
    return update_order


def label(function: Function) -> ProbeHook:
    """Declare a protocol's ``label(world, [values,] j)``: what a message says of a job, smaller first."""
    return ProbeHook(function, LABEL, LabelView)


def ask(function: Function) -> ProbeHook:
    """Declare a protocol's ``ask(world, [values,] s)``: whether the free slot `s` asks a scheduler.

    It is called if there is a reservation in the worker's queue, or the slot has heard of a job (`hint`).
    Then its seat says for which job, by which reservation, and whether that may be refused.
    """
    return ProbeHook(function, ASK, AskView)


def answer(function: Function) -> ProbeHook:
    """Declare a protocol's ``answer(world, [values,] j, firm)``: `TAKEN`, `REFUSED` or `SPENT`.

    It is called for a job that has something to run.
    """
    return ProbeHook(function, ANSWER, AnswerView)


def update_order(function: Function) -> ProbeHook:
    """Declare a protocol's ``update_order(world, [values,] j)``: job `j` may have another place."""
    return ProbeHook(function, UPDATE_ORDER, UpdateOrderView)
