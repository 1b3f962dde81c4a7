"""Algorithm 2 and the projection against a linear programme with guarantees, and the errata."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.theory.optimality import assert_no_slot_is_worth_more_elsewhere, best_total_rate
from tests.theory.test_allocation import instances, slot_counts, tails, task_lists
from theory.allocation import fair_allocation, hopper_allocation, virtual_sizes
from theory.fairness import fair_hopper_allocation, fair_regime, projected_fair_allocation
from theory.objective import total_rate

fractions = st.one_of(st.sampled_from([0.0, 0.01, 0.5, 1.0]), st.floats(0, 1))
EPSILONS = [0.0, 0.05, 0.3, 0.5, 0.8, 0.95, 1.0]
CASES = [(*instance, epsilon) for instance, epsilon in zip(instances(21, seed=2), EPSILONS * 3, strict=True)]


def poured(T, S, F):
    """Level c of max(F, c T), found by raising the water until the slots are used (bisection)."""
    T = np.asarray(T, dtype=float)
    low, high = 0.0, S / T.max()
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(F, middle * T).sum() <= S else (low, middle)
    return low


@pytest.mark.parametrize(("T", "S", "beta", "epsilon"), CASES)
def test_algorithm_2_attains_the_best_rate_of_a_linear_programme(T, S, beta, epsilon):
    guarantee = (1 - epsilon) * S / T.size
    best = best_total_rate(T, S, beta, floor=guarantee * (1 - 1e-9))
    for rule in (fair_hopper_allocation, projected_fair_allocation):
        assert total_rate(T, rule(T, S, beta, epsilon), beta) == pytest.approx(best, rel=2e-4)


@settings(max_examples=200, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails, epsilon=fractions, physical=st.booleans())
def test_both_rules_keep_the_guarantee_use_every_slot_and_waste_none(T, S, beta, epsilon, physical):
    guarantee = (1 - epsilon) * S / len(T)
    for rule in (fair_hopper_allocation, projected_fair_allocation):
        allocation = rule(T, S, beta, epsilon, physical=physical)
        assert allocation.min() >= guarantee * (1 - 1e-12)
        if any(T):
            assert allocation.sum() == pytest.approx(S, rel=1e-9, abs=1e-9)
            assert_no_slot_is_worth_more_elsewhere(T, allocation, beta, floor=guarantee, physical=physical)


@settings(max_examples=150, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails, epsilon=fractions)
def test_the_repeated_projection_is_worth_as_much_as_algorithm_2(T, S, beta, epsilon):
    projected = total_rate(T, projected_fair_allocation(T, S, beta, epsilon), beta)
    exact = total_rate(T, fair_hopper_allocation(T, S, beta, epsilon), beta)
    assert projected == pytest.approx(exact, rel=1e-9, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails)
def test_the_ends_of_epsilon_are_algorithm_1_and_equal_shares(T, S, beta):
    for rule in (fair_hopper_allocation, projected_fair_allocation):
        np.testing.assert_allclose(
            rule(T, S, beta, 1.0), hopper_allocation(T, S, beta), rtol=1e-9, atol=1e-9 * (1 + S)
        )
        np.testing.assert_allclose(rule(T, S, beta, 0.0), fair_allocation(T, S), rtol=1e-9)


@settings(max_examples=100, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails, low=fractions, high=fractions)
def test_more_fairness_never_raises_the_total_rate(T, S, beta, low, high):
    low, high = min(low, high), max(low, high)
    fairer = total_rate(T, fair_hopper_allocation(T, S, beta, low), beta)
    assert fairer <= total_rate(T, fair_hopper_allocation(T, S, beta, high), beta) * (1 + 1e-9) + 1e-9


@settings(max_examples=150, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails, epsilon=fractions)
def test_the_regime_tells_the_case_and_the_level(T, S, beta, epsilon):
    assume(any(T))
    regime = fair_regime(T, S, beta, epsilon)
    virtual, allocation = virtual_sizes(T, beta), fair_hopper_allocation(T, S, beta, epsilon)
    assert regime.guarantee == pytest.approx((1 - epsilon) * S / len(T))
    wanted = np.maximum(virtual, regime.guarantee)
    if regime.constrained:
        assert wanted.sum() * (1 + 1e-9) >= S
        assert (allocation <= wanted * (1 + 1e-9)).all()
    else:
        assert wanted.sum() * (1 - 1e-9) < S
        assert regime.level == pytest.approx(poured(T, S, regime.guarantee), rel=1e-6)
        assert (allocation >= virtual * (1 - 1e-9)).all()


def test_without_a_task_everyone_keeps_the_guarantee():
    for rule in (fair_hopper_allocation, projected_fair_allocation):
        assert rule([0, 0], 10, 1.5, 0.2).tolist() == [4, 4]
        assert rule([0, 0], 10, 1.5, 1.0).tolist() == [0, 0]
        assert rule([3, 4], 0, 1.5, 0.2).tolist() == [0, 0]


def test_a_job_without_tasks_is_guaranteed_its_share_too():
    np.testing.assert_allclose(fair_hopper_allocation([0, 30], 100, 1.5, 0.5), [25, 75])


def test_equal_shares_add_up_whatever_the_rounding():
    """S / N, N times, may round to less than S, and must not then seem to leave slots over."""
    rounded_down = 0
    for N in range(1, 60):
        for S in (100, 157):
            rounded_down += np.full(N, S / N).sum() < S
            T = np.arange(N) / (10 * N) + 0.1  # every virtual size is below the share
            np.testing.assert_allclose(fair_hopper_allocation(T, S, 1.5, 0.0), S / N, rtol=1e-12)
            assert fair_regime(T, S, 1.5, 0.0).constrained
    assert rounded_down > 0


# --- errata


def test_erratum_the_printed_count_of_small_jobs_loses_rate():
    T, S, beta, epsilon = [30.0, 52.5], 100.0, 1.5, 0.5
    np.testing.assert_allclose(virtual_sizes(T, beta), [40, 70])
    printed = fair_hopper_allocation(T, S, beta, epsilon, as_printed=True)
    np.testing.assert_allclose(printed, [25, 75])
    best = best_total_rate(T, S, beta, floor=25)
    assert total_rate(T, printed, beta) < best * (1 - 1e-3)
    for first in (30.0, 36.0, 40.0):  # any share from 30 to 40 is optimal
        assert total_rate(T, [first, S - first], beta) == pytest.approx(best, rel=2e-4)
    assert 30 <= fair_hopper_allocation(T, S, beta, epsilon)[0] <= 40


@settings(max_examples=150, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails, epsilon=fractions)
def test_the_printed_rule_is_fair_and_never_better(T, S, beta, epsilon):
    assume(any(T))
    try:
        printed = fair_hopper_allocation(T, S, beta, epsilon, as_printed=True)
    except ValueError:  # only with fewer slots than jobs, see below
        assume(len(T) <= S)
        raise
    assert printed.sum() == pytest.approx(S, rel=1e-9, abs=1e-9)
    assert printed.min() >= (1 - epsilon) * S / len(T) * (1 - 1e-9)
    best = total_rate(T, fair_hopper_allocation(T, S, beta, epsilon), beta)
    assert total_rate(T, printed, beta) <= best * (1 + 1e-9) + 1e-9


def test_the_printed_rule_is_right_where_its_count_is():
    # S/N - epsilon and (1 - epsilon) S/N separate the same jobs: V = 4 and 120 against 49.9 and 45.
    T, S, beta, epsilon = [3.0, 90.0], 100.0, 1.5, 0.1
    np.testing.assert_allclose(
        fair_hopper_allocation(T, S, beta, epsilon, as_printed=True),
        fair_hopper_allocation(T, S, beta, epsilon),
    )


def test_erratum_with_fewer_slots_than_jobs_the_printed_condition_may_have_no_solution():
    # V = 0.1, 0.85; F = 0.25; the printed limit S/N - epsilon is 0. So both count as large, 0.95 < S
    # seems plenty; but with m = 0 the first gets 0.105 < F, with m = 1 the second 0.75 < V.
    T, S, beta, epsilon = [0.075, 0.6375], 1.0, 1.5, 0.5
    np.testing.assert_allclose(virtual_sizes(T, beta), [0.1, 0.85])
    with pytest.raises(ValueError, match="printed m_2 to exist"):
        fair_hopper_allocation(T, S, beta, epsilon, as_printed=True)
    np.testing.assert_allclose(fair_hopper_allocation(T, S, beta, epsilon), [0.25, 0.75])


def test_erratum_one_projection_can_push_another_job_below_its_guarantee():
    T, S, beta, epsilon = [36.0, 36.0, 36.0], 100.0, 1.6, 0.1
    np.testing.assert_allclose(virtual_sizes(T, beta), 45)
    once = projected_fair_allocation(T, S, beta, epsilon, as_printed=True)
    np.testing.assert_allclose(once, [45, 25, 30])
    assert once.min() < 30
    np.testing.assert_allclose(projected_fair_allocation(T, S, beta, epsilon), [40, 30, 30])


@pytest.mark.parametrize("rule", [fair_hopper_allocation, projected_fair_allocation, fair_regime])
def test_what_is_outside_the_domain_is_refused_by_name(rule):
    for epsilon in (-0.01, 1.01, float("inf")):
        with pytest.raises(ValueError, match="epsilon must be from 0 to 1"):
            rule([1, 2], 3, 1.5, epsilon)
    with pytest.raises(ValueError, match="epsilon must be free of NaN"):
        rule([1, 2], 3, 1.5, float("nan"))
    with pytest.raises(ValueError, match="T must be finite and not negative"):
        rule([1, -2], 3, 1.5, 0.5)
    with pytest.raises(ValueError, match="S must be finite and not negative"):
        rule([1, 2], -3, 1.5, 0.5)
    with pytest.raises(ValueError, match="beta must be finite and above 1"):
        rule([1, 2], 3, 1.0, 0.5)
