"""What processors find in one step is what Python finds in several."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kernel.bits import EIGHT, less_of_eight, lowest_bit
from sim.kernel.compile import kernel


@kernel
def lowest(word):
    """Call `lowest_bit`, which only compiled functions can."""
    return lowest_bit(word)


@kernel
def less(numbers, first, limit):
    """Call `less_of_eight`, which only compiled functions can."""
    return less_of_eight(numbers, first, limit)


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
