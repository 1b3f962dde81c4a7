"""Fair share, SRPT and Algorithm 1 against a linear programme, exchanges, and invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.optimality import assert_no_slot_is_worth_more_elsewhere, best_total_rate
from theory.allocation import (
    fair_allocation,
    hopper_allocation,
    next_job,
    serve,
    smallest_first,
    srpt_allocation,
    virtual_sizes,
)
from theory.objective import total_rate

task_lists = st.lists(st.one_of(st.integers(0, 9), st.floats(0.01, 200)), min_size=1, max_size=12)
slot_counts = st.one_of(st.integers(0, 60), st.floats(1e-3, 1e4))
tails = st.floats(1.02, 8)


def instances(count, seed):
    """Jobs (some without tasks, some equal), slots from scarce to plenty, tail indices on both sides of 2."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        T = rng.integers(0, 30, rng.integers(1, 7)).astype(float)
        T[0] += 1
        yield T, float(rng.uniform(0.1, 4) * T.sum()), float(rng.choice([1.05, 1.3, 1.5, 2.0, 2.5, 4.0]))


@pytest.mark.parametrize(("T", "S", "beta"), list(instances(15, seed=1)))
def test_algorithm_1_attains_the_best_rate_of_a_linear_programme(T, S, beta):
    best = best_total_rate(T, S, beta)
    attained = total_rate(T, hopper_allocation(T, S, beta), beta)
    assert attained == pytest.approx(best, rel=2e-4)


def test_a_three_percent_loss_would_be_seen_by_the_programme():
    T, S, beta = [5.0, 10.0, 30.0], 90.0, 1.5
    worse = hopper_allocation(T, S, beta) + np.array([9.0, 0.0, -9.0])
    attained, best = total_rate(T, worse, beta), best_total_rate(T, S, beta)
    assert 0.96 < attained / best < 0.97
    with pytest.raises(AssertionError):
        assert_no_slot_is_worth_more_elsewhere(T, worse, beta)


@pytest.mark.parametrize("physical", [True, False])
def test_the_printed_threshold_is_optimal_for_the_printed_rates(physical):
    T, S, beta = [5.0, 10.0, 30.0], 31.0, 3.0
    given = hopper_allocation(T, S, beta, physical)
    best = best_total_rate(T, S, beta, least_copies=1.0 if physical else 1.02 / beta)
    assert total_rate(T, given, beta, physical=physical) == pytest.approx(best, rel=2e-4)


@settings(max_examples=150, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails)
def test_algorithm_1_leaves_no_slot_where_it_is_worth_less(T, S, beta):
    given = hopper_allocation(T, S, beta)
    assert_no_slot_is_worth_more_elsewhere(T, given, beta)


@settings(max_examples=150, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails, physical=st.booleans())
def test_algorithm_1_uses_every_slot_within_its_bounds(T, S, beta, physical):
    given = hopper_allocation(T, S, beta, physical)
    virtual = virtual_sizes(T, beta, physical)
    assert given.shape == (len(T),)
    assert (given >= 0).all()
    assert (given[np.array(T) == 0] == 0).all()
    if any(T):
        assert given.sum() == pytest.approx(S, rel=1e-9, abs=1e-9)
    if virtual.sum() >= S:
        assert (given <= virtual).all()
        partial = (given > 0) & (given < virtual * (1 - 1e-9))
        assert partial.sum() <= 1
    else:
        np.testing.assert_allclose(given * sum(T), S * np.array(T, dtype=float), rtol=1e-9)


@settings(max_examples=100, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails, data=st.data())
def test_the_result_follows_the_jobs_when_they_are_renamed(T, S, beta, data):
    T = [t + index / 1024 for index, t in enumerate(T)]  # unequal, else equal jobs would swap
    order = np.array(data.draw(st.permutations(range(len(T)))))
    given = hopper_allocation(np.array(T)[order], S, beta)
    np.testing.assert_allclose(given, hopper_allocation(T, S, beta)[order], rtol=1e-9, atol=1e-9)


def test_of_equal_jobs_the_first_is_served_first():
    np.testing.assert_allclose(hopper_allocation([6, 3, 3, 3], 10, 1.5), [0, 4, 4, 2])
    np.testing.assert_allclose(srpt_allocation([6, 3, 3, 3], 7), [0, 3, 3, 1])
    assert smallest_first(np.array([2.0, 1.0, 2.0, 1.0])).tolist() == [1, 3, 0, 2]


def test_the_last_job_served_gets_a_part_and_needs_it_for_the_optimum():
    T, beta = [9.0, 12.0], 1.5  # V = 12, 16
    given = hopper_allocation(T, 20.0, beta)
    np.testing.assert_allclose(given, [12, 8])
    assert total_rate(T, [12.0, 0.0], beta) < total_rate(T, given, beta)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_when_slots_are_short_any_shares_within_the_virtual_sizes_do_as_well(share):
    T, S, beta = [9.0, 12.0], 20.0, 1.5
    first = 4 + share * 8  # from 4 (the other at its virtual size) to 12
    assert total_rate(T, [first, S - first], beta) == pytest.approx(
        total_rate(T, hopper_allocation(T, S, beta), beta)
    )


@settings(max_examples=60, deadline=None)
@given(T=task_lists, S=slot_counts)
def test_fair_shares_are_equal(T, S):
    given = fair_allocation(T, S)
    assert np.ptp(given) == 0
    assert given.sum() == pytest.approx(S)


@settings(max_examples=100, deadline=None)
@given(T=task_lists, S=slot_counts, copies=st.floats(0.5, 4))
def test_srpt_serves_by_size_up_to_its_copies(T, S, copies):
    given = srpt_allocation(T, S, copies)
    left = float(S)
    for size, index in sorted((t, i) for i, t in enumerate(T)):  # the definition, one job at a time
        assert given[index] == pytest.approx(min(copies * size, max(left, 0.0)), rel=1e-9, abs=1e-9)
        left -= given[index]
    assert given.sum() == pytest.approx(min(S, copies * sum(T)), rel=1e-9, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails)
def test_srpt_with_the_threshold_of_copies_is_algorithm_1_while_slots_are_short(T, S, beta):
    virtual = virtual_sizes(T, beta)
    if virtual.sum() >= S and any(T):
        copies = virtual.sum() / sum(T)
        np.testing.assert_allclose(
            srpt_allocation(T, S, copies), hopper_allocation(T, S, beta), rtol=1e-9, atol=1e-6
        )


@pytest.mark.parametrize("rule", [fair_allocation, srpt_allocation])
@settings(max_examples=60, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails)
def test_no_rule_beats_algorithm_1(rule, T, S, beta):
    best = total_rate(T, hopper_allocation(T, S, beta), beta)
    assert total_rate(T, rule(T, S), beta) <= best * (1 + 1e-9) + 1e-9


def test_without_slots_or_tasks_nobody_gets_any():
    assert hopper_allocation([3, 4], 0, 1.5).tolist() == [0, 0]
    assert hopper_allocation([0, 0], 10, 1.5).tolist() == [0, 0]
    assert srpt_allocation([0, 0], 10).tolist() == [0, 0]


@settings(max_examples=60, deadline=None)
@given(T=st.lists(st.integers(0, 9), min_size=1, max_size=12), S=st.integers(0, 60), beta=tails)
def test_slots_that_are_freed_one_by_one_build_up_the_target(T, S, beta):
    target, held = hopper_allocation(T, S, beta), np.zeros(len(T))
    for _ in range(int(target.sum() + 1e-9)):
        job = next_job(target, held)
        assert target[job] - held[job] == max(target - held)
        assert all(target[:job] - held[:job] < target[job] - held[job])
        held[job] += 1
    assert (np.abs(target - held) < 1 + 1e-9).all()


def test_a_freed_slot_needs_targets_and_holdings_of_the_same_jobs():
    assert next_job([3, 3, 3], [1, 0, 0]) == 1
    with pytest.raises(ValueError, match="held must be one number per job, 2 in all"):
        next_job([1, 2], [1])
    with pytest.raises(ValueError, match="target must be finite and not negative"):
        next_job([1, -2], [1, 1])
    with pytest.raises(ValueError, match="held must be finite and not negative"):
        next_job([1, 2], [1, float("inf")])
    with pytest.raises(ValueError, match="target must be free of NaN"):
        next_job([1, float("nan")], [1, 1])


def test_jobs_outside_the_order_are_not_served():
    assert serve(np.array([5.0, 2.0, 4.0]), np.array([2, 1]), 5.0).tolist() == [0, 1, 4]


def test_ten_thousand_jobs_are_no_trouble():
    T = np.random.default_rng(0).integers(1, 100, 10_000)
    given = hopper_allocation(T, 300_000, 1.5)
    assert given.sum() == pytest.approx(300_000, rel=1e-12)


@pytest.mark.parametrize(
    "rule",
    [fair_allocation, srpt_allocation, lambda T, S: hopper_allocation(T, S, 1.5)],
    ids=["fair", "srpt", "hopper"],
)
def test_jobs_and_slots_outside_the_domain_are_refused_by_name(rule):
    for T in ([1, -1], [1, float("inf")]):
        with pytest.raises(ValueError, match="T must be finite and not negative"):
            rule(T, 10)
    with pytest.raises(ValueError, match="T must be free of NaN"):
        rule([1, float("nan")], 10)
    for T in ([], [[1, 2]]):
        with pytest.raises(ValueError, match="T must be a list of at least one number"):
            rule(T, 10)
    for S in (-1, float("inf")):
        with pytest.raises(ValueError, match="S must be finite and not negative"):
            rule([1, 2], S)
    with pytest.raises(ValueError, match="S must be free of NaN"):
        rule([1, 2], float("nan"))
    with pytest.raises(ValueError, match="S must be a single number"):
        rule([1, 2], [3, 4])


def test_tail_index_and_copies_have_their_domains():
    for refuse in (lambda beta: hopper_allocation([1, 2], 3, beta), lambda beta: virtual_sizes([1, 2], beta)):
        with pytest.raises(ValueError, match="beta must be finite and above 1"):
            refuse(1.0)
        with pytest.raises(ValueError, match="beta must be a single number"):
            refuse([1.5, 1.6])
    for copies in (0, -1, float("inf")):
        with pytest.raises(ValueError, match="copies must be positive and finite"):
            srpt_allocation([1, 2], 3, copies)
