"""The exact weighted optimum against a linear programme, exchanges, and the paper's partial statement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.theory.optimality import assert_no_slot_is_worth_more_elsewhere, best_total_rate
from tests.theory.test_allocation import instances, slot_counts, tails, task_lists
from theory.allocation import hopper_allocation, virtual_sizes
from theory.objective import total_rate
from theory.service_rate import marginal_rate, rate_per_slot
from theory.weighted_optimum import slot_price, weighted_optimum, weights

some_weights = st.one_of(st.sampled_from([0.25, 1.0, 4.0]), st.floats(0.01, 100))


@st.composite
def weighted_jobs(draw, weight=some_weights):
    T = draw(task_lists)
    return T, draw(st.lists(weight, min_size=len(T), max_size=len(T)))


def random_weights(size):
    return np.random.default_rng(size).choice([0.25, 0.5, 1.0, 1.0, 3.0, 9.0], size)


@pytest.mark.parametrize(("T", "S", "beta"), list(instances(20, seed=3)))
def test_the_optimum_attains_the_best_rate_of_a_linear_programme(T, S, beta):
    weight = random_weights(T.size)
    best = best_total_rate(T, S, beta, weight)
    assert total_rate(T, weighted_optimum(T, weight, S, beta), beta, weight) == pytest.approx(best, rel=2e-4)


@settings(max_examples=250, deadline=None)
@given(jobs=weighted_jobs(), S=slot_counts, beta=tails, physical=st.booleans())
def test_every_slot_is_used_and_none_is_worth_more_elsewhere(jobs, S, beta, physical):
    T, weight = jobs
    allocation = weighted_optimum(T, weight, S, beta, physical)
    assert (allocation >= 0).all()
    if any(T):
        assert allocation.sum() == pytest.approx(S, rel=1e-9, abs=1e-9)
        assert_no_slot_is_worth_more_elsewhere(T, allocation, beta, weight, physical=physical)


@settings(max_examples=150, deadline=None)
@given(jobs=weighted_jobs(), S=st.floats(0.1, 1e4), beta=tails)
def test_the_price_is_what_a_slot_is_worth(jobs, S, beta):
    """The optimum is a concave function of S whose slopes, left and right, enclose the price."""
    T, weight = jobs
    assume(any(T))
    step = 1e-6 * S
    value = [
        total_rate(T, weighted_optimum(T, weight, s, beta), beta, weight) for s in (S - step, S, S + step)
    ]
    price = slot_price(T, weight, S, beta)
    slack = 1e-5 * price + 1e-12 * value[1] / step
    assert (value[2] - value[1]) / step <= price + slack
    assert price <= (value[1] - value[0]) / step + slack


@settings(max_examples=100, deadline=None)
@given(jobs=weighted_jobs(), S=st.floats(0.1, 1e4), beta=tails)
def test_the_price_separates_jobs_as_documented(jobs, S, beta):
    T, weight = map(np.array, jobs)
    assume(T.any())
    allocation, price = weighted_optimum(T, weight, S, beta), slot_price(T, weight, S, beta)
    virtual, first = virtual_sizes(T, beta), weight * rate_per_slot(beta)
    above = (allocation > virtual * (1 + 1e-9)) & (T > 0)
    worth = weight * marginal_rate(allocation, T, beta)
    np.testing.assert_allclose(worth[above], price, rtol=1e-6)
    assert (first[allocation > 0] >= price * (1 - 1e-9)).all()
    assert (first[allocation < virtual * (1 - 1e-9)] <= price * (1 + 1e-9)).all()


@settings(max_examples=100, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails, weight=st.floats(1e-3, 1e3), physical=st.booleans())
def test_equal_weights_are_algorithm_1(T, S, beta, weight, physical):
    allocation = weighted_optimum(T, [weight] * len(T), S, beta, physical)
    expected = hopper_allocation(T, S, beta, physical)
    np.testing.assert_allclose(allocation, expected, rtol=1e-9, atol=1e-9 * (1 + S))


@settings(max_examples=100, deadline=None)
@given(jobs=weighted_jobs(), S=slot_counts, beta=tails, unit=st.floats(1e-6, 1e6))
def test_the_unit_of_the_weights_does_not_matter(jobs, S, beta, unit):
    T, weight = jobs
    one = weighted_optimum(T, weight, S, beta)
    other = weighted_optimum(T, np.array(weight) * unit, S, beta)
    rates = [total_rate(T, allocation, beta, weight) for allocation in (one, other)]
    assert rates[0] == pytest.approx(rates[1], rel=1e-9, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(jobs=weighted_jobs(), S=st.floats(0.1, 1e4), beta=st.floats(1.02, 2.0))
def test_with_plenty_of_slots_shares_follow_the_square_root_of_the_weight(jobs, S, beta):
    """Equation (6) holds from S = sum of V / sqrt(least weight) on, and not before."""
    T, weight = np.array(jobs[0]) + 1.0, np.array(jobs[1])
    desired = virtual_sizes(T, beta) * np.sqrt(weight)
    enough = desired.sum() / np.sqrt(weight.min())
    plenty = enough * (1 + S)
    proportional = plenty * desired / desired.sum()
    np.testing.assert_allclose(weighted_optimum(T, weight, plenty, beta), proportional, rtol=1e-9)
    assume(np.ptp(weight) > 0.01 * weight.max())
    scarce = 0.9 * enough
    proportional = scarce * desired / desired.sum()
    best = total_rate(T, weighted_optimum(T, weight, scarce, beta), beta, weight)
    assert total_rate(T, proportional, beta, weight) < best


def test_with_equal_weights_such_shares_are_optimal_with_few_slots_too():
    T, S, beta = np.array([12.0, 60.0, 96.0]), 50.0, 1.5  # virtual sizes add up to 224
    best = total_rate(T, weighted_optimum(T, [2, 2, 2], S, beta), beta)
    assert total_rate(T, S * T / T.sum(), beta) == pytest.approx(best, rel=1e-12)


def test_jobs_start_by_decreasing_weight():
    """Worked by hand: tail index 3/2, 12 tasks each (16 slots at the threshold), weights 4 and 1.

    The first reaches 16 x 2 = 32 before the second starts; this takes 16 alone; then 2 to 1.
    """
    shares = [weighted_optimum([12, 12], [1, 4], S, 1.5) for S in (16, 32, 40, 48, 96)]
    np.testing.assert_allclose(shares, [[0, 16], [0, 32], [8, 32], [16, 32], [32, 64]])
    np.testing.assert_allclose(slot_price([12, 12], [1, 4], 40, 1.5), 9 / 8)


def test_of_equal_weights_the_smaller_and_then_the_first_job_is_served_first():
    np.testing.assert_allclose(weighted_optimum([24, 12, 12, 3], [2, 2, 2, 1], 24, 1.5), [0, 16, 8, 0])


def test_a_job_without_weight_gets_nothing_while_another_has_some():
    np.testing.assert_allclose(weighted_optimum([5, 5, 0], [0, 1, 1], 100, 1.5), [0, 100, 0])
    for T, weight in (([5, 5], [0, 0]), ([0, 0], [1, 1]), ([0, 5], [1, 0])):
        assert weighted_optimum(T, weight, 100, 1.5).tolist() == [0, 0]
        assert slot_price(T, weight, 100, 1.5) == 0


def test_extremes_stay_numbers():
    huge = weighted_optimum([1e-3, 5], [1e-12, 1e12], 1e290, 1.0001)
    assert np.isfinite(huge).all()
    assert weighted_optimum([3, 4], [1, 2], 0, 1.5).tolist() == [0, 0]
    assert slot_price([3, 4], [1, 2], 0, 1.5) == pytest.approx(2 * 9 / 8)


def test_ten_thousand_jobs_are_no_trouble():
    rng = np.random.default_rng(4)
    T, weight = rng.integers(1, 100, 10_000), rng.random(10_000) + 0.1
    allocation = weighted_optimum(T, weight, 900_000, 1.5)
    assert allocation.sum() == pytest.approx(900_000, rel=1e-9)
    assert_no_slot_is_worth_more_elsewhere(T, allocation, 1.5, weight)


@pytest.mark.parametrize("rule", [weighted_optimum, slot_price])
def test_what_is_outside_the_domain_is_refused_by_name(rule):
    with pytest.raises(ValueError, match="weight must be one number per job, 2 in all"):
        rule([1, 2], [1], 3, 1.5)
    for bad in (-1, float("inf")):
        with pytest.raises(ValueError, match="weight must be finite and not negative"):
            rule([1, 2], [1, bad], 3, 1.5)
    with pytest.raises(ValueError, match="weight must be free of NaN"):
        weights([1, float("nan")], 2)
    with pytest.raises(ValueError, match="T must be finite and not negative"):
        rule([1, -2], [1, 1], 3, 1.5)
    with pytest.raises(ValueError, match="S must be finite and not negative"):
        rule([1, 2], [1, 1], -3, 1.5)
    with pytest.raises(ValueError, match="beta must be finite and above 1"):
        rule([1, 2], [1, 1], 3, 1.0)
