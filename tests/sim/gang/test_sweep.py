"""Sweeps over the demand: points agree with the runs, and the best is distinguished from equals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.engines.gang.scenario import GangScenario
from sim.model.fields import BadInput
from sim.running.experiment import compare
from sim.running.gang_sweep import (
    best,
    claim1,
    default_demands,
    demand_sweep,
    points,
    redundant_small,
)
from theory.response_time import response_time

pytestmark = pytest.mark.compiled

SMALL = GangScenario(size_tail=3, jobs=2000)


def test_points_are_what_the_runs_say_in_their_order():
    demands = (5.0, 40.0, math.inf)
    comparison = compare(demand_sweep(SMALL, demands, 1.5), replications=3)
    read = points(comparison, demands, "slowdown", "p95")
    assert [point.demand for point in read] == [0, *demands]
    assert read[0].gain.value == read[1].gain.value == 0  # no job has a demand of 5
    for point in read[1:]:
        result = comparison.policies[redundant_small(point.demand, 1.5).text]
        assert point.estimate == result.estimate("slowdown", "p95")
        assert point.load == result.estimate("load")
        assert point.gain.value == pytest.approx(point.estimate.value / read[0].estimate.value - 1)
    assert read[3].load.value > read[2].load.value > read[1].load.value == read[0].load.value
    alone = [point.estimate.half / point.estimate.value for point in (read[3], read[0])]
    assert read[3].gain.half < (1 + read[3].gain.value) * np.hypot(*alone)


def test_a_quiet_cluster_expands_every_job_and_a_busy_one_only_small_ones():
    demands = (15.0, 40.0, 100.0, math.inf)
    quiet = compare(demand_sweep(SMALL.replace(load=0.2), demands), replications=10)
    assert best(quiet, demands).demand == math.inf
    assert 0 not in best(quiet, demands).as_good
    busy = compare(demand_sweep(SMALL.replace(load=0.75, jobs=10_000), demands), replications=10)
    assert points(busy, demands)[-1].unstable
    assert 0 < best(busy, demands).demand < 100
    assert math.inf not in best(busy, demands).as_good


def test_where_every_queue_grows_nothing_is_best():
    comparison = compare(demand_sweep(SMALL.replace(load=2, jobs=5000), (50.0,)), replications=2)
    assert best(comparison, (50.0,)) is None


def test_demands_that_make_no_difference_are_as_good():
    demands = (1.0, 5.0)
    found = best(compare(demand_sweep(SMALL, demands), replications=3), demands)
    assert (found.demand, found.as_good) == (0, (0, 1, 5))


def test_default_demands_go_from_few_jobs_to_nearly_all():
    scenario = GangScenario()
    demands = default_demands(scenario)
    assert list(demands) == sorted(demands)
    comparison = compare(demand_sweep(scenario.replace(jobs=5000), demands), replications=1)
    extra = [result.estimate("speculative_copies_share").value for result in comparison.policies.values()]
    assert extra[0] == 0
    assert 0 < extra[1] < 0.1
    assert 0.98 * extra[-1] < extra[-2] <= extra[-1]
    assert (np.diff(extra) >= 0).all()


def test_claim_1_is_that_of_the_scenario():
    scenario = GangScenario(
        size_tail=3, size_min=4, size_max=900, load=0.6, nodes=30, tasks_max=6, straggle_tail=5
    )
    expected = response_time([0, 50, math.inf], 2.5, 0.6, 5.0, 3.0, 6, 4.0, 900.0, 300, "one", True)
    found = claim1(scenario, [0, 50, math.inf], 2.5, moments="one", as_printed=True)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "fields",
    [
        {"arrivals": "bursty"},
        {"tasks": "uniform"},
        {"tasks_tail": 2},
        {"size": "constant"},
        {"straggle": "exponential"},
        {"redundancy": "replicated"},
        {"delay": 1},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_claim_1_says_nothing_of_other_scenarios(fields):
    (name,) = fields
    with pytest.raises(BadInput, match=f"^{name}: .* is not accepted by Claim 1"):
        claim1(GangScenario(**fields), [0])
