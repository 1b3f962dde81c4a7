"""Binary heap of events that are never withdrawn: sorted by time, then `first`, then `second`.

The heap is the first `size` records of `events` (`sim.kernel.records.EVENT`); the first of them is the top.
The caller keeps the size.
"""

from __future__ import annotations

from sim.kernel.compile import inlined, kernel


@inlined
def sooner(event, time, first, second):
    """Tell whether an event comes before the one with these keys."""
    if event.time != time:
        return event.time < time
    return event.first < first or (event.first == first and event.second < second)


@inlined
def write(event, time, first, second):
    """Fill in an event."""
    event.time = time
    event.first = first
    event.second = second


@kernel
def push(events, size, time, first, second):
    """Add an event to a heap of `size`."""
    place = size
    while place > 0:
        above = (place - 1) >> 1
        up = events[above]
        if sooner(up, time, first, second):
            break
        write(events[place], up.time, up.first, up.second)
        place = above
    write(events[place], time, first, second)


@inlined
def is_second(events, place):
    """Return 1 if the event behind `place` comes before the one there, else 0.

    Which of two is first no processor guesses, so that times, which seldom are equal, are compared without
    a branch.
    """
    here, behind = events[place], events[place + 1]
    if here.time == behind.time:
        return 1 if sooner(behind, here.time, here.first, here.second) else 0
    return int(behind.time < here.time)


@kernel
def replace_top(events, size, time, first, second):
    """Put an event in the place of the first one of a heap of `size`."""
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size:
            below += is_second(events, below)
        down = events[below]
        if not sooner(down, time, first, second):
            break
        write(events[place], down.time, down.first, down.second)
        place = below
    write(events[place], time, first, second)


@inlined
def pop(events, size):
    """Remove the first event of a heap of `size`."""
    if size > 1:
        last = events[size - 1]
        replace_top(events, size - 1, last.time, last.first, last.second)
