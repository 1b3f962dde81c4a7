"""Event calendar: a calendar queue with a small sorted front (Brown 1988, CACM 31(10)).

Item 2 s is the finish of the copy in slot s, item 2 s + 1 the moment a rule looks at it. Time is cut
into days, days are filed in a ring of buckets (a year), and only the events of days already reached
are sorted (`sim.kernel.queue`). Any event can be withdrawn in O(1). The length of a day adapts to the
events met; it moves speed, never results, because the order of events is total.

What is more than a year away is far: it waits in a bucket of its own, behind those of the ring, until a
year begins in which it happens. So whatever is in the bucket of a day belongs to that day. Under a heavy tail
a third of all events are far, which would else be met, and left, in one bucket out of ten.

Which days have events is looked up for a group of days at once, when the group begins, and kept as bits that
`schedule` adds to. To ask one bucket after the other is to guess at each, and to look up the group for each
event is to wait until the last bucket has been written. `srpt+none` on 1,000 slots takes 1.07 of its time
where far events are filed among the others, and 1.08 where every bucket is asked. The probe engine has
messages between most events: it goes from day to day (`next_item_by_day`), in a year without end.

Behind the items of the slots there is a spare one: what would be noted of the neighbour that an item does not
have is noted there. So no branch depends on whether a bucket was empty. It would be guessed wrong every third
time, and only when the duration of a copy is known.
"""

from __future__ import annotations

from sim.kernel.compile import inlined, kernel
from sim.kernel.deliveries import prefetch
from sim.kernel.queue import ABSENT, FIRST, FIRST_FAR, FRONT, join_front, leave_front
from sim.kernel.streams import GROUP, lowest_bit, not_negative

#: No event is later than this day; one that would be waits here.
LAST_DAY = 1 << 61
#: A year in which no event is far.
ENDLESS = 1 << 62
#: Prefetch distances in days: the item, then its slot, then its job, each found by the one before.
SOON = (2, 4, 6)
#: Slots whose records the processor's own cache holds, so that asking ahead is not worth its time.
NEAR = 4000
#: Days are resized when finding an event takes more visits than this, or a visit finds more events.
TOLERANCE = 3.0
#: The bit of a group's last day.
LAST_OF_GROUP = 1 << (GROUP - 1)


@inlined
def day_of(cluster, time):
    """Day in which `time` lies."""
    day = time * cluster[0].days_per_time
    return LAST_DAY if day >= 2.0e18 else int(day)


@inlined
def neighbour(items, item):
    """Return an item that may be -1, or the spare one in its place."""
    return item if item >= 0 else items.size - 1


@inlined
def schedule(world, item, time):
    """Enter an item that is not on the calendar, to happen at `time`."""
    c = world.cluster[0]
    items, buckets = world.items, world.buckets
    items[item].time = time
    day = day_of(world.cluster, time)
    if day <= c.day:
        join_front(world, item)
        return
    far = day > c.day + c.year
    bucket = c.mask + 1 if far else day & c.mask
    after = buckets[bucket]
    items[item].next = after
    items[item].prev = FIRST_FAR if far else FIRST
    items[neighbour(items, after)].prev = item
    buckets[bucket] = item
    c.filed += 1
    if (day ^ (c.day + 1)) < GROUP:  # of the same group
        c.ahead |= 1 << (day & (GROUP - 1))


@inlined
def unfile(world, item, bucket):
    """Take an item out of its bucket."""
    items = world.items
    before = items[item].prev
    after = items[item].next
    if before >= 0:
        items[before].next = after
    else:
        world.buckets[bucket if before == FIRST else world.cluster[0].mask + 1] = after
    items[neighbour(items, after)].prev = before
    world.cluster[0].filed -= 1


@inlined
def withdraw(world, item):
    """Take an item off the calendar, wherever it stands; nothing happens if it is not there."""
    c = world.cluster[0]
    items = world.items
    if items[item].prev == ABSENT:
        return
    if items[item].prev >= FIRST_FAR:
        unfile(world, item, day_of(world.cluster, items[item].time) & c.mask)
    else:
        leave_front(world, item)
    items[item].prev = ABSENT


@inlined
def open_day(world):
    """Move the events of the current day, which has at least one, from their bucket to the empty front."""
    c = world.cluster[0]
    item = world.buckets[c.day & c.mask]
    world.buckets[c.day & c.mask] = -1
    world.front[0] = item
    world.items[item].prev = FRONT
    c.front = 1
    c.filed -= 1
    item = world.items[item].next
    while item >= 0:
        after = world.items[item].next
        c.filed -= 1
        join_front(world, item)
        item = after


@inlined
def open_mixed_day(world):
    """Move the events of the current day to the front from its bucket, in which others may be, too."""
    c = world.cluster[0]
    items = world.items
    bucket = c.day & c.mask
    item = world.buckets[bucket]
    while item >= 0:
        after = items[item].next
        if day_of(world.cluster, items[item].time) <= c.day:
            unfile(world, item, bucket)
            join_front(world, item)
        item = after


@kernel
def begin_year(world):
    """File those of the far events in the ring that happen within the year behind the current day."""
    c = world.cluster[0]
    items = world.items
    far = c.mask + 1
    item = world.buckets[far]
    while item >= 0:
        after = items[item].next
        if day_of(world.cluster, items[item].time) <= c.day + c.year:
            unfile(world, item, far)
            schedule(world, item, items[item].time)
        item = after


@inlined
def begin_group(world):
    """Note which days of the next group have events; where a year begins, a group does, too."""
    c = world.cluster[0]
    if (c.day + 1) & c.mask == 0:
        begin_year(world)
    c.ahead = not_negative(world.buckets, (c.day + 1) & c.mask)


@inlined
def next_used_day(cluster):
    """Return the next day that may have events, but at most the last one of its group."""
    c = cluster[0]
    return ((c.day + 1) & -GROUP) + lowest_bit(c.ahead | LAST_OF_GROUP)


@inlined
def pass_days(world, day):
    """Go to a day, none before which has events; on large clusters look ahead on each on the way."""
    c = world.cluster[0]
    c.visits += day - c.day
    if world.slots.size > NEAR:
        while c.day < day:
            c.day += 1
            look_ahead(world)
    c.day = day


@kernel
def first_filed_day(cluster, items):
    """Earliest day of a filed event."""
    day = LAST_DAY
    for item in range(items.size - 1):
        if items[item].prev >= FIRST_FAR:
            day = min(day, day_of(cluster, items[item].time))
    return day


@inlined
def first_of(world, day):
    """First item in the bucket of a day; any item if it is empty, since asking for it does no harm."""
    return max(world.buckets[day & world.cluster[0].mask], 0)


@inlined
def look_ahead(world):
    """Ask for the records that the next days' events will need: the event, its slot, its task's slots.

    Of a bucket that is the first event, and the second. No branch depends on whether there is one: it would
    be guessed wrong every other time, which costs more than to ask for nothing. `srpt+none` on 100,000 slots
    takes 1.3 of its time where branches decide and the second is left out.
    """
    day, items, slots = world.cluster[0].day, world.items, world.slots
    item = first_of(world, day + SOON[2])
    prefetch(items, item)
    prefetch(slots, item >> 1)
    item = first_of(world, day + SOON[1])
    second = max(items[item].next, 0)
    prefetch(items, second)
    prefetch(slots, second >> 1)
    prefetch(slots, slots[item >> 1].task_slot)
    item = first_of(world, day + SOON[0])
    task_slot = slots[slots[item >> 1].task_slot]
    for s in (task_slot.next_copy, task_slot.second_last, task_slot.third_last):
        prefetch(slots, s)
        prefetch(items, 2 * s)


@inlined
def next_item(world, until):
    """Return the next event if it can be no later than `until`, else -1 (it stays on the calendar).

    The event returned may still be later than `until`: only whole days are looked at. `cluster.year` is the
    number of days in the ring.
    """
    c = world.cluster[0]
    if c.front > 0:
        return world.front[0]
    if c.filed == 0:
        return -1
    last = day_of(world.cluster, until)
    empty = 0
    while c.day < last:
        if (c.day + 1) & (GROUP - 1) == 0:
            begin_group(world)
        day = next_used_day(world.cluster)
        pass_days(world, min(day, last))
        if day > last:
            return -1
        c.ahead &= c.ahead - 1
        if world.buckets[day & c.mask] >= 0:
            open_day(world)
            return world.front[0]
        empty += 1
        if empty * GROUP > c.mask:  # a year without an event: go to the next one directly
            jump(world, last)
            empty = 0
    return -1


@inlined
def next_item_by_day(world, until, look_ahead):
    """Return what `next_item` does, day by day; on large clusters call `look_ahead` on each that is reached.

    Where messages come between most events, it is not worth the time to look at a group of days at once, nor
    to keep far events apart: `cluster.year` is `ENDLESS`, and a bucket may have events of several rounds.
    """
    c = world.cluster[0]
    if c.front > 0:
        return world.front[0]
    if c.filed == 0:
        return -1
    last = day_of(world.cluster, until)
    empty = 0
    while c.day < last:
        c.day += 1
        c.visits += 1
        if world.slots.size > NEAR:
            look_ahead(world)
        if world.buckets[c.day & c.mask] >= 0:
            open_mixed_day(world)
            if c.front > 0:
                return world.front[0]
        empty += 1
        if empty > c.mask:
            c.day = min(first_filed_day(world.cluster, world.items), last) - 1
            empty = 0
    return -1


@kernel
def jump(world, last):
    """Go to the group of the earliest event, or to that of the last day that is asked for."""
    c = world.cluster[0]
    first = min(first_filed_day(world.cluster, world.items), last)
    c.day = max(c.day, (first & -GROUP) - 1)
    begin_year(world)


@kernel
def resize_days(world):
    """Make days longer or shorter if the events met since the last look ask for it."""
    c = world.cluster[0]
    items, buckets = world.items, world.buckets
    ratio = (c.visits + 1.0) / (c.pops + 1.0)
    c.pops = 0
    c.visits = 0
    if 1.0 / TOLERANCE < ratio < TOLERANCE:
        return
    for bucket in range(buckets.size):
        buckets[bucket] = -1
    for place in range(c.front):  # these, too, may belong to a day not yet reached
        items[world.front[place]].prev = FIRST
    c.front = 0
    c.days_per_time /= ratio
    c.day = day_of(world.cluster, c.now)
    c.filed = c.ahead = 0
    for item in range(items.size - 1):
        if items[item].prev >= FIRST_FAR:
            schedule(world, item, items[item].time)


@inlined
def resize_if_due(world):
    """Make days longer or shorter after enough events, if these ask for it."""
    c = world.cluster[0]
    if c.pops > world.buckets.size or c.visits > 8 * world.buckets.size:
        resize_days(world)
