"""Hopper's service rate against equation (1) maximised by brute force, quadrature and samples."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from tests.agreement import assert_mean
from tests.depth import each
from theory.service_rate import (
    blow_up,
    marginal_rate,
    optimal_copies,
    rate_per_slot,
    service_rate,
    tail_index,
    threshold,
)

INF = float("inf")
BETAS = [1.05, 1.25, 1.5, 1.9, 2.0, 2.1, 2.5, 4.0]
JOBS = [(1.0, 10.0), (9.0, 10.0), (12.0, 10.0), (13.5, 10.0), (20.0, 10.0), (95.0, 10.0), (5.0, 0.5)]


def equation_1(S, T, beta, k):
    """Service rate at speculation level k, with the mean of the fastest copy from scipy."""
    mean, fastest = stats.pareto(beta).mean(), stats.pareto(k * beta).mean()
    return np.minimum(S, T * k) * mean / (k * fastest)


def levels(S, T, beta, physical):
    """Levels to try: a fine grid, and the one at which slots and copies just match."""
    low = 1.0 if physical else 1.0001 / beta
    return np.append(np.geomspace(low, 4 * low + 2 * S / T, 20_001), max(low, S / T))


@each("beta", BETAS)
@each("k", [1, 1.3, 2, 5])
def test_the_blow_up_is_work_without_over_work_with_copies(beta, k):
    fastest = 1 + integrate.quad(lambda y: np.exp(y * (1 - k * beta)), 0, 60 / (k * beta - 1))[0]
    assert blow_up(k, beta) == pytest.approx(beta / (beta - 1) / (k * fastest), rel=1e-8)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_sampled_copies_show_this_blow_up(k):
    """Fastest of k copies, 100,000 draws at tail index 2.5; one false alarm in a million."""
    beta = 2.5
    fastest = (np.random.default_rng(k).random((100_000, k)) ** (-1 / beta)).min(axis=1)
    expected = beta / (beta - 1) / (k * blow_up(k, beta))
    assert_mean(fastest, expected, resolution=0.03)
    with pytest.raises(AssertionError, match="farther than"):
        assert_mean(fastest, 1.04 * expected)


@each("beta", BETAS)
@each("S, T", JOBS)
@each("physical", [True, False])
def test_the_rate_is_the_maximum_of_equation_1_over_levels(S, T, beta, physical):
    rates = equation_1(S, T, beta, levels(S, T, beta, physical))
    assert service_rate(S, T, beta, physical) == pytest.approx(rates.max(), rel=1e-6)


@each("beta", BETAS)
@each("S, T", JOBS)
@each("physical", [True, False])
def test_the_optimal_level_attains_the_maximum(S, T, beta, physical):
    rates = equation_1(S, T, beta, levels(S, T, beta, physical))
    k = optimal_copies(S, T, beta, physical)
    assert equation_1(S, T, beta, k) == pytest.approx(rates.max(), rel=1e-6)
    for other in (0.93 * k, 1.07 * k):  # and a level 7 % off does visibly worse
        if other >= (1 if physical else 1.0001 / beta):
            assert equation_1(S, T, beta, other) < rates.max() * (1 - 1e-4)


@each("beta", BETAS)
@each("S, T", [*JOBS, (10.0, 10.0)])
@each("physical", [True, False])
def test_the_marginal_rate_is_the_right_hand_slope(S, T, beta, physical):
    step = 1e-6 * S
    slope = (service_rate(S + step, T, beta, physical) - service_rate(S, T, beta, physical)) / step
    assert marginal_rate(S, T, beta, physical) == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("beta", BETAS)
def test_the_rate_at_the_threshold_is_the_same_from_both_sides(beta):
    for physical in (True, False):
        S = 10 * threshold(beta, physical)
        below, above = service_rate(S, 10, beta, physical), service_rate(S * (1 + 1e-12), 10, beta, physical)
        assert below == pytest.approx(above, rel=1e-9)
        assert below == pytest.approx(rate_per_slot(beta, physical) * S, rel=1e-12)
        assert rate_per_slot(beta, physical) == pytest.approx(
            blow_up(threshold(beta, physical), beta), rel=1e-12
        )


@pytest.mark.parametrize("beta", [1.05, 1.25, 1.5, 1.9, 2.0])
def test_erratum_the_value_of_a_slot_does_not_jump_at_the_threshold(beta):
    S = 10 * threshold(beta)
    below, above = marginal_rate(S * (1 - 1e-9), 10, beta), marginal_rate(S * (1 + 1e-9), 10, beta)
    assert above == pytest.approx(below, rel=1e-7)
    assert marginal_rate(2 * S, 10, beta) == pytest.approx(below / 4, rel=1e-9)


@pytest.mark.parametrize("beta", [2.5, 4.0])
def test_above_tail_index_two_there_is_a_true_kink(beta):
    assert marginal_rate(10 * (1 - 1e-9), 10, beta) == 1.0
    assert marginal_rate(10, 10, beta) == pytest.approx(1 / (beta - 1))


@pytest.mark.parametrize("beta", [2.5, 4.0])
def test_erratum_above_tail_index_two_the_printed_form_does_more_work_than_it_has_slots(beta):
    assert optimal_copies(4, 10, beta, physical=False) < 1
    assert service_rate(4, 10, beta, physical=False) > 4
    assert optimal_copies(4, 10, beta) == 1
    assert service_rate(4, 10, beta) == 4


def test_both_forms_agree_up_to_tail_index_two():
    S, beta = np.linspace(0, 50, 101), np.array([[1.01], [1.5], [2.0]])
    for function in (optimal_copies, service_rate, marginal_rate):
        np.testing.assert_array_equal(function(S, 10, beta), function(S, 10, beta, physical=False))


@settings(max_examples=150, deadline=None)
@given(
    a=st.floats(0, 1e4),
    b=st.floats(0, 1e4),
    T=st.floats(0, 1e3, allow_subnormal=False),
    beta=st.floats(1.01, 20),
    physical=st.booleans(),
)
def test_the_rate_rises_with_falling_slope_to_its_limit(a, b, T, beta, physical):
    a, b = min(a, b), max(a, b)
    low, middle, high = service_rate([a, (a + b) / 2, b], T, beta, physical)
    slack = 1e-9 * (1 + high)
    assert -slack <= low <= high + slack
    assert middle >= (low + high) / 2 - slack
    assert high <= beta / (beta - 1) * T + slack
    assert marginal_rate(a, T, beta, physical) >= marginal_rate(b, T, beta, physical) - 1e-9
    if physical:
        assert high <= b * rate_per_slot(beta) + slack


@pytest.mark.parametrize("physical", [True, False])
def test_without_slots_or_tasks_nothing_happens(physical):
    assert service_rate(0, 10, 1.5, physical) == 0
    assert service_rate(10, 0, 1.5, physical) == 0
    assert service_rate(0, 0, 1.5, physical) == 0
    assert marginal_rate(10, 0, 1.5, physical) == 0
    assert marginal_rate(0, 0, 1.5, physical) == 0
    assert marginal_rate(0, 10, 1.5, physical) == rate_per_slot(1.5)
    assert optimal_copies(10, 0, 1.5, physical) == INF
    assert optimal_copies(0, 10, 1.5, physical) == threshold(1.5)


def test_many_slots_bring_the_rate_to_its_limit():
    assert service_rate(1e12, 10, 1.5) == pytest.approx(30, rel=1e-9)
    assert service_rate(1e300, 1e-300, 1.5) == pytest.approx(3e-300)
    assert marginal_rate(1e300, 1e-300, 1.5) == 0


@pytest.mark.parametrize("function", [optimal_copies, service_rate, marginal_rate])
def test_arrays_give_what_their_numbers_give(function):
    S, T, beta = np.array([0.0, 3.0, 50.0]), np.array([[2.0], [30.0]]), 1.7
    together = function(S, T, beta)
    np.testing.assert_array_equal(together, [[function(s, t, beta) for s in S] for t in (2.0, 30.0)])
    assert type(function(3, 2, 1.7)) is float
    by_tail = function(3.0, 2.0, np.array([1.2, 1.9, 2.6]))
    np.testing.assert_array_equal(by_tail, [function(3.0, 2.0, b) for b in (1.2, 1.9, 2.6)])


def test_a_curve_is_drawn_within_a_frame():
    S = np.linspace(0, 100, 400)
    best = INF
    for _ in range(5):
        start = time.perf_counter()
        service_rate(S, 20, 1.5)
        marginal_rate(S, 20, 1.5)
        best = min(best, time.perf_counter() - start)
    assert best < 0.030


@pytest.mark.parametrize("beta", [1.0, 0.5, -2.0, INF, float("nan")])
def test_a_task_without_a_mean_time_is_refused(beta):
    for refuse in (
        lambda: tail_index(beta),
        lambda: threshold(beta),
        lambda: rate_per_slot(beta),
        lambda: blow_up(2, beta),
        lambda: service_rate(1, 1, beta),
        lambda: marginal_rate(1, 1, beta),
        lambda: optimal_copies(1, 1, beta),
    ):
        with pytest.raises(ValueError, match="beta must be"):
            refuse()


@pytest.mark.parametrize("k", [0.5, 2 / 3, 0, -1, INF])
def test_too_few_copies_for_a_finite_mean_are_refused(k):
    with pytest.raises(ValueError, match="k must be finite and above 1 / beta"):
        blow_up(k, 1.5)


@pytest.mark.parametrize("function", [optimal_copies, service_rate, marginal_rate])
def test_slots_and_tasks_have_their_domains(function):
    for bad in (-1, INF):
        with pytest.raises(ValueError, match="S must be finite and not negative"):
            function(bad, 1, 1.5)
        with pytest.raises(ValueError, match="T must be finite and not negative"):
            function(1, bad, 1.5)
    with pytest.raises(ValueError, match="S must be free of NaN"):
        function([1, float("nan")], 1, 1.5)
