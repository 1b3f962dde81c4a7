"""Promises of every protocol, and laws that relate runs to each other."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.probes.policy import read_policy
from sim.engines.probes.run import ProbeRun
from sim.engines.probes.sampling import draw_worker
from sim.engines.probes.scenario import ProbeScenario
from sim.engines.registry import preset, presets_of
from sim.model.fields import BadInput
from sim.model.phases import Phases
from sim.model.workload import Workload, generate
from sim.running.experiment import Experiment
from sim.running.report import as_json
from tests.sim.probes.runs import PAIRS, digest, run_to_end
from tests.sim.probes.strategies import any_runs, probe_policies, probe_runs, runs_in_phases
from tests.strategies import search

every_pair = pytest.mark.parametrize("pair", PAIRS)


def busy_run() -> tuple[ProbeScenario, Workload]:
    """A run of a thousand events in which every rule has something to decide."""
    scenario = ProbeScenario(
        workers=12, slots_per_worker=2, schedulers=3, latency=0.02, load=0.8, jobs=20, tasks_max=15
    )
    return scenario, generate(scenario, 3)


def busy_run_in_phases() -> tuple[ProbeScenario, Workload]:
    """The same, of jobs with phases."""
    scenario, _ = busy_run()
    scenario = scenario.replace(phases=3, shape="bushy", transfer=0.5, transfer_law="exponential")
    return scenario, generate(scenario, 3)


def all_digests() -> list[str]:
    runs = (busy_run(), busy_run_in_phases())
    return [digest(run_to_end(scenario, pair, jobs)[1]) for scenario, jobs in runs for pair in PAIRS]


# Declarations.


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sparrow+budget", "budget needs virtual sizes"),
        ("fair+late", "'fair' is not known"),
        ("hopper+mantri", "'mantri' is not known"),
        ("hopper:d=3", "'d' is not known"),
        ("hopper:probes=0", "probes"),
    ],
)
def test_what_cannot_run_is_refused_with_a_reason(text, reason):
    with pytest.raises(BadInput, match=reason):
        read_policy(text)


def test_the_centralised_policy_has_no_floor_where_jobs_have_phases():
    with pytest.raises(BadInput, match=r"epsilon: 0.5 is not accepted where jobs have phases; give 1"):
        Experiment.of_texts(ProbeScenario(phases=2), ("central:epsilon=0.5",))
    Experiment.of_texts(ProbeScenario(), ("central:epsilon=0.5",))


def test_scenarios_that_cannot_run_are_refused():
    for wrong in ({"workers": 0}, {"latency": -1}, {"latency": math.nan}, {"schedulers": 0}):
        with pytest.raises(BadInput, match=next(iter(wrong))):
            ProbeScenario(**wrong)
    with pytest.raises(BadInput, match="slots_per_worker: 11 is not accepted; give at most 10"):
        ProbeScenario(workers=100_000, slots_per_worker=11)
    scenario = ProbeScenario(jobs=2, tasks="constant", tasks_max=1_000_000)
    with pytest.raises(BadInput, match="probes: 100000 is not accepted with jobs of 1000000 tasks"):
        ProbeRun(scenario, read_policy("hopper:probes=100000"), 0, generate(scenario, 0))


# The same seed gives the same bits. That the size of an engine call moves none is asserted of every run that
# is held against the twin.


def test_other_luck_moves_something():
    scenario, workload = busy_run()
    runs = [run_to_end(scenario.replace(seed=seed), "hopper", workload)[1] for seed in (1, 2)]
    assert digest(runs[0]) != digest(runs[1])


@pytest.mark.slow  # the twins are agreed with to the bit by compiled code, and by Python without it
@pytest.mark.compiled
def test_compilation_moves_no_bit():
    done = subprocess.run(
        [sys.executable, "-c", "from tests.sim.probes.test_contract import *; print(*all_digests())"],
        cwd=Path(__file__).parents[3],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == all_digests()


# Laws that relate runs.


@every_pair
@search(15)
@given(data=st.data())
def test_a_unit_of_half_the_length_doubles_every_time(pair, data):
    """Doubling is exact in binary, so nothing else may change by a bit."""
    scenario, workload = data.draw(any_runs(ties=data.draw(st.booleans())))
    policy = data.draw(probe_policies(pair))
    halved = Workload(
        2 * workload.arrival,
        workload.tasks,
        2 * workload.size,
        2 * workload.task_size,
        phases=workload.phases,
    )
    slow = scenario.replace(latency=2 * scenario.latency)
    whole, doubled = run_to_end(scenario, policy, workload)[1], run_to_end(slow, policy, halved)[1]
    for column in ("start", "finish", "resource", "extra_time"):
        np.testing.assert_array_equal(getattr(doubled, column), 2 * getattr(whole, column), err_msg=column)
    assert (doubled.events, doubled.tasks_done) == (whole.events, whole.tasks_done)


@pytest.mark.parametrize("pair", ["sparrow+none", "sparrow-srpt+none"])
@search(30)
@given(data=st.data())
def test_withdrawing_what_is_left_over_saves_questions_and_moves_no_task(pair, data):
    scenario, workload = data.draw(probe_runs(ties=False))
    # slots alike: which of them a task gets may differ
    scenario = scenario.replace(latency=0.0, drain=math.inf, outlier_spread=0.0)
    protocol, speculation = pair.split("+")
    lazy, _ = run_to_end(scenario, f"{protocol}:cancel=0+{speculation}", workload)
    eager, _ = run_to_end(scenario, f"{protocol}:cancel=1+{speculation}", workload)
    assert lazy.world.net[0].cancelled == 0
    assert eager.world.net[0].sent_nos <= lazy.world.net[0].sent_nos
    np.testing.assert_array_equal(eager.outcome().finish, lazy.outcome().finish)


@pytest.mark.parametrize("pair", PAIRS)
@search(15)
@given(data=st.data())
def test_jobs_that_all_have_one_phase_are_jobs_without_phases(pair, data):
    scenario, workload = data.draw(probe_runs(ties=data.draw(st.booleans())))
    policy = data.draw(probe_policies(pair))
    ones = np.ones(workload.n, dtype=np.int64)
    phases = Phases(ones, workload.tasks, -ones, np.zeros(workload.n))
    phased = dataclasses.replace(workload, phases=phases)
    ours, plain = (run_to_end(scenario, policy, jobs)[1] for jobs in (phased, workload))
    assert digest(ours) == digest(plain)


@search(20)
@given(data=st.data())
def test_transfers_that_are_as_guessed_need_not_be_learned(data):
    """Before any output has arrived a ratio is taken to be 1; then it is their mean, and that is 1, too."""
    scenario, workload = data.draw(runs_in_phases(ties=True))
    workload.phases.ratio[workload.phases.into >= 0] = 1.0
    known, learned = (run_to_end(scenario, f"hopper:learn_weight={learn}", workload)[1] for learn in (0, 1))
    assert digest(known) == digest(learned)


def test_transfers_that_are_not_as_guessed_are_learned_by_each_scheduler_from_its_own_jobs():
    scenario, workload = busy_run_in_phases()
    known, learned = (run_to_end(scenario, f"hopper:learn_weight={learn}", workload) for learn in (0, 1))
    assert digest(known[1]) != digest(learned[1])
    phases, schedulers = workload.phases, learned[0].world.schedulers
    owner = np.repeat(np.arange(workload.n), phases.count) % scenario.schedulers
    outputs = np.where(phases.into >= 0, phases.tasks, 0)
    np.testing.assert_array_equal(schedulers.seen, np.bincount(owner, outputs))
    np.testing.assert_allclose(schedulers.seen_ratio, np.bincount(owner, outputs * phases.ratio))


@search(30)
@given(data=st.data())
def test_without_a_single_allowed_refusal_every_question_is_firm(data):
    scenario, workload = data.draw(probe_runs(ties=False))
    run, _ = run_to_end(scenario, "hopper:refusal_threshold=0", workload)
    n = run.world.net[0]
    assert n.refusals == 0
    assert n.firm == n.sent_questions


def test_one_scheduler_is_never_asked_twice_in_a_decision():
    scenario, workload = busy_run()
    run, _ = run_to_end(scenario.replace(schedulers=1), "hopper:refusal_threshold=9", workload, lines=10**6)
    asked = run.messages[(run.messages.kind == 1)]  # questions
    n = run.world.net[0]
    assert n.refusals > 0
    assert n.refusals <= n.decisions
    assert len(asked) == n.sent_questions


# Sampling.


@search(50)
@given(workers=st.integers(1, 30), key=st.integers(0, 2**64 - 1), count=st.integers(1, 90))
def test_probes_go_to_different_workers_as_far_as_they_go(workers, key, count):
    from sim.engines.probes.records import MOVED, NETWORK
    from sim.kernel.records import records

    net, moved = records(1, NETWORK), records(workers, MOVED)
    net[0].workers = workers
    drawn = [int(draw_worker(net, moved, np.uint64(key), place, place)) for place in range(count)]
    for first in range(0, count, workers):
        batch = drawn[first : first + workers]
        assert len(set(batch)) == len(batch)
        assert set(batch) <= set(range(workers))
    again = [int(draw_worker(net, moved, np.uint64(key), place, place)) for place in range(count)]
    assert again == drawn  # whatever was drawn before


# Reports.


@pytest.mark.compiled
def test_the_report_has_the_measures_of_the_engine():
    scenario, _ = busy_run()
    experiment = Experiment.of_texts(scenario, ("central", "hopper", "sparrow"))
    comparison = experiment.compared([experiment.replicate(replication) for replication in range(3)])
    report = json.loads(json.dumps(as_json(comparison, "0", ""), allow_nan=False))
    central, hopper, sparrow = (report["policies"][name] for name in experiment.texts)
    assert central["ratio_to_central"]["p50"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert central["ratio_to_central"]["mean"] == {"value": 1.0, "low": None, "high": None}  # unreliable
    assert central["messages_per_task"]["value"] is None
    pairs = [
        [sample.values["flowtime", "mean"] for sample in comparison.policies[name].samples]
        for name in ("hopper+budget", "central+budget")
    ]
    expected = np.divide(*np.mean(pairs, axis=1))  # the ratio of the means, not the mean of the ratios
    assert hopper["ratio_to_central"]["mean"]["value"] == pytest.approx(expected)
    assert sparrow["messages_per_task"]["value"] == pytest.approx(7)  # 2 probes, 2 questions, ...
    assert sparrow["staleness"]["value"] is None
    assert hopper["staleness"]["value"] > 0


@pytest.mark.compiled
@pytest.mark.parametrize("name", presets_of("probes"))
def test_the_presets_run(name):
    chosen = preset(name)
    scenario = chosen.scenario.replace(workers=200, jobs=60)
    samples = Experiment.of_texts(scenario, chosen.policies).replicate(0)
    assert all(sample.unfinished == 0 for sample in samples)


def test_without_the_central_run_there_is_no_ratio():
    scenario, _ = busy_run()
    experiment = Experiment.of_texts(scenario, ("hopper",))
    report = as_json(experiment.compared([experiment.replicate(0)]), "0", "")
    ratio = report["policies"]["hopper+budget"]["ratio_to_central"]["mean"]
    assert ratio == {"value": None, "low": None, "high": None}
