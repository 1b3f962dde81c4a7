"""What every protocol of the probe engine is made of: compiled functions of these few signatures.

A protocol is `label`, `ask`, `answer` and `refile`; which task gets an extra copy is decided by a
speculation rule of the slot engine, at the scheduler. As there, the engine is compiled once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import from_dtype, types

from sim.kernel.compile import Rule
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
from sim.slots.signatures import CLUSTERS, FLOATS, INTS, JOBS


def _array(dtype: Any) -> types.Array:
    return types.Array(from_dtype(dtype), 1, "C")


NETWORKS, OWNS, SCHEDULERS, WORKERS, ENTRIES, SEATS, RING, MOVES, LINES = map(
    _array, (NETWORK, OWN, SCHEDULER, WORKER, RESERVATION, SEAT, MESSAGE, MOVED, LINE)
)

#: (cluster, jobs, job) -> what a message says of a job, smaller first at the workers.
LABEL = types.float64(CLUSTERS, JOBS, types.int64)
#: (cluster, network, workers, entries, seats, asked, numbers, slot) -> whether the free slot asks
#: anybody: then its seat says for which job, by which reservation, and whether that may be refused.
ASK = types.int64(CLUSTERS, NETWORKS, WORKERS, ENTRIES, SEATS, INTS, FLOATS, types.int64)
#: (cluster, network, jobs, schedulers, numbers, job, firm) -> `TAKEN`, `REFUSED` or `SPENT`, for a job
#: that has something to run.
ANSWER = types.int64(CLUSTERS, NETWORKS, JOBS, SCHEDULERS, FLOATS, types.int64, types.int64)
#: (cluster, network, jobs, job_heaps, numbers, job): file a job again after something happened to it.
REFILE = types.void(CLUSTERS, NETWORKS, JOBS, INTS, FLOATS, types.int64)

Function = Callable[..., Any]


def label(function: Function) -> Rule:
    """Declare a protocol's `label`."""
    return Rule(function, LABEL)


def ask(function: Function) -> Rule:
    """Declare a protocol's `ask`."""
    return Rule(function, ASK)


def answer(function: Function) -> Rule:
    """Declare a protocol's `answer`."""
    return Rule(function, ANSWER)


def refile(function: Function) -> Rule:
    """Declare a protocol's `refile`."""
    return Rule(function, REFILE)
