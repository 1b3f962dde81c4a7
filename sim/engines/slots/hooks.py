"""Calls of a speculation rule by the engines: about a slot or a job, and when copies end."""

from __future__ import annotations

import math

from sim.kernel.calendar import schedule, withdraw
from sim.kernel.compile import inlined
from sim.kernel.handing import handed


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
