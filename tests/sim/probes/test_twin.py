"""The probe engine agrees with its reference exactly: every copy, every message count.

Whole numbers tie all the time (finishes, messages, looks and arrivals at one instant, also without
latency); other numbers do not. The twin's rules refuse to tell what no message has told yet.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.probes.policy import ProbePolicy, read_policy
from sim.engines.probes.scenario import ProbeScenario
from sim.model.workload import Workload, generate
from tests.reference.probes import simulate
from tests.sim.probes.runs import PAIRS, digest, run_to_end
from tests.sim.probes.strategies import probe_policies, probe_runs, runs_in_phases
from tests.strategies import search

COUNTS = {
    "sent_probes": "probes",
    "sent_questions": "questions",
    "sent_nos": "nos",
    "sent_tasks": "tasks",
    "sent_reports": "reports",
    "sent_kills": "kills",
    "sent_cancels": "cancels",
    "used": "used",
    "spent": "spent",
    "queued": "queued",
    "decisions": "decisions",
    "refusals": "refusals",
    "sizes_used": "sizes_used",
}
SUMS = ("staleness", "overstated", "handover")
#: Pairs with parameters that change who asks for what.
OTHERS = ("hopper:cancel=0+budget:benefit=0.5", "hopper:piggyback=0+budget", "sparrow:cancel=1+none")


def assert_twins_agree(
    scenario: ProbeScenario, policy: ProbePolicy | str, workload: Workload, replication: int = 0
) -> None:
    """Assert that every copy has the same slot, times and fate to the bit, and that all counts agree.

    Sums are added in different orders, so they may differ by rounding. That it does not matter how a run is
    cut into calls of the engine is asserted of the same run.
    """
    policy = read_policy(policy) if isinstance(policy, str) else policy
    run, outcome = run_to_end(scenario, policy, workload, replication=replication)
    few = 1 + workload.total_tasks % 9 if workload.total_tasks < 200 else 101
    _, again = run_to_end(scenario, policy, workload, replication=replication, events=few)
    assert digest(again) == digest(outcome)
    expected, copies, counts = simulate(scenario, policy, replication, workload)
    for column in ("start", "finish", "copies", "extra", "killed"):
        np.testing.assert_array_equal(getattr(outcome, column), expected[column], err_msg=column)
    for column in ("resource", "extra_time"):
        np.testing.assert_allclose(
            getattr(outcome, column), expected[column], rtol=1e-12, atol=1e-12, err_msg=column
        )
    assert sorted(tuple(line) for line in outcome.log.tolist()) == copies
    network = run.world.net[0]
    ours = {name: network[name] for name in COUNTS}
    assert ours == {name: counts.get(other, 0) for name, other in COUNTS.items()}
    for name in SUMS:
        np.testing.assert_allclose(network[name], counts.get(name, 0.0), rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("pair", PAIRS)
@search(50)
@given(data=st.data())
def test_they_agree_where_events_tie(pair, data):
    scenario, workload = data.draw(probe_runs(ties=True))
    assert_twins_agree(scenario, data.draw(probe_policies(pair)), workload)


@pytest.mark.parametrize("pair", PAIRS)
@search(50)
@given(data=st.data())
def test_they_agree_where_nothing_ties(pair, data):
    scenario, workload = data.draw(probe_runs(ties=False))
    assert_twins_agree(scenario, data.draw(probe_policies(pair)), workload)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(50)
@given(data=st.data())
def test_they_agree_on_jobs_with_phases(pair, ties, data):
    scenario, workload = data.draw(runs_in_phases(ties=ties))
    assert_twins_agree(scenario, data.draw(probe_policies(pair)), workload)


@pytest.mark.small
@pytest.mark.parametrize("shape", ["chain", "bushy"])
@pytest.mark.parametrize("barrier", [0.0, 1.0])
@pytest.mark.parametrize("pair", PAIRS)
def test_they_agree_on_phases_on_a_busy_cluster(pair, barrier, shape):
    scenario = ProbeScenario(
        workers=4,
        slots_per_worker=2,
        schedulers=3,
        latency=0.05,
        load=0.8,
        jobs=14,
        tasks_max=9,
        phases=4,
        phases_law="uniform",
        shape=shape,
        transfer=1,
        transfer_law="exponential",
        barrier=barrier,
    )
    assert_twins_agree(scenario, pair, generate(scenario, 1), replication=1)


@pytest.mark.small
@pytest.mark.parametrize("observe", ["age:0.5", "fraction:0.2", "never"])
@pytest.mark.parametrize("pair", [*PAIRS, *OTHERS])
def test_they_agree_on_a_busy_cluster(pair, observe):
    scenario = ProbeScenario(
        workers=4,
        slots_per_worker=2,
        schedulers=3,
        latency=0.05,
        load=0.8,
        jobs=14,
        tasks_max=6,
        size="uniform",
        size_max=3,
        observe=observe,
    )
    assert_twins_agree(scenario, pair, generate(scenario, 1), replication=1)


@pytest.mark.parametrize("pair", ["hopper+budget", "hopper+late", "sparrow+late"])
def test_they_agree_where_news_is_as_slow_as_tasks(pair):
    """Copies end by themselves while a kill is on its way, which finds another copy in the slot or none."""
    scenario = ProbeScenario(
        workers=6,
        schedulers=2,
        latency=1.0,
        load=0.4,
        jobs=20,
        tasks_max=6,
        straggle="exponential",
        observe="age:0.1",
    )
    for replication in range(3):
        assert_twins_agree(scenario, pair, generate(scenario, replication), replication)


@pytest.mark.small
@pytest.mark.compiled
@pytest.mark.parametrize("pair", PAIRS)
def test_they_agree_on_many_workers(pair):
    """Queues and the ring outgrow their first arrays; more probes than workers."""
    scenario = ProbeScenario(
        workers=60, schedulers=5, latency=0.01, load=0.9, jobs=25, tasks_max=40, drain=0.5, straggle_tail=1.3
    )
    assert_twins_agree(scenario, pair, generate(scenario, 0))
