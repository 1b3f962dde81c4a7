"""Sums by bounds are those of a plain loop, to the last bit, whatever stands around the numbers."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kernel.integrals import LANES, bounded_sums

keys = st.sampled_from([0.25, 0.5, 1.0, 2.0]) | st.floats(0.01, 4)
members = st.lists(st.tuples(st.floats(1e-3, 1e4), keys), max_size=30)


@numba.njit
def sums(held, begin, other, count, floor, ceiling):
    """Return the sums, compiled as a rule would have them."""
    return bounded_sums(held, begin, other, count, floor, ceiling)


def added(numbers: list[float]) -> float:
    """Sum of numbers, each lane of every fourth one by itself."""
    lanes = [0.0] * LANES
    for place, number in enumerate(numbers):
        lanes[place % LANES] += number
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])


@pytest.mark.small
@given(members=members, before=st.integers(0, 5), bounds=st.tuples(keys, keys).map(sorted))
def test_sums_are_those_of_a_loop(members, before, bounds):
    floor, ceiling = bounds
    count = len(members)
    room = count + -count % LANES
    held = np.full(before + 2 * room + 3, -9.0)
    held[before : before + room] = 0.0  # behind the last number
    for place, (number, key) in enumerate(members):
        held[before + place], held[before + room + place] = number, key
    expected = (
        added([number if key > ceiling else 0.0 for number, key in members]),
        added([number if key >= floor else 0.0 for number, key in members]),
        added([number for number, _ in members]),
    )
    assert sums(held, before, before + room, count, floor, ceiling) == expected
