"""Order statistics of Pareto slowdowns: product, quadrature of the tail, binomial sums, samples."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from tests.agreement import assert_mean
from tests.depth import each
from theory.order_statistics import (
    maximum_moment,
    minimum_moment,
    order_statistic_moment,
    order_statistic_quantile,
    order_statistic_tail,
)

INF = float("inf")
CASES = [(1, 1, 3.0), (2, 2, 3.0), (5, 3, 1.5), (10, 10, 3.0), (20, 10, 3.0), (7, 1, 0.5), (30, 29, 2.5)]


def product(n, k, alpha, power):
    """Renyi: ln S_{n:k} is a sum of k independent exponentials of rates alpha n, ..., alpha (n - k + 1)."""
    rates = [alpha * j for j in range(n - k + 1, n + 1)]
    return math.prod(rate / (rate - power) for rate in rates)


def binomial_tail(t, n, k, alpha):
    return stats.binom.cdf(k - 1, n, 1 - t**-alpha)


@each("n, k, alpha", CASES)
@each("power", [1, 2, 0.5, -1])
def test_moments_are_the_product_of_independent_exponential_gaps(n, k, alpha, power):
    if alpha * (n - k + 1) > power:
        assert order_statistic_moment(n, k, alpha, power) == pytest.approx(
            product(n, k, alpha, power), rel=1e-10
        )
    else:
        assert order_statistic_moment(n, k, alpha, power) == INF


@pytest.mark.parametrize(("n", "k", "alpha"), CASES)
def test_moments_are_the_integral_of_the_binomial_tail(n, k, alpha):
    integrand = lambda y: math.exp(y) * binomial_tail(math.exp(y), n, k, alpha)  # noqa: E731
    end = 60 / (alpha * (n - k + 1) - 1)
    expected = 1 + integrate.quad(integrand, 0, end, epsrel=1e-9, limit=300)[0]
    assert order_statistic_moment(n, k, alpha) == pytest.approx(expected, rel=1e-6)


def test_sorted_samples_have_these_means():
    """40,000 jobs of 8 tasks; each assertion fails a correct program once in a million."""
    slowdown = np.sort(np.random.default_rng(8).random((40_000, 8)) ** (-1 / 3.0), axis=1)
    for k in (1, 4, 6, 8):
        assert_mean(slowdown[:, k - 1], order_statistic_moment(8, k, 3.0), resolution=0.03)
    assert_mean(slowdown[:, 3] ** 2, order_statistic_moment(8, 4, 3.0, 2), resolution=0.03)
    with pytest.raises(AssertionError, match="farther than"):
        assert_mean(slowdown[:, 3], 1.03 * order_statistic_moment(8, 4, 3.0))
    with pytest.raises(AssertionError, match="farther than"):
        assert_mean(slowdown[:, 3], order_statistic_moment(9, 4, 3.0))


@pytest.mark.parametrize("k", [1, 2, 10])
def test_a_job_without_spare_tasks_has_a_second_moment_only_above_tail_index_two(k):
    assert order_statistic_moment(k, k, 2.0, 2) == INF
    assert order_statistic_moment(k, k, 1.5, 2) == INF
    assert order_statistic_moment(k, k, 2.001, 2) < INF
    assert order_statistic_moment(k + 1, k, 2.0, 2) < INF


def test_the_mean_diverges_exactly_where_the_spare_tasks_run_out():
    # alpha = 1/4: the mean needs n - k + 1 > 4.
    finite = [order_statistic_moment(10, k, 0.25) < INF for k in range(1, 11)]
    assert finite == [True] * 6 + [False] * 4


def test_maximum_and_minimum_are_the_ends():
    assert minimum_moment(4, 1.5) == pytest.approx(6 / 5)  # the minimum is Pareto(1, 6)
    assert minimum_moment(4, 1.5, 2) == pytest.approx(6 / 4)
    assert minimum_moment(4, 0.25) == INF
    expected = integrate.quad(lambda v: (1 - v ** (1 / 6)) ** (-1 / 3.0), 0, 1)[0]  # least uniform of 6
    assert maximum_moment(6, 3.0) == pytest.approx(expected, rel=1e-7)
    assert maximum_moment(6, 1.0) == INF


@pytest.mark.parametrize(("n", "k", "alpha"), CASES)
def test_the_tail_is_binomial(n, k, alpha):
    t = np.array([1.0, 1.05, 1.5, 3.0, 20.0])
    np.testing.assert_allclose(order_statistic_tail(t, n, k, alpha), binomial_tail(t, n, k, alpha), rtol=1e-9)
    assert order_statistic_tail(0.3, n, k, alpha) == 1.0
    assert order_statistic_tail(-INF, n, k, alpha) == 1.0
    assert order_statistic_tail(INF, n, k, alpha) == 0.0


@settings(max_examples=100, deadline=None)
@given(n=st.integers(1, 60), spare=st.integers(0, 59), alpha=st.floats(0.2, 10), u=st.floats(0.001, 0.999))
def test_the_quantile_undoes_the_tail(n, spare, alpha, u):
    k = max(1, n - spare)
    t = order_statistic_quantile(u, n, k, alpha)
    assert 1 <= t < INF
    assert binomial_tail(t, n, k, alpha) == pytest.approx(1 - u, rel=1e-6, abs=1e-9)


def test_the_quantile_ends_at_the_ends():
    assert order_statistic_quantile(0, 5, 3, 2.0) == 1.0
    assert order_statistic_quantile(1, 5, 3, 2.0) == INF


@settings(max_examples=100, deadline=None)
@given(n=st.integers(1, 200), k=st.integers(1, 200), alpha=st.floats(1.1, 10))
def test_waiting_for_more_takes_longer_and_spare_tasks_help(n, k, alpha):
    n, k = max(n, k), min(n, k)
    here = order_statistic_moment(n, k, alpha)
    assert order_statistic_moment(n + 1, k, alpha) < here
    assert order_statistic_moment(n + 1, k + 1, alpha) > here
    assert here >= 1


def test_large_jobs_lose_no_digits_that_matter():
    # E[S] of half a million of a million tends to the quantile, 2^(1/alpha), at rate 1/n.
    assert order_statistic_moment(10**6, 5 * 10**5, 2.0) == pytest.approx(math.sqrt(2), rel=1e-5)
    assert order_statistic_moment(1000, 10, 0.05, 5) == pytest.approx(product(1000, 10, 0.05, 5), rel=1e-9)


def test_arrays_give_what_their_numbers_give():
    n, k = np.array([4, 8, 15]), np.array([[1], [4]])
    together = order_statistic_moment(n, k, 1.2, 1)
    np.testing.assert_array_equal(together, [[order_statistic_moment(a, b, 1.2) for a in n] for b in (1, 4)])
    assert type(order_statistic_moment(4, 2, 1.2)) is float
    assert type(order_statistic_tail(2.0, 4, 2, 1.2)) is float


def test_a_curve_is_drawn_within_a_frame():
    n = np.arange(1, 401)
    best = INF
    for _ in range(5):
        start = time.perf_counter()
        order_statistic_moment(n + 20, n, 1.5)
        best = min(best, time.perf_counter() - start)
    assert best < 0.030


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 0, 2.0), r"k must be a whole number of at least 1 \(got 0.0\)"),
        ((3, 1.5, 2.0), "k must be a whole number of at least 1"),
        ((3.5, 1, 2.0), "n must be a whole number of at least k"),
        ((2, 3, 2.0), r"n must be a whole number of at least k \(got 2.0\)"),
        ((INF, 3, 2.0), "n must be a whole number of at least k"),
        ((3, 2, 0.0), "alpha must be positive and finite"),
        ((3, 2, INF), "alpha must be positive and finite"),
        ((3, 2, float("nan")), "alpha must be free of NaN"),
        ((3, 2, 2.0, INF), "power must be finite"),
    ],
)
def test_what_is_outside_the_domain_is_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        order_statistic_moment(*arguments)


def test_probabilities_and_times_have_their_domains():
    for u in (-0.1, 1.1):
        with pytest.raises(ValueError, match="u must be a probability"):
            order_statistic_quantile(u, 3, 2, 2.0)
    with pytest.raises(ValueError, match="t must be free of NaN"):
        order_statistic_tail(float("nan"), 3, 2, 2.0)
