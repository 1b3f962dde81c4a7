"""The least of a list in blocks is what Python's `min` finds, whatever is set and taken out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kernel.heap import least_of, note_block, place_of_least, put

SIZE, BITS, BEGIN = 40, 3, 5
BLOCKS = -(-SIZE >> BITS)
ABOVE = BEGIN + (BLOCKS << BITS)
#: Few numbers, many ties; ``inf`` takes a number out.
numbers = st.sampled_from([-1.0, 0.0, 0.5, 2.0, math.inf])
#: Few places, so that the least is often replaced by more: two in one block, the ends of blocks, the last.
places = st.sampled_from([0, 1, 7, 8, SIZE - 1])


def empty() -> np.ndarray:
    """Return a list of `SIZE` places that hold nothing, behind a few other numbers."""
    return np.full(ABOVE + BLOCKS + 3, math.inf)


@pytest.mark.small
@given(steps=st.lists(st.tuples(places, numbers), max_size=150))
def test_the_first_of_the_least_is_found(steps):
    kept, held = empty(), [math.inf] * SIZE
    for place, number in steps:
        put(kept, BEGIN, ABOVE, BITS, place, number)
        held[place] = number
        least = min(held)
        assert least_of(kept, ABOVE, BITS, SIZE) == least
        first = place_of_least(kept, BEGIN, ABOVE, BITS, SIZE)
        assert first == (held.index(least) if least < math.inf else -1)


@pytest.mark.small
@given(held=st.lists(numbers, min_size=1, max_size=SIZE))
def test_blocks_can_be_noted_after_all_numbers_have_been_written(held):
    kept = empty()
    kept[BEGIN : BEGIN + len(held)] = held
    for block in range(BLOCKS):
        note_block(kept, BEGIN, ABOVE, BITS, block)
    assert least_of(kept, ABOVE, BITS, len(held)) == min(held)
