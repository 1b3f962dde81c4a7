"""One cloned job: duration, resource, their balance, and the best number of copies for it."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from tests.agreement import assert_mean
from tests.depth import each, every
from theory.cloned_job import (
    cloned_job_duration,
    cloned_job_resource,
    cost_curvature,
    cost_slope,
    job_cost,
    optimal_job_clones,
    waiting_jobs,
)

tails = st.floats(1.05, 10)
copies = st.floats(1, 20)


def printed_duration(m, c, mu, alpha):
    """Equations (10)-(12) by quadrature, as the mean of the quantile function of the longest task."""
    law = stats.pareto(alpha, scale=mu)

    # the longest task is below t with probability (1 - (1 - F)^c)^m; e^-v is what remains of it
    def quantile(v):
        one = -np.expm1(np.log1p(-np.exp(-v)) / m)  # tail of one task's fastest copy
        return law.isf(one ** (1 / c))

    return integrate.quad(lambda v: quantile(v) * math.exp(-v), 0, 700, limit=500, points=[1, 10, 40])[0]


def printed_resource(m, c, mu, alpha):
    """Equation (13) by quadrature."""
    law = stats.pareto(alpha, scale=mu)
    return m * c * (mu + integrate.quad(lambda t: law.sf(t) ** c, mu, np.inf, limit=500)[0])


# --- duration and resource -----------------------------------------------------------------------


@each("m", [1, 2, 10, 400])
@each("c", [1, 1.7, 2, 8])
@each("alpha", [1.3, 2.0, 5.0])
def test_duration_and_resource_are_the_printed_integrals(m, c, alpha):
    job = m, c, 2.5, alpha
    assert cloned_job_duration(*job) == pytest.approx(printed_duration(*job), rel=1e-6)
    assert cloned_job_resource(*job) == pytest.approx(printed_resource(*job), rel=1e-6)


@given(st.integers(1, 60), copies, tails)
def test_duration_is_the_product(m, c, alpha):
    product = math.prod(j / (j - 1 / (c * alpha)) for j in range(1, m + 1))
    assert cloned_job_duration(m, c, 3.0, alpha) == pytest.approx(3 * product, rel=1e-10)


@pytest.mark.parametrize("m", [10**6, 10**9])
def test_duration_of_a_huge_job_grows_as_its_power(m):
    y = 1 / (2 * 1.5)
    assert cloned_job_duration(m, 2, 1.0, 1.5) == pytest.approx(math.gamma(1 - y) * m**y, rel=1e-5)


@pytest.fixture(scope="module")
def simulated():
    """Durations and machine times of 100 000 jobs of 5 tasks in 3 copies, tail index 2."""
    time = 1.5 * (1 + np.random.default_rng(2).pareto(2.0, (100_000, 5, 3)))
    task = time.min(axis=2)
    return task.max(axis=1), 3 * task.sum(axis=1)


def test_simulated_jobs_last_and_use_as_much(simulated):
    duration, resource = simulated
    assert_mean(duration, cloned_job_duration(5, 3, 1.5, 2.0), resolution=0.01)
    assert_mean(resource, cloned_job_resource(5, 3, 1.5, 2.0), resolution=0.01)


def test_an_error_of_three_percent_would_be_caught(simulated):
    duration, resource = simulated
    for wrong in (0.97, 1.03):
        with pytest.raises(AssertionError):
            assert_mean(duration, wrong * cloned_job_duration(5, 3, 1.5, 2.0))
        with pytest.raises(AssertionError):
            assert_mean(resource, wrong * cloned_job_resource(5, 3, 1.5, 2.0))


def test_one_task_uses_its_copies_for_its_duration():
    assert cloned_job_resource(1, 3, 2.0, 1.5) == pytest.approx(3 * cloned_job_duration(1, 3, 2.0, 1.5))
    assert cloned_job_duration(1, 1, 1.0, 1.5) == pytest.approx(stats.pareto(1.5).mean())


def test_too_small_a_fraction_of_a_copy_never_ends():
    for c in (0.1, 0.5):
        assert cloned_job_duration(3, c, 1.0, 2.0) == math.inf
        assert cloned_job_resource(3, c, 1.0, 2.0) == math.inf
    assert math.isfinite(cloned_job_duration(3, 0.51, 1.0, 2.0))
    ends = np.isfinite(cloned_job_duration(3, np.array([0.5, 0.6]), 1.0, 2.0))
    np.testing.assert_array_equal(ends, [False, True])


# --- Lemma 1: its conclusion holds, though ln(1 - F) is not convex up to the shortest time ---


@given(st.integers(1, 1000), tails, copies, copies)
def test_both_parts_are_convex_in_the_copies(m, alpha, c1, c2):
    for part in (cloned_job_duration, cloned_job_resource):
        ends = (part(m, c1, 1.0, alpha) + part(m, c2, 1.0, alpha)) / 2
        assert part(m, (c1 + c2) / 2, 1.0, alpha) <= ends * (1 + 1e-12)


@given(st.integers(1, 1000), tails, copies)
def test_duration_falls_with_copies(m, alpha, c):
    assert cloned_job_duration(m, 1.1 * c, 1.0, alpha) < cloned_job_duration(m, c, 1.0, alpha)


@pytest.mark.parametrize("alpha", [1.05, 1.5, 1.9])
def test_resource_is_least_at_two_over_the_tail_index(alpha):
    found = optimize.minimize_scalar(
        lambda c: printed_resource(3, c, 1.0, alpha), bounds=(1.0, 4.0), method="bounded"
    )
    assert found.x == pytest.approx(2 / alpha, rel=1e-3)
    c = np.linspace(1, 4, 301)
    assert np.argmin(cloned_job_resource(3, c, 1.0, alpha)) == np.argmin(np.abs(c - 2 / alpha))


# --- the balance ---------------------------------------------------------------------------------


@given(st.integers(1, 500), st.floats(0.1, 10), tails, st.floats(0, 2), st.floats(1, 12))
def test_slope_and_curvature_are_the_derivatives_of_the_cost(m, scale, alpha, gamma, c):
    jobs = waiting_jobs([m], scale, alpha, gamma)
    h = 1e-4 * (c - 1 / alpha)
    left, middle, right = (float(job_cost(jobs, c + k * h)[0]) for k in (-1, 0, 1))
    unit = middle / (c - 1 / alpha)
    assert float(cost_slope(jobs, c)[0]) == pytest.approx((right - left) / (2 * h), abs=1e-6 * unit)
    slopes = [float(cost_slope(jobs, c + k * h)[0]) for k in (-1, 1)]
    curvature = float(cost_curvature(jobs, c)[0])
    assert curvature == pytest.approx((slopes[1] - slopes[0]) / (2 * h), rel=1e-5)
    assert curvature > 0


@given(st.integers(1, 500), tails, st.floats(0, 2), st.floats(1, 12))
def test_curvature_falls_so_that_the_slope_is_concave(m, alpha, gamma, c):
    jobs = waiting_jobs([m], 1.0, alpha, gamma)
    assert cost_curvature(jobs, 1.01 * c)[0] < cost_curvature(jobs, c)[0]


def test_slope_is_the_printed_condition():
    jobs = waiting_jobs([4], 1.7, 1.6, 0.3)
    c, m, mu, alpha = 2.2, 4, 1.7, 1.6
    y = 1 / (c * alpha)
    duration = cloned_job_duration(m, c, mu, alpha)
    printed = -duration / (alpha * c**2) * sum(1 / (j - y) for j in range(1, m + 1))
    printed += 0.3 * m * mu * alpha * (alpha * c**2 - 2 * c) / (alpha * c - 1) ** 2
    assert float(cost_slope(jobs, c)[0]) == pytest.approx(printed, rel=1e-12)


@pytest.mark.parametrize(
    ("m", "alpha", "gamma"), every(5, itertools.product((1, 10, 80), (1.2, 2.0, 4.0), (0.0, 0.01, 0.1, 1.0)))
)
def test_best_whole_number_of_copies_agrees_with_trying_all(m, alpha, gamma):
    cost = np.array(
        [printed_duration(m, c, 1.5, alpha) + gamma * printed_resource(m, c, 1.5, alpha) for c in range(1, 9)]
    )
    # of equal ones the smaller, as 1 and 2 copies are for m = 1, alpha = 2, gamma = 1; integrals are rounded
    assert optimal_job_clones(m, 1.5, alpha, 8, gamma) == 1 + int(np.argmax(cost <= min(cost) * (1 + 1e-9)))


def test_dear_machines_allow_no_clone_and_free_ones_all():
    assert optimal_job_clones(10, 1.0, 2.0, 8, 1e6) == 1
    assert optimal_job_clones(10, 1.0, 2.0, 8, 0.0) == 8
    assert optimal_job_clones(10, 1.0, 2.0, 1, 0.0) == 1
    assert type(optimal_job_clones(10, 1.0, 2.0, 8, 0.01)) is int


# --- shape and door ------------------------------------------------------------------------------


def test_arrays_agree_with_numbers():
    c, alpha = np.linspace(0.2, 8, 9), np.linspace(1.1, 4, 9)
    for part in (cloned_job_duration, cloned_job_resource):
        expected = [part(7, x, 2.0, a) for x, a in zip(c.tolist(), alpha.tolist(), strict=True)]
        np.testing.assert_allclose(part(7, c, 2.0, alpha), expected, rtol=1e-13)
        assert part(np.array([[1], [2]]), c, 1.0, 2.0).shape == (2, 9)
        assert type(part(7, 2, 1.0, 2.0)) is float


def test_extreme_arguments_give_numbers():
    for m, c, mu, alpha in itertools.product(
        [1, 2**53], [1e-50, 1, 1e50], [1e-300, 1e50], [1 + 1e-15, 2.0, 1e50]
    ):
        assert cloned_job_duration(m, c, mu, alpha) > 0
        assert cloned_job_resource(m, c, mu, alpha) > 0


@pytest.mark.parametrize(
    ("name", "bad"),
    [(name, bad) for name in ("m", "c", "scale", "alpha") for bad in (0, -1.5, math.nan, math.inf)]
    + [("m", 2.5), ("alpha", 1.0)],
)
def test_bad_arguments_are_named(name, bad):
    good = {"m": 5, "c": 2, "scale": 1.0, "alpha": 2.0}
    for part in (cloned_job_duration, cloned_job_resource):
        with pytest.raises(ValueError, match=f"{name} must be"):
            part(**(good | {name: bad}))


def test_jobs_are_checked():
    with pytest.raises(ValueError, match="scale must be one number, or one for each of 2 jobs"):
        waiting_jobs([1, 2], [1.0, 2.0, 3.0], 2.0, 0.1)
    with pytest.raises(ValueError, match="alpha must be one number, or one for each of 2 jobs"):
        waiting_jobs([1, 2], 1.0, [2.0, 2.0, 2.0], 0.1)
    for gamma in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="gamma must be"):
            optimal_job_clones(5, 1.0, 2.0, 8, gamma)
    for limit in (0, 1.5, math.nan):
        with pytest.raises(ValueError, match="limit must be"):
            optimal_job_clones(5, 1.0, 2.0, limit, 0.1)
