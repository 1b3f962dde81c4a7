"""The nearest job is the one that a search of all jobs finds, whatever has moved before."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.engines.slots.sharing.members import COUNT, JOB, TASKS, no_members, own, seats_in
from sim.engines.slots.sharing.seats import nearest, note_distance

#: Few enough for the least of all blocks to be looked at in one step, and more.
FEW, MANY = 40, 300
seats = st.sampled_from([0, 1, 15, 16, FEW - 1, -1])
distances = st.sampled_from([-3.0, -1.5, 0.0, 0.25, 2.0, math.inf])


@pytest.mark.small
@pytest.mark.parametrize("count", [FEW, MANY])
@given(steps=st.lists(st.tuples(seats, distances, st.booleans()), max_size=60))
@example(steps=[(0, 2.0, True), (1, 0.0, True), (1, math.inf, True)])
@example(steps=[(0, -3.0, False), (1, 0.0, False), (15, 0.25, False), (0, 2.0, True), (1, math.inf, True)])
def test_the_nearest_job_is_found_after_any_moves(count, steps):
    order = no_members(count, 0)
    n, held = seats_in(order), [math.inf] * count
    order[COUNT] = count
    for seat in range(count):
        order[own(n, seat) + JOB], order[own(n, seat) + TASKS] = count - seat, 1.0 + seat % 3
    for seat, distance, asked in steps:
        seat %= count
        note_distance(order, n, seat, distance)
        held[seat] = distance
        if asked:
            keys = [(held[i], 1.0 + i % 3, count - i) for i in range(count)]
            assert nearest(order, n) == (min(keys)[2] if min(held) < math.inf else -1)
