"""Steps of over-sampled rollouts: quadrature of the order statistic's density, and all lists of draws."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, special, stats

from tests.depth import each
from theory.coding import coded_cost
from theory.order_statistics import order_statistic_moment
from theory.rollouts import exponential_step_time, lognormal_step_time, slot_times, step_weights

SIZES = [(1, 0), (1, 3), (2, 1), (8, 0), (8, 3), (32, 4), (100, 30)]
LISTS = [[1.0, 2.0, 7.0], [3.0, 3.0, 5.0, 40.0], [2.5]]


def by_density(n, k, length):
    """Mean of the n-th smallest of n + k: the length at z, over the density of its place, by quadrature."""

    def density(z):
        logs = (n - 1) * stats.norm.logcdf(z) + k * stats.norm.logsf(z) + stats.norm.logpdf(z)
        return math.exp(logs - special.betaln(n, k + 1))

    middle = stats.norm.ppf(n / (n + k + 1))
    integrand = lambda z: density(z) * length(z)  # noqa: E731
    ends = [middle - 10, middle - 1, middle, middle + 1, middle + 3, middle + 14]
    parts = itertools.pairwise(ends)
    return sum(integrate.quad(integrand, *part, epsrel=1e-12, epsabs=0, limit=200)[0] for part in parts)


@each("n, k", SIZES)
def test_exponential_steps_are_the_integral_of_the_order_statistic(n, k):
    expected = by_density(n, k, lambda z: -3 * stats.norm.logsf(z))
    assert exponential_step_time(n, k, 3.0) == pytest.approx(expected, rel=1e-9)


@each("n, k", SIZES)
@each("sigma", [0.1, 1.0, 2.5])
def test_lognormal_steps_are_the_integral_of_the_order_statistic(n, k, sigma):
    expected = by_density(n, k, lambda z: math.exp(0.5 + sigma * z))
    assert lognormal_step_time(n, k, mu=0.5, sigma=sigma) == pytest.approx(expected, rel=1e-9)


def test_numbers_of_answers_may_be_arrays():
    extra = np.array([0, 3, 40])
    for formula, law in ((exponential_step_time, (2.0,)), (lognormal_step_time, (0.5, 1.0))):
        assert formula(16, extra, *law).tolist() == [formula(16, k, *law) for k in extra]


@each("lengths", LISTS)
@each("n, k", [(1, 0), (1, 2), (2, 1), (3, 2), (4, 1)])
def test_steps_of_a_list_are_the_mean_over_all_draws(lengths, n, k):
    draws = [sorted(draw) for draw in itertools.product(map(Fraction, lengths), repeat=n + k)]
    times = step_weights(n, k, len(lengths)) @ np.array(lengths)
    assert times[k] == pytest.approx(float(sum(draw[n - 1] for draw in draws) / len(draws)), rel=1e-12)
    slots = sum(sum(draw[:n]) + k * draw[n - 1] for draw in draws) / len(draws)
    found = slot_times(times, n, float(np.mean(lengths)))
    assert found[k] == pytest.approx(float(slots), rel=1e-12)


@each("n, k", [(8, 3), (64, 10), (256, 512)])
def test_weights_of_a_long_list_are_those_of_the_beta_distribution(n, k):
    expected = np.diff(stats.beta(n, k + 1).cdf(np.arange(501) / 500))
    np.testing.assert_allclose(step_weights(n, k, 500)[k], expected, rtol=1e-9, atol=1e-13)


@each("n, alpha", [(1, 3.0), (10, 1.2), (64, 2.0), (256, 1.5)])
def test_slot_times_from_step_times_are_those_of_coded_jobs(n, alpha):
    k = np.arange(2 * n)
    times = order_statistic_moment(n + k, n, alpha)
    found = slot_times(times, n, alpha / (alpha - 1))
    np.testing.assert_allclose(found, coded_cost(n + k, n, alpha), rtol=1e-9)


def test_without_memory_every_number_of_extra_answers_takes_the_same_slot_time():
    k = np.arange(500)
    np.testing.assert_allclose(slot_times(exponential_step_time(64, k, 3.0), 64, 3.0), 192.0, rtol=1e-9)


def test_several_lists_are_read_at_once():
    times = np.stack([exponential_step_time(4, np.arange(9), mean) for mean in (1.0, 2.0)])
    np.testing.assert_allclose(slot_times(times, 4, [1.0, 2.0]), [[4.0] * 9, [8.0] * 9], rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: exponential_step_time(0, 1), "awaited must be a whole number of at least 1"),
        (lambda: exponential_step_time(1, 0.5), "extra must be a whole number of at least 0"),
        (lambda: exponential_step_time(1, 0, 0.0), "mean must be above 0"),
        (lambda: lognormal_step_time(1, 0, 0.0, 6.0), "sigma must be above 0 and at most 5"),
        (lambda: lognormal_step_time(1, 100_000, 0.0, 1.0), "extra must be at most 100,000"),
        (lambda: step_weights(1, 10_000, 10_000), "most must be small enough"),
        (lambda: step_weights(1, 1, 0), "count must be a whole number of at least 1"),
        (lambda: slot_times([1.0, math.inf], 1, 1.0), "step_times must be finite"),
        (lambda: slot_times([1.0], 1, 0.0), "mean must be above 0"),
    ],
)
def test_what_is_outside_a_domain_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
