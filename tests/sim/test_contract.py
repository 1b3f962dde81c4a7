"""The checks of the contract notice what is wrong: each is given a run with one error in it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sim.engines.gang.scenario import GangScenario
from sim.engines.probes.scenario import ProbeScenario
from sim.engines.slots.scenario import SlotScenario, speculation_rules
from sim.model.outcome import Outcome
from sim.model.workload import generate
from sim.running.contract import copies, runs
from sim.running.contract.runs import Trial, run, run_to_end, tried

SCENARIO = SlotScenario(slots=12, load=0.8, jobs=20, tasks_max=6)
WORKLOAD = generate(SCENARIO, 1)
GANG = GangScenario(jobs=20, load=0.5)
INF = float("inf")
PROBES = ProbeScenario(workers=12, schedulers=2, jobs=20, tasks_max=6, load=0.6, drain=INF)


@cache
def cloned() -> Outcome:
    return run(SCENARIO, "fair+clone", WORKLOAD)


@cache
def coded() -> Outcome:
    return run(GANG, "redundant-small", generate(GANG, 1))


@cache
def probed() -> Any:
    return run_to_end(PROBES, "sparrow+late", generate(PROBES, 1))


def wrong(outcome=None, **log) -> list[str]:
    """What the checks say of a run in whose log some values of the first rows are others."""
    outcome = outcome or cloned()
    table = copies.copies_of(outcome)
    for column, value in log.items():
        table.loc[0, column] = value
    return [
        *copies.about_jobs(outcome, table, WORKLOAD),
        *copies.about_tasks(table, 2),
        *copies.about_slots(table, SCENARIO.slots),
        *copies.about_idling(table, outcome, SCENARIO.slots),
    ]


def test_a_run_of_ours_has_nothing_wrong() -> None:
    assert not wrong()


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ({"slot": 12}, "a slot that the cluster does not have"),
        ({"end": 1e6}, "holds two copies at a time"),
        ({"end": 1e6}, "do not end together"),
        ({"fate": copies.RUNNING}, "copies that finished|do not end"),
        ({"start": 0.0}, "slot-time of the jobs"),
        ({"copy": 7}, "not launched one after the other"),
        ({"fate": copies.DROPPED}, "killed"),
    ],
)
def test_a_copy_that_does_not_fit_is_noticed(log, reason) -> None:
    assert any(one for one in wrong(**log) if any(part in one for part in reason.split("|"))), wrong(**log)


@pytest.mark.parametrize("column", ["copies", "extra", "killed"])
def test_a_job_that_counts_one_copy_more_is_noticed(column) -> None:
    counts = getattr(cloned(), column).copy()
    counts[3] += 1
    assert wrong(replace(cloned(), **{column: counts}))


def test_a_slot_that_idles_while_tasks_wait_is_noticed() -> None:
    table = copies.copies_of(cloned())
    waiting = table[table["copy"] == 0].start.max()
    later = table.assign(start=table.start.where(table.start < waiting, waiting + 50))
    assert list(copies.about_idling(later, cloned(), SCENARIO.slots))


def test_more_copies_than_a_rule_may_have_are_noticed() -> None:
    assert list(copies.about_tasks(copies.copies_of(cloned()), 1))


@pytest.mark.parametrize("policy", ["fair+late", "hopper+clone"])
def test_rules_of_ours_pass_as_they_do_in_the_shell(policy) -> None:
    digest, complaints = tried(Trial(SCENARIO, policy), speculation_rules()[policy.partition("+")[2]])
    assert digest
    assert not complaints


def wrong_gang(outcome=None, **log) -> list[str]:
    """What the checks say of a run of gangs in whose log some values of the first row are others."""
    outcome = outcome or coded()
    table = copies.copies_of(outcome)
    for column, value in log.items():
        table.loc[0, column] = value
    return list(runs.about_gangs(outcome, table, GANG))


def wrong_probes(**log) -> list[str]:
    """As `wrong_gang`, of the probe engine."""
    outcome = probed().outcome()
    table = copies.copies_of(outcome)
    for column, value in log.items():
        table.loc[0, column] = value
    return list(runs.about_probes(probed(), outcome, table, generate(PROBES, 1)))


def test_runs_of_all_engines_have_nothing_wrong() -> None:
    assert coded().extra.any()
    assert not wrong_gang()
    assert not wrong_probes()


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ({"slot": 10**6}, "a node that the cluster does not have"),
        ({"end": 1e6}, "does not end with the last task it needs"),
        ({"start": 0.0, "slot": 0}, "do not start together"),
        ({"fate": copies.RUNNING}, "of its"),
        ({"fate": copies.KILLED}, "of its"),
    ],
)
def test_a_task_of_a_gang_that_does_not_fit_is_noticed(log, reason) -> None:
    assert any(reason in one for one in wrong_gang(**log)), wrong_gang(**log)


@pytest.mark.parametrize(
    ("start", "extra", "end", "wrong"),
    [
        (4.0, 0, 5.0, True),  # it needs no more than its own tasks
        (4.0, 1, 5.0, False),
        (INF, 0, 5.0, False),  # how many tasks it would start with is not known
        (INF, 0, 50.0, True),  # but an empty cluster has room for them
    ],
)
def test_a_job_of_a_gang_that_waits_though_it_has_room_is_noticed(start, extra, end, wrong) -> None:
    log = pd.DataFrame({"job": [0], "start": [0.0], "end": [10.0], "slot": [0]})
    outcome = SimpleNamespace(
        arrival=np.array([0.0, 1.0]),
        start=np.array([0.0, start]),
        end=end,
        tasks=np.array([1, 1]),
        extra=np.array([0, extra]),
    )
    assert bool(list(runs.about_waiting(log, outcome, GANG))) == wrong


@pytest.mark.parametrize("column", ["copies", "extra", "killed"])
def test_a_gang_that_counts_one_task_more_is_noticed(column) -> None:
    counts = getattr(coded(), column).copy()
    counts[3] += 1
    assert any(f"({column})" in one for one in wrong_gang(replace(coded(), **{column: counts})))


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ({"end": 1e6}, "jobs do not end with their last tasks"),
        ({"copy": 7}, "not numbered one after the other"),
        ({"fate": copies.KILLED}, "jobs do not end with their last tasks"),
        ({"start": -5.0}, "the slot-time of the jobs"),
    ],
)
def test_a_copy_of_a_worker_that_does_not_fit_is_noticed(log, reason) -> None:
    assert any(reason in one for one in wrong_probes(**log)), wrong_probes(**log)


def test_a_lost_message_is_noticed() -> None:
    net = probed().world.net[0]
    net.sent_nos += 1
    try:
        assert any("questions were asked" in one for one in wrong_probes())
    finally:
        net.sent_nos -= 1
