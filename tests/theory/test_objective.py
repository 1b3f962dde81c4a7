"""The value of an allocation and its distance from the best."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.optimality import best_total_rate
from tests.theory.test_allocation import instances, slot_counts, tails
from tests.theory.test_weighted_optimum import random_weights, weighted_jobs
from theory.allocation import fair_allocation, hopper_allocation
from theory.objective import distance_from_optimum, total_rate
from theory.service_rate import service_rate
from theory.weighted_optimum import weighted_optimum


@settings(max_examples=100, deadline=None)
@given(jobs=weighted_jobs(), S=slot_counts, beta=tails, physical=st.booleans())
def test_the_total_is_the_sum_over_jobs(jobs, S, beta, physical):
    T, weight = jobs
    given_slots = fair_allocation(T, S)
    rates = [service_rate(s, t, beta, physical) for s, t in zip(given_slots, T, strict=True)]
    assert total_rate(T, given_slots, beta, physical=physical) == pytest.approx(sum(rates))
    weighted = sum(a * rate for a, rate in zip(weight, rates, strict=True))
    assert total_rate(T, given_slots, beta, weight, physical) == pytest.approx(weighted)
    assert total_rate(T, given_slots, beta, np.ones(len(T)), physical) == pytest.approx(sum(rates))


@pytest.mark.parametrize(("T", "S", "beta"), list(instances(8, seed=5)))
def test_the_shortfall_of_equal_shares_agrees_with_a_linear_programme(T, S, beta):
    weight, shares = random_weights(T.size), fair_allocation(T, S)
    distance = distance_from_optimum(T, shares, beta, weight)
    best = best_total_rate(T, S, beta, weight)
    assert distance.value == total_rate(T, shares, beta, weight)
    assert distance.optimum == pytest.approx(best, rel=2e-4)
    assert distance.shortfall == pytest.approx(1 - distance.value / best, abs=3e-4)


@settings(max_examples=100, deadline=None)
@given(jobs=weighted_jobs(), S=slot_counts, beta=tails)
def test_the_optimum_is_at_no_distance_and_nothing_is_beyond_it(jobs, S, beta):
    T, weight = jobs
    assert distance_from_optimum(T, hopper_allocation(T, S, beta), beta).shortfall == pytest.approx(
        0, abs=1e-9
    )
    best = weighted_optimum(T, weight, S, beta)
    assert distance_from_optimum(T, best, beta, weight).shortfall == pytest.approx(0, abs=1e-9)
    assert 0 <= distance_from_optimum(T, fair_allocation(T, S), beta, weight).shortfall <= 1


def test_idle_slots_count_when_they_are_named():
    # One job of 12 tasks, tail index 3/2: 16 slots give 18, 8 slots 9.
    assert distance_from_optimum([12], [8], 1.5).shortfall == 0
    assert distance_from_optimum([12], [8], 1.5, S=16).shortfall == pytest.approx(0.5)


def test_nothing_is_lost_where_there_is_nothing_to_gain():
    for T, shares in (([0, 0], [3, 4]), ([5, 5], [0, 0])):
        distance = distance_from_optimum(T, shares, 1.5)
        assert (distance.value, distance.optimum, distance.shortfall) == (0, 0, 0)


def test_what_is_outside_the_domain_is_refused_by_name():
    for rule in (total_rate, distance_from_optimum):
        with pytest.raises(ValueError, match="allocation must be one number per job, 2 in all"):
            rule([1, 2], [1], 1.5)
        for bad in (-1, float("inf")):
            with pytest.raises(ValueError, match="allocation must be finite and not negative"):
                rule([1, 2], [1, bad], 1.5)
        with pytest.raises(ValueError, match="allocation must be free of NaN"):
            rule([1, 2], [1, float("nan")], 1.5)
        with pytest.raises(ValueError, match="weight must be one number per job"):
            rule([1, 2], [1, 1], 1.5, [1, 2, 3])
        with pytest.raises(ValueError, match="beta must be finite and above 1"):
            rule([1, 2], [1, 1], 0.9)
    with pytest.raises(ValueError, match="S must be at least the 2 slots of the allocation"):
        distance_from_optimum([1, 2], [1, 1], 1.5, S=1.9)
