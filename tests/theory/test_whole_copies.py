"""Whole copies against a linear programme over the numbers of copies, with means from scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import linprog

from tests.agreement import assert_mean
from tests.depth import each
from theory.service_rate import blow_up, service_rate
from theory.whole_copies import mixed_blow_up, whole_marginal_rate, whole_service_rate, whole_threshold

BETAS = [1.05, 1.3, 1.49, 1.5, 1.51, 2.0, 3.5]


def task_rate(c, beta):
    return stats.pareto(beta).mean() / stats.pareto(c * beta).mean()


def best_mixture(S, T, beta, most=40):
    """Largest rate if tasks[c] of the T tasks have c whole copies, by linear programming."""
    c = np.arange(1, most + 1)
    solved = linprog(-task_rate(c, beta), A_ub=[np.ones(most), c], b_ub=[T, S], method="highs")
    assert solved.status == 0
    return -solved.fun


@each("beta", BETAS)
@each("S", [0.0, 3.0, 10.0, 14.0, 20.0, 21.0, 37.5, 260.0])
def test_no_mixture_of_whole_copies_does_better(beta, S):
    assert whole_service_rate(S, 10.0, beta) == pytest.approx(
        best_mixture(S, 10.0, beta), rel=1e-8, abs=1e-12
    )


@each("beta", BETAS)
@each("k", [1, 1.2, 4 / 3, 2, 2.5, 3.75, 10])
def test_a_mixture_of_neighbours_has_the_mean_of_their_rates(beta, k):
    low, high = np.floor(k), np.floor(k) + 1
    rate = (high - k) * task_rate(low, beta) + (k - low) * task_rate(high, beta)
    assert mixed_blow_up(k, beta) == pytest.approx(rate / k, rel=1e-10)


def test_three_slots_with_two_tasks_one_of_them_cloned_work_at_this_rate():
    """Tail index 4; each of the two places is refilled at once, 20,000 times.

    The mean of the faster of two is tested at one false alarm in a million; the rate built from
    the two means has a standard error of 0.25 %, so 1 % is four of them.
    """
    beta, work = 4.0, 4 / 3
    copies = np.random.default_rng(3).random((20_000, 3)) ** (-1 / beta)
    alone, cloned = copies[:, 0], copies[:, 1:].min(axis=1)
    rate = work / alone.mean() + work / cloned.mean()
    assert rate == pytest.approx(3 * mixed_blow_up(1.5, beta), rel=0.01)
    assert_mean(cloned, work / (3 * mixed_blow_up(1.5, beta) - 1), resolution=0.01)
    with pytest.raises(AssertionError, match="farther than"):  # the fractional level is told apart
        assert_mean(cloned, work / (3 * blow_up(1.5, beta) - 1))


def test_erratum_the_gain_of_nine_eighths_needs_fractional_copies():
    assert blow_up(4 / 3, 1.5) == pytest.approx(9 / 8)
    assert mixed_blow_up(4 / 3, 1.5) == pytest.approx(1)
    assert service_rate(8, 12, 1.5) == pytest.approx(9)
    assert whole_service_rate(8, 12, 1.5) == pytest.approx(8)


@settings(max_examples=100, deadline=None)
@given(k=st.floats(1, 50), beta=st.floats(1.01, 10))
def test_a_mixture_never_beats_the_continuation_and_equals_it_at_whole_numbers(k, beta):
    assert mixed_blow_up(k, beta) <= blow_up(k, beta) * (1 + 1e-12)
    assert mixed_blow_up(round(k), beta) == pytest.approx(blow_up(round(k), beta), rel=1e-12)


@pytest.mark.parametrize("beta", BETAS)
def test_two_copies_pay_below_three_halves_and_one_above(beta):
    work = [task_rate(c, beta) / c for c in range(1, 8)]
    assert max(work) == pytest.approx(work[int(whole_threshold(beta)) - 1], rel=1e-12)
    if beta != 1.5:
        assert whole_threshold(beta) == np.argmax(work) + 1
    assert whole_threshold(1.5) == 1


@settings(max_examples=100, deadline=None)
@given(S=st.floats(0, 1e4), T=st.floats(0, 500), beta=st.floats(1.01, 10))
def test_whole_copies_never_beat_fractional_ones(S, T, beta):
    assert 0 <= whole_service_rate(S, T, beta) <= service_rate(S, T, beta) * (1 + 1e-9) + 1e-300


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("copies", [2, 3, 7])
def test_they_are_equal_at_whole_slots_per_task_beyond_the_threshold(beta, copies):
    assert whole_service_rate(copies * 9, 9, beta) == pytest.approx(
        service_rate(copies * 9, 9, beta), rel=1e-12
    )


@each("beta", BETAS)
@each("S", [0.0, 5.0, 10.0, 15.0, 20.0, 24.0, 30.0, 55.0])
def test_the_marginal_rate_is_the_right_hand_slope(beta, S):
    slope = (whole_service_rate(S + 1e-5, 10, beta) - whole_service_rate(S, 10, beta)) / 1e-5
    assert whole_marginal_rate(S, 10, beta) == pytest.approx(slope, rel=1e-5)


def test_a_whole_quotient_that_rounds_down_is_still_whole():
    assert 0.3 / 0.1 < 3
    assert whole_marginal_rate(0.3, 0.1, 2.0) == pytest.approx(1 / 12)


def test_without_slots_or_tasks_nothing_happens():
    assert whole_service_rate(0, 10, 1.5) == whole_service_rate(10, 0, 1.5) == 0
    assert whole_marginal_rate(10, 0, 1.5) == whole_marginal_rate(0, 0, 1.2) == 0


def test_many_slots_bring_the_rate_to_its_limit():
    assert whole_service_rate(1e300, 1e-300, 1.5) == pytest.approx(3e-300)
    assert whole_service_rate(1e14, 10, 1.5) == pytest.approx(30)
    assert whole_marginal_rate(1e300, 1e-300, 1.5) == 0


def test_arrays_give_what_their_numbers_give():
    S, beta = np.array([0.0, 4.0, 11.0, 30.0]), np.array([[1.2], [1.8]])
    for function in (whole_service_rate, whole_marginal_rate):
        np.testing.assert_array_equal(
            function(S, 5, beta), [[function(s, 5, b) for s in S] for b in (1.2, 1.8)]
        )
        assert type(function(3, 2, 1.7)) is float
    assert type(mixed_blow_up(1.5, 1.7)) is float
    assert type(whole_threshold(1.7)) is float


def test_domains():
    for k in (0.9, np.inf):
        with pytest.raises(ValueError, match="k must be finite and at least 1"):
            mixed_blow_up(k, 1.5)
    for function in (whole_service_rate, whole_marginal_rate):
        with pytest.raises(ValueError, match="S must be finite and not negative"):
            function(-1, 1, 1.5)
        with pytest.raises(ValueError, match="beta must be finite and above 1"):
            function(1, 1, 1.0)
    with pytest.raises(ValueError, match="beta must be finite and above 1"):
        whole_threshold(0.9)
