"""Algorithm 3: its four cases against a plain walk over them, its ends, and the errata."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.theory.test_allocation import slot_counts, tails, task_lists
from tests.theory.test_weighted_optimum import weighted_jobs
from theory.allocation import hopper_allocation
from theory.dag_allocation import DagCase, dag_allocation, dag_cases
from theory.objective import total_rate
from theory.weighted_optimum import weighted_optimum

JOBS, WEIGHT, BETA = [12, 60, 96], [4, 1, 0.25], 1.5  # V = 32, 80, 64; A = 32, 224; B = 112, 352


def naive(T, weight, S, beta, downstream=None):
    """Corrected Algorithm 3, sentence by sentence, one job at a time; returns (case, shares)."""
    theta = max(1.0, 2 / beta)
    work = downstream or [a * t for a, t in zip(weight, T, strict=True)]
    order = sorted((i for i in range(len(T)) if T[i] > 0), key=lambda i: (max(T[i], work[i]), -weight[i], i))
    V = {i: theta * T[i] * math.sqrt(weight[i]) for i in order}
    n, shares = len(order), [0.0] * len(T)

    def least(k):
        return min(weight[i] for i in order[:k])

    def proportional(k):
        for i in order[:k]:
            shares[i] = S * V[i] / math.fsum(V[j] for j in order[:k])

    if n == 0:
        return 0, shares
    if n == 1 or V[order[0]] / math.sqrt(least(2)) >= S:
        shares[order[0]] = S
        return 1, shares
    for k in range(1, n):
        root = math.sqrt(least(k + 1))
        if math.fsum(V[i] for i in order[: k + 1]) / root >= S:
            last = [i for i in order[: k + 1] if weight[i] == least(k + 1)][-1]
            left = S
            for i in [i for i in order[: k + 1] if i != last] + [last]:
                shares[i] = min(left, V[i] / root)
                left -= shares[i]
            return 2, shares
        if k + 1 < n and math.fsum(V[i] for i in order[: k + 1]) / math.sqrt(least(k + 2)) >= S:
            proportional(k + 1)
            return 3, shares
    proportional(n)
    return 4, shares


@settings(max_examples=300, deadline=None)
@given(jobs=weighted_jobs(), S=slot_counts, beta=tails)
def test_the_shares_are_those_of_a_walk_through_the_cases(jobs, S, beta):
    T, weight = jobs
    case, shares = naive(T, weight, S, beta)
    for nudge in (1 - 1e-9, 1 + 1e-9):  # at the edge of a case the two may round to either side
        assume(naive(T, weight, S * nudge, beta)[0] == case)
    np.testing.assert_allclose(dag_allocation(T, weight, S, beta), shares, rtol=1e-7, atol=1e-6)
    cases = dag_cases(T, weight, S, beta)
    assert [each.case for each in cases] == ([case] if any(T) else [])


@settings(max_examples=300, deadline=None)
@given(jobs=weighted_jobs(), S=slot_counts, beta=tails, physical=st.booleans(), data=st.data())
def test_the_corrected_cases_are_exhaustive_and_exclusive_and_use_every_slot(jobs, S, beta, physical, data):
    T, weight = jobs
    downstream = data.draw(st.one_of(st.none(), st.lists(st.floats(0, 99), min_size=len(T), max_size=len(T))))
    allocation = dag_allocation(T, weight, S, beta, downstream, physical=physical)
    assert (allocation >= 0).all()
    assert (allocation[np.array(T) == 0] == 0).all()
    assert len(dag_cases(T, weight, S, beta, downstream, physical=physical)) == (1 if any(T) else 0)
    if any(T):
        assert allocation.sum() == pytest.approx(S, rel=1e-9, abs=1e-9)


def test_the_cases_meet_at_their_edges_without_a_gap():
    edges = [32, 112, 224, 352]  # A1, B1, A2, B2: each belongs to the case below it
    at = [dag_cases(JOBS, WEIGHT, S, BETA) for S in edges]
    beyond = [dag_cases(JOBS, WEIGHT, S * (1 + 1e-12), BETA) for S in edges]
    assert at == [(DagCase(1),), (DagCase(2, 1),), (DagCase(3, 1),), (DagCase(2, 2),)]
    assert beyond == [(DagCase(2, 1),), (DagCase(3, 1),), (DagCase(2, 2),), (DagCase(4),)]


def test_the_four_cases_by_hand():
    shares = [dag_allocation(JOBS, WEIGHT, S, BETA) for S in (20, 100, 140, 300, 352, 528)]
    expected = [
        [20, 0, 0],  # 1
        [32, 68, 0],  # 2: the second has the least weight of two, so it is served last
        [40, 100, 0],  # 3: as 32 to 80
        [64, 160, 76],  # 2: the first two twice their V, the third the rest
        [64, 160, 128],
        [96, 240, 192],  # 4: as 32 to 80 to 64
    ]
    np.testing.assert_allclose(shares, expected)


@settings(max_examples=150, deadline=None)
@given(T=task_lists, S=slot_counts, beta=tails, weight=st.floats(0.01, 100), physical=st.booleans())
def test_equal_weights_are_algorithm_1(T, S, beta, weight, physical):
    allocation = dag_allocation(T, [weight] * len(T), S, beta, physical=physical)
    expected = hopper_allocation(T, S, beta, physical)
    np.testing.assert_allclose(allocation, expected, rtol=1e-9, atol=1e-8 * (1 + S))


@settings(max_examples=150, deadline=None)
@given(jobs=weighted_jobs(), S=slot_counts, beta=st.floats(1.02, 2.0))
def test_in_the_order_of_decreasing_weight_it_is_the_exact_optimum(jobs, S, beta):
    T, weight = jobs
    downstream = [1e6 - 1e3 * a for a in weight]  # puts the larger weight first
    allocation = dag_allocation(T, weight, S, beta, downstream)
    best = total_rate(T, weighted_optimum(T, weight, S, beta), beta, weight)
    assert total_rate(T, allocation, beta, weight) == pytest.approx(best, rel=1e-9, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(jobs=weighted_jobs(), S=slot_counts, beta=tails)
def test_it_never_beats_the_optimum(jobs, S, beta):
    T, weight = jobs
    best = total_rate(T, weighted_optimum(T, weight, S, beta), beta, weight)
    assert total_rate(T, dag_allocation(T, weight, S, beta), beta, weight) <= best * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("poor", [1e-2, 1e-4, 1e-6])
def test_a_small_job_of_tiny_weight_makes_it_arbitrarily_bad(poor):
    T, weight, S = [12, 60], [poor, 1.0], 16.0
    allocation = dag_allocation(T, weight, S, BETA)
    best = total_rate(T, weighted_optimum(T, weight, S, BETA), BETA, weight)
    assert total_rate(T, allocation, BETA, weight) <= 2 * poor * best


def test_a_jobs_share_may_drop_when_slots_are_added():
    """Case 2 serves the least weight, the first job, last; just below A_1 it had everything."""
    T, weight = [12, 60], [0.25, 1.0]  # V = 8, 80; A_1 = 8 / 0.5 = 16
    below, above = dag_allocation(T, weight, 16, BETA), dag_allocation(T, weight, 16.001, BETA)
    np.testing.assert_allclose(below, [16, 0])
    np.testing.assert_allclose(above, [0, 16.001])


# --- the order


def test_jobs_go_by_the_larger_of_their_two_phases_then_weight_then_index():
    # max(T, T') = 10, 10, 8, 10: the third first; of the tied, weight 2 before 1 and 1.
    # V = 13.3, 13.3, 10.7, 18.9, so that 1, 2, 3, 4 jobs hold slots up to 10.7, 29.5, 42.9 and beyond.
    shares = [dag_allocation([10, 10, 8, 10], [1, 1, 1, 2], S, BETA, [5, 5, 5, 5]) for S in (1, 29, 42, 55)]
    assert [np.flatnonzero(given).tolist() for given in shares] == [[2], [2, 3], [0, 2, 3], [0, 1, 2, 3]]


def test_downstream_work_is_weight_times_tasks_unless_given():
    T, weight = [10, 20, 30], [9.0, 2.0, 1.0]  # T' = 90, 40, 30
    for S in (5, 60, 100, 200, 500):
        np.testing.assert_array_equal(
            dag_allocation(T, weight, S, BETA), dag_allocation(T, weight, S, BETA, [90, 40, 30])
        )
    assert dag_allocation(T, weight, 5, BETA).tolist() == [0, 0, 5]
    assert dag_allocation(T, weight, 5, BETA, [1, 1, 1]).tolist() == [5, 0, 0]


# --- errata


def test_erratum_the_printed_cases_leave_gaps():
    assert dag_cases(JOBS, WEIGHT, 140, BETA, as_printed=True) == ()
    with pytest.raises(
        ValueError, match=r"exactly one printed case of Algorithm 3; none applies \(got 140.0\)"
    ):
        dag_allocation(JOBS, WEIGHT, 140, BETA, as_printed=True)


def test_erratum_the_printed_cases_overlap():
    assert dag_cases(JOBS, WEIGHT, 300, BETA, as_printed=True) == (DagCase(2, 2), DagCase(3, 1))
    with pytest.raises(ValueError, match=r"cases 2 \(k = 2\) and 3 \(k = 1\) apply"):
        dag_allocation(JOBS, WEIGHT, 300, BETA, as_printed=True)


def test_erratum_a_single_job_is_not_covered_as_printed():
    assert dag_cases([12], [1], 10, BETA, as_printed=True) == ()
    assert dag_cases([12], [1], 20, BETA, as_printed=True) == (DagCase(4),)
    with pytest.raises(ValueError, match="none applies"):
        dag_allocation([12], [1], 10, BETA, as_printed=True)
    assert dag_allocation([12], [1], 10, BETA).tolist() == [10]


def test_erratum_as_printed_a_new_least_weight_is_served_too_early():
    """Case 2 with k = 2: the third job has the least weight, the printed k_min is the second."""
    S = 225.0
    assert dag_cases(JOBS, WEIGHT, S, BETA, as_printed=True) == (DagCase(2, 2), DagCase(3, 1))
    # Weights 4, 1, 0.9: A_2 = 112 / sqrt(.9) = 118.06 and the printed case 3 does not interfere.
    weight = [4, 1, 0.9]
    S = 130.0
    assert dag_cases(JOBS, weight, S, BETA, as_printed=True) == (DagCase(2, 2),)
    printed = dag_allocation(JOBS, weight, S, BETA, as_printed=True)
    corrected = dag_allocation(JOBS, weight, S, BETA)
    share = 1 / math.sqrt(0.9)
    np.testing.assert_allclose(printed, [32 * share, 0, S - 32 * share])
    np.testing.assert_allclose(corrected, [32 * share, 80 * share, S - 112 * share])
    assert total_rate(JOBS, printed, BETA, weight) < total_rate(JOBS, corrected, BETA, weight) * 0.999


def test_as_printed_case_3_shares_among_its_first_jobs():
    np.testing.assert_allclose(
        dag_allocation(JOBS, WEIGHT, 200, BETA, as_printed=True), [400 / 7, 1000 / 7, 0]
    )


@settings(max_examples=150, deadline=None)
@given(jobs=weighted_jobs(), S=slot_counts, beta=tails)
def test_the_printed_algorithm_works_exactly_when_one_case_applies(jobs, S, beta):
    T, weight = jobs
    cases = dag_cases(T, weight, S, beta, as_printed=True)
    if len(cases) == 1 or not any(T):
        printed = dag_allocation(T, weight, S, beta, as_printed=True)
        assert printed.sum() == pytest.approx(S if any(T) else 0, rel=1e-9, abs=1e-9)
        if cases and cases[0].case in (1, 4):
            np.testing.assert_array_equal(printed, dag_allocation(T, weight, S, beta))
    else:
        with pytest.raises(ValueError, match="apply" if cases else "none applies"):
            dag_allocation(T, weight, S, beta, as_printed=True)


# --- edges


def test_jobs_without_tasks_are_as_if_absent():
    with_ghost = dag_allocation([12, 0, 60, 96], [4, 0.01, 1, 0.25], 300, BETA)
    np.testing.assert_array_equal(np.delete(with_ghost, 1), dag_allocation(JOBS, WEIGHT, 300, BETA))
    assert with_ghost[1] == 0
    assert dag_allocation([0, 0], [1, 1], 10, BETA).tolist() == [0, 0]
    assert dag_allocation(JOBS, WEIGHT, 0, BETA).tolist() == [0, 0, 0]


@pytest.mark.parametrize("rule", [dag_allocation, dag_cases])
def test_what_is_outside_the_domain_is_refused_by_name(rule):
    with pytest.raises(ValueError, match=r"weight must be positive \(a last phase"):
        rule([1, 2], [1, 0], 3, 1.5)
    with pytest.raises(ValueError, match="weight must be finite and not negative"):
        rule([1, 2], [1, -1], 3, 1.5)
    with pytest.raises(ValueError, match="weight must be one number per job"):
        rule([1, 2], [1], 3, 1.5)
    with pytest.raises(ValueError, match="downstream must be one number per job, 2 in all"):
        rule([1, 2], [1, 1], 3, 1.5, [4])
    with pytest.raises(ValueError, match="downstream must be finite and not negative"):
        rule([1, 2], [1, 1], 3, 1.5, [4, -1])
    with pytest.raises(ValueError, match="T must be finite and not negative"):
        rule([1, -2], [1, 1], 3, 1.5)
    with pytest.raises(ValueError, match="S must be finite and not negative"):
        rule([1, 2], [1, 1], -3, 1.5)
    with pytest.raises(ValueError, match="beta must be finite and above 1"):
        rule([1, 2], [1, 1], 3, 1.0)
