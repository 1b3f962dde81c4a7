"""All arrays that the probe engine reads and writes, as one named tuple."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from sim.engines.probes.signatures import (
    ENTRIES,
    LINES,
    MOVES,
    NETWORKS,
    OWNS,
    RING,
    SCHEDULERS,
    SEATS,
    WORKERS,
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
from sim.kernel.hook import FLOATS


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
