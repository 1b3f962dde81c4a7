"""What holds at every event under every policy, read off the log of tasks."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.gang.policy import redundancy_rules
from sim.gang.scenario import GangScenario
from sim.outcome import Outcome
from tests.sim.gang.runs import gang_policies, run_to_end, small_gangs
from tests.strategies import search

FINISHED, KILLED, RUNNING = range(3)

every_rule = pytest.mark.parametrize("rule", redundancy_rules())


def log_of(outcome: Outcome) -> pd.DataFrame:
    """Return the tasks of an outcome, in order of job, task and copy."""
    log = pd.DataFrame(outcome.log).rename(columns={"slot": "node"})
    return log.sort_values(["job", "task", "copy"], ignore_index=True)


def held_at(log: pd.DataFrame, time: float) -> pd.DataFrame:
    """Tasks that hold a slot just after an instant."""
    return log[(log.start <= time) & (time < log.end)]


def assert_jobs_end_with_the_last_task_they_need(log: pd.DataFrame, outcome: Outcome, coded: bool) -> None:
    """Assert that a job ends once, with the k-th of its tasks to end, and everything of it then."""
    for j, tasks in log.groupby("job"):
        ends = tasks[tasks.fate == FINISHED].end
        k = outcome.tasks[j]
        assert len(ends) <= k
        if len(ends) == k:
            assert outcome.finish[j] == ends.max() == tasks.end.max()
            assert (tasks.fate != RUNNING).all()
        else:
            assert math.isinf(outcome.finish[j])
        removed = tasks[tasks.fate == KILLED]
        if coded:
            assert (removed.end == outcome.finish[j]).all()
            assert (tasks["copy"] == 0).all()
            assert (tasks.task == np.arange(len(tasks))).all()
        else:
            assert (tasks.task < k).all()
            winners = tasks[tasks.fate == FINISHED].set_index("task").end
            assert winners.index.is_unique
            assert (removed.end.to_numpy() == winners.loc[removed.task].to_numpy()).all()


def assert_jobs_start_together_and_in_turn(log: pd.DataFrame, outcome: Outcome, delayed: bool) -> None:
    """Assert that the tasks of a job start with it, but for what is delayed, and that nobody overtakes."""
    started = np.isfinite(outcome.start)
    assert (np.diff(started.astype(int)) <= 0).all()
    assert (np.diff(outcome.start[started]) >= 0).all()
    assert (outcome.arrival <= outcome.start).all()
    for j, tasks in log.groupby("job"):
        together = tasks[tasks.start == outcome.start[j]]
        assert len(together) >= outcome.tasks[j]
        assert len(together) == len(tasks) or delayed


def assert_tasks_are_placed_as_they_should(log: pd.DataFrame, scenario: GangScenario) -> None:
    """Assert that no node holds more than it can, and that tasks of one job run on different nodes."""
    pool = scenario.placement == "pool"
    assert (log.node == -1).all() if pool else log.node.between(0, scenario.nodes - 1).all()
    for time in log.start.unique():
        held = held_at(log, time)
        assert len(held) <= scenario.slots
        if not pool:
            assert (held.node.value_counts() <= scenario.capacity).all()
            assert not held.duplicated(["job", "node"]).any()


def assert_nobody_waits_who_fits(log: pd.DataFrame, outcome: Outcome, scenario: GangScenario) -> None:
    """Assert that after each event the job at the head of the queue does not even find room for k tasks.

    With redundancy together with a job it needs n, so this is asked where there is none or it comes later.
    """
    for time in np.unique(np.concatenate([outcome.arrival, log.start, log.end])):
        waiting = np.flatnonzero((outcome.arrival <= time) & (time < outcome.start))
        if not waiting.size or time >= outcome.end:
            continue
        held = held_at(log, time)
        full = (held.node.value_counts() == scenario.capacity).sum()
        room = scenario.slots - len(held) if scenario.placement == "pool" else scenario.nodes - full
        assert room < outcome.tasks[waiting[0]]


@every_rule
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(40)
@given(data=st.data())
def test_every_task_is_accounted_for(rule, ties, data):
    scenario, workload = data.draw(small_gangs(ties=ties))
    outcome = run_to_end(scenario, data.draw(gang_policies(rule)), workload)
    log = log_of(outcome)
    assert_jobs_end_with_the_last_task_they_need(log, outcome, scenario.redundancy == "mds")
    assert_jobs_start_together_and_in_turn(log, outcome, scenario.delay > 0)
    assert_tasks_are_placed_as_they_should(log, scenario)
    if rule == "none" or scenario.delay > 0:
        assert_nobody_waits_who_fits(log, outcome, scenario)


@every_rule
@search(30)
@given(data=st.data())
def test_the_columns_of_the_jobs_follow_from_their_tasks(rule, data):
    scenario, workload = data.draw(small_gangs(ties=data.draw(st.booleans())))
    outcome = run_to_end(scenario, data.draw(gang_policies(rule)), workload)
    log = log_of(outcome)
    jobs = range(workload.n)
    k = pd.Series(workload.tasks, index=jobs).reindex(log.job).to_numpy()
    redundant = (log["copy"] > 0) | (log.task >= k)
    by_job = log.assign(time=log.end - log.start, extra=redundant).groupby("job")
    np.testing.assert_array_equal(outcome.copies, by_job.size().reindex(jobs, fill_value=0))
    np.testing.assert_array_equal(outcome.extra, by_job.extra.sum().reindex(jobs, fill_value=0))
    np.testing.assert_allclose(outcome.resource, by_job.time.sum().reindex(jobs, fill_value=0), rtol=1e-12)
    ran = (log.end - log.start)[redundant].groupby(log.job[redundant]).sum().reindex(jobs, fill_value=0)
    np.testing.assert_allclose(outcome.extra_time, ran, rtol=1e-12)
    killed = (log.fate == KILLED).groupby(log.job).sum().reindex(jobs, fill_value=0)
    np.testing.assert_array_equal(outcome.killed, killed)
    assert outcome.tasks_done == (log.fate == FINISHED).sum()
    np.testing.assert_array_equal(outcome.columns["wait"], outcome.start - outcome.arrival)


@every_rule
@search(30)
@given(data=st.data())
def test_the_series_add_up_to_what_the_tasks_held(rule, data):
    """Busy slots, redundant ones, and the tasks and jobs that were there, each times the time it was."""
    scenario, workload = data.draw(small_gangs(ties=data.draw(st.booleans())))
    scenario = scenario.replace(drain=0)
    outcome = run_to_end(scenario, data.draw(gang_policies(rule)), workload)
    last = outcome.last_arrival
    if last == 0:
        return
    held = outcome.series.mean(axis=0) * last
    flowtime = np.minimum(outcome.finish, last) - outcome.arrival
    waited = np.minimum(outcome.start, last) - outcome.arrival
    expected = [outcome.resource.sum(), outcome.extra_time.sum(), outcome.tasks @ waited, flowtime.sum()]
    np.testing.assert_allclose(held, expected, rtol=1e-9, atol=1e-9 * last)
