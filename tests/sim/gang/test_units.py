"""The queue with tasks of several units is the gang engine where a task takes one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.engines.gang.run import GangRun, read_policy
from sim.engines.gang.scenario import GangScenario
from sim.papers.units import LAWS, RATE, SWEPT, drawn, loss, slowdowns, swept

pytestmark = pytest.mark.compiled


def scenario(**changes) -> GangScenario:
    return GangScenario(**{"size_tail": 3.0, "jobs": 2_000, "seed": 3} | changes)


@pytest.mark.parametrize(
    "changes", [{"load": 0.3}, {"load": 0.8, "size_tail": 1.5}, {"load": 0.6, "nodes": 23, "capacity": 3}]
)
@pytest.mark.parametrize("demand", [0.0, 60.0, math.inf])
def test_with_one_unit_a_task_each_slowdown_is_that_of_the_engine(changes, demand):
    one = scenario(**changes)
    jobs, factors = drawn(one, 1)
    run = GangRun(one, read_policy(f"redundant-small:d={demand},r={RATE}"), 1, jobs)
    while not run.advance():
        pass
    expected = (run.jobs.finish - run.jobs.arrival) / jobs.size
    started = np.where(jobs.tasks * jobs.size <= demand, RATE * jobs.tasks, jobs.tasks)
    units = np.ones(jobs.n, np.int64)
    found = slowdowns(jobs.arrival, jobs.size, jobs.tasks, units, started, factors, one.nodes, one.capacity)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_tasks_wait_for_nodes_with_enough_units_and_nobody_overtakes():
    """Two nodes of 3 units: the second job fits on neither, the third would and waits for the second."""
    arrival, size = np.array([0.0, 1.0, 2.0]), np.full(3, 10.0)
    tasks, units = np.array([2, 1, 1]), np.array([2, 2, 1])
    factors = np.array([[1.0, 3.0], [2.0, 9.0], [1.0, 9.0]])
    found = slowdowns(arrival, size, tasks, units, tasks, factors, 2, 3)
    # job 1 holds a node until 10; job 2 starts there, and job 3 beside it or the first
    assert found.tolist() == pytest.approx([3.0, (30 - 1) / 10, (20 - 2) / 10])


def test_redundant_tasks_are_removed_with_the_last_that_counts():
    """A job of one task on two nodes of one unit: both are free as the faster one ends."""
    arrival, size = np.array([0.0, 0.0]), np.full(2, 10.0)
    tasks, units = np.array([1, 2]), np.array([1, 1])
    factors = np.array([[5.0, 2.0], [1.0, 1.0]])
    found = slowdowns(arrival, size, tasks, units, np.array([2, 2]), factors, 2, 1)
    assert found.tolist() == [2.0, 3.0]


def test_constant_units_on_nodes_of_as_many_more_are_the_same_system():
    one = scenario(load=0.6)
    assert swept(one, 0, (3,), True, 30) == pytest.approx(swept(one, 0, (1,), True, 10))


def test_an_offered_load_of_random_units_is_that_of_one():
    """Without redundancy the slots are as busy: gaps between jobs grow with the units on average."""
    one = scenario(load=0.2)
    for law in LAWS.values():
        wide = swept(one, 0, law, True, round(10 * np.mean(law)))
        assert wide[0] == pytest.approx(swept(one, 0, (1,), True, 10)[0], rel=1e-3)  # hardly a job waits


def test_the_best_demand_loses_nothing_of_itself():
    assert loss(3.0, 0.3, (1,), True).value == 0.0
    assert SWEPT[0] == 0.0
    assert SWEPT[-1] == math.inf
