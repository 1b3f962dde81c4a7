"""ESE's resource and the threshold that Mantri's rule amounts to."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from tests.agreement import assert_mean, assert_share
from tests.depth import each
from theory.cutoff import offered_load
from theory.detection import detection_optimum, detection_resource, sigma_star, tau
from theory.ese import ese_resource, mantri_sigma


def printed_resource(sigma, alpha):
    """Equations (30)-(33) by nested quadrature, in units of the mean."""
    law = stats.pareto(alpha)
    mean = law.mean()
    a = sigma * mean

    def fastest(rest):  # (33): E[min(rest, new copy)], the integral done
        if rest <= 1:
            return rest
        finished = alpha / (alpha - 1) * (1 - rest ** (1 - alpha))
        return finished + rest * rest**-alpha

    def asked(t):  # the inner integral of (32)
        knots = sorted({0.0, t - a, min(max(t - 1, 0.0), t - a)})
        parts = [
            integrate.quad(lambda x: x + 2 * fastest(t - x), low, high)[0]
            for low, high in itertools.pairwise(knots)
        ]
        return sum(parts) / t + a

    # t = e^v keeps the far tail within reach of the quadrature
    def density(v):
        return alpha * math.exp(-alpha * v)

    start = math.log(max(a, 1.0))
    short = integrate.quad(lambda v: math.exp(v) * density(v), 0, start)[0]
    end = min(start + 50 / (alpha - 1), 100.0)
    knots = sorted({start, min(max(start, math.log(1 + a)), end), end})
    long = sum(
        integrate.quad(lambda v: asked(math.exp(v)) * density(v), low, high, limit=200)[0]
        for low, high in itertools.pairwise(knots)
    )
    return (short + long) / mean


@pytest.mark.parametrize("alpha", [1.5, 2.0, 4.0])
@pytest.mark.parametrize("sigma", [0.1, 0.4, 0.7, 1.0, 1.7, 4.0])
def test_resource_is_the_printed_integrals(alpha, sigma):
    assert ese_resource(sigma, alpha) == pytest.approx(printed_resource(sigma, alpha), rel=1e-6)


@each("alpha", [1.1, 1.5, 2.0, 5.0])
@each("sigma", [0.0, 0.05, 0.3, 0.7, 1.0, 1.7, 9.0])
def test_ese_is_sda_with_a_look_at_a_uniform_time(alpha, sigma):
    corner = 1 - min(1.0, sigma * alpha / (alpha - 1))  # below it every task is detected
    average = sum(
        integrate.quad(lambda s: detection_resource(2, sigma, alpha, s), low, high)[0]
        for low, high in ((0.0, corner), (corner, 1.0))
    )
    assert ese_resource(sigma, alpha) == pytest.approx(average, rel=1e-8)


@pytest.fixture(scope="module")
def simulated():
    """What duplicates add to the resource, tail index 6, threshold 0.6: 400 000 tasks."""
    rng = np.random.default_rng(17)
    time, new = 1 + rng.pareto(6.0, (2, 400_000))
    rest = time * (1 - rng.random(time.size))  # asked at a time uniform over the run
    return np.where(rest > 0.6 * 1.2, 2 * np.minimum(rest, new) - rest, 0.0) / 1.2


def test_simulated_tasks_use_the_resource(simulated):
    assert_mean(simulated, ese_resource(0.6, 6.0) - 1, resolution=0.03)


def test_an_error_of_three_percent_in_the_change_of_resource_would_be_caught(simulated):
    for wrong in (0.97, 1.03):
        with pytest.raises(AssertionError):
            assert_mean(simulated, wrong * (ese_resource(0.6, 6.0) - 1))


@pytest.mark.parametrize("alpha", [1.05, 1.3, 2.0, 3.0, 5.0, 12.0])
def test_the_best_threshold_is_that_of_sda(alpha):
    best = sigma_star(alpha)
    sigma = best * np.linspace(0.2, 4, 3801)  # steps of a thousandth
    assert sigma[np.argmin(ese_resource(sigma, alpha))] == pytest.approx(best, rel=1.5e-3)
    assert np.all(ese_resource(np.geomspace(1e-3, 1e3, 500), alpha) >= ese_resource(best, alpha))


def test_the_papers_best_threshold_near_seventeen_tenths_is_exact():
    found = optimize.minimize_scalar(lambda x: ese_resource(x, 2.0), bounds=(1, 3), method="bounded")
    assert found.x == pytest.approx(1 + math.sqrt(2) / 2, rel=1e-4)


@given(st.floats(1.001, 30))
def test_resource_is_finite_continuous_and_tends_to_one(alpha):
    corner = (alpha - 1) / alpha
    assert math.isfinite(ese_resource(0.0, alpha))
    assert ese_resource(corner * (1 - 1e-9), alpha) == pytest.approx(ese_resource(corner, alpha), abs=1e-8)
    assert ese_resource(math.inf, alpha) == 1.0
    assert ese_resource(sigma_star(alpha), alpha) < 1


def test_the_saving_is_small_unless_the_tail_is_heavy():
    assert 0.95 < ese_resource(sigma_star(2.0), 2.0) < 0.96
    for alpha in (4.0, 6.0, 20.0):
        assert 0.99 < ese_resource(sigma_star(alpha), alpha) < 1


def test_the_heavy_loads_exceed_capacity_even_with_the_best_saving():
    for rate in (30, 40):
        load = offered_load(rate, 3000, 50.5, 2.5)
        assert load * ese_resource(sigma_star(2.0), 2.0) > 1
        assert load * detection_optimum(2.0).resource > 1


# --- Mantri --------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [1.2, 2.0, 5.0])
@pytest.mark.parametrize("delta", [0.0, 0.05, 0.25, 0.9])
def test_mantris_threshold_is_where_its_probability_is_delta(alpha, delta):
    new = stats.pareto(alpha, scale=3.0)
    rest = mantri_sigma(alpha, delta) * new.mean()
    assert new.cdf(rest / 2) == pytest.approx(delta, abs=1e-12)  # P(rest > 2 new)
    assert new.cdf(1.01 * rest / 2) > delta


def test_simulated_new_copies_meet_mantris_rule():
    new = 1 + np.random.default_rng(8).pareto(2.0, 200_000)
    rest = mantri_sigma(2.0, 0.25) * 2.0
    assert_share(int(np.sum(rest > 2 * new)), new.size, 0.25)
    with pytest.raises(AssertionError):
        assert_share(int(np.sum(1.03 * rest > 2 * new)), new.size, 0.25)


def test_mantris_rule_copies_where_resource_is_expected_to_grow():
    sigma = mantri_sigma(2.0, 0.25)
    assert sigma < sigma_star(2.0)
    # a task with exactly that much left: two copies for min(rest, new) against one for rest
    rest = sigma * 2.0
    expected = 2 * integrate.quad(stats.pareto(2.0).sf, 0, rest, points=[1.0])[0]
    assert expected > rest
    assert tau(2, sigma, 2.0) < tau(1, sigma, 2.0)  # on average over all it copies, still a saving


def test_a_certain_gain_is_never_found():
    assert mantri_sigma(2.0, 1.0) == math.inf


# --- shape and door ------------------------------------------------------------------------------


def test_arrays_agree_with_numbers():
    sigma, alpha = np.array([0.0, 0.3, 1.0, 4.0]), np.array([1.5, 2.0, 3.0, 9.0])
    pairs = list(zip(sigma.tolist(), alpha.tolist(), strict=True))
    expected = [ese_resource(*pair) for pair in pairs]
    np.testing.assert_allclose(ese_resource(sigma, alpha), expected, rtol=1e-13)
    delta = sigma / 8
    pairs = list(zip(alpha.tolist(), delta.tolist(), strict=True))
    expected = [mantri_sigma(*pair) for pair in pairs]
    np.testing.assert_allclose(mantri_sigma(alpha, delta), expected, rtol=1e-13)
    assert type(ese_resource(1.0, 2.0)) is float
    assert type(mantri_sigma(2.0, 0.25)) is float


@pytest.mark.parametrize("alpha", [1.0, 0.5, math.nan, math.inf])
def test_a_tail_index_without_a_mean_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha must be"):
        ese_resource(1.0, alpha)
    with pytest.raises(ValueError, match="alpha must be"):
        mantri_sigma(alpha, 0.25)


def test_other_bad_arguments_are_named():
    for bad in (-0.1, math.nan):
        with pytest.raises(ValueError, match="sigma must be"):
            ese_resource(bad, 2.0)
    for bad in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="delta must be"):
            mantri_sigma(2.0, bad)
