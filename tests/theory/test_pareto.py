"""The Pareto law against scipy.stats, quadrature of its density, and samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from tests.agreement import assert_mean, assert_share
from tests.depth import each
from theory.pareto import (
    Pareto,
    minimum_of_copies,
    pareto_cdf,
    pareto_moment,
    pareto_partial_moment,
    pareto_quantile,
    pareto_tail,
    pareto_tail_moment,
)

INF = float("inf")
SMALLEST, INDEX, LARGEST = 2.0, 1.5, 50.0


def law(x_m, a, x_max=INF):
    return stats.pareto(a, scale=x_m) if x_max == INF else stats.truncpareto(a, x_max / x_m, scale=x_m)


def by_quadrature(x_m, a, low, high, power, x_max=INF):
    """Integral of t^p f(t) over [low, high] within the support, in y = ln t (where tails are short)."""
    low, high = max(low, x_m), min(high, x_max)
    if high <= low:
        return 0.0
    mass = 1 - (x_m / x_max) ** a
    density = lambda y: a * x_m**a * np.exp((power - a) * y) / mass  # noqa: E731
    top = np.log(high) if high < INF else np.log(low) + 60 / (a - power)
    return integrate.quad(density, np.log(low), top, epsabs=0, epsrel=1e-11, limit=200)[0]


@pytest.mark.parametrize("x_max", [INF, LARGEST])
def test_tail_and_distribution_function_agree_with_scipy(x_max):
    t = np.array([-INF, -1.0, 0.0, 1.0, 2.0, 2.1, 7.0, 49.0, 50.0, 51.0, 1e9, INF])
    reference = law(SMALLEST, INDEX, x_max)
    np.testing.assert_allclose(
        pareto_cdf(t, SMALLEST, INDEX, x_max), reference.cdf(t), rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(
        pareto_tail(t, SMALLEST, INDEX, x_max), reference.sf(t), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("x_max", [INF, LARGEST])
def test_quantiles_agree_with_scipy_and_end_at_the_ends_of_the_support(x_max):
    u = np.linspace(0, 0.999, 50)
    reference = law(SMALLEST, INDEX, x_max)
    np.testing.assert_allclose(pareto_quantile(u, SMALLEST, INDEX, x_max), reference.ppf(u), rtol=1e-12)
    assert pareto_quantile(0, SMALLEST, INDEX, x_max) == SMALLEST
    assert pareto_quantile(1, SMALLEST, INDEX, x_max) == x_max


def test_the_far_tail_keeps_its_relative_precision():
    assert pareto_tail(1e60, 1.0, 2.0) == pytest.approx(1e-120, rel=1e-12)
    just_below = LARGEST * (1 - 1e-9)  # density there times the distance to the bound
    expected = stats.truncpareto(INDEX, LARGEST / SMALLEST, scale=SMALLEST).pdf(LARGEST) * LARGEST * 1e-9
    assert pareto_tail(just_below, SMALLEST, INDEX, LARGEST) == pytest.approx(expected, rel=1e-6)


@each("power", [0, 0.5, 1, 1.5, 2, 3, -1])
@each("limit", [1.0, 2.0, 2.5, 30.0, 50.0, 80.0])
@each("x_max", [INF, LARGEST])
def test_partial_moments_are_the_integrals_they_claim_to_be(power, limit, x_max):
    below = pareto_partial_moment(SMALLEST, INDEX, limit, power, x_max)
    assert below == pytest.approx(by_quadrature(SMALLEST, INDEX, 0, limit, power, x_max), rel=1e-9, abs=0)
    above = pareto_tail_moment(SMALLEST, INDEX, limit, power, x_max)
    if x_max == INF and power >= INDEX:
        assert above == INF
    else:
        assert above == pytest.approx(
            by_quadrature(SMALLEST, INDEX, limit, INF, power, x_max), rel=1e-9, abs=0
        )


@pytest.mark.parametrize("power", [1, 2, 3, 4])
def test_whole_moments_agree_with_scipy_and_diverge_from_the_tail_index_on(power):
    assert pareto_moment(SMALLEST, 4.5, power) == pytest.approx(law(SMALLEST, 4.5).moment(power), rel=1e-9)
    bounded = pareto_moment(SMALLEST, INDEX, power, LARGEST)
    assert bounded == pytest.approx(law(SMALLEST, INDEX, LARGEST).moment(power), rel=1e-9)
    assert pareto_moment(SMALLEST, power, power) == INF
    assert pareto_moment(SMALLEST, power * 0.9, power) == INF
    assert pareto_moment(SMALLEST, power * 1.1, power) < INF


def test_mean_and_second_moment_have_their_textbook_form():
    assert pareto_moment(2.0, 3.0) == pytest.approx(3 * 2 / 2)
    assert pareto_moment(2.0, 3.0, 2) == pytest.approx(3 * 4 / 1)


@pytest.mark.parametrize("side", [pareto_partial_moment, pareto_tail_moment])
@pytest.mark.parametrize("gap", [1e-4, 1e-8, 1e-12, 1e-15, 1e-17])
def test_nothing_happens_where_the_power_passes_the_tail_index(side, gap):
    at = side(1.0, 1.5, 20.0, 1.5, 100.0)
    for power in (1.5 - gap, 1.5 + gap):
        assert side(1.0, 1.5, 20.0, power, 100.0) == pytest.approx(at, rel=20 * gap + 1e-14)


def test_samples_drawn_through_the_quantile_have_these_moments():
    """Means of 200,000 draws; each of the four assertions fails a correct program once in a million."""
    u = np.random.default_rng(5).random(200_000)
    draws = pareto_quantile(u, SMALLEST, INDEX, LARGEST)
    assert_mean(draws, pareto_moment(SMALLEST, INDEX, 1, LARGEST), resolution=0.03)
    small = np.where(draws <= 10, draws, 0.0)
    assert_mean(small, pareto_partial_moment(SMALLEST, INDEX, 10.0, 1, LARGEST), resolution=0.03)
    large = np.where(draws > 10, draws, 0.0)
    assert_mean(large, pareto_tail_moment(SMALLEST, INDEX, 10.0, 1, LARGEST), resolution=0.05)
    assert_share((draws > 10).sum(), draws.size, pareto_tail(10.0, SMALLEST, INDEX, LARGEST))
    with pytest.raises(AssertionError, match="farther than"):
        assert_mean(draws, 1.03 * pareto_moment(SMALLEST, INDEX, 1, LARGEST))


@pytest.mark.parametrize("copies", [1, 2, 5])
def test_the_fastest_of_several_copies_is_pareto_again(copies):
    """Mean of 100,000 minima against the closed form, and their tail against the product of tails."""
    fastest = minimum_of_copies(SMALLEST, 2.5, copies)
    draws = pareto_quantile(np.random.default_rng(copies).random((100_000, copies)), SMALLEST, 2.5).min(
        axis=1
    )
    assert_mean(draws, pareto_moment(fastest.x_m, fastest.a), resolution=0.04)
    t = np.array([2.0, 3.0, 10.0])
    np.testing.assert_allclose(
        pareto_tail(t, fastest.x_m, fastest.a), pareto_tail(t, SMALLEST, 2.5) ** copies
    )
    with pytest.raises(AssertionError, match="farther than"):
        assert_mean(draws, 1.05 * pareto_moment(fastest.x_m, fastest.a))


def test_enough_copies_make_an_infinite_mean_finite():
    one = minimum_of_copies(1.0, 0.75, 1)
    two = minimum_of_copies(1.0, 0.75, 2)
    assert pareto_moment(one.x_m, one.a) == INF
    assert pareto_moment(two.x_m, two.a) == pytest.approx(1.5 / 0.5)
    assert isinstance(two, Pareto)


positive = st.floats(0.05, 20.0)


@settings(max_examples=150, deadline=None)
@given(
    x_m=positive, a=positive, limit=st.floats(0, 1e6), power=st.floats(-3, 6), stretch=st.floats(1.01, 1e6)
)
def test_the_two_parts_make_the_whole(x_m, a, limit, power, stretch):
    x_max = x_m * stretch
    below = pareto_partial_moment(x_m, a, limit, power, x_max)
    above = pareto_tail_moment(x_m, a, limit, power, x_max)
    assert below + above == pytest.approx(pareto_moment(x_m, a, power, x_max), rel=1e-9)
    assert pareto_partial_moment(x_m, a, limit, 0, x_max) == pytest.approx(
        pareto_cdf(limit, x_m, a, x_max), rel=1e-9, abs=1e-15
    )


@settings(max_examples=100, deadline=None)
@given(x_m=positive, a=positive, u=st.floats(0, 1), stretch=st.one_of(st.just(INF), st.floats(1.01, 1e9)))
def test_the_distribution_function_undoes_the_quantile(x_m, a, u, stretch):
    value = pareto_quantile(u, x_m, a, x_m * stretch)
    assert x_m <= value <= x_m * stretch
    if value < INF:
        assert pareto_cdf(value, x_m, a, x_m * stretch) == pytest.approx(u, abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(
    x_m=st.floats(1e-300, 1e300),
    a=st.floats(1e-6, 1e6),
    limit=st.floats(allow_nan=False),
    power=st.floats(-1e3, 1e3),
    bounded=st.booleans(),
)
def test_no_nan_comes_out_of_the_remotest_corner(x_m, a, limit, power, bounded):
    x_max = x_m * 3 if bounded else INF
    for side in (pareto_partial_moment, pareto_tail_moment):
        assert side(x_m, a, limit, power, x_max) >= 0
    assert 0 <= pareto_cdf(limit, x_m, a, x_max) <= 1
    assert 0 <= pareto_tail(limit, x_m, a, x_max) <= 1
    assert pareto_quantile(0.5, x_m, a, x_max) >= x_m


def test_a_wide_bound_approaches_the_unbounded_law():
    assert pareto_moment(1.0, 2.0, 1, 1e12) == pytest.approx(pareto_moment(1.0, 2.0), rel=1e-9)


def test_arrays_give_what_their_numbers_give():
    limit, power = np.array([0.5, 3.0, 20.0, INF]), np.array([[0.5], [1.5], [2.0]])
    together = pareto_partial_moment(SMALLEST, INDEX, limit, power, LARGEST)
    assert together.shape == (3, 4)
    one_by_one = [[pareto_partial_moment(SMALLEST, INDEX, x, p, LARGEST) for x in limit] for p in power[:, 0]]
    np.testing.assert_array_equal(together, one_by_one)
    assert type(pareto_partial_moment(1, 2, 3)) is float


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x_m": 0.0}, "x_m must be positive and finite"),
        ({"x_m": INF}, "x_m must be positive and finite"),
        ({"a": 0.0}, "a must be positive and finite"),
        ({"a": -1.0}, r"a must be positive and finite \(got -1.0\)"),
        ({"a": float("nan")}, "a must be free of NaN"),
        ({"limit": float("nan")}, "limit must be free of NaN"),
        ({"power": INF}, "power must be finite"),
        ({"x_max": 1.0}, "x_max must be above x_m"),
        ({"x_max": 0.5}, "x_max must be above x_m"),
    ],
)
def test_what_is_outside_the_domain_is_refused_by_name(arguments, message):
    for side in (pareto_partial_moment, pareto_tail_moment):
        with pytest.raises(ValueError, match=message):
            side(**({"x_m": 1.0, "a": 2.0, "limit": 3.0} | arguments))


def test_probabilities_and_copies_have_their_domains():
    for u in (-0.1, 1.1):
        with pytest.raises(ValueError, match="u must be a probability"):
            pareto_quantile(u, 1.0, 2.0)
    for copies in (0, -1, INF):
        with pytest.raises(ValueError, match="copies must be positive and finite"):
            minimum_of_copies(1.0, 2.0, copies)
