"""A rule that has a price for slot-time: what it knows, what it sees, and what it notes."""

from __future__ import annotations

import numpy as np
import pytest

from sim.engines.gang.redundancy.rl import shipped
from sim.engines.gang.run import GangRun, read_policy
from sim.engines.gang.scenario import GangScenario
from sim.engines.gang.signatures import CLUSTER, NODE
from sim.kernel.records import records
from sim.papers.priced import (
    ALL,
    ASSIGNED,
    NOTHING,
    PRICES,
    RATES,
    NotingRun,
    Priced,
    Unit,
    gains_and_costs,
    jobs_of,
    learned,
    load_of_assigned,
)
from theory.coding import coded_cost
from theory.order_statistics import order_statistic_moment

pytestmark = pytest.mark.compiled

SCENARIO = GangScenario(size_tail=3.0, load=0.6, jobs=3_000, seed=3)


def finish(policy: str) -> np.ndarray:
    run = GangRun(SCENARIO, read_policy(policy), 0, jobs_of(SCENARIO, 0))
    while not run.advance():
        pass
    return run.jobs.finish


@pytest.mark.parametrize("apart", [True, False])
def test_slot_time_without_a_price_is_spent_and_too_dear_is_not(apart):
    free, dear = (Priced(apart, ALL, price, 0.0).run(SCENARIO, 0).jobs.finish for price in (0.0, 1e9))
    np.testing.assert_array_equal(free, finish(f"all:r={RATES[-1]:g}"))
    np.testing.assert_array_equal(dear, finish("none"))


def test_who_knows_tasks_and_size_apart_has_the_closed_forms_of_section_4():
    rows, alpha = gains_and_costs(SCENARIO, True), SCENARIO.straggle_tail
    for k, n, rate in ((1, 2, 2), (3, 5, 1), (10, 20, 2), (8, 20, 3)):
        gain = order_statistic_moment(k, k, alpha) - order_statistic_moment(n, k, alpha)
        cost = coded_cost(n, k, alpha) - coded_cost(k, k, alpha)
        assert rows[k, rate] == pytest.approx([gain, cost])
    np.testing.assert_allclose(rows[:, 0], 0.0, atol=1e-12)  # no redundancy gains and costs nothing


@pytest.mark.parametrize("tail", [3.0, 1.5])
def test_who_knows_the_demand_expects_the_mean_over_jobs_that_have_it(tail):
    scenario = SCENARIO.replace(size_tail=tail, jobs=200_000)
    jobs = jobs_of(scenario, 0)
    demand = jobs.tasks * jobs.size / scenario.size_min
    apart, alone = (gains_and_costs(scenario, one) for one in (True, False))
    for most in (1, 2, 4, 10):
        there = np.minimum(np.floor(demand), scenario.tasks_max) == most
        gain = apart[jobs.tasks[there], :, 0].mean(axis=0)
        cost = (apart[jobs.tasks[there], :, 1] / jobs.tasks[there, None]).mean(axis=0)
        np.testing.assert_allclose(alone[most, :, 0], gain, rtol=0.03, atol=1e-9)
        np.testing.assert_allclose(alone[most, :, 1], cost, rtol=0.03, atol=1e-9)


def test_the_load_of_the_assigned_nodes_is_that_of_the_least_loaded():
    cluster, nodes = records(1, CLUSTER), records(4, NODE)
    cluster[0].capacity, cluster[0].nodes = 10, 4
    nodes.held = [7, 0, 10, 3]
    for tasks, held in ((1, 0), (2, 3), (3, 10), (4, 20)):
        assert load_of_assigned(cluster, nodes, tasks) == pytest.approx(held / (10 * tasks))


@pytest.mark.parametrize("sees", [NOTHING, ASSIGNED, ALL])
def test_only_a_rule_that_sees_load_decides_otherwise_by_it(sees):
    price = PRICES[12]
    run = Priced(False, sees, price, 4.0).run(SCENARIO, 0, blind=price)
    assert set(run.noted) <= {0.0, 1.0}
    assert bool(run.noted.any()) is (sees != NOTHING)


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("blind", [0.0, *PRICES[::8]])
def test_what_is_noted_are_the_jobs_that_start_another_number_of_tasks_without_load(apart, blind):
    """Two rates may start as many: of one task 1.5 and 2, of ten on twenty nodes 2 and 3."""
    run = Priced(apart, ASSIGNED, PRICES[8], 4.0).run(SCENARIO, 0, blind=blind)
    other = Priced(apart, NOTHING, blind, 0.0).run(SCENARIO, 0)
    np.testing.assert_array_equal(run.noted == 1.0, run.jobs.copies != other.jobs.copies)
    assert 0.0 < run.noted.mean() < 1.0


def test_the_learned_rule_that_notes_loads_is_the_shipped_one():
    run = NotingRun(SCENARIO, 0, learned, Unit(SCENARIO.size_min), shipped().packed(SCENARIO.load))
    np.testing.assert_array_equal(run.jobs.finish, finish("redundant-rl"))
    jobs = run.workload
    rate = shipped().best(jobs.tasks * jobs.size / SCENARIO.size_min, run.noted, SCENARIO.load)
    np.testing.assert_array_equal(run.jobs.copies, np.minimum(np.ceil(rate * jobs.tasks), SCENARIO.nodes))
    assert 0.2 < run.noted.mean() < 2.0


def test_a_slowdown_is_of_the_counted_jobs():
    run = Priced(True, ALL, 0.0, 0.0).run(SCENARIO, 0)
    first = run.cluster[0].first_counted
    assert first > 0
    flowtime = (run.jobs.finish - run.jobs.arrival)[first:]
    assert run.slowdown == pytest.approx((flowtime / run.workload.size[first:]).mean())
