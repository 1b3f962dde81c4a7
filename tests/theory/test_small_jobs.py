"""Latency, cost and probability of small jobs against integrals over the task size, and sampled jobs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from tests.agreement import assert_mean, assert_share
from tests.depth import each
from theory.coding import coded_cost
from theory.order_statistics import order_statistic_moment
from theory.small_jobs import (
    redundant_cost,
    redundant_latency,
    small_job_cost,
    small_job_latency,
    small_job_probability,
    task_count_probability,
)

INF = float("inf")
DEMANDS = [0, 9, 10, 10.5, 17, 40, 95, 100, 350, 1e4, INF]
#: A bounded law with every moment, so that samples have a say: r, alpha, size_tail; k_max, size_min, size_max
RATES, SIZES = (1.5, 5.0, 1.5), {"k_max": 5, "size_min": 10.0, "size_max": 200.0}


class Sampled:
    """Sampled jobs: demand, latency and cost under the policy, written down as the paper says it."""

    def __init__(self, d, seed, jobs=400_000):
        (r, alpha, tail), rng = RATES, np.random.default_rng(seed)
        weight = 1 / np.arange(1, SIZES["k_max"] + 1)
        self.k = rng.choice(np.arange(1, SIZES["k_max"] + 1), p=weight / weight.sum(), size=jobs)
        law = stats.truncpareto(tail, SIZES["size_max"] / SIZES["size_min"], scale=SIZES["size_min"])
        b = law.ppf(rng.random(jobs))
        self.small = self.k * b <= d
        n = np.where(self.small, np.ceil(r * self.k), self.k).astype(int)
        slowdown = rng.random((jobs, n.max())) ** (-1 / alpha)
        slowdown[np.arange(n.max()) >= n[:, None]] = INF  # not started
        slowdown.sort(axis=1)
        end = slowdown[np.arange(jobs), self.k - 1]
        held = np.where(np.arange(n.max()) < n[:, None], np.minimum(slowdown, end[:, None]), 0.0)
        self.latency, self.cost = b * end, b * held.sum(axis=1)


def by_quadrature(per_size, d, tail, k_max=10, low=10.0, high=INF):
    """Mean of per_size(k, b, coded) over all jobs, by quadrature over y = ln b, cut where coding stops."""
    bottom = math.log(low)
    top = math.log(high) if high < INF else bottom + 80 / (tail - 1)
    mass = 1 - (low / high) ** tail

    def part(k, start, stop, coded):
        def density(y):
            return per_size(k, math.exp(y), coded) * tail * math.exp(tail * (bottom - y)) / mass

        return integrate.quad(density, start, stop, epsabs=0, epsrel=1e-10)[0] if stop > start else 0.0

    total, weight = 0.0, 0.0
    for k in range(1, k_max + 1):
        cut = min(max(math.log(max(d / k, low)), bottom), top) if d < INF else top
        total += (part(k, bottom, cut, True) + part(k, cut, top, False)) / k
        weight += 1 / k
    return total / weight


def latency_of(r, alpha, power=1):
    def per_size(k, b, coded):
        return b**power * order_statistic_moment(math.ceil(r * k) if coded else k, k, alpha, power)

    return per_size


def cost_of(r, alpha):
    def per_size(k, b, coded):
        return b * coded_cost(math.ceil(r * k) if coded else k, k, alpha)

    return per_size


def large_only(per_size):
    return lambda k, b, coded: 0.0 if coded else per_size(k, b, coded)


# --- the law of the demand -----------------------------------------------------------------------


@pytest.mark.parametrize("k_max", [1, 2, 10])
def test_numbers_of_tasks_are_zipf_as_in_scipy(k_max):
    k = np.arange(1, k_max + 3)
    reference = stats.zipfian(1, k_max).pmf(k)
    np.testing.assert_allclose(task_count_probability(k, k_max), reference, rtol=1e-12)


@each("d", DEMANDS)
@each("high", [INF, 60.0])
def test_probability_of_a_small_job_averages_the_law_of_the_size(d, high):
    law = stats.pareto(1.5, scale=10) if high == INF else stats.truncpareto(1.5, high / 10, scale=10)
    k = np.arange(1, 11)
    expected = np.dot(stats.zipfian(1, 10).pmf(k), law.cdf(d / k))
    assert small_job_probability(d, 1.5, size_max=high) == pytest.approx(expected, rel=1e-12)


def test_probability_of_a_small_job_agrees_with_sampled_jobs():
    small = Sampled(40.0, seed=40).small
    expected = small_job_probability(40.0, 1.5, **SIZES)
    assert_share(small.sum(), small.size, expected)
    with pytest.raises(AssertionError):
        assert_share(small.sum(), small.size, 1.03 * expected)


# --- moments over all jobs -----------------------------------------------------------------------


@each("d", DEMANDS)
@each("tail, high, power", [(3.0, INF, 1), (3.0, INF, 2), (1.5, 300.0, 1), (1.0, 300.0, 2)])
def test_latency_is_the_integral_over_task_sizes(d, tail, high, power):
    expected = by_quadrature(latency_of(2, 3.0, power), d, tail, high=high)
    assert redundant_latency(d, 2, 3.0, tail, power, size_max=high) == pytest.approx(expected, rel=1e-8)


@each("d", DEMANDS)
@each("tail, high", [(1.5, INF), (3.0, INF), (1.0, 300.0)])
def test_cost_is_the_integral_over_task_sizes(d, tail, high):
    expected = by_quadrature(cost_of(1.4, 2.5), d, tail, high=high)
    assert redundant_cost(d, 1.4, 2.5, tail, size_max=high) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("d", [0.0, 15.0, 40.0, 150.0, INF])
def test_latency_and_cost_agree_with_sampled_jobs(d):
    jobs = Sampled(d, seed=41)
    latency, cost = redundant_latency(d, *RATES, **SIZES), redundant_cost(d, *RATES, **SIZES)
    assert_mean(jobs.latency, latency)
    assert_mean(jobs.latency**2, redundant_latency(d, *RATES, power=2, **SIZES), resolution=0.1)
    assert_mean(jobs.cost, cost)
    for wrong in (0.96, 1.04):
        with pytest.raises(AssertionError):
            assert_mean(jobs.latency, wrong * latency)
        with pytest.raises(AssertionError):
            assert_mean(jobs.cost, wrong * cost)


@pytest.mark.parametrize("d", [15.0, 40.0, 150.0])
def test_moments_of_small_jobs_agree_with_the_small_ones_among_sampled_jobs(d):
    jobs = Sampled(d, seed=42)
    assert_mean(jobs.latency[jobs.small], small_job_latency(d, *RATES, **SIZES))
    assert_mean((jobs.latency**2)[jobs.small], small_job_latency(d, *RATES, power=2, **SIZES))
    assert_mean(jobs.cost[jobs.small], small_job_cost(d, *RATES, **SIZES))
    with pytest.raises(AssertionError):
        assert_mean(jobs.latency[jobs.small], 1.03 * small_job_latency(d, *RATES, **SIZES))


@pytest.mark.parametrize("d", [12.0, 60.0, 700.0])
def test_the_law_of_total_expectation_joins_small_and_large_jobs(d):
    share = small_job_probability(d, 3.0)
    large = by_quadrature(large_only(latency_of(2, 3.0)), d, 3.0)
    joined = share * small_job_latency(d, 2, 3.0, 3.0) + large
    assert redundant_latency(d, 2, 3.0, 3.0) == pytest.approx(joined, rel=1e-8)
    large = by_quadrature(large_only(cost_of(2, 3.0)), d, 3.0)
    joined = share * small_job_cost(d, 2, 3.0, 3.0) + large
    assert redundant_cost(d, 2, 3.0, 3.0) == pytest.approx(joined, rel=1e-8)


def test_a_job_of_one_smallest_task_is_the_limit_of_small_jobs():
    barely = 10 * (1 + 1e-9)
    assert small_job_latency(barely, 2, 3.0, 1.5) == pytest.approx(10 * order_statistic_moment(2, 1, 3.0))
    assert small_job_cost(barely, 2, 3.0, 1.5) == pytest.approx(10 * coded_cost(2, 1, 3.0))


# --- the erratum of equation (1) -----------------------------------------------------------------


@given(st.floats(0, 1e4), st.floats(1.2, 5))
def test_without_spare_tasks_nothing_depends_on_the_demand_that_is_coded(d, tail):
    for function in (redundant_latency, redundant_cost):
        assert function(d, 1, 3.0, tail) == pytest.approx(function(0, 1, 3.0, tail), rel=1e-9)


def test_erratum_as_printed_the_demand_matters_even_without_spare_tasks():
    printed = redundant_latency([0, 15, 60, INF], 1, 3.0, 3.0, as_printed=True)
    assert printed[0] == pytest.approx(printed[-1])
    assert np.max(np.abs(printed / printed[0] - 1)) > 0.2


@pytest.mark.parametrize("function", [redundant_latency, redundant_cost])
def test_erratum_the_printed_average_is_right_only_at_the_ends(function):
    def gap(d, tail, **sizes):
        printed = function(np.asarray(d), 2, 3.0, tail, as_printed=True, **sizes)
        return np.abs(printed / function(d, 2, 3.0, tail, **sizes) - 1)

    assert np.max(gap([0, 7, 10, INF], 3.0)) < 1e-12
    assert np.max(gap([0, 10, 160, 500, INF], 1.5, size_max=40.0, k_max=4)) < 1e-12
    assert np.max(gap(np.geomspace(15, 100, 20), 3.0)) > 0.15


def test_erratum_sampled_jobs_refute_the_printed_average():
    d, jobs = 20.0, Sampled(20.0, seed=43)
    with pytest.raises(AssertionError, match="farther"):
        assert_mean(jobs.latency, redundant_latency(d, *RATES, as_printed=True, **SIZES))
    with pytest.raises(AssertionError, match="farther"):
        assert_mean(jobs.cost, redundant_cost(d, *RATES, as_printed=True, **SIZES))
    with pytest.raises(AssertionError, match="farther"):
        assert_mean(jobs.latency[jobs.small], small_job_latency(d, *RATES, as_printed=True, **SIZES))
    with pytest.raises(AssertionError, match="farther"):
        assert_mean(jobs.cost[jobs.small], small_job_cost(d, *RATES, as_printed=True, **SIZES))


def test_erratum_the_printed_cost_falls_below_that_without_redundancy():
    d = np.linspace(11, 20, 10)
    plain = redundant_cost(0, 2, 3.0, 1.5)
    assert np.all(redundant_cost(d, 2, 3.0, 1.5, as_printed=True) < plain)
    # which cannot be: at alpha = 3 each coded job costs more than an uncoded one
    assert all(coded_cost(2 * k, k, 3.0) > coded_cost(k, k, 3.0) for k in range(1, 11))
    assert np.all(redundant_cost(d, 2, 3.0, 1.5) > plain)


def test_the_printed_average_is_the_equation_as_printed():
    d, tail, k = 35.0, 3.0, np.arange(1, 4)
    p, law = stats.zipfian(1, 3).pmf(k), stats.pareto(tail, scale=10)
    share = np.dot(p, law.cdf(d / k))
    small = [law.expect(ub=d / j, conditional=True) for j in k]
    large = [law.expect(lb=d / j, conditional=True) for j in k]
    given_small = np.dot(p, small * order_statistic_moment(2 * k, k, 3.0))
    given_large = np.dot(p, large * order_statistic_moment(k, k, 3.0))
    expected = share * given_small + (1 - share) * given_large
    assert redundant_latency(d, 2, 3.0, tail, k_max=3, as_printed=True) == pytest.approx(expected, rel=1e-6)
    assert small_job_latency(d, 2, 3.0, tail, 1, 3, as_printed=True) == pytest.approx(given_small, rel=1e-6)
    given_small = np.dot(p, small * coded_cost(2 * k, k, 3.0))
    given_large = np.dot(p, large * coded_cost(k, k, 3.0))
    expected = share * given_small + (1 - share) * given_large
    assert redundant_cost(d, 2, 3.0, tail, k_max=3, as_printed=True) == pytest.approx(expected, rel=1e-6)
    assert small_job_cost(d, 2, 3.0, tail, k_max=3, as_printed=True) == pytest.approx(given_small, rel=1e-6)


@pytest.mark.parametrize("function", [redundant_latency, redundant_cost])
@pytest.mark.parametrize("kink", [20.0, 30.0, 40.0, 80.0])
def test_where_the_printed_average_conditions_on_a_null_event_its_limit_is_taken(function, kink):
    # at a kink all tasks of a job have the smallest size, 10, or the largest, 40
    d = kink * (1 + np.array([-1e-9, 0, 1e-9]))
    below, at, above = function(d, 2, 3.0, 1.5, k_max=3, size_max=40.0, as_printed=True)
    assert below == pytest.approx(at, rel=1e-7)
    assert above == pytest.approx(at, rel=1e-7)


# --- what is finite ------------------------------------------------------------------------------


@pytest.mark.parametrize("tail", [1.2, 1.5, 2.0])
def test_erratum_the_second_moment_is_infinite_whatever_is_coded(tail):
    d = np.array([0, 10, 50, 1e6, 1e200, INF])
    assert np.all(redundant_latency(d, 2, 3.0, tail, power=2) == INF)
    assert np.all(np.isfinite(redundant_latency(d, 2, 3.0, tail)))
    assert np.all(np.isfinite(redundant_cost(d, 2, 3.0, tail)))
    small = small_job_latency(d[2:], 2, 3.0, tail, power=2)
    assert np.isfinite(small).tolist() == [True, True, True, False]
    assert np.all(np.isfinite(redundant_latency(d, 2, 3.0, tail, power=2, size_max=1e5)))


def test_heavy_slowdowns_leave_a_second_moment_only_if_every_job_is_coded():
    bounded = {"power": 2, "size_max": 50.0}  # the largest demand is 500
    assert redundant_latency([0, 100, 499.9], 2, 2.0, 1.5, **bounded).tolist() == [INF] * 3
    assert np.all(np.isfinite(redundant_latency([500, INF], 2, 2.0, 1.5, **bounded)))
    assert redundant_latency([0, 1e200, INF], 2, 1.5, 3.0, power=2)[:2].tolist() == [INF, INF]
    assert redundant_latency(INF, 2, 1.5, 3.0, power=2) < INF
    assert redundant_latency(INF, 1, 2.0, 3.0, power=2) == INF  # no spare task anywhere


def test_without_mean_sizes_or_slowdowns_latency_and_cost_are_infinite():
    assert redundant_latency([0, 50, INF], 2, 3.0, 1.0).tolist() == [INF] * 3
    assert redundant_cost([0, 50, INF], 2, 3.0, 0.9).tolist() == [INF] * 3
    assert redundant_cost([0, 50], 2, 1.0, 3.0).tolist() == [INF] * 2
    assert redundant_cost(INF, 2, 1.0, 3.0) < INF  # every task has a spare


# --- properties, shapes, refusals ----------------------------------------------------------------


@given(st.floats(0, 500), st.floats(0, 500), st.floats(1, 3), st.floats(1.2, 6))
def test_coding_more_jobs_shortens_the_mean_latency(d, more, r, alpha):
    low, high = redundant_latency([d, d + more], r, alpha, 2.5)
    assert high <= low * (1 + 1e-12)


@given(st.floats(0.01, 100), st.floats(0, 200))
def test_the_unit_of_time_is_the_task_size(unit, d):
    one = redundant_latency(d, 2, 3.0, 3.0, power=2, size_max=90.0)
    other = redundant_latency(d * unit, 2, 3.0, 3.0, power=2, size_min=10 * unit, size_max=90 * unit)
    assert other == pytest.approx(one * unit**2, rel=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda d: small_job_probability(d, 1.5),
        lambda d: redundant_latency(d, 2, 3.0, 1.5),
        lambda d: redundant_latency(d, 2, 3.0, 1.5, as_printed=True),
        lambda d: redundant_cost(d, 2, 3.0, 1.5, size_max=70),
        lambda d: small_job_latency(d + 11, 2, 3.0, 1.5),
        lambda d: small_job_cost(d + 11, 2, 3.0, 1.5),
    ],
)
def test_arrays_give_what_single_numbers_give(function):
    d = np.array([[0, 10, 25], [80, 300, INF]])
    table = function(d)
    assert table.shape == d.shape
    for i, value in np.ndenumerate(d):
        single = function(float(value))
        assert type(single) is float
        assert table[i] == single


def test_numbers_beyond_the_floats_become_infinite_without_a_word():
    assert redundant_latency(1e300, 2, 3.0, 3.0, power=2, size_min=1e200, as_printed=True) == INF
    assert redundant_latency([0, INF], 2, 3.0, 3.0, power=2, size_min=1e200).tolist() == [INF, INF]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: small_job_probability(-1, 1.5), r"d must be at least 0 \(got -1"),
        (lambda: small_job_probability(float("nan"), 1.5), "d must be free of NaN"),
        (lambda: small_job_probability(20, 0), "size_tail must be positive and finite"),
        (lambda: small_job_probability(20, 1.5, k_max=2.5), "k_max must be a whole number of at least 1"),
        (lambda: small_job_probability(20, 1.5, k_max=10_001), "k_max must be at most 10000"),
        (lambda: small_job_probability(20, 1.5, size_min=0), "size_min must be positive and finite"),
        (lambda: small_job_probability(20, 1.5, size_max=10), "size_max must be above size_min"),
        (lambda: redundant_latency(20, 0.5, 3.0, 1.5), "r must be at least 1 and finite"),
        (lambda: redundant_latency(20, 2, 0.0, 1.5), "alpha must be positive and finite"),
        (lambda: redundant_latency(20, 2, 3.0, 1.5, power=0), "power must be positive and finite"),
        (lambda: redundant_cost(20, 2, 3.0, [1.5, 2]), "size_tail must be a single number"),
        (lambda: redundant_cost(20, 2, float("nan"), 1.5), "alpha must be free of NaN"),
        (lambda: small_job_latency(10, 2, 3.0, 1.5), r"d must be above size_min.*\(got 10\)"),
        (lambda: small_job_cost([20, 5], 2, 3.0, 1.5), "d must be above size_min"),
        (lambda: task_count_probability(0), "k must be a whole number of at least 1"),
        (lambda: task_count_probability(1, 0), "k_max must be a whole number of at least 1"),
    ],
)
def test_what_is_outside_the_domain_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
