"""All arrays that the slot engine reads and writes, as one named tuple."""

from __future__ import annotations

import math
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
from sim.kernel.calendar import schedule, withdraw
from sim.kernel.compile import inlined
from sim.kernel.hook import FLOATS, handed

# Calls of a speculation rule by the engines: about a slot or a job, and when copies end.


@inlined
def ask_rule(world, hook, index):
    """Call a hook of the speculation rule about a slot or a job; return its answer."""
    return hook(handed(world.table), index)


@inlined
def tell_end(world, on_copy_end, s, won):
    """Tell the speculation rule that the copy in slot `s` ends, as the first of its task or not."""
    on_copy_end(handed(world.table), s, won)


@inlined
def tell_ends(world, on_copy_end, task_slot, winner):
    """Tell the speculation rule which copies of a task end, as far as it wants to know."""
    c = world.cluster[0]
    slots = world.slots
    if c.hears_every_copy_end:
        s = task_slot
        while True:
            tell_end(world, on_copy_end, s, 1 if s == winner else 0)
            s = slots[s].next_copy
            if s == task_slot:
                break
    elif c.checking and slots[task_slot].heap >= 0:  # a task is filed by its task slot only
        tell_end(world, on_copy_end, task_slot, 1 if task_slot == winner else 0)


@inlined
def plan_look(world, s, time):
    """Let the speculation rule look at the copy in slot `s` at `time`, unless that is never."""
    if time < math.inf:
        schedule(world, 2 * s + 1, time)


@inlined
def wake(world):
    """Let the speculation rule look at the slot it asked for while it looked at something else, if it did."""
    c = world.cluster[0]
    if c.wake >= 0:
        withdraw(world, 2 * c.wake + 1)
        schedule(world, 2 * c.wake + 1, c.wake_time)
        c.wake = -1


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
    # stages that wait for one another (sim.engines.slots.arriving)
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
    #: Straggle factors drawn ahead (sim.engines.slots.launching).
    luck: Any
    law: Any
    #: Bounds of straggle factors (`sim.engines.slots.launching`).
    least_factors: Any
    task_size: Any
    #: Where rules find the arrays they may see (`sim.kernel.hook`).
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
