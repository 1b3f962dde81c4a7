"""Invariants at every event under every policy, read from the log of copies."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.slots.run import Outcome
from sim.engines.slots.scenario import SlotPolicy, speculation_rules
from sim.running.contract import copies as checks
from sim.running.contract.copies import DROPPED, FINISHED, KILLED, RUNNING
from tests.sim.slots.runs import copies_of, run_to_end
from tests.strategies import every_pair, policies, search, small_runs

#: The most copies that ever save most on detection (`theory.detection.detection_optimum`).
BEST = 3


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


def held_at(log: pd.DataFrame, time: float) -> pd.DataFrame:
    """Copies that hold a slot just after an instant."""
    return log[(log.start <= time) & (time < log.end)]


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
    wrong = [*checks.about_jobs(outcome, log, workload, clones_jobs=clones_jobs(policy))]
    if clones_jobs(policy):
        assert_clones_are_whole(log, outcome, policy)
    else:
        wrong += checks.about_tasks(log, most_copies(policy))
    wrong += checks.about_slots(log, scenario.slots)
    if not (scenario.decision_interval or speculation_rules()[policy.speculation.key].bars_machines):
        wrong += checks.about_idling(log, outcome, scenario.slots)
    assert not wrong


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
