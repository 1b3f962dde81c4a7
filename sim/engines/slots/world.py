"""All arrays that the slot engine reads and writes, as one named tuple."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from sim.engines.slots.signatures import (
    CLUSTERS,
    COPIES,
    DELIVERIES,
    INTS,
    ITEMS,
    JOBS,
    LEVELS,
    LINKS,
    PHASES,
    REPLICAS,
    SITES,
    SLOTS,
    TASKS,
)
from sim.kernel.hook import FLOATS


class World(NamedTuple):
    """The arrays of a run; the functions of the engine are handed all of them."""

    cluster: Any
    jobs: Any
    slots: Any
    #: Free slots, the one freed last at the end of the first `cluster.free`.
    idle: Any
    # the calendar of finishes and looks (sim.kernel.calendar)
    items: Any
    buckets: Any
    front: Any
    # what the sharing rule keeps
    levels: Any
    order: Any
    job_heaps: Any
    # what the speculation rule keeps
    slot_heaps: Any
    store: Any
    # phases and outputs on their way (sim.kernel.phases), blocks on machines (sim.engines.slots.places)
    phases: Any
    deliveries: Any
    #: Of each job from its `first_task` on: its tasks that may start, in the order in which they do.
    ready: Any
    tasks: Any
    replicas: Any
    # stages that wait for one another (sim.engines.slots.stages)
    links: Any
    children: Any
    # what is reported
    series: Any
    holding: Any
    #: Jobs that were in the system when `holding` was last added to, in the order of their arrival.
    present: Any
    log: Any
    # what is given
    sites: Any
    #: Straggle factors drawn ahead (sim.engines.slots.luck).
    luck: Any
    law: Any
    #: Bounds of straggle factors (`sim.engines.slots.dominated_copies`).
    least_factors: Any
    task_size: Any
    #: Where rules find the arrays they may see (`sim.kernel.handing`).
    table: Any


#: Its compiled type, in the same order.
WORLD = types.NamedTuple(
    (
        CLUSTERS,
        JOBS,
        SLOTS,
        INTS,
        ITEMS,
        INTS,
        INTS,
        LEVELS,
        FLOATS,
        INTS,
        INTS,
        FLOATS,
        PHASES,
        DELIVERIES,
        INTS,
        TASKS,
        REPLICAS,
        LINKS,
        INTS,
        types.float64[:, ::1],
        FLOATS,
        INTS,
        COPIES,
        SITES,
        FLOATS,
        FLOATS,
        FLOATS,
        FLOATS,
        types.int64[::1],
    ),
    World,
)
