"""The engine agrees with its reference implementation exactly, for every pair of rules.

Random numbers that never tie do not try the rules for ties, and small clusters do not try the
calendar: so there are cases of whole numbers, which tie all the time, cases of numbers that do not, and
a deep calendar. The twin is honest by construction (`tests.reference.slots`), so agreement also shows that no
rule uses a copy's finish before the scenario reveals it.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.slots.scenario import SlotPolicy, SlotScenario, read_policy, sharing_rules
from sim.model.workload import Phases, Workload, generate
from tests.depth import every
from tests.reference.slots import simulate
from tests.sim.slots.runs import digest, run_to_end
from tests.sim.slots.test_series import assert_series_are_those_of_the_log
from tests.strategies import PAIRS, every_pair, policies, runs_in_phases, search, small_runs


def fresh(pair: str) -> str:
    """Write a pair of rules so that its targets are always fresh, as the twin's are."""
    sharing, plus, speculation = pair.partition("+")
    stale = any(
        parameter.name == "refresh" for parameter in sharing_rules()[sharing.partition(":")[0]].parameters
    )
    return f"{sharing}:refresh=0{plus}{speculation}" if stale else pair


def assert_twins_agree(
    scenario: SlotScenario, policy: SlotPolicy | str, workload: Workload, replication: int = 0
) -> None:
    """Assert that every copy has the same slot, the same times and the same fate, to the bit.

    Sums of slot-time are added in different orders, so they may differ by rounding (1e-12). That the time
    series are those of the copies, and that it does not matter how a run is cut into calls of the engine, is
    asserted of the same run.
    """
    policy = read_policy(fresh(policy)) if isinstance(policy, str) else policy
    outcome = run_to_end(scenario, policy, workload, replication=replication)
    few = 1 + workload.total_tasks % 9 if workload.total_tasks < 200 else 101
    again = run_to_end(scenario, policy, workload, replication=replication, events=few)
    assert digest(again) == digest(outcome)
    expected, copies = simulate(scenario, policy, replication, workload)
    for column in ("start", "finish", "copies", "extra", "killed"):
        np.testing.assert_array_equal(getattr(outcome, column), expected[column], err_msg=column)
    for column in ("resource", "extra_time"):
        np.testing.assert_allclose(getattr(outcome, column), expected[column], rtol=1e-12, err_msg=column)
    assert sorted(tuple(line) for line in outcome.log.tolist()) == copies
    assert_series_are_those_of_the_log(outcome, workload)


@every_pair
@search(80)
@given(data=st.data())
def test_they_agree_where_events_tie(pairs, data):
    pair = data.draw(pairs)
    scenario, workload = data.draw(small_runs(ties=True, pair=pair))
    assert_twins_agree(scenario, data.draw(policies(pair, refresh=0.0)), workload)


@every_pair
@search(80)
@given(data=st.data())
def test_they_agree_where_nothing_ties(pairs, data):
    pair = data.draw(pairs)
    scenario, workload = data.draw(small_runs(ties=False, pair=pair))
    assert_twins_agree(scenario, data.draw(policies(pair, refresh=0.0)), workload)


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@every_pair
@search(25)
@given(data=st.data())
def test_they_agree_on_phases_blocks_and_slow_machines(pairs, ties, data):
    pair = data.draw(pairs)
    scenario, workload = data.draw(runs_in_phases(ties=ties, pair=pair))
    assert_twins_agree(scenario, data.draw(policies(pair, refresh=0.0)), workload)


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(100)
@given(data=st.data())
def test_they_agree_where_machines_are_blocked(ties, data):
    pair = data.draw(st.sampled_from(["fifo+flink", "fair+flink"]))
    scenario, workload = data.draw(runs_in_phases(ties=ties, pair=pair))
    short = {"multiplier": 1.0, "lower_bound": 0.0, "interval": 0.5}
    few = {
        "ratio": data.draw(st.sampled_from([0.2, 0.5])),
        "block": data.draw(st.sampled_from([0.0, 0.7, 1.0, 5.0])),
        "copies": data.draw(st.integers(1, 4)),
    }
    assert_twins_agree(scenario, data.draw(policies(pair, **short, **few)), workload)


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(60)
@given(data=st.data())
def test_they_agree_where_scans_come_often(ties, data):
    pair = data.draw(st.sampled_from(["fifo+hadoop", "fair+hadoop", "fifo+tez"]))
    scenario, workload = data.draw(runs_in_phases(ties=ties, pair=pair))
    often = {"wait": 0.5, "pause": data.draw(st.sampled_from([0.5, 1.0, 3.0])), "least_copies": 1}
    report = {"report": data.draw(st.sampled_from([0.0, 1.0]))}
    known = scenario.replace(observe=data.draw(st.sampled_from(["age:0", "age:0.5"])))
    assert_twins_agree(known, data.draw(policies(pair, **often, **report)), workload)


def test_they_agree_that_one_tick_of_hadoop_is_for_all_sets_of_a_job():
    """Two stages side by side, a straggler in each: both are copied at 1, though the first sets the pause."""
    scenario = SlotScenario(slots=4, straggle="deterministic", phases=3, shape="bushy", observe="age:0")
    workload = Workload(
        arrival=np.zeros(1),
        tasks=np.array([5]),
        size=np.ones(1),
        task_size=np.array([1.0, 9.0, 1.0, 9.0, 1.0]),
        phases=Phases(
            count=np.array([3]),
            tasks=np.array([2, 2, 1]),
            into=np.array([2, 2, -1]),
            ratio=np.zeros(3),
        ),
    )
    assert_twins_agree(scenario, "fifo+hadoop:report=0", workload)
    outcome = run_to_end(scenario, "fifo+hadoop:report=0", workload)
    assert [line[4] for line in outcome.log.tolist() if line[2] > 0] == [1.0, 1.0]


@pytest.mark.small
@pytest.mark.parametrize("observe", ["age:0.5", "fraction:0.2", "never"])
@pytest.mark.parametrize("pair", [*PAIRS, "hopper:epsilon=0.3+budget", "srpt+budget:benefit=0.5"])
def test_they_agree_on_a_busy_cluster(pair, observe):
    if observe == "never" and pair.endswith(("sda", "ese", "hadoop", "tez")):
        pytest.skip("they act on a known remaining time only")
    scenario = SlotScenario(
        slots=7, load=0.9, jobs=12, tasks_max=6, size="uniform", size_max=3, observe=observe
    )
    assert_twins_agree(scenario, pair, generate(scenario, 1), replication=1)


@pytest.mark.small
@pytest.mark.parametrize("replication", [0, 1])
@pytest.mark.parametrize(
    ("pair", "cluster"),
    [
        ("hopper-fair+budget", {"slots": 12, "load": 0.5, "decision_interval": 1, "observe": "age:0.5"}),
        ("hopper-local+budget", {"slots": 8, "load": 1.1, "machine_slots": 2, "replicas": 1}),
    ],
)
def test_they_agree_on_who_stays_first_and_who_overtakes(pair, cluster, replication):
    scenario = SlotScenario(jobs=14, tasks_max=6, straggle_tail=1.3, remote_factor=1.3, **cluster)
    assert_twins_agree(scenario, pair, generate(scenario, replication), replication=replication)


@pytest.mark.small
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("pair", "straggle"),
    every(
        5,
        [
            (pair, straggle)
            for pair in ("srpt+none", "fair+clone", "fair+late", "srpt+mantri", "hopper+budget")
            for straggle in ("exponential", "empirical")
        ],
    ),
)
def test_they_agree_on_a_deep_calendar(pair, straggle):
    scenario = SlotScenario(
        slots=500, load=0.9, jobs=80, tasks_max=100, straggle=straggle, samples=(1, 1, 1, 2, 20), drain=0.5
    )
    jobs = generate(scenario, 0)
    whole = Workload(np.floor(jobs.arrival), jobs.tasks, jobs.size)
    assert_twins_agree(scenario, pair, whole if straggle == "empirical" else jobs)
