"""The checks that rules are held against notice what is wrong: each is handed a run with one error in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim.contract import copies
from sim.contract.runs import Trial, run, tried
from sim.slots.policy import speculation_rules
from sim.slots.scenario import SlotScenario
from sim.workload import generate

SCENARIO = SlotScenario(slots=12, load=0.8, jobs=20, tasks_max=6)
WORKLOAD = generate(SCENARIO, 1)
OUTCOME = run(SCENARIO, "fair+clone", WORKLOAD)


def wrong(outcome=OUTCOME, **log) -> list[str]:
    """What the checks say of a run in whose log some values of the first rows are others."""
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
    counts = getattr(OUTCOME, column).copy()
    counts[3] += 1
    assert wrong(replace(OUTCOME, **{column: counts}))


def test_a_slot_that_idles_while_tasks_wait_is_noticed() -> None:
    table = copies.copies_of(OUTCOME)
    waiting = table[table["copy"] == 0].start.max()
    later = table.assign(start=table.start.where(table.start < waiting, waiting + 50))
    assert list(copies.about_idling(later, OUTCOME, SCENARIO.slots))


def test_more_copies_than_a_rule_may_have_are_noticed() -> None:
    assert list(copies.about_tasks(copies.copies_of(OUTCOME), 1))


@pytest.mark.parametrize("policy", ["fair+late", "hopper+clone"])
def test_rules_of_ours_pass_as_they_do_in_the_shell(policy) -> None:
    digest, complaints = tried(Trial(SCENARIO, policy), speculation_rules()[policy.partition("+")[2]])
    assert digest
    assert not complaints
