"""Common parts of the rules of real systems, which judge a task set by its finished tasks at clock times.

A task set (`sim.engines.slots.arriving`) has a segment of `store`: counters, then the durations of its
finished tasks as the two heaps of `known_durations`. Its running originals without a copy are *watched*, in
a heap of the set; a look is planned for the first of them only. A task found slow is *marked*: a candidate
of heap 0. One whose machine alone has free slots waits in the heap `WAITING` until some copy ends.

Copies are launched in the order of the jobs and sets they belong to. They come after the waiting originals of
their own job, and before those of jobs that arrived later.
"""

from __future__ import annotations

import math

from sim.engines.slots.arriving import WAITING
from sim.engines.slots.places import barring_place
from sim.engines.slots.signatures import select_task
from sim.engines.slots.speculation.candidates import insert, offer
from sim.kernel.compile import kernel
from sim.kernel.heap import push, remove

#: The heap of set f is `WATCHED` + f, behind that of the candidates and that of those that find no slot.
WATCHED = WAITING + 1
#: Numbers of `store` for each task of a set, and what the first of a set are.
NUMBERS = 10
FAST, SLOW, TOTAL, LAUNCHED, COPIED, QUEUED, ORIGIN, CHECKED, SCANNED, DURATIONS = range(NUMBERS)


def store_size(slots: int, tasks: int) -> int:
    """Say how many numbers are remembered: of all sets, then of machines."""
    return NUMBERS * tasks + slots


@kernel
def segment(world, s):
    """First number in `store` of the set of the task in slot `s`."""
    return NUMBERS * world.slots[world.slots[s].task_slot].set


@kernel
def set_size(world, s):
    """Tasks of the set of the task in slot `s`."""
    return world.slots[world.slots[s].task_slot].set_tasks


@kernel
def done(world, s):
    """Finished tasks of the set of the task in slot `s`."""
    base = segment(world, s)
    return world.store[base + FAST] + world.store[base + SLOW]


@kernel
def learn_time(world, s, duration, wanted):
    """Note how long the task of slot `s` took; `wanted` of the durations of its set are fast."""
    store = world.store
    base = segment(world, s)
    low, high = int(store[base + FAST]), int(store[base + SLOW])
    bottom = base + DURATIONS
    low_now = insert(store, bottom, bottom + set_size(world, s) - 1, low, high, duration, wanted)
    store[base + FAST] = low_now
    store[base + SLOW] = low + high + 1 - low_now
    store[base + TOTAL] += duration


@kernel
def slowest_fast(world, s):
    """Largest of the fast durations of the set of the task in slot `s`."""
    return world.store[segment(world, s) + DURATIONS]


@kernel
def watch_task(world, s, first):
    """Watch the copy in slot `s`; those with smaller keys are looked at first."""
    slot = world.slots[s]
    slot.first = first
    slot.second = 0.0
    push(world.slots, world.slot_heaps, WATCHED + world.slots[slot.task_slot].set, s)


@kernel
def first_watched(world, s):
    """Return the first watched original of the set of the task in slot `s`, or -1."""
    return world.slot_heaps[WATCHED + world.slots[world.slots[s].task_slot].set]


@kernel
def mark(world, s, order):
    """Make the watched task in slot `s` a candidate; of one set, smaller `order` is copied first."""
    remove(world.slots, world.slot_heaps, s)
    offer(world, s, float(world.slots[s].set), order)


@kernel
def finds_slot(world, s):
    """Tell whether a copy of the task in slot `s` finds a free slot."""
    c = world.cluster[0]
    if c.barring:
        for first in range(0, world.slots.size, c.machine_slots):
            until = world.store[barring_place(world, first // c.machine_slots)]
            if world.slots[first].free_slots > 0 and until <= c.now:
                return True
        return False
    return c.copies_on_other_machines == 0 or c.free > world.slots[s - s % c.machine_slots].free_slots


@kernel
def first_that_fits(world, j):
    """Return the first marked task that finds a slot and comes before the originals of job `j`, or -1."""
    c = world.cluster[0]
    task_slot = world.slot_heaps[0]
    while task_slot >= 0:
        if j >= 0 and j <= world.slots[task_slot].job:
            return -1
        if finds_slot(world, task_slot):
            return task_slot
        remove(world.slots, world.slot_heaps, task_slot)
        c.candidates -= 1
        push(world.slots, world.slot_heaps, WAITING, task_slot)
        task_slot = world.slot_heaps[0]
    return -1


@select_task
def choose_in_turn(world, j):
    """Copy the marked task that comes first, unless an original of job `j` does."""
    return first_that_fits(world, j)


@kernel
def wake_at(world, s, time):
    """Look at slot `s` at this time, instead of whenever else that was planned; never if `s` is -1."""
    c = world.cluster[0]
    if s >= 0 and time < math.inf:
        c.wake = s
        c.wake_time = time


@kernel
def check_after(start, limit, interval, now):
    """First multiple of `interval`, not before `now`, at which more than `limit` has passed since `start`."""
    number = math.floor(max(now, start + limit) / interval) - 1.0
    while number * interval < now or not number * interval - start > limit:
        number += 1.0
    return number * interval
