"""Delays with one and two copies, the load limit, and the cutoff between them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from tests.agreement import assert_mean
from tests.depth import each
from theory.cutoff import (
    cloned_delay,
    cloning_load_limit,
    cloning_speed_up,
    cutoff_load,
    cutoff_rate,
    offered_load,
    single_copy_delay,
)

TAILS = [1.05, 1.3, 1.5, 1.9, 2.0, 2.0001, 2.2, 3.0, 5.0, 20.0]


def moment(law, power):
    """E[X^power] as the integral of the tail, on two pieces since the tail has a corner."""
    corner = law.ppf(0)
    tail = integrate.quad(lambda t: power * t ** (power - 1) * law.sf(t), corner, np.inf, limit=500)[0]
    return corner**power + tail


def pollaczek_khinchine(rate, law, variability):
    """Sojourn time of an M/G/1 queue straight from the moments of its service law."""
    first, second = moment(law, 1), variability * moment(law, 2)
    return first + rate * second / (2 * (1 - rate * first))


# --- the two delays ------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [2.5, 3.0, 6.0])
@pytest.mark.parametrize("omega", [0.05, 0.4, 0.9])
@pytest.mark.parametrize("variability", [1.0, 1.12])
def test_delay_of_one_copy_is_pollaczek_khinchine(alpha, omega, variability):
    law = stats.pareto(alpha, scale=3.0)
    sojourn = pollaczek_khinchine(omega / law.mean(), law, variability)
    assert single_copy_delay(omega, alpha, variability) == pytest.approx(sojourn / law.mean(), rel=1e-6)


@each("alpha", [1.2, 2.0, 3.0, 6.0])
@each("share", [0.05, 0.5, 0.95])
@each("variability", [1.0, 1.12])
def test_delay_of_two_copies_is_pollaczek_khinchine_at_twice_the_rate(alpha, share, variability):
    one, fastest = stats.pareto(alpha, scale=3.0), stats.pareto(2 * alpha, scale=3.0)
    omega = share * cloning_load_limit(alpha)
    sojourn = pollaczek_khinchine(2 * omega / one.mean(), fastest, variability)
    assert cloned_delay(omega, alpha, variability) == pytest.approx(sojourn / one.mean(), rel=1e-6)


@given(st.floats(1.01, 30), st.floats(0, 0.99))
def test_delay_of_two_copies_is_the_printed_fraction(alpha, share):
    omega = share * cloning_load_limit(alpha)
    above = omega * (alpha - 1) * (1 - 4 * alpha**2 + 4 * alpha) / (alpha * (2 * alpha - 1)) + 2 * (alpha - 1)
    printed = above / (2 * alpha - 1 - 4 * omega * (alpha - 1))
    assert cloned_delay(omega, alpha) == pytest.approx(printed, rel=1e-9)


def lindley(rng, rate, draw, jobs=60_000, warm_up=10_000):
    """Mean sojourn time of one simulated M/G/1 queue: waiting is work minus its running minimum."""
    service = draw(rng, jobs)
    net = np.concatenate([[0.0], np.cumsum(service[:-1] - rng.exponential(1 / rate, jobs - 1))])
    waiting = net - np.minimum.accumulate(net)
    return float(np.mean((waiting + service)[warm_up:]))


@pytest.fixture(scope="module")
def simulated():
    """Sojourn times in units of E[s], tail index 6: 30 runs without copies at load 0.5, 30 with at 0.4."""
    rng = np.random.default_rng(20260801)
    alpha, mean = 6.0, 1.2
    one = [lindley(rng, 0.5 / mean, lambda rng, n: 1 + rng.pareto(alpha, n)) / mean for _ in range(30)]
    two = [
        lindley(rng, 2 * 0.4 / mean, lambda rng, n: 1 + rng.pareto(alpha, (2, n)).min(axis=0)) / mean
        for _ in range(30)
    ]
    return one, two


def test_simulated_queues_have_the_two_delays(simulated):
    one, two = simulated
    assert_mean(one, single_copy_delay(0.5, 6.0), resolution=0.02)
    assert_mean(two, cloned_delay(0.4, 6.0), resolution=0.02)


def test_an_error_of_three_percent_in_a_delay_would_be_caught(simulated):
    for samples, delay in zip(simulated, (single_copy_delay(0.5, 6.0), cloned_delay(0.4, 6.0)), strict=True):
        with pytest.raises(AssertionError):
            assert_mean(samples, 1.03 * delay)
        with pytest.raises(AssertionError):
            assert_mean(samples, 0.97 * delay)


def test_delay_of_one_copy_is_infinite_for_heavy_tails_and_for_full_load():
    assert single_copy_delay(1e-9, 2.0) == math.inf
    assert single_copy_delay(0.3, 1.4) == math.inf
    assert single_copy_delay(1.0, 3.0) == math.inf
    assert single_copy_delay(1.7, 3.0) == math.inf


def test_without_load_there_is_only_service():
    assert single_copy_delay(0.0, 1.4) == single_copy_delay(0.0, 9.0) == 1.0
    assert cloned_delay(0.0, 1.4) == pytest.approx(1 / cloning_speed_up(1.4))


@given(st.floats(1.001, 50))
def test_delay_of_two_copies_is_infinite_from_the_limit_on(alpha):
    limit = cloning_load_limit(alpha)
    assert cloned_delay(limit, alpha) == math.inf
    assert cloned_delay(1.001 * limit, alpha) == math.inf
    assert cloned_delay(np.nextafter(limit, 0), alpha) > 0
    assert math.isfinite(cloned_delay(0.999 * limit, alpha))


# --- speed-up and limit --------------------------------------------------------------------------


@each("alpha", TAILS)
@each("copies", [1, 2, 3, 7])
def test_speed_up_is_a_ratio_of_means_and_improvement_is_bounded_from_above(alpha, copies):
    means = stats.pareto(alpha, scale=2).mean(), stats.pareto(copies * alpha, scale=2).mean()
    assert cloning_speed_up(alpha, copies) == pytest.approx(means[0] / means[1])
    # the text calls the bound on the remaining share of time a lower bound of the improvement
    remaining, improvement = means[1] / means[0], 1 - means[1] / means[0]
    assert remaining > (alpha - 1) / alpha
    assert improvement < 1 / alpha
    assert cloning_speed_up(alpha, copies) < alpha / (alpha - 1)


@each("alpha", TAILS)
@each("copies", [1, 2, 3, 7])
def test_at_the_limit_the_copies_use_every_machine(alpha, copies):
    one, fastest = stats.pareto(alpha).mean(), stats.pareto(copies * alpha).mean()
    rate = cloning_load_limit(alpha, copies) / one  # tasks per machine and unit of time
    assert copies * rate * fastest == pytest.approx(1)


def test_limit_of_two_copies_is_theorem_one():
    for alpha in TAILS:
        assert cloning_load_limit(alpha) * 4 * (alpha - 1) / (2 * alpha - 1) == pytest.approx(1)


@given(st.floats(1.01, 50), st.integers(2, 30))
def test_more_copies_than_two_lower_the_limit(alpha, copies):
    assert cloning_load_limit(alpha, copies + 1) < cloning_load_limit(alpha, copies)


def test_two_copies_enlarge_the_stable_region_below_three_halves():
    assert cloning_load_limit(1.49) > 1
    assert cloning_load_limit(1.5) == pytest.approx(1)
    assert cloning_load_limit(1.51) < 1


# --- the cutoff ----------------------------------------------------------------------------------


@each("alpha", [2.000001, 2.01, 2.3, 3.0, 4.0, 10.0, 100.0])
@each("variability", [1.0, 1.12, 3.0, 40.0])
def test_cutoff_is_where_the_two_delays_meet(alpha, variability):
    def gain(omega):
        return single_copy_delay(omega, alpha, variability) - cloned_delay(omega, alpha, variability)

    crossing = optimize.brentq(gain, 0, cloning_load_limit(alpha) * (1 - 1e-13), xtol=1e-16)
    cutoff = cutoff_load(alpha, variability)
    assert cutoff == pytest.approx(crossing, rel=1e-10)
    assert gain(0.99 * cutoff) > 0 > gain(min(1.01 * cutoff, (cutoff + cloning_load_limit(alpha)) / 2))


@pytest.mark.parametrize("alpha", [2.05, 3.0, 8.0])
def test_two_copies_pay_below_the_cutoff_and_nowhere_above(alpha):
    omega = np.linspace(0.0005, 1.2, 2001)
    with np.errstate(invalid="ignore"):  # inf - inf where neither is stable
        pays = cloned_delay(omega, alpha) < single_copy_delay(omega, alpha)
    stable = omega < cloning_load_limit(alpha)
    np.testing.assert_array_equal(pays[stable], (omega < cutoff_load(alpha))[stable])


def test_a_heavy_tail_is_cloned_up_to_the_limit_of_stability():
    for alpha in (1.05, 1.5, 1.99, 2.0):
        assert cutoff_load(alpha) == cutoff_load(alpha, 5.0) == cloning_load_limit(alpha)
    assert cutoff_load(2.0) == 0.75


def test_cutoff_is_continuous_at_two_and_falls_to_zero():
    assert cutoff_load(2 + 1e-9) == pytest.approx(0.75, rel=1e-8)
    alpha = np.linspace(1.02, 60, 400)
    assert np.all(np.diff(cutoff_load(alpha)) < 0)
    # service gains 1 / (2 alpha), waiting loses omega / 2
    assert cutoff_load(1e6) * 1e6 == pytest.approx(1, rel=1e-5)
    assert cutoff_load(1e300) == pytest.approx(1e-300)


@given(st.floats(2.01, 100), st.floats(1, 100))
def test_uneven_jobs_lower_the_cutoff(alpha, variability):
    assert cutoff_load(alpha, 1.1 * variability) < cutoff_load(alpha, variability) < cloning_load_limit(alpha)


def test_rate_is_the_load_in_jobs():
    assert cutoff_rate(2.0, 3000, 50.5, 2.5) == pytest.approx(0.75 * 3000 / 126.25)
    for alpha in (1.4, 3.0):
        rate = cutoff_rate(alpha, 3000, 50.5, 2.5, size_variability=1.12)
        assert offered_load(rate, 3000, 50.5, 2.5) == pytest.approx(cutoff_load(alpha, 1.12))


def test_the_papers_loads():
    mean_job = stats.randint(1, 101).mean() * stats.uniform(1, 3).mean()  # tasks times mean duration
    assert mean_job == 126.25
    light, heavy, heavier = offered_load([6, 30, 40], 3000, 50.5, 2.5)
    assert light < cutoff_load(2.0)
    assert light == pytest.approx(6 * mean_job / 3000)
    assert heavy > 1
    assert heavier > 1


def test_the_papers_sizes_vary_by_twelve_hundredths():
    # task time X B with X uniform on [1, 4] and B Pareto of mean 1, straight into Pollaczek-Khinchine
    size, shape = stats.uniform(1, 3), stats.pareto(3.0, scale=2 / 3)
    first, second = size.mean() * shape.mean(), size.moment(2) * shape.moment(2)
    sojourn = first + (0.4 / first) * second / (2 * (1 - 0.4))
    assert single_copy_delay(0.4, 3.0, 1.12) == pytest.approx(sojourn / first)
    assert single_copy_delay(0.4, 3.0) < 0.99 * sojourn / first  # as printed, with equal sizes


# --- shape and door ------------------------------------------------------------------------------


def test_arrays_agree_with_numbers():
    omega, alpha = np.linspace(0, 1.3, 14), np.linspace(1.1, 4, 14)
    for function in (single_copy_delay, cloned_delay):
        expected = [function(w, a) for w, a in zip(omega.tolist(), alpha.tolist(), strict=True)]
        np.testing.assert_allclose(function(omega, alpha), expected, rtol=1e-14)
        assert function(omega[:, None], alpha).shape == (14, 14)
        assert type(function(0.3, 3.0)) is float
    for function in (cloning_load_limit, cloning_speed_up, cutoff_load):
        np.testing.assert_allclose(function(alpha), [function(a) for a in alpha.tolist()], rtol=1e-14)
        assert type(function(3.0)) is float
    assert type(cutoff_rate(3.0, 10, 2, 1)) is float
    assert cutoff_rate(alpha, 10, 2, 1).shape == (14,)


@pytest.mark.parametrize("alpha", [1.0, 0.5, -2.0, math.nan, math.inf])
def test_a_tail_index_without_a_mean_is_refused(alpha):
    for call in (
        lambda: single_copy_delay(0.3, alpha),
        lambda: cloned_delay(0.3, alpha),
        lambda: cloning_load_limit(alpha),
        lambda: cloning_speed_up(alpha),
        lambda: cutoff_load(alpha),
        lambda: cutoff_rate(alpha, 10, 2, 1),
    ):
        with pytest.raises(ValueError, match="alpha must be"):
            call()


@pytest.mark.parametrize("bad", [-0.1, math.nan])
def test_other_bad_arguments_are_named(bad):
    with pytest.raises(ValueError, match="omega must be"):
        single_copy_delay(bad, 3.0)
    with pytest.raises(ValueError, match="omega must be"):
        cloned_delay(bad, 3.0)
    with pytest.raises(ValueError, match="copies must be"):
        cloning_load_limit(2.0, bad)
    with pytest.raises(ValueError, match="copies must be"):
        cloning_speed_up(2.0, 0.5)
    with pytest.raises(ValueError, match="rate must be"):
        offered_load(bad, 1, 1, 1)
    for name in ("machines", "tasks", "mean"):
        with pytest.raises(ValueError, match=f"{name} must be"):
            cutoff_rate(**({"alpha": 2.0, "machines": 1, "tasks": 1, "mean": 1} | {name: bad}))
    for variability in (0.99, bad, math.inf):
        with pytest.raises(ValueError, match="size_variability must be"):
            cutoff_load(3.0, variability)
