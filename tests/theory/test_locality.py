"""The order of jobs when data locality may overtake a little."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.locality import locality_order


@st.composite
def local_jobs(draw):
    T = draw(st.lists(st.integers(0, 9), min_size=1, max_size=30))
    return T, draw(st.lists(st.booleans(), min_size=len(T), max_size=len(T)))


def naive(T, local, percent):
    by_size = sorted((i for i in range(len(T)) if T[i] > 0), key=lambda i: (T[i], i))
    smallest = [i for rank, i in enumerate(by_size) if 100 * rank < percent * len(by_size)]
    chosen = [i for i in smallest if local[i]]
    rest = [i for i in by_size if i not in chosen]
    return chosen + rest + [i for i in range(len(T)) if T[i] == 0]


@settings(max_examples=200, deadline=None)
@given(jobs=local_jobs(), percent=st.integers(0, 100))
def test_the_order_is_that_of_the_definition(jobs, percent):
    T, local = jobs
    assert locality_order(T, local, percent).tolist() == naive(T, local, percent)


@settings(max_examples=60, deadline=None)
@given(jobs=local_jobs(), percent=st.floats(0, 100))
def test_without_or_with_only_local_jobs_the_order_is_by_size(jobs, percent):
    T, _ = jobs
    for everywhere in (False, True):
        order = locality_order(T, [everywhere] * len(T), percent)
        present = [T[i] for i in order if T[i] > 0]
        assert present == sorted(present)
        assert sorted(order.tolist()) == list(range(len(T)))


def test_a_window_of_no_width_is_algorithm_1s_order():
    assert locality_order([3, 1, 2], [True, False, False], 0).tolist() == [1, 2, 0]


def test_a_window_of_every_job_serves_all_local_ones_first():
    assert locality_order([3, 1, 2], [True, False, True], 100).tolist() == [2, 0, 1]


def test_five_percent_of_forty_jobs_is_two_despite_the_rounding():
    T = np.arange(40) + 1
    assert locality_order(T, T == 2, 5)[0] == 1
    assert locality_order(T, T == 3, 5)[0] == 0
    T = np.arange(100) + 1
    assert locality_order(T, T == 7, 7)[0] == 6  # 100 * 0.07 is 7.000000000000001 in binary
    assert locality_order(T, T == 8, 7)[0] == 0


def test_what_is_outside_the_domain_is_refused_by_name():
    for percent in (-1, 101):
        with pytest.raises(ValueError, match="percent must be from 0 to 100"):
            locality_order([1, 2], [True, False], percent)
    with pytest.raises(ValueError, match="local must be one truth value a job, 2 in all"):
        locality_order([1, 2], [True], 5)
    with pytest.raises(ValueError, match="local must be true or false for each job"):
        locality_order([1, 2], [0.5, 1], 5)
    with pytest.raises(ValueError, match="T must be finite and not negative"):
        locality_order([1, -2], [True, True], 5)
