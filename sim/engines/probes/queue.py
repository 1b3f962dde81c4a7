"""Workers' queues of reservations, in order of arrival: segments of one array, searched when a slot is free.

A queue holds a handful of reservations whose values change as news arrives, so looking at all of them,
side by side in memory, is cheaper than keeping them in order of value. A segment that is full moves to
one of twice the capacity; segments left are kept in `bins`, by the binary logarithm of their capacity.
"""

from __future__ import annotations

from sim.kernel.compile import inlined, kernel
from sim.kernel.streams import uniform

#: Room of the smallest segment, which each worker has from the start: few ever need more, and these are whole
#: cache lines.
LEAST = 8


@inlined
def count_time(cluster, net, change):
    """Let `change` reservations join the queues now, for their mean length in the window."""
    n = net[0]
    until = min(max(cluster[0].now, n.opens), n.closes)
    if until > n.queue_clock:
        n.area_queued += n.queued * (until - n.queue_clock)
        n.queue_clock = until
    n.queued += change


@kernel
def bin_of(capacity):
    """Bin of the segments with this capacity."""
    k = 0
    while capacity > 1:
        capacity >>= 1
        k += 1
    return k


@kernel
def widen(net, workers, entries, bins, w):
    """Give worker `w` a segment of twice the capacity, for which the array has a place."""
    worker = workers[w]
    capacity = 2 * worker.capacity
    k = bin_of(capacity)
    place = bins[k]
    if place >= 0:
        bins[k] = entries[place].job
    else:
        place = net[0].top
        net[0].top += capacity
    old = worker.segment
    for i in range(worker.queued):
        move(entries, old + i, place + i)
    k = bin_of(worker.capacity)
    entries[old].job = bins[k]
    bins[k] = old
    worker.segment = place
    worker.capacity = capacity
    net[0].widest = max(net[0].widest, capacity)


@inlined
def move(entries, source, target):
    """Copy a reservation."""
    a = entries[source]
    b = entries[target]
    b.value = a.value
    b.as_of = a.as_of
    b.job = a.job
    b.scheduler = a.scheduler


@inlined
def is_full(net, entries):
    """Tell whether the next reservation might find no place in the array."""
    return net[0].top + 2 * net[0].widest > entries.size


@inlined
def enqueue(cluster, net, workers, entries, bins, w, value, as_of, j):
    """Add a reservation to the end of the queue of worker `w`; the array must not be full."""
    worker = workers[w]
    if worker.queued == worker.capacity:
        widen(net, workers, entries, bins, w)
    entry = entries[worker.segment + worker.queued]
    entry.value = value
    entry.as_of = as_of
    entry.job = j
    entry.scheduler = j % net[0].schedulers
    worker.queued += 1
    count_time(cluster, net, 1)


@inlined
def drop(cluster, net, workers, entries, w, e):
    """Take the reservation at `e` out of the queue of worker `w`."""
    worker = workers[w]
    worker.queued -= 1
    for k in range(e, worker.segment + worker.queued):
        move(entries, k + 1, k)
    count_time(cluster, net, -1)


@inlined
def take(cluster, net, workers, entries, seats, s, e):
    """Hand the reservation at `e` to the free slot `s` of its worker, which asks for its job."""
    entry = entries[e]
    seat = seats[s]
    seat.job = entry.job
    seat.value = entry.value
    seat.as_of = entry.as_of
    seat.holds = 1
    drop(cluster, net, workers, entries, seat.worker, e)


@inlined
def take_oldest(cluster, net, workers, entries, seats, s):
    """Hand the oldest reservation of its worker to the free slot `s`; return 0 if there is none."""
    w = seats[s].worker
    if workers[w].queued == 0:
        return 0
    seats[s].firm = 0
    take(cluster, net, workers, entries, seats, s, workers[w].segment)
    return 1


@inlined
def smaller(a, b):
    """Tell whether reservation `a` comes before `b`, which arrived earlier: by value, then job."""
    if a.value != b.value:
        return a.value < b.value
    return a.job < b.job


@inlined
def smallest(workers, entries, w):
    """Reservation of worker `w` that comes first, -1 if there is none."""
    worker = workers[w]
    best = -1
    for e in range(worker.segment, worker.segment + worker.queued):
        if best < 0 or smaller(entries[e], entries[best]):
            best = e
    return best


@inlined
def is_asked(asked, first, count, scheduler):
    """Tell whether a scheduler is among the `count` remembered from `first` on."""
    for k in range(first, first + count):  # noqa: SIM110  (kernels have no generators)
        if asked[k] == scheduler:
            return True
    return False


@inlined
def smallest_unasked(net, workers, entries, asked, w, s, refused):
    """Reservation that comes first among those of schedulers slot `s` has not asked, -1 if none."""
    worker = workers[w]
    best = -1
    first = s * net[0].asked
    for e in range(worker.segment, worker.segment + worker.queued):
        if (best < 0 or smaller(entries[e], entries[best])) and not is_asked(
            asked, first, refused, entries[e].scheduler
        ):
            best = e
    return best


@kernel
def weighted(net, workers, entries, w):
    """Reservation of worker `w` drawn with its value as weight, -1 if there is none."""
    worker = workers[w]
    if worker.queued == 0:
        return -1
    last = worker.segment + worker.queued
    total = 0.0
    for e in range(worker.segment, last):
        total += entries[e].value
    net[0].draws += 1
    target = uniform(net[0].luck, net[0].draws, 0) * total
    for e in range(worker.segment, last):
        target -= entries[e].value
        if target < 0.0:
            return e
    return last - 1
