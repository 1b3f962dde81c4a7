"""Event calendar: a calendar queue with a small sorted front (Brown 1988, CACM 31(10)).

Item 2 s is the finish of the copy in slot s, item 2 s + 1 the moment a rule looks at it. Time is cut
into days, days are filed in a ring of buckets (a year), and only the events of days already reached
are sorted, in a binary heap. Any event can be withdrawn in O(1). The length of a day adapts to the
events met; it moves speed, never results, because the order of events is total: time, then finishes
before notices, then job, task, copy.
"""

from __future__ import annotations

from sim.kernel.compile import inlined, kernel
from sim.kernel.prefetch import prefetch

#: What the field `prev` of an item says beside an item filed before it: it is the first of its bucket,
#: on no calendar, or at place p of the front (as ``FRONT - p``). One field for all keeps a slot's two
#: items in half a cache line.
FIRST, ABSENT, FRONT = -1, -2, -3
#: No event is later than this day; one that would be waits here.
LAST_DAY = 1 << 62
#: How many days ahead records are asked for, in three steps, each with what the one before has brought.
SOON = (2, 4, 6)
#: Slots whose records the processor's own cache holds, so that asking ahead is not worth its time.
NEAR = 5000
#: Days are resized when finding an event takes more visits than this, or a visit finds more events.
TOLERANCE = 3.0


@inlined
def day_of(cluster, time):
    """Day in which `time` lies."""
    day = time * cluster[0].days_per_time
    return LAST_DAY if day >= 4.0e18 else int(day)


@kernel
def sooner(items, slots, a, b):
    """Tell whether item `a` happens before item `b`."""
    if items[a].time != items[b].time:
        return items[a].time < items[b].time
    if (a & 1) != (b & 1):
        return (a & 1) == 0
    x = slots[a >> 1]
    y = slots[b >> 1]
    if x.job != y.job:
        return x.job < y.job
    if x.task != y.task:
        return x.task < y.task
    return x.number < y.number


@inlined
def rise(items, front, slots, place):
    """Move the item at `place` of the front towards the top until it is in order."""
    item = front[place]
    while place > 0:
        above = (place - 1) >> 1
        if not sooner(items, slots, item, front[above]):
            break
        front[place] = front[above]
        items[front[place]].prev = FRONT - place
        place = above
    front[place] = item
    items[item].prev = FRONT - place


@kernel
def sink(items, front, slots, size, place):
    """Move the item at `place` of the front away from the top until it is in order."""
    item = front[place]
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and sooner(items, slots, front[below + 1], front[below]):
            below += 1
        if not sooner(items, slots, front[below], item):
            break
        front[place] = front[below]
        items[front[place]].prev = FRONT - place
        place = below
    front[place] = item
    items[item].prev = FRONT - place


@inlined
def join_front(cluster, items, front, slots, item):
    """Add an item of a day already reached to the sorted front."""
    place = cluster[0].front
    front[place] = item
    cluster[0].front = place + 1
    rise(items, front, slots, place)


@inlined
def schedule(cluster, items, buckets, front, slots, item, time):
    """Enter an item that is not on the calendar, to happen at `time`."""
    items[item].time = time
    day = day_of(cluster, time)
    if day <= cluster[0].day:
        join_front(cluster, items, front, slots, item)
        return
    bucket = day & cluster[0].mask
    after = buckets[bucket]
    items[item].next = after
    items[item].prev = FIRST
    if after >= 0:
        items[after].prev = item
    buckets[bucket] = item
    cluster[0].filed += 1


@inlined
def unfile(cluster, items, buckets, item, bucket):
    """Take an item out of its bucket."""
    before = items[item].prev
    after = items[item].next
    if before >= 0:
        items[before].next = after
    else:
        buckets[bucket] = after
    if after >= 0:
        items[after].prev = before
    cluster[0].filed -= 1


@inlined
def withdraw(cluster, items, buckets, front, slots, item):
    """Take an item off the calendar, wherever it stands; nothing happens if it is not there."""
    if items[item].prev == ABSENT:
        return
    if items[item].prev >= FIRST:
        unfile(cluster, items, buckets, item, day_of(cluster, items[item].time) & cluster[0].mask)
    else:
        place = FRONT - items[item].prev
        size = cluster[0].front - 1
        cluster[0].front = size
        if place < size:
            front[place] = front[size]
            items[front[place]].prev = FRONT - place
            rise(items, front, slots, place)
            sink(items, front, slots, size, place)
    items[item].prev = ABSENT


@inlined
def open_day(cluster, items, buckets, front, slots):
    """Move the events of the current day from their bucket to the front."""
    day = cluster[0].day
    bucket = day & cluster[0].mask
    item = buckets[bucket]
    while item >= 0:
        after = items[item].next
        if day_of(cluster, items[item].time) <= day:
            unfile(cluster, items, buckets, item, bucket)
            join_front(cluster, items, front, slots, item)
        item = after


@kernel
def first_filed_day(cluster, items):
    """Earliest day of a filed event."""
    day = LAST_DAY
    for item in range(items.size):
        if items[item].prev >= FIRST:
            day = min(day, day_of(cluster, items[item].time))
    return day


@inlined
def look_ahead(cluster, items, buckets, slots):
    """Ask for the records that the next days' events will need: the event, its slot, its task's slots."""
    day = cluster[0].day
    item = buckets[(day + SOON[2]) & cluster[0].mask]
    if item >= 0:
        prefetch(items, item)
        prefetch(slots, item >> 1)
    item = buckets[(day + SOON[1]) & cluster[0].mask]
    if item >= 0:
        prefetch(slots, slots[item >> 1].lead)
    item = buckets[(day + SOON[0]) & cluster[0].mask]
    if item >= 0:
        lead = slots[slots[item >> 1].lead]
        for s in (lead.twin, lead.second_last, lead.third_last):
            prefetch(slots, s)
            prefetch(items, 2 * s)


@inlined
def next_item(cluster, items, buckets, front, slots, until):
    """Return the next event if it can be no later than `until`, else -1 (it stays on the calendar).

    The event returned may still be later than `until`: only whole days are looked at.
    """
    if cluster[0].front > 0:
        return front[0]
    if cluster[0].filed == 0:
        return -1
    last = day_of(cluster, until)
    empty = 0
    while cluster[0].day < last:
        cluster[0].day += 1
        cluster[0].visits += 1
        if slots.size > NEAR:
            look_ahead(cluster, items, buckets, slots)
        if buckets[cluster[0].day & cluster[0].mask] >= 0:
            open_day(cluster, items, buckets, front, slots)
            if cluster[0].front > 0:
                return front[0]
        empty += 1
        if empty > cluster[0].mask:  # a whole year without an event: go to the next one directly
            cluster[0].day = min(first_filed_day(cluster, items), last) - 1
            empty = 0
    return -1


@kernel
def resize_days(cluster, items, buckets, front, slots):
    """Make days longer or shorter if the events met since the last look ask for it."""
    pops = cluster[0].pops
    visits = cluster[0].visits
    cluster[0].pops = 0
    cluster[0].visits = 0
    ratio = (visits + 1.0) / (pops + 1.0)
    if 1.0 / TOLERANCE < ratio < TOLERANCE:
        return
    for bucket in range(buckets.size):
        buckets[bucket] = -1
    for place in range(cluster[0].front):  # these, too, may belong to a day not yet reached
        items[front[place]].prev = FIRST
    cluster[0].front = 0
    cluster[0].days_per_time /= ratio
    cluster[0].day = day_of(cluster, cluster[0].now)
    cluster[0].filed = 0
    for item in range(items.size):
        if items[item].prev >= FIRST:
            schedule(cluster, items, buckets, front, slots, item, items[item].time)
