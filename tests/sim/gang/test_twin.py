"""The gang engine agrees with its reference exactly: every start, every end, every node, every fate.

Cases of whole numbers tie all the time and try the order of events at one instant; the others try what
continuous luck does; a busy cluster tries a long queue, and a large one the sets of nodes.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.gang.run import GangPolicy, read_policy, redundancy_rules
from sim.engines.gang.scenario import GangScenario
from sim.model.workload import Workload, generate
from tests.reference.gang import COLUMNS, simulate_gangs
from tests.sim.gang.runs import gang_policies, run_to_end, small_gangs
from tests.strategies import search

every_rule = pytest.mark.parametrize("rule", redundancy_rules())


def assert_twins_agree(scenario: GangScenario, policy: GangPolicy, workload: Workload) -> None:
    """Assert that every task has the same node, times and fate, to the bit; sums to their rounding."""
    outcome = run_to_end(scenario, policy, workload, replication=2)
    expected, copies = simulate_gangs(scenario, policy, 2, workload)
    for column in COLUMNS:
        tolerance = 1e-12 if column in ("resource", "extra_time") else 0
        found = getattr(outcome, column)
        np.testing.assert_allclose(found, expected[column], rtol=tolerance, err_msg=column)
    assert sorted(tuple(line) for line in outcome.log.tolist()) == copies


@every_rule
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(400)
@given(data=st.data())
def test_they_agree(rule, ties, data):
    scenario, workload = data.draw(small_gangs(ties=ties))
    assert_twins_agree(scenario, data.draw(gang_policies(rule)), workload)


@pytest.mark.small
@pytest.mark.parametrize("delay", [0, 1.3])
@pytest.mark.parametrize("redundancy", ["mds", "replicated"])
@pytest.mark.parametrize("placement", ["distinct", "pool"])
@pytest.mark.parametrize("policy", ["none", "all:r=1.5", "redundant-small:r=3,d=50", "redundant-rl"])
def test_they_agree_on_a_busy_cluster(placement, redundancy, delay, policy):
    scenario = GangScenario(
        nodes=6,
        capacity=2,
        tasks_max=5,
        load=0.9,
        jobs=60,
        size="uniform",
        size_max=30,
        drain=0.2,
        placement=placement,
        redundancy=redundancy,
        delay=delay,
    )
    assert_twins_agree(scenario, read_policy(policy), generate(scenario, 2))


@pytest.mark.small
@pytest.mark.parametrize("straggle", ["pareto", "empirical"])
@pytest.mark.parametrize("delay", [0, 1])
def test_they_agree_where_jobs_are_wide_and_nodes_many(straggle, delay):
    """More nodes than there are bits in a word, more tasks than plain insertion is meant for."""
    scenario = GangScenario(
        nodes=130,
        capacity=2,
        tasks="uniform",
        tasks_max=60,
        load=0.8,
        jobs=40,
        straggle=straggle,
        samples=(1, 1, 1, 2, 5),
        delay=delay,
    )
    jobs = generate(scenario, 2)
    whole = Workload(np.floor(jobs.arrival), jobs.tasks, np.floor(jobs.size))
    assert_twins_agree(scenario, read_policy("all:r=1.7"), whole if straggle == "empirical" else jobs)
