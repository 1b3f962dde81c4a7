"""Promises of every rule of the registry, and laws that relate runs to each other."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.gang.redundancy.expansion import expanded
from sim.engines.gang.run import GangPolicy, GangRun, read_policy, redundancy_rules
from sim.engines.gang.scenario import GangScenario
from sim.model.fields import BadInput
from sim.model.workload import Workload, generate
from sim.running.experiment import Experiment
from tests.sim.gang.runs import RATES, gang_policies, run_to_end, small_gangs
from tests.strategies import search
from theory.coding import expanded_tasks

every_rule = pytest.mark.parametrize("rule", redundancy_rules())
#: Rules that look at the cluster, so that it matters when they do.
LOOKING = ("redundant-rl",)


def assert_same(a, b, but: tuple[str, ...] = ()) -> None:
    """Assert that two outcomes tell the same of every job and of every task."""
    for column in ("start", "finish", "resource", "extra_time", "copies", "extra", "killed", "series", "log"):
        if column not in but:
            np.testing.assert_array_equal(getattr(a, column), getattr(b, column), err_msg=column)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("redundant-smal", "did you mean 'redundant-small'"),
        ("all:d=3", "parameter of all: 'd' is not known; known are r"),
        ("none:r=2", "parameter of none"),
        ("all:r=0.9", "a number from 1 to 100"),
        ("all:r", "name=value after all:"),
        ("fifo+none", r"'fifo\+none' is not known"),
    ],
)
def test_what_is_no_policy_is_refused_by_name(text, words):
    with pytest.raises(BadInput, match=words):
        read_policy(text)


def test_jobs_are_expanded_exactly_and_as_in_theory():
    """Rates of two decimals: ``1.1 * 10`` is above 11 in binary, and still 11 tasks."""
    for hundredths in range(100, 331):
        tasks = np.arange(1, 61)
        exact = -(-hundredths * tasks // 100)
        assert [expanded(hundredths / 100, int(k)) for k in tasks] == exact.tolist()
        np.testing.assert_array_equal(expanded_tasks(tasks, hundredths / 100), exact)


# The scenario.


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"tasks_max": 21}, "tasks_max: 21 is not accepted; give at most 20"),
        ({"tasks_max": 201, "placement": "pool"}, "tasks_max: 201 is not accepted; give at most 200"),
        ({"nodes": 50_000, "capacity": 30}, "capacity: 30 is not accepted with 50000 nodes; give at most 20"),
        ({"placement": "anywhere"}, "placement: 'anywhere' is not accepted; give one of distinct, pool"),
        ({"delay": -1}, "delay: -1 is not accepted"),
        ({"nodes": 0}, "nodes: 0 is not accepted"),
    ],
)
def test_what_cannot_be_simulated_is_refused_by_name(fields, message):
    with pytest.raises(BadInput, match=f"^{message}"):
        GangScenario(**fields)


def test_a_field_of_another_engine_is_not_known():
    with pytest.raises(BadInput, match=r"^field: 'size_per' is not known; did you mean 'size'"):
        GangScenario().replace(size_per="task")


def test_a_job_of_a_file_that_could_never_start_is_refused_before_the_run():
    scenario = GangScenario(nodes=3, capacity=9, tasks_max=3)
    jobs = Workload(np.array([1.0, 2.0]), np.array([2, 4]), np.ones(2))
    with pytest.raises(BadInput, match=r"^tasks: 4 of one job are not accepted; give at most 3"):
        GangRun(scenario, read_policy("none"), 0, jobs)
    pool = scenario.replace(placement="pool")
    assert np.isfinite(run_to_end(pool, "none", jobs).finish).all()


def test_jobs_that_arrive_all_but_at_once_bring_a_load_that_is_no_number():
    jobs = Workload(np.array([0.0, 1e-310]), np.array([1, 1]), np.ones(2))
    scenario = GangScenario(nodes=3, tasks_max=3, warm_up=0)
    assert run_to_end(scenario, "none", jobs).scalars["load"] is None


@every_rule
def test_an_experiment_reports_slowdowns_in_units_of_the_size(rule):
    scenario = GangScenario(jobs=300, load=0.9, warm_up=0)
    experiment = Experiment.of_texts(scenario, (rule,))
    jobs = experiment.jobs(3)
    found = experiment.run(experiment.policies[0], 3, jobs)
    outcome = run_to_end(scenario, rule, jobs[0], replication=3)
    slowdown = (outcome.finish - outcome.arrival) / jobs[0].size
    assert found.values["slowdown", "mean"] == pytest.approx(slowdown.mean())
    assert found.values["wait", "mean"] == pytest.approx((outcome.start - outcome.arrival).mean())
    assert found.curves["slowdown"][49] == np.quantile(slowdown, 0.5, method="inverted_cdf")


# Laws that relate runs.


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("all:r=1", "none"),
        ("redundant-small:r=1", "none"),
        ("redundant-small:d=0", "none"),
        ("redundant-small:r=2.5,d=inf", "all:r=2.5"),
        ("all:r=99", "all:r=100"),
    ],
)
@search(40)
@given(data=st.data())
def test_policies_that_must_be_equal_are(one, other, data):
    scenario, workload = data.draw(small_gangs(ties=data.draw(st.booleans())))
    assert_same(run_to_end(scenario, one, workload), run_to_end(scenario, other, workload))


@pytest.mark.parametrize("rule", [rule for rule in redundancy_rules() if rule not in LOOKING])
@search(40)
@given(data=st.data())
def test_when_a_policy_decides_moves_nothing_if_it_does_not_look_at_the_cluster(rule, data):
    scenario, workload = data.draw(small_gangs(ties=data.draw(st.booleans())))
    policy = data.draw(gang_policies(rule))
    runs = [run_to_end(scenario.replace(decide=when), policy, workload) for when in ("dispatch", "arrival")]
    assert_same(*runs)


@search(40)
@given(data=st.data())
def test_redundancy_of_jobs_of_one_task_is_the_same_coded_or_replicated(data):
    scenario, workload = data.draw(small_gangs(ties=False))
    single = Workload(workload.arrival, np.ones(workload.n, int), workload.size)
    policy = data.draw(gang_policies("all"))
    # the second copy of a task has other luck than the second coded task: not so where there is none
    scenario = scenario.replace(straggle="deterministic")
    runs = [run_to_end(scenario.replace(redundancy=kind), policy, single) for kind in ("mds", "replicated")]
    assert_same(*runs, but=("log",))


@every_rule
@search(40)
@given(data=st.data())
def test_a_unit_of_half_the_length_doubles_every_time(rule, data):
    """Doubling is exact in binary, so nothing else may change by a bit."""
    scenario, workload = data.draw(small_gangs(ties=data.draw(st.booleans())))
    policy = data.draw(gang_policies(rule))
    declared = redundancy_rules()[rule].parameters
    times = {p.name for p in declared if p.about.unit == "time_unit"}  # a demand is one
    doubled = {name: (1 + (name in times)) * value for name, value in policy.redundancy.values}
    twice = GangPolicy(dataclasses.replace(policy.redundancy, values=tuple(doubled.items())))
    halved = Workload(2 * workload.arrival, workload.tasks, 2 * workload.size)
    whole, doubled = run_to_end(scenario, policy, workload), run_to_end(scenario, twice, halved)
    for column in ("start", "finish", "resource", "extra_time"):
        np.testing.assert_array_equal(getattr(doubled, column), 2 * getattr(whole, column), err_msg=column)
    for column in ("copies", "extra", "killed", "utilisation", "events"):
        np.testing.assert_array_equal(getattr(doubled, column), getattr(whole, column), err_msg=column)


@search(100)
@given(data=st.data())
def test_more_redundancy_never_delays_a_job_that_runs_alone(data):
    """Coded tasks keep their luck, and the k-th of more is no later."""
    scenario, workload = data.draw(small_gangs(ties=False))
    apart = Workload(1e6 * np.arange(1.0, workload.n + 1), workload.tasks, workload.size)
    scenario = scenario.replace(redundancy="mds", drain=math.inf)
    less, more = (
        run_to_end(scenario, f"all:r={r!r}", apart)
        for r in sorted(data.draw(st.tuples(*2 * [st.sampled_from(RATES)])))
    )
    assert (more.finish <= less.finish).all()


@every_rule
@search(40)
@given(data=st.data())
def test_jobs_that_come_later_do_not_change_the_past(rule, data):
    scenario, workload = data.draw(small_gangs(ties=False))
    policy = data.draw(gang_policies(rule))
    before = workload.arrival < workload.arrival[-1]
    if not before.any():
        return
    first = Workload(workload.arrival[before], workload.tasks[before], workload.size[before])
    scenario = scenario.replace(drain=math.inf)
    all_jobs, some_jobs = run_to_end(scenario, policy, workload), run_to_end(scenario, policy, first)
    for column in ("start", "finish"):
        alone, among = getattr(some_jobs, column), getattr(all_jobs, column)[before]
        past = np.minimum(alone, among) < workload.arrival[-1]
        np.testing.assert_array_equal(alone[past], among[past], err_msg=column)


@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(40)
@given(data=st.data())
def test_a_run_that_asks_can_be_told_what_a_rule_would_have_said(ties, data):
    """And at each question the cluster is as the rule would have seen it."""
    scenario, workload = data.draw(small_gangs(ties=ties))
    scenario = scenario.replace(decide="dispatch")
    policy = data.draw(gang_policies("redundant-small"))
    rate, demand = policy.redundancy.as_dict.values()
    run = GangRun(scenario, read_policy("none"), 0, workload, log=1000, asks=True)
    asked = []
    while not run.advance():
        j = run.asked
        if j < 0:
            continue
        asked.append(j)
        assert run.cluster[0].now >= workload.arrival[j]
        assert run.cluster[0].busy + run.cluster[0].unused == scenario.slots
        small = workload.tasks[j] * workload.size[j] <= demand
        run.answer(int(expanded_tasks(int(workload.tasks[j]), rate)) if small else 0)
    assert asked == list(range(len(asked)))
    expected = run_to_end(scenario, policy, workload)
    assert len(asked) >= np.isfinite(expected.start).sum()
    assert_same(run.outcome(), expected)


def test_a_run_that_asks_cannot_be_decided_on_arrival():
    scenario = GangScenario(decide="arrival", jobs=3)
    with pytest.raises(BadInput, match=r"^decide: 'arrival' is not accepted in a run that asks"):
        GangRun(scenario, read_policy("none"), 0, generate(scenario, 0), asks=True)


# The same bits, however a run is carried out.


@every_rule
@pytest.mark.parametrize("delay", [0, 1.2])
@pytest.mark.parametrize("redundancy", ["mds", "replicated"])
def test_the_size_of_an_engine_call_moves_no_bit(rule, delay, redundancy):
    scenario = GangScenario(load=0.9, jobs=150, delay=delay, redundancy=redundancy, nodes=12, capacity=2)
    jobs = generate(scenario, 1)
    runs = [run_to_end(scenario, rule, jobs, events=events) for events in (10**6, 1, 7)]
    for other in runs[1:]:
        assert_same(other, runs[0])
        assert other.utilisation == runs[0].utilisation
