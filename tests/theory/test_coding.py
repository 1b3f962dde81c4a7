"""One coded job: its cost against the printed closed form, an integral, and samples."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from tests.agreement import assert_mean
from tests.depth import each
from theory.coding import coded_cost, expanded_tasks
from theory.order_statistics import order_statistic_moment

INF = float("inf")
JOBS = [(1, 1), (2, 1), (4, 4), (7, 3), (20, 10), (11, 10), (200, 150)]


def printed_cost(n, k, alpha):
    """The closed form of the paper, straight from the gamma functions."""
    y, ln = 1 / alpha, special.gammaln
    mean = math.exp(ln(n + 1) + ln(n - k + 1 - y) - ln(n - k + 1) - ln(n + 1 - y))
    return n / (alpha - 1) * (alpha - (1 - k / n) * mean)


def cost_by_quadrature(n, k, alpha):
    """Mean time for which each of n tasks runs: until it ends, or k of the others have."""

    def running(x):  # at time e^x: this task still runs, and fewer than k of the others have ended
        others = stats.binom.cdf(k - 1, n - 1, -math.expm1(-alpha * x))
        return math.exp((1 - alpha) * x) * others

    usual = math.log(n / (n - k + 1)) / alpha
    far = usual + 50 / (alpha * (n - k + 1) - 1)
    return n + n * integrate.quad(running, 0, far, points=[usual], epsabs=0, epsrel=1e-9, limit=500)[0]


def cost_by_stages(n, k, alpha):
    """With m tasks running the next finish is later by the factor m / (m - 1 / alpha) in the mean."""
    running = n - np.arange(k)
    finishes = np.cumprod(running / (running - 1 / alpha))
    return finishes.sum() + (n - k) * finishes[-1]


def sampled_costs(rng, n, k, alpha, jobs=200_000):
    times = np.sort(rng.random((jobs, n)) ** (-1 / alpha), axis=1)
    return times[:, :k].sum(axis=1) + (n - k) * times[:, k - 1]


# --- cost ----------------------------------------------------------------------------------------


@each("n, k", JOBS)
@each("alpha", [1.05, 1.5, 2.0, 3.0, 30.0])
def test_cost_is_the_printed_closed_form(n, k, alpha):
    assert coded_cost(n, k, alpha) == pytest.approx(printed_cost(n, k, alpha), rel=1e-9)


@pytest.mark.parametrize(("n", "k"), JOBS)
@pytest.mark.parametrize("alpha", [1.5, 3.0])
def test_cost_is_the_integral_of_the_tasks_running(n, k, alpha):
    assert coded_cost(n, k, alpha) == pytest.approx(cost_by_quadrature(n, k, alpha), rel=1e-7)


@pytest.mark.parametrize(("n", "k", "alpha"), [(4, 3, 0.8), (4, 3, 1.0), (20, 10, 0.5), (3, 1, 0.4)])
def test_cost_goes_on_to_tails_without_a_mean_as_long_as_there_are_spare_tasks(n, k, alpha):
    assert coded_cost(n, k, alpha) == pytest.approx(cost_by_quadrature(n, k, alpha), rel=1e-7)


@each("n, k", [(2, 1), (20, 10), (5000, 4900), (100_000, 50_000)])
@each("alpha", [0.7, 1 - 1e-3, 1 - 1e-9, 1.0, 1 + 1e-6, 1.01, 2.0, 1e6])
def test_cost_loses_no_digits_where_the_printed_quotient_vanishes_nor_for_many_tasks(n, k, alpha):
    assert coded_cost(n, k, alpha) == pytest.approx(cost_by_stages(n, k, alpha), rel=1e-11)


@pytest.mark.parametrize(("n", "k", "alpha"), [(5, 3, 3.0), (4, 4, 3.0), (6, 5, 2.5)])
def test_cost_agrees_with_sampled_jobs_and_an_error_of_three_percent_would_be_caught(n, k, alpha):
    samples = sampled_costs(np.random.default_rng(30), n, k, alpha)
    assert_mean(samples, coded_cost(n, k, alpha))
    for wrong in (0.97, 1.03):
        with pytest.raises(AssertionError):
            assert_mean(samples, wrong * coded_cost(n, k, alpha))


def test_erratum_the_sum_in_the_text_forgets_the_task_that_ends_the_job():
    n, k, alpha = 5, 3, 3.0
    forgotten = order_statistic_moment(n, k, alpha)
    samples = sampled_costs(np.random.default_rng(31), n, k, alpha)
    with pytest.raises(AssertionError):
        assert_mean(samples, coded_cost(n, k, alpha) - forgotten)
    # its plainest instance: a single task would cost nothing
    assert coded_cost(1, 1, alpha) == pytest.approx(order_statistic_moment(1, 1, alpha))


def test_without_redundancy_each_task_costs_a_mean_slowdown():
    k = np.arange(1, 50)
    np.testing.assert_allclose(coded_cost(k, k, 3.0), k * stats.pareto(3.0).mean(), rtol=1e-12)


def test_cost_is_infinite_exactly_where_the_last_awaited_task_has_no_mean():
    assert coded_cost(4, [4, 3], [1.0, 0.5]).tolist() == [INF, INF]
    assert coded_cost(4, 4, 1.001) == pytest.approx(4004)
    assert coded_cost(4, 3, 0.51) < INF


@given(st.integers(1, 60), st.integers(0, 60), st.floats(1.01, 50))
def test_a_job_costs_at_least_its_tasks_and_at_most_as_if_none_were_removed(k, spare, alpha):
    cost = coded_cost(k + spare, k, alpha)
    assert k + spare <= cost <= (k + spare) * alpha / (alpha - 1) * (1 + 1e-9)


def test_redundancy_saves_work_only_under_heavy_slowdowns():
    # two copies of one task cost 2 * 2a / (2a - 1), against a / (a - 1): less exactly for a < 3/2
    alpha = np.array([1.2, 1.5, 1.8])
    np.testing.assert_allclose(coded_cost(2, 1, alpha), 4 * alpha / (2 * alpha - 1), rtol=1e-12)
    saved = coded_cost(1, 1, alpha) - coded_cost(2, 1, alpha)
    assert np.sign(np.round(saved, 12)).tolist() == [1, 0, -1]


# --- expansion -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", ["1", "1.1", "1.2", "1.25", "1.4", "1.7", "2", "2.2", "3"])
def test_expansion_is_the_ceiling_of_the_decimal_product(rate):
    k = np.arange(1, 301)
    exact = [math.ceil(Fraction(rate) * int(i)) for i in k]
    assert expanded_tasks(k, float(rate)).tolist() == exact


@given(st.integers(1, 1000), st.floats(1, 10))
def test_expansion_adds_less_than_a_task_to_the_product(k, rate):
    n = expanded_tasks(k, rate)
    assert type(n) is float
    assert n >= k
    assert -1e-6 <= n - rate * k < 1


# --- shapes and refusals -------------------------------------------------------------------------


def test_arrays_give_what_single_numbers_give():
    k, alpha = np.array([1, 3, 10]), np.array([[0.7], [1.5], [4.0]])
    table = coded_cost(10, k, alpha)
    assert table.shape == (3, 3)
    for i in range(3):
        for j in range(3):
            single = coded_cost(10, int(k[j]), float(alpha[i, 0]))
            assert type(single) is float
            assert table[i, j] == single


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: coded_cost(3, 4, 2.0), r"n must be a whole number of at least k \(got 3"),
        (lambda: coded_cost(3.5, 2, 2.0), "n must be a whole number"),
        (lambda: coded_cost(3, 0, 2.0), "k must be a whole number of at least 1"),
        (lambda: coded_cost(INF, 2, 2.0), "n must be a whole number"),
        (lambda: coded_cost(3, 2, 0.0), "alpha must be positive and finite"),
        (lambda: coded_cost(3, 2, float("nan")), "alpha must be free of NaN"),
        (lambda: expanded_tasks(3, 0.9), r"r must be at least 1 and finite \(got 0.9\)"),
        (lambda: expanded_tasks(3, INF), "r must be at least 1 and finite"),
        (lambda: expanded_tasks(2.5, 2), "k must be a whole number"),
        (lambda: expanded_tasks(1e300, 1e300), "k must be small enough"),
        (lambda: expanded_tasks(3, [1, 2]), "r must be a single number"),
    ],
)
def test_what_is_outside_the_domain_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
