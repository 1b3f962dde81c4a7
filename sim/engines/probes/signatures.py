"""How the probe engine calls the compiled functions that make up a protocol.

A protocol is `label`, `ask`, `answer` and `update_order`; which task gets an extra copy is decided by a
speculation rule of the slot engine, at the scheduler. As there, the engine is compiled once, and hands its
arrays by one address; as arrays, seven words each, they cost sparrow on 10,000 workers a fifth of its time.
"""

from __future__ import annotations

from typing import Any

from numba import types

from sim.engines.probes.records import (
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
from sim.engines.slots.signatures import HANDED as SEEN
from sim.engines.slots.signatures import INTS
from sim.kernel.hook import Call, array_of, own_arrays
from sim.model.rule import warn_of_old_name
from theory.shown import quoted

NETWORKS, OWNS, SCHEDULERS, WORKERS, ENTRIES, SEATS, RING, MOVES, LINES = map(
    array_of, (NETWORK, OWN, SCHEDULER, WORKER, RESERVATION, SEAT, MESSAGE, MOVED, LINE)
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
    **own_arrays(""),
}


def __getattr__(name: str) -> Any:
    if name != "refile":
        raise AttributeError(f"{__name__} has no {quoted(name)}")
    warn_of_old_name(name, "update_order")
    return update_order


#: What a message says of a job, smaller first.
label = Call(types.float64, "j", "cluster jobs", HANDED)
#: Whether the free slot `s` asks, where its worker has a reservation or the slot has heard of a job (`hint`).
#: Then its seat says for which job, by which reservation, and whether that may be refused.
ask = Call(types.int64, "s", "cluster net workers entries seats asked", HANDED)
#: `TAKEN`, `REFUSED` or `SPENT`, for a job that has something to run.
answer = Call(types.int64, "j firm", "cluster net jobs schedulers", HANDED)
#: Job `j` may have another place.
update_order = Call(types.void, "j", "cluster net jobs job_heaps", HANDED)
