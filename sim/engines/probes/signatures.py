"""How the probe engine calls the compiled functions that make up a protocol.

A protocol is `label`, `ask`, `answer` and `update_order`; which task gets an extra copy is decided by a
speculation rule of the slot engine, at the scheduler. As there, the engine is compiled once, and hands its
arrays by one address; as arrays, seven words each, they cost sparrow on 10,000 workers a fifth of its time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
from sim.engines.slots.signatures import (
    CLUSTERS,
    COPIES,
    DELIVERIES,
    INTS,
    ITEMS,
    JOBS,
    PHASES,
    SITES,
    SLOTS,
)
from sim.engines.slots.signatures import HANDED as SEEN
from sim.kernel.hook import FLOATS, Call, array_of, own_arrays
from sim.model.rule import warn_of_old_name
from theory.quoting import quoted

NETWORKS, OWNS, SCHEDULERS, WORKERS, ENTRIES, SEATS, RING, MOVES, LINES = map(
    array_of, (NETWORK, OWN, SCHEDULER, WORKER, RESERVATION, SEAT, MESSAGE, MOVED, LINE)
)

#: The arrays that protocols and speculation rules may see, by name; those of the latter first, as in the slot
#: engine, so that both read one table (`sim.kernel.hook`).
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
#: Then its seat says for which job, by which reservation, and whether that may be refused. What it sees of
#: jobs and schedulers no message has told its worker: it is for measuring what that would be worth.
ask = Call(types.int64, "s", "cluster net jobs schedulers workers entries seats asked", HANDED)
#: `TAKEN`, `REFUSED` or `SPENT`, for a job that has something to run.
answer = Call(types.int64, "j firm", "cluster net jobs schedulers", HANDED)
#: Job `j` may have another place.
update_order = Call(types.void, "j", "cluster net jobs job_heaps", HANDED)


# All arrays that the probe engine reads and writes, as one named tuple.


class World(NamedTuple):
    """The arrays of a run; the functions of the engine are handed all of them."""

    cluster: Any
    net: Any
    jobs: Any
    own: Any
    slots: Any
    seats: Any
    # the calendar of finishes and looks (sim.kernel.calendar), and the messages on their way
    items: Any
    buckets: Any
    front: Any
    ring: Any
    # what schedulers keep: a heap of jobs that want a slot each; the speculation rule's queues; phases,
    # outputs on their way and lists of the tasks that may start (sim.kernel.phases); and of each of these
    # the first of those probed for with it
    schedulers: Any
    job_heaps: Any
    slot_heaps: Any
    store: Any
    phases: Any
    deliveries: Any
    ready: Any
    batch: Any
    # what workers keep
    workers: Any
    entries: Any
    bins: Any
    asked: Any
    moved: Any
    coming: Any  # workers drawn for the next probes
    # what is reported
    jump: Any
    rest: Any
    holding: Any
    present: Any  # as in `sim.engines.slots.world`
    log: Any
    lines: Any
    # what is given
    law: Any
    task_size: Any
    sites: Any
    table: Any  # as in `sim.engines.slots.world`


TABLE = types.float64[:, ::1]
#: Its compiled type, in the same order.
WORLD = types.NamedTuple(
    (
        CLUSTERS,
        NETWORKS,
        JOBS,
        OWNS,
        SLOTS,
        SEATS,
        ITEMS,
        INTS,
        INTS,
        RING,
        SCHEDULERS,
        INTS,
        INTS,
        FLOATS,
        PHASES,
        DELIVERIES,
        INTS,
        INTS,
        WORKERS,
        ENTRIES,
        INTS,
        INTS,
        MOVES,
        INTS,
        TABLE,
        TABLE,
        FLOATS,
        INTS,
        COPIES,
        LINES,
        FLOATS,
        FLOATS,
        SITES,
        types.int64[::1],
    ),
    World,
)
