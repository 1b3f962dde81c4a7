"""Deliveries come in the order of a sorted list, whether they were sent in order or not."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.kernel.deliveries import add_delivery, remove_delivery
from sim.kernel.records import CLUSTER, EVENT, records

ROOM, QUEUE = 12, 8


class Few(NamedTuple):
    """The part of a world that deliveries need."""

    cluster: Any
    deliveries: Any


def new_world() -> Few:
    """Return a world without deliveries."""
    world = Few(records(1, CLUSTER), records(ROOM + QUEUE, EVENT))
    world.cluster[0].queue_capacity = QUEUE
    return world


#: What is done in turn: ``None`` removes the first delivery; else the time of a new one, since that of the
#: first (so that all come in order where it is the same), and its further keys.
delays = st.sampled_from([0.0, 0.5, 1.0, 1.0, 1.0, 2.0, 2.5])
steps = st.lists(st.none() | st.tuples(delays, st.integers(0, 2), st.integers(0, 2)), max_size=80)
IN_ORDER = [(1.0, job, 0) for job in range(ROOM)]


@pytest.mark.small
@given(steps=steps)
@example(steps=[*IN_ORDER[:7], *[None] * 5, *IN_ORDER[:6], *[None] * ROOM])  # once round the queue
@example(steps=[*((time, 0, 0) for time in (0.0, 1.0, 2.5, 2.0, 0.5)), *[None] * 5])  # three in the heap
@example(steps=[(2.5, 0, 0), (2.5, 1, 0), (0.0, 2, 0), (0.0, 1, 0), (2.5, 1, 1), *[None] * 5])
def test_the_first_is_the_first_of_a_sorted_list(steps):
    world = new_world()
    held: list[tuple[float, int, int]] = []
    now = 0.0
    for step in steps:
        if step is None and held:
            now = held.pop(0)[0]
            remove_delivery(world)
        elif step is not None and len(held) < ROOM:
            held = sorted([*held, (now + step[0], *step[1:])])
            add_delivery(world, *(now + step[0], *step[1:]))
        assert world.cluster[0].deliveries == len(held)
        if held:
            assert tuple(world.deliveries[0]) == held[0]


@pytest.mark.small
def test_those_that_come_in_order_join_the_queue():
    world = new_world()
    for delivery in IN_ORDER:
        add_delivery(world, *delivery)
    assert world.cluster[0].queued == QUEUE  # one is the top, and the others found it full
    assert world.cluster[0].deliveries == ROOM
