"""What every protocol of the probe engine is made of: compiled functions of these few signatures.

A protocol is `label`, `ask`, `answer` and `refile`; which task gets an extra copy is decided by a
speculation rule of the slot engine, at the scheduler. As there, the engine is compiled once, and hands its
arrays by one address; as arrays, seven words each, they cost sparrow on 10,000 workers a fifth of its time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import from_dtype, types

from sim.kernel.compile import Rule
from sim.kernel.handing import reader, taking
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
from sim.slots.signatures import FLOATS, INTS
from sim.slots.signatures import HANDED as SEEN


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
REFILE = types.void(_INT, _INT)


#: What a function of each of these signatures is called with: arrays of the world, then what varies.
TAKES = {
    LABEL: (("cluster", "jobs"), ("j",)),
    ASK: (("cluster", "net", "workers", "entries", "seats", "asked", "numbers"), ("s",)),
    ANSWER: (("cluster", "net", "jobs", "schedulers", "numbers"), ("j", "firm")),
    REFILE: (("cluster", "net", "jobs", "job_heaps", "numbers"), ("j",)),
}


class Handed(Rule):
    """A protocol's function: what the engine calls finds the arrays it takes in the world's table."""

    def _made(self) -> Any:
        """Compile what the engine calls."""
        arrays, rest = TAKES[self.signature]
        words = [*(f"{name}(world)" for name in arrays), *rest]
        scope = {name: reader(tuple(HANDED), name, HANDED[name]) for name in arrays}
        return taking(self.function, self.signature, words, rest, scope, self.function.__name__)


Function = Callable[..., Any]


def label(function: Function) -> Rule:
    """Declare a protocol's ``label(cluster, jobs, j)``: what a message says of a job, smaller first."""
    return Handed(function, LABEL)


def ask(function: Function) -> Rule:
    """Declare a protocol's `ask`: whether the free slot `s` asks anybody.

    It is called if there is a reservation in the worker's queue, or the slot has heard of a job (`hint`).
    Then its seat says for which job, by which reservation, and whether that may be refused.
    """
    return Handed(function, ASK)


def answer(function: Function) -> Rule:
    """Declare a protocol's `answer` for a job that has something to run: `TAKEN`, `REFUSED` or `SPENT`."""
    return Handed(function, ANSWER)


def refile(function: Function) -> Rule:
    """Declare a protocol's `refile`: file a job again after something happened to it."""
    return Handed(function, REFILE)
