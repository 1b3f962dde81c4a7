"""What changed most between two runs: the state in which jobs were, and the cause, as their diagnoses say."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from sim.advice.diagnosis import diagnose
from sim.advice.several import sides
from sim.advice.several.after import compared, judge, read_condition
from sim.advice.several.change import changes
from sim.advice.several.report import after_json, after_text, gate_json, gate_markdown, gate_text
from sim.advice.several.sides import Moved, Sides, sides_of
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.samples import nightly, spark
from tests.sim.logs.test_findings import history, jobs
from tests.sim.several.runs import queued


def run(seed: int, slow: float = 1.0, count: int = 20) -> History:
    """Return jobs of a name each, one after the other, on hosts of which one takes so many times as long."""
    frame = jobs(seed, count)
    late = frame["host"].eq("h2")
    frame.loc[late, "end_s"] += (slow - 1) * (frame["end_s"] - frame["start_s"])
    return history(frame, name=f"run-{seed}.csv")


def beside(before: History, after: History) -> Sides:
    return sides_of(before, after, changes([before], [after]).last_rows)


def test_a_host_that_is_mended_is_the_cause_and_the_wait_for_it_the_state() -> None:
    before, after = run(1, 2.0), run(2)
    found = beside(before, after)
    assert found.state is not None
    assert found.cause is not None
    assert (found.state.key, found.cause.key) == ("waiting for the last", "machine")
    early, late = diagnose(before), diagnose(after)
    assert found.cause.before == early.causes["machine"].seconds / 20
    assert found.cause.after == late.causes["machine"].seconds / 20
    assert found.cause.low == late.causes["machine"].low / 20 - early.causes["machine"].high / 20
    assert found.cause.high == late.causes["machine"].high / 20 - early.causes["machine"].low / 20 < 0
    assert "Of what causes cost, hosts of unequal speed changed most: " in found.sentence
    assert "waiting for the last changed most: " in found.sentence
    back = beside(after, before)
    assert back.state is not None
    assert back.cause is not None
    assert (back.state.low, back.cause.high) == (-found.state.high, -found.cause.low)
    assert " more." in back.sentence


def test_the_states_of_jobs_change_by_what_their_times_change() -> None:
    """Exactly: the account adds up on both sides, over the jobs that are in both."""
    for before, after in (
        (queued(1), queued(2, change=1.5)),
        (run(1, 2.0, count=25), run(2)),
        (read_history(spark(speculation=False)), read_history(spark(speculation=True))),
    ):
        change = changes([before], [after])
        found = sides_of(before, after, change.last_rows)
        assert found.jobs == len(change.jobs.names) > 0
        moved = sum(found.after.per_job.values()) - sum(found.before.per_job.values())
        assert moved == pytest.approx(change.change["mean"].after - change.change["mean"].before)


def test_nothing_is_said_of_causes_whose_intervals_overlap_or_of_other_jobs() -> None:
    same = beside(read_history(nightly(1)), read_history(nightly(2)))
    assert same.cause is None
    other = beside(run(1, 2.0, count=25), run(2))  # five jobs of the first are in one run only
    assert other.state is not None
    assert other.cause is None
    assert beside(run(1), run(2)).sentence == ""


@pytest.mark.parametrize(
    ("before", "after", "key", "change"),
    [
        ({"running": 5.0}, {"running": 9.0}, "running", (4.0, 4.0)),
        # what one log does not tell apart may be what the other tells
        ({"waiting": 5.0, "running": 5.0}, {"behind other jobs": 5.0, "running": 5.0}, None, None),
        ({"waiting": 5.0}, {"behind other jobs": 9.0}, "behind other jobs", (4.0, 9.0)),
        ({"waiting": 9.0}, {"behind other jobs": 2.0, "slot idle": 1.0}, "waiting", (-6.0, -6.0)),
        (
            {"running": 5.0, "running or waiting for the last": 2.0, "waiting for the last": 9.0},
            {"running": 5.0, "running or waiting for the last": 1.0, "waiting for the last": 3.0},
            "running or waiting for the last",
            (-7.0, -7.0),
        ),
    ],
)
def test_a_state_changed_by_what_the_logs_leave_open(before, after, key, change) -> None:
    found = sides._most(sides._states(before, after), 0.5)
    assert (found and found.key) == key
    assert (found and (found.low, found.high)) == change


def test_a_change_below_what_is_worth_saying_is_not_said() -> None:
    small = [Moved("running", 5.0, 5.1, 0.1, 0.1)]
    assert sides._most(small, 0.2) is None
    assert sides._most(small, 0.05) is small[0]


def test_the_json_has_account_and_findings_of_both_as_their_diagnoses_have_them() -> None:
    before, after = run(1, 2.0), run(2)
    told = after_json(compared([before], [after]))
    for name, one in (("before", before), ("after", after)):
        found = diagnose(one)
        assert told["account"][name] == found.account.states
        assert told["findings"][name] == [asdict(finding) for finding in found.findings]
        assert told["first"][name] == found.answer
    change = changes([before], [after])
    gate = judge(change, [read_condition("mean > +10%")], beside(before, after))
    both = {name: told[name] for name in ("account", "findings", "first", "changed_most")}
    assert gate_json(gate).items() >= both.items()
    for text in (after_text(compared([before], [after])), gate_text(gate), gate_markdown(gate)):
        assert "hosts of unequal speed changed most" in text
    assert gate_text(gate).splitlines()[-1] == "gate: passes"


def test_of_several_runs_the_last_of_each_are_diagnosed() -> None:
    runs = [run(1), run(2, 2.0)], [run(3, 2.0), run(4)]
    found = compared(*runs).sides
    assert found.before.first == diagnose(runs[0][-1]).answer
    assert found.after.first == diagnose(runs[1][-1]).answer
    assert np.isclose(sum(found.before.per_job.values()), _mean(runs[0][-1]))


def _mean(one: History) -> float:
    table: pd.DataFrame = one.frame("jobs")
    return float((table["end"] - table["submit"]).mean())
