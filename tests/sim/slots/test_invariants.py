"""What holds at every event under every policy, read off the log of copies."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.slots.policy import SlotPolicy, speculation_rules
from sim.slots.run import Outcome
from sim.workload import Workload
from tests.sim.slots.runs import copies_of, run_to_end
from tests.strategies import every_pair, policies, search, small_runs

#: The most copies that ever save most on detection (`theory.detection.detection_optimum`).
BEST = 3
FINISHED, KILLED, RUNNING, DROPPED = range(4)


def most_copies(policy: SlotPolicy) -> float:
    """Copies a task may have under a policy: two where its rule has no parameter `copies`."""
    values = policy.speculation.as_dict
    named = {"none": 1, "ese": max(2, values.get("copies", 0))}
    if values.get("restart"):
        return max(values["copies"], values["restarts"] + 1)
    return named.get(policy.speculation.key) or values.get("copies", 2) or BEST


def clones_jobs(policy: SlotPolicy) -> bool:
    """Whether a policy clones whole jobs."""
    return speculation_rules()[policy.speculation.key].clones_jobs


def finishes(log: pd.DataFrame, policy: SlotPolicy, workload: Workload) -> np.ndarray:
    """When each job ends: with its last task, of one and the same clone where whole jobs are cloned."""
    run = ["job", "copy"] if clones_jobs(policy) else ["job"]
    ends = log[log.fate == FINISHED].groupby(run).end.agg(["max", "size"]).reset_index()
    complete = ends[ends["size"] == workload.tasks[ends.job]]
    return complete.groupby("job")["max"].min().reindex(range(workload.n), fill_value=math.inf).to_numpy()


def held_at(log: pd.DataFrame, time: float) -> pd.DataFrame:
    """Copies that hold a slot just after an instant."""
    return log[(log.start <= time) & (time < log.end)]


def assert_copies_make_jobs(
    outcome: Outcome, log: pd.DataFrame, policy: SlotPolicy, workload: Workload
) -> None:
    """Assert that the columns of the jobs follow from the copies."""
    jobs = range(workload.n)
    by_job = log.assign(time=log.end - log.start, extra=log["copy"] > 0).groupby("job")
    np.testing.assert_array_equal(outcome.copies, by_job.size().reindex(jobs, fill_value=0))
    np.testing.assert_array_equal(outcome.extra, by_job.extra.sum().reindex(jobs, fill_value=0))
    np.testing.assert_array_equal(
        outcome.killed,
        by_job.fate.agg(lambda fate: fate.isin([KILLED, DROPPED]).sum()).reindex(jobs, fill_value=0),
    )
    np.testing.assert_allclose(outcome.resource, by_job.time.sum().reindex(jobs, fill_value=0), rtol=1e-12)
    np.testing.assert_array_equal(outcome.start, by_job.start.min().reindex(jobs, fill_value=math.inf))
    np.testing.assert_array_equal(outcome.finish, finishes(log, policy, workload))
    done = log[log.fate == FINISHED]
    if clones_jobs(policy):  # a job has done what its original has, until it ends
        done = done[done["copy"] == 0]
    by_job = done.groupby("job").size().reindex(jobs, fill_value=0)
    ended = np.isfinite(outcome.finish)
    assert outcome.tasks_done == np.where(ended, workload.tasks, by_job).sum()
    assert (workload.arrival <= outcome.start).all()


def assert_tasks_finish_once(log: pd.DataFrame, policy: SlotPolicy) -> None:
    """Assert that each task ends for all its copies at one instant, with one winner."""
    for _, copies in log.groupby(["job", "task"]):
        assert copies["copy"].tolist() == list(range(len(copies)))
        assert copies.start.is_monotonic_increasing
        assert len(copies) <= most_copies(policy)
        kept = copies[copies.fate != DROPPED]
        assert kept.end.nunique() == 1
        assert (copies.end <= kept.end.max()).all()
        winners = (kept.fate == FINISHED).sum()
        assert winners == 1 or (winners == 0 and (kept.fate == RUNNING).all())
    originals = log[log["copy"] == 0]
    assert originals.groupby("job").start.agg(lambda start: start.is_monotonic_increasing).all()


def assert_clones_are_whole(log: pd.DataFrame, outcome: Outcome, policy: SlotPolicy) -> None:
    """Assert that a clone starts with its job and all tasks, and is given up as a whole."""
    for job, copies in log.groupby("job"):
        assert copies["copy"].max() < most_copies(policy)
        assert (copies.end <= min(outcome.finish[job], outcome.end)).all()
        left = copies[copies.fate.isin([KILLED, RUNNING])]
        assert (left.end == min(outcome.finish[job], outcome.end)).all()
        for number, clone in copies.groupby("copy"):
            dropped = clone[clone.fate == DROPPED].end
            assert dropped.nunique() <= 1
            if number == 0:
                assert dropped.empty
                continue
            assert sorted(clone.task) == list(range(outcome.tasks[job]))
            assert (clone.start == outcome.start[job]).all()
            if not dropped.empty:
                assert (clone[clone.fate != DROPPED].fate == FINISHED).all()
                assert (clone.end <= dropped.iloc[0]).all()


def assert_slots_are_held_in_turn(log: pd.DataFrame, slots: int) -> None:
    """Assert that a slot holds one copy at a time, which also bounds the busy slots."""
    assert log.slot.between(0, slots - 1).all()
    for _, copies in log.sort_values(["start", "end"]).groupby("slot"):
        assert (copies.end.to_numpy()[:-1] <= copies.start.to_numpy()[1:]).all()


def assert_no_slot_idles_while_tasks_wait(log: pd.DataFrame, outcome: Outcome, slots: int) -> None:
    """Assert that work is conserved just after every event."""
    launched = np.sort(log[log["copy"] == 0].start)
    for time in np.unique(np.concatenate([outcome.arrival, log.start, log.end])):
        arrived = outcome.tasks[outcome.arrival <= time].sum()
        waiting = arrived - np.searchsorted(launched, time, side="right")
        if waiting > 0 and time < outcome.end:
            assert len(held_at(log, time)) == slots


@every_pair
@pytest.mark.parametrize("ties", [True, False], ids=["ties", "no ties"])
@search(25)
@given(data=st.data())
def test_every_copy_is_accounted_for(pairs, ties, data):
    pair = data.draw(pairs)
    scenario, workload = data.draw(small_runs(ties=ties, pair=pair))
    policy = data.draw(policies(pair))
    outcome = run_to_end(scenario, policy, workload)
    log = copies_of(outcome)
    assert_copies_make_jobs(outcome, log, policy, workload)
    if clones_jobs(policy):
        assert_clones_are_whole(log, outcome, policy)
    else:
        assert_tasks_finish_once(log, policy)
    assert_slots_are_held_in_turn(log, scenario.slots)
    if not scenario.decision_interval:
        assert_no_slot_idles_while_tasks_wait(log, outcome, scenario.slots)


@pytest.mark.parametrize("sharing", ["fifo", "fair", "srpt"])
@search(25)
@given(data=st.data())
def test_late_never_holds_more_extra_copies_than_its_cap(sharing, data):
    scenario, workload = data.draw(small_runs(ties=data.draw(st.booleans())))
    policy = data.draw(policies(f"{sharing}+late"))
    log = copies_of(run_to_end(scenario, policy, workload))
    cap = policy.speculation.as_dict["speculative_cap"] * scenario.slots
    for time in log[log["copy"] > 0].start:
        assert (held_at(log, time)["copy"] > 0).sum() <= cap
