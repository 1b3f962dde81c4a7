"""Sorted queue inside record arrays, for members that mostly arrive in order: O(1) then.

The members of queue `q` stand in a ring, in the order of `sim.kernel.heap.precedes`: ``roots[q]`` is the
first, -1 if there is none, and the last one stands before it. The fields are `next` and `prev` of their
records. A member that arrives out of order is moved forward from the end.
"""

from __future__ import annotations

from sim.kernel.compile import inlined, kernel
from sim.kernel.heap import precedes

# The sorted front of the calendar: the events of days already reached, in a binary heap.
#
# Each item knows its place in the heap, so that any can be taken out. The order of events is total: time,
# then finishes before notices, then job, task, copy.

#: What the field `prev` of an item says beside an item filed before it: it is the first of its bucket, the
#: first of those that are far, on no calendar, or at place p of the front (as ``FRONT - p``). One field for
#: all keeps a slot's two items in half a cache line.
FIRST, FIRST_FAR, ABSENT, FRONT = -1, -2, -3, -4


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
def join_front(world, item):
    """Add an item of a day already reached to the sorted front."""
    c = world.cluster[0]
    place = c.front
    world.front[place] = item
    c.front = place + 1
    rise(world.items, world.front, world.slots, place)


@inlined
def leave_front(world, item):
    """Take an item off the front, wherever it stands."""
    c = world.cluster[0]
    items, front, slots = world.items, world.front, world.slots
    place = FRONT - items[item].prev
    size = c.front - 1
    c.front = size
    if place < size:
        front[place] = front[size]
        items[front[place]].prev = FRONT - place
        rise(items, front, slots, place)
        sink(items, front, slots, size, place)


@inlined
def take_first(world):
    """Take the first item off the front, which is not empty."""
    c = world.cluster[0]
    items, front = world.items, world.front
    size = c.front - 1
    c.front = size
    items[front[0]].prev = ABSENT
    if size > 0:
        front[0] = front[size]
        sink(items, front, world.slots, size, 0)


@inlined
def soonest(world):
    """Return the next event of the current day, whose events are all on the front, or -1."""
    return world.front[0] if world.cluster[0].front > 0 else -1


@kernel
def append(nodes, roots, q, i):
    """Add node `i`, whose keys are set, to queue `q`."""
    nodes[i].heap = q
    first = roots[q]
    if first < 0:
        nodes[i].next = i
        nodes[i].prev = i
        roots[q] = i
        return
    last = nodes[first].prev
    before = last
    while before != first and precedes(nodes, i, before):
        before = nodes[before].prev
    if before == first and precedes(nodes, i, first):
        before = last
        roots[q] = i
    after = nodes[before].next
    nodes[i].prev = before
    nodes[i].next = after
    nodes[before].next = i
    nodes[after].prev = i


@kernel
def unlink(nodes, roots, i):
    """Take node `i` out of the queue that holds it."""
    q = nodes[i].heap
    after = nodes[i].next
    if after == i:
        roots[q] = -1
    else:
        before = nodes[i].prev
        nodes[before].next = after
        nodes[after].prev = before
        if roots[q] == i:
            roots[q] = after
    nodes[i].heap = -1


@kernel
def last_of(nodes, roots, q):
    """Return the last member of queue `q`, or -1."""
    first = roots[q]
    return nodes[first].prev if first >= 0 else -1
