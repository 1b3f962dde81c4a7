"""Predictions of the theory for a scenario: against the load of its jobs, and against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.engines.gang.prediction import (
    bounded_as_run,
    brought_load,
    claim1_demands,
    expanded_share,
    stable_loads,
)
from sim.engines.gang.scenario import GangScenario
from sim.model.workload import generate
from sim.running.experiment import compare
from sim.running.gang_sweep import claim1, demand_sweep
from tests.agreement import assert_mean, assert_share

DEMANDS = (12.0, 60.0, math.inf)
SCENARIO = GangScenario(size_tail=4, straggle_tail=4, load=0.3, nodes=30, tasks_max=8, size_max=300)


@pytest.mark.compiled
def test_the_load_brought_is_what_the_jobs_of_a_run_bring():
    demands = DEMANDS[1:]
    comparison = compare(demand_sweep(SCENARIO.replace(jobs=5000), demands, 1.7), replications=12)
    expected = brought_load(SCENARIO, [0, *demands], 1.7)
    for result, load in zip(comparison.policies.values(), expected, strict=True):
        assert_mean(np.array(result.values("load")), load, resolution=0.08)
        with pytest.raises(AssertionError):
            assert_mean(np.array(result.values("load")), 1.1 * load, resolution=0.08)


@pytest.mark.parametrize("rate", [1.2, 2, 3])
def test_at_its_limit_a_cluster_is_brought_just_what_it_can_do(rate):
    for demand, load in zip(DEMANDS, stable_loads(SCENARIO, DEMANDS, rate), strict=True):
        assert brought_load(SCENARIO.replace(load=load), [demand], rate)[0] == pytest.approx(1)


def test_no_demand_is_better_by_claim_1_than_the_best():
    grid = np.concatenate([[0], np.geomspace(5, 1e4, 400), [math.inf]])
    for load, best in zip((0.3, 0.6, 0.8), claim1_demands(SCENARIO, (0.3, 0.6, 0.8), 2.5), strict=True):
        times = claim1(SCENARIO.replace(load=load), [best, *grid], 2.5)
        assert times[0] <= times[1:].min() * (1 + 1e-9)


def test_readings_of_claim_1_reach_the_best_demand():
    two, one = (claim1_demands(SCENARIO, [0.8], moments=moments)[0] for moments in ("two", "one"))
    assert 0 < one < two < math.inf  # latencies vary less than exponential ones here: waits are shorter
    assert claim1_demands(SCENARIO, [0.8], as_printed=True)[0] != two


@pytest.mark.parametrize(
    ("fields", "defined"),
    [
        ({"size_tail": 2.1}, True),
        ({"size_tail": 2}, False),
        ({"size_tail": 2, "size_max": 1e5}, True),
        ({"size_tail": 3, "straggle_tail": 2}, False),
    ],
)
def test_no_demand_is_best_where_claim_1_is_infinite(fields, defined):
    found = claim1_demands(GangScenario(**fields), [0.2, 0.98])
    assert (np.isfinite(found) | np.isposinf(found)).tolist() == [defined] * 2


def test_the_share_expanded_is_that_of_the_jobs_drawn():
    scenario = SCENARIO.replace(jobs=20_000)
    jobs = generate(scenario, 0)
    for demand, share in zip((12.0, 60.0), expanded_share(scenario, (12.0, 60.0)), strict=True):
        assert_share(int((jobs.tasks * jobs.size <= demand).sum()), jobs.n, share)
    assert expanded_share(scenario, [9.9, math.inf]).tolist() == [0, 1]


def test_a_bound_already_there_stays_and_the_other_is_about_the_largest_of_a_run():
    assert bounded_as_run(SCENARIO) is SCENARIO
    scenario = GangScenario(size_tail=1.5, jobs=2000)
    bound = bounded_as_run(scenario).size_max
    largest = [generate(scenario, replication).size.max() for replication in range(60)]
    # the largest of m exceeds it with probability 1 - 1 / e
    assert_share(int((np.array(largest) > bound).sum()), 60, 1 - math.exp(-1))
