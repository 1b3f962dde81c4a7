"""Compiled shares are those of the theory, whatever the jobs; and the jobs stand in their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.engines.slots.sharing.members import (
    BEGIN,
    COUNT,
    FAR,
    MEMBER,
    list_of,
    neighbour,
    no_members,
    put_at,
    put_in_order,
    take_out,
)
from sim.engines.slots.sharing.shares import max_srpt, plain, projected, weighted
from sim.kernel.records import records
from sim.model.rule import record_of
from theory.allocation import hopper_allocation
from theory.dag_allocation import dag_allocation
from theory.fairness import fair_hopper_allocation, projected_fair_allocation
from theory.service_rate import service_rate
from theory.weighted_optimum import weighted_optimum

pytestmark = pytest.mark.small

jobs = st.lists(st.integers(1, 60), min_size=1, max_size=25).map(sorted)
slots = st.integers(1, 400)
tails = st.sampled_from([1.2, 1.5, 2.0, 3.0, 1e6]) | st.floats(1.05, 6)
epsilons = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]) | st.floats(0, 1)
weight = st.sampled_from([0.25, 0.5, 1.0, 2.0, 4.0]) | st.floats(0.01, 20)
weighted_jobs = st.lists(st.tuples(st.integers(1, 60), weight), min_size=1, max_size=25)


def shares_of(kernel, *columns, **arguments) -> np.ndarray:
    """Shares that a kernel writes for columns of numbers, which surround them on both sides."""
    count = len(columns[0])
    order = np.concatenate([*columns, np.full(count, np.nan), [-7.0]]).astype(float)
    starts = [count * place for place in range(len(columns) + 1)]
    kernel(order, *starts, count, *arguments.values())
    assert order[-1] == -7
    return order[starts[-1] : -1]


def theta(tail: float) -> float:
    return max(1.0, 2 / tail)


@given(tasks=jobs, slots=slots, tail=tails)
def test_plain_shares_are_algorithm_1(tasks, slots, tail):
    shares = shares_of(plain, tasks, slots=float(slots), theta=theta(tail))
    np.testing.assert_allclose(shares, hopper_allocation(tasks, slots, tail), atol=1e-9 * slots)


@given(tasks=jobs, slots=slots, tail=tails, epsilon=epsilons)
def test_projected_shares_are_the_iterated_projection(tasks, slots, tail, epsilon):
    floor = (1 - epsilon) * slots / len(tasks)
    shares = shares_of(projected, tasks, slots=float(slots), theta=theta(tail), floor=floor)
    expected = projected_fair_allocation(tasks, slots, tail, epsilon)
    np.testing.assert_allclose(shares, expected, atol=1e-9 * slots)
    assert (shares >= floor - 1e-9 * slots).all()


@given(tasks=jobs, slots=slots, tail=tails, epsilon=epsilons)
def test_they_are_worth_as_much_as_those_of_algorithm_2(tasks, slots, tail, epsilon):
    floor = (1 - epsilon) * slots / len(tasks)
    shares = shares_of(projected, tasks, slots=float(slots), theta=theta(tail), floor=floor)
    rates = [
        service_rate(given, np.array(tasks, dtype=float), tail).sum()
        for given in (shares, fair_hopper_allocation(tasks, slots, tail, epsilon))
    ]
    assert rates[0] == pytest.approx(rates[1], rel=1e-9)


@given(jobs=weighted_jobs, slots=slots, tail=tails)
def test_weighted_shares_are_the_exact_optimum(jobs, slots, tail):
    tasks, weights = np.array(sorted(jobs, key=lambda job: (-job[1], job[0])), dtype=float).T
    shares = shares_of(weighted, tasks, weights, slots=float(slots), theta=theta(tail), tail=tail)
    np.testing.assert_allclose(shares, weighted_optimum(tasks, weights, slots, tail), atol=1e-6 * slots)


@given(jobs=weighted_jobs, slots=slots, tail=tails)
def test_shares_in_max_srpt_order_are_algorithm_3(jobs, slots, tail):
    tasks, weights = np.array(jobs, dtype=float).T
    place = np.lexsort((-weights, np.maximum(tasks, weights * tasks)))
    tasks, weights = tasks[place], weights[place]
    shares = shares_of(max_srpt, tasks, weights, slots=float(slots), theta=theta(tail))
    np.testing.assert_allclose(shares, dag_allocation(tasks, weights, slots, tail), atol=1e-9 * slots)


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.35, 0.7, 0.9, 1.1, 1.3, 1.9])
def test_where_the_slots_are_the_bound_of_a_case_algorithm_3_rounds_as_the_theory_does(weight):
    tasks, weights = np.ones(4), np.array([weight] * 3 + [2.5])
    shares = shares_of(max_srpt, tasks, weights, slots=3.0, theta=1.0)
    np.testing.assert_allclose(shares, dag_allocation(tasks, weights, 3, 2.0), atol=1e-9)


@given(
    keys=st.lists(st.tuples(st.sampled_from([-2.0, -1.0]), st.integers(1, 4)), min_size=1, max_size=25),
    newcomer=st.integers(0, 24),
    gone=st.integers(0, 5),
)
@example(keys=[(-1.0, 2), (-1.0, 3), (-2.0, 4), (-1.0, 2), (-1.0, 1)], newcomer=3, gone=1)
def test_members_stand_in_their_order_and_a_job_finds_its_neighbour(keys, newcomer, gone):
    order, members = no_members(len(keys), 0), records(len(keys), record_of(MEMBER))
    newcomer %= len(keys)
    there = [j for j in range(len(keys)) if j != newcomer]
    members.first, members.second = np.array(keys).T
    for place, j in enumerate(there):
        put_at(members, order, place, j, 0.5 + j)
    order[COUNT] = len(there)
    for j in there[:gone]:
        take_out(members, order, j)
    left = sorted((*keys[j], j) for j in there[gone:])
    after = [key for key in left if key > (*keys[newcomer], newcomer)] or left[-1:]
    assert neighbour(members, order, newcomer) == (after[0][2] if after else -1)
    put_in_order(members, order)
    expected = [j for _, _, j in left]
    assert order[BEGIN:][: len(left)].tolist() == expected
    assert order[list_of(order, FAR) :][: len(left)].tolist() == [0.5 + j for j in expected]
    assert members.place[expected].tolist() == list(range(len(left)))
    assert (members.place[there[:gone]] < 0).all()
