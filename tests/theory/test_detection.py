"""SDA: resource after detection, the best threshold, and how many copies are best."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from tests.agreement import assert_mean, assert_share
from tests.depth import each
from theory.detection import (
    critical_tail_index,
    detection_optimum,
    detection_probability,
    detection_resource,
    sigma_star,
    tau,
)

tails = st.floats(1.02, 15)


def integral(function, low, high, corners=()):
    """Quadrature on the pieces between corners; the last piece may be infinite."""
    ends = [low, *sorted(x for x in corners if low < x < high), high]
    return sum(integrate.quad(function, a, b, limit=400)[0] for a, b in itertools.pairwise(ends))


def tail(t, alpha, mu=1.0):
    """Probability that a task takes longer than `t`."""
    return (mu / t) ** alpha if t > mu else 1.0


def printed_tau(c, sigma, alpha, s, mu=1.0):
    """Equations (24) and (25) as they stand, by quadrature; (25) as the integral of G."""
    mean = alpha * mu / (alpha - 1)
    a, corners = sigma * mean, (mu, (1 - s) * mu)

    def g(t):
        return tail(t, alpha, mu) ** (c - 1) * tail(t / (1 - s), alpha, mu)

    before = integral(lambda t: tail(t, alpha, mu) ** (c - 1), 0, a, corners)
    after = integral(g, a, np.inf, corners) / tail(a / (1 - s), alpha, mu)
    return c * (before + after) / mean


def policy_resource(c, sigma, alpha, s):
    """Resource of the policy in units of the mean: an integral over the duration of the original."""
    mean = alpha / (alpha - 1)
    a = sigma * mean

    def fastest(rest):  # E[min(rest, shortest of c - 1 new copies)]
        q = alpha * (c - 1)
        beyond = math.log(rest) if q == 1 else (1 - rest ** (1 - q)) / (q - 1)
        return rest if rest <= 1 else 1 + beyond

    def spent(v):  # x = e^v keeps the far tail within reach of the quadrature
        x = math.exp(min(v, 600.0))
        rest = (1 - s) * x
        share = s + c * fastest(rest) / x if rest > a else 1.0
        return share * alpha * math.exp(-(alpha - 1) * v)

    corners = [math.log(max(1.0, y / (1 - s))) for y in (a, 1.0)]
    return integral(spent, 0, 60 / (alpha - 1), corners) / mean


# --- resource after detection --------------------------------------------------------------------


@each("c", [1, 2, 3, 6])
@each("alpha", [1.3, 2.0, 4.0])
@each("sigma", [0.1, 0.4, 0.75, 1.0, 1.7, 8.0])
@each("s", [0.0, 0.3, 0.8])
def test_tau_is_the_printed_integrals(c, alpha, sigma, s):
    assert tau(c, sigma, alpha, s) == pytest.approx(printed_tau(c, sigma, alpha, s, mu=2.5), rel=1e-6)


@given(tails, st.floats(1.0, 30.0), st.floats(0, 0.95))
def test_tau_of_one_and_two_copies_in_closed_form(alpha, sigma, s):
    u = (alpha - 1) / (alpha * sigma)
    assert tau(1, sigma, alpha, s) == pytest.approx(alpha / (alpha - 1) * sigma, rel=1e-9)
    assert tau(2, sigma, alpha, s) == pytest.approx(2 * (1 - u ** (alpha - 1) / (2 * alpha - 1)), rel=1e-9)


def test_tau_where_its_quotient_is_a_logarithm():
    # alpha (c - 1) = 1: c = 3/2 at tail index 2, threshold of 4 shortest tasks, mean of 2
    assert tau(1.5, 2.0, 2.0) == pytest.approx(1.5 * (1 + math.log(4) + 1 / 2) / 2)
    assert tau(1.5 + 1e-9, 2.0, 2.0) == pytest.approx(tau(1.5, 2.0, 2.0), rel=1e-6)


def test_the_second_integrand_as_printed_diverges():
    # two copies, tail index 2, sigma = 1.7, s = 0: (26) with 1 - G and with G, up to a limit
    def cut_off(limit, printed):
        g = lambda t: tail(t, 2.0) ** 2  # noqa: E731
        second = integral((lambda t: 1 - g(t)) if printed else g, 3.4, limit) / tail(3.4, 2.0)
        return 2 * (integral(lambda t: tail(t, 2.0), 0, 3.4, (1.0,)) + second) / 2

    assert cut_off(2e3, printed=True) > 1e4
    assert cut_off(4e3, printed=True) > 1.9 * cut_off(2e3, printed=True)
    assert cut_off(4e3, printed=False) == pytest.approx(tau(2, 1.7, 2.0), rel=1e-8)


@pytest.fixture(scope="module")
def stragglers():
    """Resource after detection of 200 000 tasks with 3 copies, tail index 2, s = 0.25, sigma = 0.8."""
    rng = np.random.default_rng(11)
    time = 1 + rng.pareto(2.0, 400_000)
    rest = 0.75 * time
    detected = rest > 0.8 * 2
    rest = rest[detected]
    new = 1 + rng.pareto(2.0, (2, rest.size))
    return 3 * np.minimum(rest, new.min(axis=0)) / 2, int(detected.sum()), detected.size


def test_simulated_stragglers_use_tau_and_are_as_frequent(stragglers):
    resource, detected, tasks = stragglers
    assert_mean(resource, tau(3, 0.8, 2.0, 0.25), resolution=0.01)
    assert_share(detected, tasks, detection_probability(0.8, 2.0, 0.25))


def test_an_error_of_three_percent_in_tau_would_be_caught(stragglers):
    resource, detected, tasks = stragglers
    for wrong in (0.97, 1.03):
        with pytest.raises(AssertionError):
            assert_mean(resource, wrong * tau(3, 0.8, 2.0, 0.25))
        with pytest.raises(AssertionError):
            assert_share(detected, tasks, wrong * detection_probability(0.8, 2.0, 0.25))


@given(tails, st.floats(0.01, 30), st.floats(0, 0.95))
def test_detection_probability_is_the_tail_of_the_remaining_time(alpha, sigma, s):
    expected = stats.pareto(alpha, scale=1 - s).sf(sigma * stats.pareto(alpha).mean())
    assert detection_probability(sigma, alpha, s) == pytest.approx(expected, rel=1e-9)


# --- resource of the policy ----------------------------------------------------------------------


@each("c", [2, 3, 5])
@each("alpha", [1.4, 2.0, 4.0])
@each("sigma", [0.0, 0.2, 0.6, 1.0, 1.7, 6.0])
@each("s", [0.0, 0.3, 0.8])
def test_resource_is_the_integral_of_the_policy(c, alpha, sigma, s):
    expected = policy_resource(c, sigma, alpha, s)
    assert detection_resource(c, sigma, alpha, s) == pytest.approx(expected, rel=1e-7)


@given(tails, st.floats(1.0, 50), st.floats(0, 0.99))
def test_two_copies_use_the_stated_function_of_u(alpha, sigma, s):
    u = (alpha - 1) / (alpha * sigma)
    j = 2 * u**alpha - 2 / (2 * alpha - 1) * u ** (2 * alpha - 1) - u ** (alpha - 1)
    assert detection_resource(2, sigma, alpha, s) == pytest.approx(1 + (1 - s) ** alpha * j, abs=1e-12)


@pytest.fixture(scope="module")
def added():
    """What two new copies add to the resource, tail index 6, threshold 0.6, looked at after a tenth."""
    rng = np.random.default_rng(5)
    time, new = 1 + rng.pareto(6.0, 400_000), 1 + rng.pareto(6.0, (2, 400_000))
    rest = 0.9 * time
    return np.where(rest > 0.6 * 1.2, 3 * np.minimum(rest, new.min(axis=0)) - rest, 0.0) / 1.2


def test_simulated_tasks_use_the_resource(added):
    assert_mean(added, detection_resource(3, 0.6, 6.0, 0.1) - 1, resolution=0.01)


def test_an_error_of_three_percent_in_the_change_of_resource_would_be_caught(added):
    for wrong in (0.97, 1.03):
        with pytest.raises(AssertionError):
            assert_mean(added, wrong * (detection_resource(3, 0.6, 6.0, 0.1) - 1))


def test_one_copy_uses_what_the_task_takes_and_late_looks_save_less():
    assert detection_resource(1, 1.3, 1.7, 0.4) == pytest.approx(1)
    early, late = detection_resource(2, 1.7, 2.0, 0.0), detection_resource(2, 1.7, 2.0, 0.5)
    assert 1 - late == pytest.approx((1 - early) / 4)


def test_a_very_high_threshold_copies_nothing():
    for alpha in (1.5, 3.0, 50.0):
        assert detection_resource(2, 1e90, alpha, 0.0) == pytest.approx(1)
    assert detection_probability(1e100, 50.0) == 0.0


# --- the best threshold --------------------------------------------------------------------------


def test_best_threshold_at_tail_index_two_is_known():
    assert sigma_star(2.0) == pytest.approx(1 + math.sqrt(2) / 2, rel=1e-14)


@pytest.mark.parametrize("alpha", [1.05, 1.3, 1.5, 2.0, 3.0, 6.0])
@pytest.mark.parametrize("copies", [2, 3, 4])
def test_best_threshold_minimises_the_integral_of_the_policy(alpha, copies):
    best = sigma_star(alpha, copies)
    found = optimize.minimize_scalar(
        lambda x: policy_resource(copies, x, alpha, 0.2), bounds=(0.3 * best, 3 * best), method="bounded"
    )
    assert found.x == pytest.approx(best, rel=2e-3)
    least = policy_resource(copies, best, alpha, 0.2)
    assert least == pytest.approx(found.fun, abs=1e-9)
    for wrong in (0.95, 1.05):
        assert policy_resource(copies, wrong * best, alpha, 0.2) > least


@pytest.mark.parametrize("alpha", [1.05, 1.5, 2.0, 5.0])
@pytest.mark.parametrize("copies", [2, 3, 8])
def test_best_threshold_is_where_the_copies_cost_what_remains(alpha, copies):
    fastest = stats.pareto(alpha * (copies - 1))

    def surplus(a):
        return copies * integral(fastest.sf, 0, a, (1.0,)) - a

    root = optimize.brentq(surplus, 1 + 1e-9, 1e4)
    assert sigma_star(alpha, copies) * stats.pareto(alpha).mean() == pytest.approx(root, rel=1e-7)


@given(st.floats(1.001, 200))
def test_best_threshold_solves_both_equations(alpha):
    sigma = sigma_star(alpha)
    u = (alpha - 1) / (alpha * sigma)
    assert 0 < u < 1
    assert 2 - 2 / alpha * u ** (alpha - 1) == pytest.approx(sigma, rel=1e-9)
    assert 2 * alpha * u - 2 * u**alpha == pytest.approx(alpha - 1, rel=1e-9)
    if alpha < 30:  # the saving, about 2^-alpha, is then still seen next to 1
        assert detection_resource(2, sigma, alpha, 0.0) < 1


@pytest.mark.parametrize("s", [0.0, 0.4, 0.9])
@pytest.mark.parametrize("alpha", [1.1, 2.0, 4.0])
def test_best_threshold_is_global_and_does_not_depend_on_the_time_of_the_look(alpha, s):
    sigma = np.append(np.geomspace(1e-3, 100, 4000), sigma_star(alpha))
    resource = detection_resource(2, sigma, alpha, s)
    assert resource[-1] <= resource.min() + 1e-15
    assert sigma[np.argmin(resource[:-1])] == pytest.approx(sigma_star(alpha), rel=0.01)


def test_best_threshold_rises_from_zero_to_two_and_starts_below_one():
    alpha = np.linspace(1.001, 25, 400)
    sigma = sigma_star(alpha)
    assert np.all(np.diff(sigma) > 0)
    assert sigma[0] < 1 < sigma[-1] < 2
    assert sigma_star(1 + 1e-9) < 1e-8
    assert sigma_star(1e6) == pytest.approx(2, rel=1e-5)
    assert sigma_star(1e100) == pytest.approx(2)
    # "very close to 2 for a tail index of 3 and more": from below, within about 4 %
    assert sigma_star(3.0) == pytest.approx(2 * 0.96, rel=1e-3)


# --- how many copies -----------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [1.05, 1.3, 1.5, 1.55, 1.57, 1.7, 2.0, 3.0])
def test_joint_optimum_agrees_with_a_search_over_copies_and_thresholds(alpha):
    found = {}
    for c in range(2, 6):
        result = optimize.minimize_scalar(
            lambda x, c=c: policy_resource(c, x, alpha, 0.0),
            bounds=(1e-3, 6),
            method="bounded",
            options={"xatol": 1e-9},
        )
        found[c] = result.fun, result.x
    best = min(found, key=found.get)
    optimum = detection_optimum(alpha)
    assert optimum.copies == best
    assert optimum.resource == pytest.approx(found[best][0], abs=1e-8)
    assert optimum.sigma == pytest.approx(found[best][1], rel=1e-3)


def test_three_copies_win_below_the_critical_tail_index_and_two_above():
    critical = critical_tail_index()
    assert 1.55 < critical < 1.57  # between the tail indices of the search above
    for alpha in (1.0001, 1.01, 1.2, 1.5, critical - 1e-6):
        assert detection_optimum(alpha).copies == 3
    for alpha in (critical + 1e-6, 1.6, 2.0, 5.0, 40.0):
        assert detection_optimum(alpha).copies == 2
    two, three = (policy_resource(c, sigma_star(critical, c), critical, 0.0) for c in (2, 3))
    assert two == pytest.approx(three, rel=1e-8)


def test_four_copies_and_more_never_win():
    for alpha in np.concatenate([1 + np.geomspace(1e-6, 1, 60), np.linspace(2, 30, 20)]):
        assert detection_optimum(float(alpha), limit=12).copies <= 3
    assert detection_optimum(1.3, limit=2).copies == 2


def test_more_copies_may_use_less_after_detection():
    # against "tau increases in c from 2 on for all alpha, sigma > 1"
    assert printed_tau(3, 10.0, 1.5, 0.0) < printed_tau(2, 10.0, 1.5, 0.0)
    assert tau(3, 10.0, 1.5) < tau(2, 10.0, 1.5)
    assert tau(2.5, 100.0, 2.0) < tau(2, 100.0, 2.0)


def test_a_low_threshold_is_better_answered_with_no_copy():
    assert tau(1, 0.6, 2.0) < tau(2, 0.6, 2.0)
    assert detection_resource(2, 0.6, 2.0, 0.0) > 1


# --- shape and door ------------------------------------------------------------------------------


def test_arrays_agree_with_numbers():
    c, sigma = np.array([1, 2, 3, 2.5]), np.array([0.0, 0.3, 1.0, 4.0])
    alpha, s = np.array([1.5, 2.0, 3.0, 9.0]), np.array([0.0, 0.1, 0.5, 0.9])
    rows = list(zip(c.tolist(), sigma.tolist(), alpha.tolist(), s.tolist(), strict=True))
    for function in (tau, detection_resource):
        np.testing.assert_allclose(function(c, sigma, alpha, s), [function(*row) for row in rows], rtol=1e-13)
        assert type(function(2, 1.0, 2.0, 0.0)) is float
        assert function(c, sigma[:, None], 2.0, 0.0).shape == (4, 4)
    np.testing.assert_allclose(
        detection_probability(sigma, alpha, s), [detection_probability(*row[1:]) for row in rows], rtol=1e-13
    )
    np.testing.assert_allclose(sigma_star(alpha), [sigma_star(a) for a in alpha.tolist()], rtol=1e-13)
    np.testing.assert_allclose(sigma_star(2.0, [2, 3]), [sigma_star(2.0, 2), sigma_star(2.0, 3)], rtol=1e-13)
    assert type(sigma_star(2.0)) is float


def test_extreme_arguments_give_numbers():
    for c, sigma, alpha, s in itertools.product(
        [1, 2, 1e100], [0.0, 1e-300, 1.0, 1e100], [1 + 1e-12, 2.0, 1e100], [0.0, 1 - 1e-12]
    ):
        assert tau(c, sigma, alpha, s) >= 0
        assert detection_resource(c, sigma, alpha, s) >= 0


@pytest.mark.parametrize("alpha", [1.0, 0.5, -1.0, math.nan, math.inf])
def test_a_tail_index_without_a_mean_is_refused(alpha):
    for call in (
        lambda: tau(2, 1.0, alpha),
        lambda: detection_probability(1.0, alpha),
        lambda: detection_resource(2, 1.0, alpha, 0.0),
        lambda: sigma_star(alpha),
        lambda: detection_optimum(alpha),
    ):
        with pytest.raises(ValueError, match="alpha must be"):
            call()


def test_other_bad_arguments_are_named():
    for bad in (0.5, 0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="c must be"):
            tau(bad, 1.0, 2.0)
    for bad in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="sigma must be"):
            detection_resource(2, bad, 2.0, 0.0)
    for bad in (-0.1, 1.0, math.nan):
        with pytest.raises(ValueError, match="s must be"):
            detection_resource(2, 1.0, 2.0, bad)
    for bad in (1, 2.5, math.nan, math.inf):
        with pytest.raises(ValueError, match="copies must be"):
            sigma_star(2.0, bad)
    for bad in (1, 2.5, math.nan):
        with pytest.raises(ValueError, match="limit must be"):
            detection_optimum(2.0, bad)
    with pytest.raises(ValueError, match="alpha must be a single number"):
        detection_optimum([1.5, 2.0])
