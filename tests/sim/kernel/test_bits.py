"""Bit operations in one step give what Python finds in several."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kernel.compile import kernel
from sim.kernel.streams import EIGHT, GROUP, less_of_eight, lowest_bit, not_negative


@kernel
def lowest(word):
    """Call `lowest_bit`, which only compiled functions can."""
    return lowest_bit(word)


@kernel
def less(numbers, first, limit):
    """Call `less_of_eight`, which only compiled functions can."""
    return less_of_eight(numbers, first, limit)


@kernel
def found(numbers, first):
    """Call `not_negative`, which only compiled functions can."""
    return not_negative(numbers, first)


@pytest.mark.small
@given(word=st.integers(1, 2**32 - 1))
def test_the_lowest_bit_is_the_first_one_from_the_right(word):
    assert lowest(word) == len(bin(word)) - 1 - bin(word).rindex("1")


few = st.sampled_from([0.0, 1.0, 2.0, np.inf]) | st.floats(0, 3)


@pytest.mark.small
@given(numbers=st.lists(few, min_size=EIGHT, max_size=3 * EIGHT), limit=few, data=st.data())
def test_the_numbers_less_than_a_limit_are_counted_eight_at_a_time(numbers, limit, data):
    first = data.draw(st.integers(0, len(numbers) - EIGHT))
    counted = sum(number < limit for number in numbers[first : first + EIGHT])
    assert less(np.array(numbers), first, limit) == counted


@pytest.mark.small
@given(
    held=st.lists(st.sampled_from([-1, -2, 0, 7, -(2**31), 2**31 - 1]), min_size=GROUP, max_size=GROUP),
    first=st.integers(0, 20),
)
def test_numbers_that_are_not_negative_are_found(held, first):
    around = np.concatenate([np.full(first, 5), held, [5, 5]]).astype(np.int32)
    assert found(around, first) == sum(1 << k for k, number in enumerate(held) if number >= 0)
