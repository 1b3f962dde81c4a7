"""What remains of a task of known age: quadrature, SciPy's laws, simulation, and relations for all ages."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from sim.advice.waiting.answer import answered, pays_from
from sim.advice.waiting.siblings import Siblings
from tests.agreement import assert_mean, assert_share
from tests.depth import each
from theory.detection import sigma_star, tau
from theory.pareto import pareto_quantile, pareto_tail
from theory.remaining_time import (
    copied_mean,
    copy_age,
    lognormal_remaining_mean,
    lognormal_remaining_tail,
    remaining_mean,
    remaining_tail,
    stuck_probability,
)

INF = float("inf")
times, ages = st.floats(1e-3, 50), st.floats(0, 50)
scales, shapes = st.floats(0.05, 20), st.floats(-1.5, 2.5)
tails, starts = st.floats(1.05, 12), st.floats(0, 20)
#: Of a lognormal law: ages that a task reaches, mu, sigma.
mus, sigmas = st.floats(-2, 3), st.floats(0.1, 12)


def integral(tail, low, high):
    """Quadrature of a tail over pieces that grow, so that both ends are seen."""
    ends = low + (high - low) * np.concatenate([[0.0], np.geomspace(1e-6, 1, 9)])
    return sum(
        integrate.quad(tail, a, b, epsabs=0, epsrel=1e-9, limit=200)[0] for a, b in itertools.pairwise(ends)
    )


def fresh(r, alpha):
    """E[min(r, X')]: the shortest task takes 1, and above it the law is generalised Pareto."""
    return r if r <= 1 else 1 + remaining_mean(0.0, 1 / alpha, 1 / alpha, r - 1)


# --- tails ---------------------------------------------------------------------------------------


def reached(age, scale, shape):
    return scale + shape * age > 1e-6 * scale


@given(st.lists(times, min_size=2, max_size=6), ages, scales, shapes)
def test_a_remaining_tail_falls_from_one_to_nothing(ts, age, scale, shape):
    tail = remaining_tail(np.sort(ts), age, scale, shape)
    assert np.all((tail >= 0) & (tail <= 1))
    assert np.all(np.diff(tail) <= 0)
    assert remaining_tail(0.0, age, scale, shape) == (1.0 if scale + shape * age > 0 else 0.0)
    assert remaining_tail(INF, age, scale, shape) == 0.0


@given(times, times, ages, scales, shapes)
def test_to_wait_and_then_to_wait_is_to_wait_for_both(t, more, age, scale, shape):
    both = remaining_tail(t + more, age, scale, shape)
    first, then = remaining_tail(t, age, scale, shape), remaining_tail(more, age + t, scale, shape)
    assert first * then == pytest.approx(both, rel=1e-9, abs=1e-12)


@given(times, ages, scales, shapes)
def test_the_family_is_closed_under_ageing(t, age, scale, shape):
    assume(reached(age, scale, shape))
    young = remaining_tail(t, 0.0, scale + shape * age, shape)
    assert remaining_tail(t, age, scale, shape) == pytest.approx(young, rel=1e-12, abs=1e-300)
    if shape == 0 or abs(shape) > 1e-6:  # nearer to 0 SciPy is not exact
        law = stats.genpareto(shape, scale=scale + shape * age)
        assert young == pytest.approx(law.sf(t), rel=1e-8, abs=1e-12)


@given(times, ages, scales, st.sampled_from([1e-6, 1.1e-9, 0.9e-9, 0.0, -0.9e-9, -1.1e-9, -1e-6]))
def test_a_shape_of_nothing_is_the_exponential_law_without_memory(t, age, scale, shape):
    assume((t + age) / scale < 30)
    assert remaining_tail(t, age, scale, shape) == pytest.approx(math.exp(-t / scale), rel=2e-3)
    expected = -scale * math.expm1(-t / scale)
    assert remaining_mean(age, scale, shape, t) == pytest.approx(expected, rel=1e-3)
    assert remaining_mean(age, scale, shape) == pytest.approx(scale, rel=1e-4)


@given(times, st.floats(0.1, 5), st.floats(1, 30), tails)
def test_a_pareto_task_is_a_case(t, x_m, ratio, alpha):
    age = x_m * ratio
    expected = pareto_tail(age + t, x_m, alpha) / pareto_tail(age, x_m, alpha)
    law = (age - x_m, x_m / alpha, 1 / alpha)
    assert remaining_tail(t, *law) == pytest.approx(expected, rel=1e-9)
    assert remaining_mean(*law) == pytest.approx(age / (alpha - 1), rel=1e-9)


@given(times, st.floats(0, 100), mus, sigmas)
def test_a_lognormal_task_is_that_of_scipy(t, age, mu, sigma):
    law = stats.lognorm(sigma, scale=math.exp(mu))
    expected = math.exp(law.logsf(age + t) - law.logsf(age))
    assert lognormal_remaining_tail(t, age, mu, sigma) == pytest.approx(expected, rel=1e-8, abs=1e-300)


def test_an_old_lognormal_task_is_told_far_beyond_what_floats_can_hold():
    # at 60 standard deviations S(a) is no float; what remains is nearly exponential, of rate z / (sigma a)
    age = math.exp(60 * 0.1)
    rate = 60 / (0.1 * age)
    assert lognormal_remaining_tail(0.1 / rate, age, 0.0, 0.1) == pytest.approx(math.exp(-0.1), rel=1e-3)
    with pytest.raises(ValueError, match="age must be an age that a task reaches"):
        lognormal_remaining_mean(age, 0.0, 0.1)


# --- means ---------------------------------------------------------------------------------------


@given(ages, scales, shapes, st.floats(0.01, 200))
def test_a_mean_up_to_a_horizon_is_the_integral_of_the_tail(age, scale, shape, horizon):
    assume(reached(age, scale, shape))
    left = scale + shape * age
    end = min(horizon, left / -shape) if shape < 0 else horizon
    expected = integral(lambda t: remaining_tail(t, age, scale, shape), 0, end)
    assert remaining_mean(age, scale, shape, horizon) == pytest.approx(expected, rel=1e-7)


@given(st.floats(0, 60), mus, sigmas, st.floats(0.01, 200))
def test_a_lognormal_mean_up_to_a_horizon_is_the_integral_of_the_tail(age, mu, sigma, horizon):
    assume(lognormal_remaining_tail(age, 0.0, mu, sigma) > 1e-12)
    expected = integral(lambda t: lognormal_remaining_tail(t, age, mu, sigma), 0, horizon)
    assert lognormal_remaining_mean(age, mu, sigma, horizon) == pytest.approx(expected, rel=1e-6)


@given(ages, scales, st.floats(-1.5, 0.95), st.lists(st.floats(0.01, 1e3), min_size=2, max_size=6))
def test_a_mean_grows_with_the_horizon_towards_the_whole(age, scale, shape, horizons):
    assume(reached(age, scale, shape))
    whole = remaining_mean(age, scale, shape)
    found = remaining_mean(age, scale, shape, np.sort(horizons))
    assert np.all(np.diff(found) >= -1e-12 * whole)
    assert np.all(found <= np.minimum(np.sort(horizons), whole) * (1 + 1e-9))
    assert whole == pytest.approx((scale + shape * age) / (1 - shape), rel=1e-9)
    assert remaining_mean(age, scale, shape, 1e250) == pytest.approx(whole, rel=1e-3)


@given(ages, scales, shapes, times, times)
def test_a_horizon_may_be_cut_in_two(age, scale, shape, first, then):
    assume(reached(age + first, scale, shape))
    survives = remaining_tail(first, age, scale, shape)
    parts = remaining_mean(age, scale, shape, first)
    parts += survives * remaining_mean(age + first, scale, shape, then)
    assert remaining_mean(age, scale, shape, first + then) == pytest.approx(parts, rel=1e-8)


@given(scales, st.floats(0.01, 0.9), st.lists(ages, min_size=2, max_size=5, unique=True))
def test_a_heavy_tail_rejuvenates_a_bounded_one_ages_and_an_exponential_one_does_neither(scale, shape, old):
    old = np.sort(old)
    assert np.all(np.diff(remaining_mean(old, scale, shape)) >= 0)
    assert np.all(np.diff(remaining_mean(old, scale, -shape)) <= 0)
    assert np.ptp(remaining_mean(old, scale, 0.0)) == 0


def test_means_that_do_not_exist_are_infinite_and_an_age_that_none_reaches_leaves_nothing():
    assert remaining_mean(3.0, 1.0, [1.0, 1.5, 900.0]).tolist() == [INF, INF, INF]
    assert remaining_mean(3.0, 1.0, 900.0, 2.0) == pytest.approx(2.0, rel=1e-2)
    assert remaining_mean([2.0, 3.0], 1.0, -0.5).tolist() == [0.0, 0.0]
    assert remaining_tail(1.0, [2.0, 3.0], 1.0, -0.5).tolist() == [0.0, 0.0]


@pytest.fixture(scope="module")
def remaining():
    """What remained, at most 4, of tasks that reached age 3: generalised Pareto, and lognormal."""
    rng = np.random.default_rng(17)
    found = {}
    for name, law in (
        ("pareto", stats.genpareto(0.5, scale=1.0)),
        ("lognormal", stats.lognorm(0.8, scale=math.e)),
    ):
        took = law.rvs(2_000_000, random_state=rng)
        found[name] = took[took > 3] - 3
    return found


LAWS = {
    "pareto": (remaining_tail, remaining_mean, (1.0, 0.5)),
    "lognormal": (lognormal_remaining_tail, lognormal_remaining_mean, (1.0, 0.8)),
}


@pytest.mark.parametrize("name", LAWS)
def test_simulated_tasks_of_an_age_end_as_told(remaining, name):
    tail, mean, law = LAWS[name]
    rest = remaining[name]
    assert_share(np.count_nonzero(rest > 1.5), rest.size, tail(1.5, 3.0, *law))
    assert_mean(np.minimum(rest, 4.0), mean(3.0, *law, 4.0), resolution=0.01)


@pytest.mark.parametrize("name", LAWS)
def test_an_error_of_two_percent_would_be_caught(remaining, name):
    tail, mean, law = LAWS[name]
    rest = remaining[name]
    for wrong in (0.98, 1.02):
        with pytest.raises(AssertionError):
            assert_share(np.count_nonzero(rest > 1.5), rest.size, wrong * tail(1.5, 3.0, *law))
        with pytest.raises(AssertionError):
            assert_mean(np.minimum(rest, 4.0), wrong * mean(3.0, *law, 4.0))


# --- stuck tasks ---------------------------------------------------------------------------------


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6), st.floats(1e-6, 1))
def test_the_older_a_task_the_likelier_it_is_stuck(tail, share):
    found = stuck_probability(np.sort(tail)[::-1], share)
    assert np.all(np.diff(found) >= 0)
    assert np.all((found >= share * (1 - 1e-12)) & (found <= 1))
    assert stuck_probability(1.0, share) == pytest.approx(share)
    assert stuck_probability(0.0, share) == 1.0


@given(st.floats(1e-6, 1), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_to_learn_of_an_age_in_two_steps_is_to_learn_of_it_at_once(share, first, then):
    at_once = stuck_probability(first * then, share)
    assert stuck_probability(then, stuck_probability(first, share)) == pytest.approx(at_once, rel=1e-9)


def test_no_task_is_stuck_where_none_gets_stuck():
    assert stuck_probability([0.0, 0.5, 1.0], 0.0).tolist() == [0.0, 0.0, 0.0]


# --- a copy --------------------------------------------------------------------------------------


@given(st.floats(1, 1e4), tails, starts)
def test_a_copy_ends_a_task_no_later_than_either_alone(age, alpha, start):
    both = copied_mean(age, alpha, start)
    assert 0 < both <= min(age / (alpha - 1), start + alpha / (alpha - 1)) * (1 + 1e-9)
    assert copied_mean(2 * age, alpha, start) >= both * (1 - 1e-12)
    assert copied_mean(age, alpha, start + 1) >= both * (1 - 1e-12)


@given(tails, starts)
def test_the_copy_ends_an_old_task_and_the_task_ends_before_a_late_copy(alpha, start):
    assume(alpha > 1.3)
    assert copied_mean(1e12, alpha, start) == pytest.approx(start + alpha / (alpha - 1), rel=1e-3)
    assert copied_mean(2.0, alpha, 1e30) == pytest.approx(2 / (alpha - 1), rel=1e-6)


@each("alpha", [1.1, 1.5, 2.0, 5.0])
@each("age", [1.0, 3.0, 100.0])
@each("start", [0.0, 0.7, 10.0])
def test_what_a_copy_leaves_is_the_mean_over_all_rests_that_may_be(age, alpha, start):
    """E[min(R, s + X')], averaged over R: for a rest r the copy leaves E[min(r, s + X')]."""

    def left(v):  # R = a (e^(v / alpha) - 1), with v exponential
        rest = age * math.expm1(v / alpha)
        return (min(rest, start) + (fresh(rest - start, alpha) if rest > start else 0.0)) * math.exp(-v)

    end = 40 / (1 - 1 / alpha) if alpha < 1.5 else 60
    corners = [alpha * math.log1p(x / age) for x in (start, start + 1)]
    ends = [0.0, *sorted(one for one in corners if 0 < one < end), end]
    expected = sum(
        integrate.quad(left, a, b, epsabs=0, epsrel=1e-11, limit=400)[0] for a, b in itertools.pairwise(ends)
    )
    assert copied_mean(age, alpha, start) == pytest.approx(expected, rel=1e-7)


@given(st.floats(1, 1e3), tails)
def test_less_is_left_than_if_a_rest_as_long_as_the_age_were_known(age, alpha):
    """Of tau more than the threshold remains; a task of that age may end at once."""
    mean = alpha / (alpha - 1)
    known = tau(2, age / mean, alpha) * mean / 2
    assert known - age <= copied_mean(age, alpha) <= known
    assume(alpha > 1.3)
    assert tau(2, 1e12, alpha) / 2 == pytest.approx(copied_mean(1e12, alpha) / mean, rel=1e-3)


@pytest.fixture(scope="module")
def copied():
    """Time to the end of 400 000 tasks of age 3, tail index 2.5, whose copies start after 0.4."""
    rng = np.random.default_rng(29)
    rest = 3 * (1 + rng.pareto(2.5, 400_000)) - 3
    return np.minimum(rest, 0.4 + 1 + rng.pareto(2.5, 400_000))


def test_simulated_copies_end_tasks_as_told(copied):
    assert_mean(copied, copied_mean(3.0, 2.5, 0.4), resolution=0.01)
    for wrong in (0.98, 1.02):
        with pytest.raises(AssertionError):
            assert_mean(copied, wrong * copied_mean(3.0, 2.5, 0.4))


def saved(age, alpha, start):
    """Machine time that a copy saves in the mean, in shortest tasks, by quadrature."""
    tail = lambda t: (age / (age + t)) ** alpha  # noqa: E731
    second = lambda v: tail(start + math.exp(v)) * math.exp(v * (1 - alpha))  # noqa: E731
    both = integral(tail, 0, start + 1) + integrate.quad(second, 0, 80 / (2 * alpha - 1))[0]
    return age / (alpha - 1) - 2 * both


@each("start", [0.0, 0.5, 20.0])
@each("alpha", [1.8, 2.0, 4.0, 30.0])
def test_from_the_age_of_a_copy_on_it_saves_machine_time(alpha, start):
    age = copy_age(alpha, start) * alpha / (alpha - 1)
    assert age == pytest.approx(optimize.brentq(saved, 1.0, 1e4, args=(alpha, start)), rel=1e-7)
    assert saved(0.99 * age, alpha, start) < 0 < saved(1.01 * age, alpha, start)


def test_under_the_heaviest_tails_a_copy_saves_as_soon_as_the_shortest_task_would_be_done():
    for alpha in (1.1, 1.6):
        assert saved(1.0, alpha, 0.0) > 0
        assert copy_age(alpha) == pytest.approx((alpha - 1) / alpha)
    assert saved(1.0, 1.6, 5.0) < 0
    assert copy_age(1.6, start=5.0) > 1.01 * copy_age(1.6)


@given(tails, starts, starts)
def test_a_copy_that_starts_late_has_to_wait_for_older_tasks(alpha, start, other):
    early, late = sorted((start, other))
    assert (alpha - 1) / alpha <= copy_age(alpha, early) <= copy_age(alpha, late) * (1 + 1e-9)


# --- SDA -----------------------------------------------------------------------------------------


@given(tails)
def test_for_a_rest_that_is_known_the_rule_is_that_of_sda(alpha):
    rest = sigma_star(alpha) * alpha / (alpha - 1)
    assert 2 * fresh(rest, alpha) == pytest.approx(rest, rel=1e-8)
    assert 2 * fresh(1.1 * rest, alpha) < 1.1 * rest


@pytest.mark.parametrize("alpha", [1.5, 2.0, 3.0])
def test_the_siblings_of_a_pareto_law_give_the_threshold_of_sda(alpha):
    done = pareto_quantile((np.arange(2000) + 0.5) / 2000, 1.0, alpha)
    found = pays_from(answered(Siblings(done, np.array([3.0]))))
    assert found == pytest.approx(sigma_star(alpha) * alpha / (alpha - 1), rel=0.005)


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "values", "message"),
    [
        (remaining_tail, (-1.0, 1.0, 1.0, 0.0), "t must be at least 0"),
        (remaining_tail, (1.0, -1.0, 1.0, 0.0), "age must be at least 0"),
        (remaining_tail, (1.0, 1.0, 0.0, 0.0), "scale must be above 0"),
        (remaining_tail, (1.0, 1.0, 1.0, 2e3), "shape must be from -1,000 to 1,000"),
        (remaining_mean, (1.0, 1.0, 0.0, 0.0), "horizon must be above 0"),
        (remaining_mean, (math.nan, 1.0, 0.0), "age must be free of NaN"),
        (lognormal_remaining_tail, (-1.0, 1.0, 0.0, 1.0), "t must be at least 0"),
        (lognormal_remaining_tail, (1.0, 1.0, 1e3, 1.0), "mu must be from -100 to 100"),
        (lognormal_remaining_tail, (1.0, 1.0, 0.0, 0.0), "sigma must be above 0"),
        (lognormal_remaining_mean, (1.0, 0.0, 1.0, -2.0), "horizon must be above 0"),
        (stuck_probability, (1.1, 0.1), r"tail must be in \[0, 1\]"),
        (stuck_probability, (0.1, -0.1), r"share must be in \[0, 1\]"),
        (copied_mean, (0.9, 2.0), "age must be at least 1, the shortest task"),
        (copied_mean, (1.0, 1.0), "alpha must be above 1"),
        (copied_mean, (1.0, 2.0, -1.0), "start must be at least 0"),
        (copy_age, (1.0,), "alpha must be above 1"),
        (copy_age, (2.0, -1.0), "start must be at least 0"),
        (copy_age, ([2.0, 3.0],), "alpha must be a single number"),
    ],
)
def test_what_is_outside_a_domain_is_refused_by_name(function, values, message):
    with pytest.raises(ValueError, match=message):
        function(*values)
