"""Searches over sixteen lanes give what Python finds, whatever the neighbouring numbers are."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kernel.queue import LANES, lane_of, least_but, least_in_lanes

numbers = st.sampled_from([-2.0, -0.5, 0.0, 1.5, 3.0, math.inf])


@numba.njit
def found(held, first, lane, number):
    """Return what is found in the lanes from `first` on."""
    return least_in_lanes(held, first), least_but(held, first, lane), lane_of(held, first, number)


@pytest.mark.small
@given(
    held=st.lists(numbers, min_size=LANES, max_size=LANES),
    first=st.integers(0, 20),
    lane=st.integers(0, LANES - 1),
    number=numbers,
)
def test_the_least_and_places_are_found(held, first, lane, number):
    around = np.concatenate([np.full(first, -9.0), held, [-9.0, -9.0]])
    least, others, place = found(around, first, lane, number)
    assert least == min(held)
    assert others == min(held[:lane] + held[lane + 1 :])
    assert place == (held.index(number) if number in held else LANES)
