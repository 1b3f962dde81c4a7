"""The arrays of a run in one block of memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.kernel.records import ITEM, LARGE, LINE, PAGE, records, together


class World(NamedTuple):
    """A few arrays of all kinds."""

    items: Any
    order: Any
    table: Any
    log: Any
    rest: Any


def world(items: int, rest: int = 10) -> World:
    """Return a world with so many items, whose arrays differ in kind, shape and content."""
    made = World(
        records(items, ITEM),
        np.arange(7, dtype=np.int32),
        np.arange(12.0).reshape(3, 4),
        records(0, ITEM),
        np.full(rest, -1.0),
    )
    made.items.prev = -2
    return made


def test_arrays_keep_their_kind_shape_and_content_and_lie_side_by_side_in_whole_lines() -> None:
    before = world(200_000)
    after = World(**together(before._asdict()))
    for old, new in zip(before, after, strict=True):
        assert type(new) is type(old)
        assert new.dtype == old.dtype
        np.testing.assert_array_equal(new, old)
        assert not np.shares_memory(old, new)
    places = [array.ctypes.data for array in after if array.size]
    ends = [array.ctypes.data + array.nbytes for array in after if array.size]
    assert places[0] % PAGE == 0
    assert not any(place % LINE for place in places)
    assert all(0 <= place - end < LINE for end, place in zip(ends, places[1:], strict=False))
    after.items.prev[3] = 5  # records are reached by name, and written
    assert after.items[3].prev == 5


def test_large_arrays_stay_where_they_are() -> None:
    before = world(200_000, rest=LARGE // 8)
    after = World(**together(before._asdict()))
    assert after.rest is before.rest
    assert after.items is not before.items


def test_small_worlds_stay_as_they_are() -> None:
    before = world(100)
    assert all(now is then for now, then in zip(together(before._asdict()).values(), before, strict=True))
