"""A member's neighbour in the order of DAG weights is the one that a sorted list has, by either search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.slots.sharing.members import (
    BEGIN,
    COUNT,
    FIRST,
    JOB,
    SEATED,
    SECOND,
    TURN,
    WEIGHT,
    begin_of,
    in_turn,
    no_members,
    own,
    seats_in,
)
from sim.engines.slots.sharing.seats import neighbour, neighbour_by_weight
from sim.kernel.records import records
from sim.model.rule import record_of

weight = st.sampled_from([0.5, 1.0, 2.0])
keys = st.tuples(weight, st.integers(1, 4).map(float))
#: DAG weight and tasks of each job; the last one is the one whose neighbour is asked for.
jobs = st.lists(keys, min_size=1, max_size=40)


@pytest.mark.small
@given(jobs=jobs, gone=st.integers(0, 5), random=st.randoms())
def test_both_searches_find_the_neighbour_of_a_sorted_list(jobs, gone, random):
    numbers = list(range(len(jobs)))
    random.shuffle(numbers)
    order, table = no_members(len(jobs) + gone, 0), records(len(jobs), record_of(SEATED))
    n, count = seats_in(order), len(jobs) - 1
    order[COUNT] = count
    order[begin_of(n, TURN) + count :][:gone] = 1.0  # what is left of members that have gone
    order[BEGIN : BEGIN + count] = np.arange(count)
    for seat in range(count):
        (weight, tasks), j = jobs[seat], numbers[seat]
        at = own(n, seat)
        order[at + FIRST], order[at + SECOND], order[at + JOB] = -weight, tasks, j
        order[begin_of(n, WEIGHT) + seat], order[begin_of(n, TURN) + seat] = weight, in_turn(tasks, j)
        table[j].seat = seat
    ahead = sorted((-weight, tasks, j) for (weight, tasks), j in zip(jobs, numbers, strict=True))
    weight, tasks, j = *jobs[-1], numbers[-1]
    place = ahead.index((-weight, tasks, j))
    others = ahead[place + 1 :] or ahead[:place][-1:]
    expected = table[others[0][2]].seat if others else -1
    assert neighbour(order, n, j, -weight, tasks) == expected
    assert neighbour_by_weight(table, order, n, j, weight, tasks) == expected
