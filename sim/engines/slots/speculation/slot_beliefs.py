"""Dolly's beliefs about slots: the outlier probability of each, and the best of the free ones."""

from __future__ import annotations

import math

from sim.kernel.compile import inlined
from sim.kernel.least import place_of_least, put

#: What the store holds beyond the clones launched: when the window ends, then for each task the probability
#: that all its copies are outliers; at its end the probabilities of the free slots as a list
#: (`sim.kernel.least`).
WINDOW_END, TASKS = 1, 2
#: What is kept of a slot: its probability, copies and outliers of the window.
SEEN = {"chance": 0.0, "ran": 0.0, "slow": 0.0}
#: The list is in blocks of 2 to this power.
BITS = 6


def list_room(slots: int) -> int:
    """Numbers that the list of the free slots takes, with the least of its blocks."""
    blocks = (slots >> BITS) + 1
    return (blocks << BITS) + blocks + 3


@inlined
def list_of(world):
    """Where the list of the free slots begins, and where the least of its blocks."""
    blocks = (world.slots.size >> BITS) + 1
    above = world.store.size - blocks - 3
    return above - (blocks << BITS), above


@inlined
def set_free(world, s, number):
    """Set the place of a slot in the list of those that are free."""
    begin, above = list_of(world)
    put(world.store, begin, above, BITS, s, number)


@inlined
def file_free(world, values, s):
    """File a slot that is about to be free."""
    chance = world.slot_state[s].chance
    set_free(world, s, -chance if values.printed else chance)


@inlined
def best_free(world):
    """Return the free slot that comes first (ties: the lower number), or -1."""
    begin, above = list_of(world)
    return place_of_least(world.store, begin, above, BITS, world.slots.size)


@inlined
def window_end(now, window):
    """End of the window in which `now` lies; windows end at multiples of their length."""
    return (math.floor(now / window) + 1.0) * window if window > 0.0 else math.inf


@inlined
def begin(world, values):
    """Believe p of every slot, all of which are free."""
    world.store[WINDOW_END] = window_end(world.cluster[0].now, values.window)
    for place in range(list_of(world)[0], world.store.size):
        world.store[place] = math.inf
    for s in range(world.slots.size):
        world.slot_state[s].chance = values.p
        file_free(world, values, s)


@inlined
def learn(world, values):
    """Update what is believed of every slot if a window has ended."""
    store = world.store
    now = world.cluster[0].now
    if now < store[WINDOW_END]:
        return
    store[WINDOW_END] = window_end(now, values.window)  # in windows between nobody ran anything
    for s in range(world.slots.size):
        seen = world.slot_state[s]
        if seen.ran > 0.0:
            seen.chance = 0.5 * (seen.chance + seen.slow / seen.ran)
            seen.ran = 0.0
            seen.slow = 0.0
            if store[list_of(world)[0] + s] < math.inf:
                file_free(world, values, s)
