"""What is found among bits is what Python finds, whatever stands around them."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kernel.bits import GROUP, lowest_bit, not_negative


@numba.njit
def found(numbers, first):
    """Return which numbers from `first` on are not negative, and the first of them (`GROUP` if none is)."""
    bits = not_negative(numbers, first)
    return bits, lowest_bit(bits | (1 << GROUP))


@pytest.mark.small
@given(
    held=st.lists(st.sampled_from([-1, -2, 0, 7, -(2**31), 2**31 - 1]), min_size=GROUP, max_size=GROUP),
    first=st.integers(0, 20),
)
def test_numbers_that_are_not_negative_are_found(held, first):
    around = np.concatenate([np.full(first, 5), held, [5, 5]]).astype(np.int32)
    places = [k for k, number in enumerate(held) if number >= 0]
    assert found(around, first) == (sum(1 << k for k in places), min(places, default=GROUP))
