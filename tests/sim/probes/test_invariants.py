"""What holds under every policy: no message is lost, no task finishes twice, a slot holds one copy."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.outcome import Outcome
from sim.probes.measures import SENT
from sim.probes.records import KINDS
from sim.probes.run import ProbeRun
from sim.workload import Workload
from tests.sim.probes.runs import PAIRS, run_to_end
from tests.sim.probes.strategies import any_runs, probe_policies, probe_runs, runs_in_phases
from tests.strategies import search

FINISHED, KILLED, RUNNING = range(3)
every_pair = pytest.mark.parametrize("pair", PAIRS)


def assert_no_message_is_lost(run: ProbeRun) -> None:
    """Assert that every probe and every question is accounted for, when nothing is left to happen."""
    n, seats = run.world.net[0], run.world.seats
    assert n.head == n.tail
    assert n.queued == run.world.workers.queued.sum() == 0
    assert n.sent_probes == n.placed == n.used + n.spent + n.cancelled
    assert n.sent_questions == n.sent_tasks + n.sent_nos
    assert n.given == n.sent_tasks
    assert n.sent_probes == run.world.own.probed.sum()
    assert not seats.runs.any()
    per_worker = run.scenario.slots_per_worker
    for worker in range(run.scenario.workers):  # every slot is idle, and known to be
        idle, s = set(), int(run.world.workers[worker].idle)
        while s >= 0:
            idle.add(s)
            s = int(seats[s].next)
        assert idle == set(range(worker * per_worker, (worker + 1) * per_worker))


def assert_copies_make_jobs(outcome: Outcome, workload: Workload, latency: float) -> None:
    """Assert that the columns of the jobs follow from the copies, and that each task finished once."""
    log = pd.DataFrame(outcome.log).sort_values(["job", "task", "copy"])
    jobs = range(workload.n)
    by_job = log.assign(time=log.end - log.start, extra=log["copy"] > 0).groupby("job")
    np.testing.assert_array_equal(outcome.copies, by_job.size().reindex(jobs, fill_value=0))
    np.testing.assert_array_equal(outcome.extra, by_job.extra.sum().reindex(jobs, fill_value=0))
    np.testing.assert_allclose(outcome.resource, by_job.time.sum().reindex(jobs, fill_value=0), atol=1e-9)
    ends = log[log.fate == FINISHED].groupby("job").end.agg(["max", "size"]).reindex(jobs)
    all_done = (ends["size"] == workload.tasks).to_numpy()
    np.testing.assert_array_equal(outcome.finish, np.where(all_done, ends["max"], math.inf))
    assert (workload.arrival + 3 * latency <= outcome.start + 1e-9).all()  # probe, question, task
    for _, copies in log.groupby(["job", "task"]):
        assert copies["copy"].tolist() == list(range(len(copies)))
        winners = copies[copies.fate == FINISHED]
        assert len(winners) <= 1
        if len(winners):  # the others end by themselves, or when the news has come back to them
            assert (copies.end >= winners.end.item()).all()
            assert (copies.end <= np.maximum(winners.end.item() + 2 * latency, copies.start) + 1e-9).all()
    for _, copies in log.sort_values(["start", "end"]).groupby("slot"):
        assert (copies.end.to_numpy()[:-1] <= copies.start.to_numpy()[1:]).all()


@every_pair
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(20)
@given(data=st.data())
def test_every_message_and_every_copy_is_accounted_for(pair, ties, data):
    scenario, workload = data.draw(any_runs(ties=ties))
    policy = data.draw(probe_policies(pair))
    run, outcome = run_to_end(scenario, policy, workload)
    assert_copies_make_jobs(outcome, workload, scenario.latency)
    if math.isinf(scenario.drain):
        assert outcome.tasks_done == workload.total_tasks
        assert_no_message_is_lost(run)


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
        np.append(workload.arrival, workload.arrival[-1] + 1), np.append(workload.tasks, 1),
        np.append(workload.size, 1.0),
        np.append(workload.task_size, 1.0) if workload.task_size.size else workload.task_size,
    )  # fmt: skip
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
    from sim.presets import preset
    from sim.workload import generate

    scenario = preset("hopper-fig5a").scenario.replace(workers=50, schedulers=5, jobs=60, tasks_max=30)
    _, outcome = run_to_end(scenario, pair, generate(scenario, 0))
    assert (outcome.series[:, 0] <= scenario.slots + 1e-6).all()
    assert (outcome.series[:, 1] <= outcome.series[:, 0] + 1e-6).all()
    assert 0 < outcome.utilisation <= 1
