"""Clones of whole jobs inside the slot engine: a copy of a task does not end the others.

The running copies of a cloned job form a circle through `next_copy` and `back`: the original's, by task, then
those of each clone in the order of launching. So the copies of one clone are neighbours, and a clone is
complete when a copy of it ends that has no neighbour of its number. Each copy leads itself.

Only jobs of which all originals have started in one instant are cloned, each clone with all its tasks at
once; such a job has `wanted` above 1.
"""

from __future__ import annotations

from sim.kernel.compile import kernel


@kernel
def stand_alone(slots, s):
    """Make the copy in slot `s` a circle of its own."""
    slots[s].next_copy = s
    slots[s].back = s


@kernel
def join(slots, first, s):
    """Put slot `s` at the end of the circle that begins with slot `first`."""
    last = slots[first].back
    slots[last].next_copy = s
    slots[s].back = last
    slots[s].next_copy = first
    slots[first].back = s


@kernel
def leave(slots, s):
    """Take slot `s` out of its circle."""
    before = slots[s].back
    after = slots[s].next_copy
    slots[before].next_copy = after
    slots[after].back = before
    stand_alone(slots, s)


@kernel
def completes(slots, s):
    """Tell whether the copy in slot `s` is the last one of its clone that runs."""
    number = slots[s].number
    before = slots[s].back
    after = slots[s].next_copy
    return (before == s or slots[before].number != number) and (after == s or slots[after].number != number)
