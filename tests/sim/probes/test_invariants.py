"""Invariants under every policy: no message is lost, no task finishes twice, a slot holds one copy."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.probes.records import KINDS
from sim.engines.probes.scenario import SENT
from sim.model.workload import Workload
from sim.running.contract import runs
from sim.running.contract.copies import FINISHED, copies_of
from tests.sim.probes.runs import PAIRS, run_to_end
from tests.sim.probes.strategies import any_runs, probe_policies, probe_runs, runs_in_phases
from tests.strategies import search

every_pair = pytest.mark.parametrize("pair", PAIRS)


@every_pair
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(20)
@given(data=st.data())
def test_every_message_and_every_copy_is_accounted_for(pair, ties, data):
    scenario, workload = data.draw(any_runs(ties=ties))
    policy = data.draw(probe_policies(pair))
    run, outcome = run_to_end(scenario, policy, workload)
    assert not list(runs.about_probes(run, outcome, copies_of(outcome), workload))


@every_pair
@search(20)
@given(data=st.data())
def test_the_log_of_messages_has_what_was_counted_and_free_slots_ask_before_they_run(pair, data):
    scenario, workload = data.draw(any_runs(ties=False))
    policy = data.draw(probe_policies(pair))
    run, _ = run_to_end(scenario.replace(drain=math.inf), policy, workload, lines=100_000)
    told = pd.DataFrame(run.messages)
    kinds = told.kind.map(dict(enumerate(KINDS))).value_counts()
    n = run.world.net[0]
    for kind in ("probes", "questions", "nos", "tasks", "kills"):
        assert kinds.get(kind.rstrip("s"), 0) == n[f"sent_{kind}"]
    assert {f"sent_{kind}" for kind in SENT} <= set(n.dtype.names)
    for _, here in told[told.slot >= 0].groupby("slot"):
        asked = here[here.kind.isin([KINDS.index("question"), KINDS.index("no"), KINDS.index("task")])]
        questions = (asked.kind == KINDS.index("question")).to_numpy()
        assert questions[0::2].all()  # question, answer, question, answer
        assert not questions[1::2].any()


@every_pair
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(20)
@given(data=st.data())
def test_no_task_starts_before_its_scheduler_knows_that_its_inputs_are_there(pair, ties, data):
    scenario, workload = data.draw(runs_in_phases(ties=ties))
    _, outcome = run_to_end(scenario, data.draw(probe_policies(pair)), workload)
    log = pd.DataFrame(outcome.log)
    ends = log[log.fate == FINISHED].set_index(["job", "task"]).end
    originals = log[log["copy"] == 0].set_index(["job", "task"]).start
    phases, latency = workload.phases, scenario.latency
    numbers = np.repeat(np.arange(workload.n), phases.count)
    first_task = np.cumsum(phases.tasks) - phases.tasks
    first_task -= np.repeat(first_task[phases.first], phases.count)
    for p, into in enumerate(phases.into):
        if into < 0:
            continue
        j = numbers[p]
        size, reader = workload.size[j], phases.first[j] + into
        there = [ends.get((j, first_task[p] + i), math.inf) for i in range(phases.tasks[p])]
        there = np.sort(np.array(there) + phases.ratio[p] * size + latency)
        for i in range(phases.tasks[reader]):
            start = originals.get((j, first_task[reader] + i))
            if start is not None:  # a task later at the earliest: a reservation left over asked just then
                need = math.ceil((i + 1) * phases.tasks[p] / phases.tasks[reader])
                need = max(need, math.ceil(scenario.barrier * phases.tasks[p] - 1e-9))
                assert start >= there[need - 1] + latency - 1e-9


@every_pair
@search(20)
@given(data=st.data())
def test_series_add_up_to_the_slot_time_used(pair, data):
    """Where all that runs, runs before the last arrival."""
    scenario, workload = data.draw(probe_runs(ties=False))
    scenario = scenario.replace(drain=0.0)
    late = Workload(
        np.append(workload.arrival, workload.arrival[-1] + 1),
        np.append(workload.tasks, 1),
        np.append(workload.size, 1.0),
        np.append(workload.task_size, 1.0) if workload.task_size.size else workload.task_size,
    )
    _, outcome = run_to_end(scenario, data.draw(probe_policies(pair)), late)
    span = outcome.last_arrival
    in_system = np.minimum(outcome.finish, span) - outcome.arrival
    expected = {0: outcome.resource.sum(), 1: outcome.extra_time.sum(), 3: in_system.sum()}
    if (late.tasks == 1).all():  # else the log would have to say when each task began
        expected[2] = (np.minimum(outcome.start, span) - outcome.arrival).sum()
    for column, area in expected.items():
        np.testing.assert_allclose(outcome.series[:, column].mean() * span, area, rtol=1e-6, atol=1e-9)


@every_pair
def test_slots_hold_one_copy_each_of_those_counted_busy(pair):
    from sim.engines.registry import preset
    from sim.model.workload import generate

    scenario = preset("hopper-fig5a").scenario.replace(workers=50, schedulers=5, jobs=60, tasks_max=30)
    _, outcome = run_to_end(scenario, pair, generate(scenario, 0))
    assert (outcome.series[:, 0] <= scenario.slots + 1e-6).all()
    assert (outcome.series[:, 1] <= outcome.series[:, 0] + 1e-6).all()
    assert 0 < outcome.utilisation <= 1
