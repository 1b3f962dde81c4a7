"""Binary heap of what happens next to each running job: sorted by time, then kind, then job.

The first `cluster[0].running` records of `events` are the heap; the first of them is the top.
"""

from __future__ import annotations

from sim.kernel.compile import inlined, kernel


@inlined
def sooner(a, time, kind, job):
    """Tell whether event `a` comes before the one with these keys."""
    if a.time != time:
        return a.time < time
    return a.kind < kind or (a.kind == kind and a.job < job)


@inlined
def write(event, time, kind, job):
    """Fill in an event."""
    event.time = time
    event.kind = kind
    event.job = job


@kernel
def push(cluster, events, time, kind, job):
    """Add an event."""
    place = cluster[0].running
    cluster[0].running = place + 1
    while place > 0:
        above = (place - 1) >> 1
        up = events[above]
        if sooner(up, time, kind, job):
            break
        write(events[place], up.time, up.kind, up.job)
        place = above
    write(events[place], time, kind, job)


@kernel
def replace_top(cluster, events, time, kind, job):
    """Put an event in the place of the first one."""
    size = cluster[0].running
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size:
            right = events[below + 1]
            if sooner(right, events[below].time, events[below].kind, events[below].job):
                below += 1
        down = events[below]
        if not sooner(down, time, kind, job):
            break
        write(events[place], down.time, down.kind, down.job)
        place = below
    write(events[place], time, kind, job)


@inlined
def pop(cluster, events):
    """Remove the first event."""
    size = cluster[0].running - 1
    cluster[0].running = size
    if size > 0:
        last = events[size]
        replace_top(cluster, events, last.time, last.kind, last.job)
