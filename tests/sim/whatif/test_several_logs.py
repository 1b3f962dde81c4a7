"""Several logs of one cluster: joined they tell more, and each step of advice stands on all of them."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace

import numpy as np
import pytest

import sim
from sim.advice.whatif.answer import BUDGET
from sim.advice.whatif.check import POOR
from sim.advice.whatif.library import read_and_fit, read_logs
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK
from sim.engines.slots.scenario import read_policy
from sim.logs.formats import read_history
from sim.logs.history import joined
from sim.logs.samples import nightly, slurm, spark
from sim.model.fields import BadInput
from sim.shell.verbs import main
from tests.zoo.causes import build
from tests.zoo.eventlog import hour_log
from tests.zoo.judge import SURE, setting_of
from tests.zoo.steps import page, walked, world_of
from tests.zoo.truth import truth
from tests.zoo.worlds import stream

module = importlib.import_module("sim.advice.whatif.steps")
#: A world, and its logs under other settings, one after another.
WORLD = build("bimodal", (), stream(3, 0, "logs"), number=0, seed=3, size="small", setting=None)
LOGS = [
    hour_log(WORLD, setting, number, 2 * number)
    for number, setting in enumerate((None, (4.0, 0.9, 30.0), (1.5, 0.75)))
]


@pytest.mark.parametrize(
    "files", [[slurm()] * 2, [spark(speculation=False), slurm(), spark(speculation=True)]]
)
def test_joined_logs_hold_what_each_holds_one_after_another(files):
    """Rows refer to the same rows as before, times move together, no two overlap, hosts are told once."""
    logs = [read_history(file) for file in files]
    both = joined(logs)
    assert joined(logs[:1]) is logs[0]
    stages = copies = 0
    ended = -np.inf
    for number, log in enumerate(logs):
        last = number == len(logs) - 1
        ours, theirs = (
            one.frame("copies").merge(
                one.frame("stages"), left_on="stage", right_index=True, suffixes=("", "_of")
            )
            for one in (joined(logs), log)
        )
        ours = ours.sort_index().iloc[copies : copies + len(theirs)].reset_index(drop=True)
        theirs = theirs.sort_index().reset_index(drop=True)
        for name in ("task", "copy", "fate", "host", "bytes", "name", "tasks", "writes"):
            assert ours[name].astype(str).tolist() == theirs[name].astype(str).tolist()
        moved = (ours["launch"] - theirs["launch"]).dropna()
        assert np.ptp(moved) < 1e-6
        assert not last or moved.iloc[0] == 0
        name = f"{number + 1}/" * (not last)
        jobs = both.frame("jobs")["job"].to_numpy()[ours["job"]]
        assert jobs.tolist() == [f"{name}{one}" for one in log.frame("jobs")["job"].to_numpy()[theirs["job"]]]
        parents = [[row - stages for row in listed] for listed in ours["parents"]]
        assert parents == [list(listed) for listed in theirs["parents"]]
        begin = log.limits[0] + moved.iloc[0]
        assert begin > ended
        ended = log.limits[1] + moved.iloc[0]
        stages, copies = stages + log.stages.num_rows, copies + len(theirs)
    assert both.copies.num_rows == copies
    assert sorted(both.hosts["host"].to_pylist()) == sorted(
        {host for log in logs for host in log.hosts["host"].to_pylist()}
    )


def test_logs_of_spark_under_other_settings_are_steps_in_order_of_time(tmp_path):
    found = read_logs(LOGS[2], LOGS[0], LOGS[1])
    assert [one.files for one in found] == [("app-0",), ("app-1",), ("app-2",)]
    assert len(read_logs(LOGS[0], hour_log(WORLD, None, 3, 2))) == 1
    assert len(read_logs(LOGS[0], hour_log(WORLD, (1.5, 0.75), 3))) == 1  # side by side
    assert len(read_logs(slurm(), slurm())) == 1
    reading = read_and_fit(*LOGS[:2])
    assert reading.history.files == ("app-1",)
    assert reading.model.earlier[0].files == ("app-0",)


def test_a_model_of_several_logs_plays_the_last_and_knows_the_tasks_of_all():
    logs = [read_history(one) for one in LOGS]
    alone, together = fit(logs[-1]), fit(logs[-1], earlier=logs[:-1])
    for name in ("tasks", "stage_job", "gap", "recorded", "stages"):
        assert np.array_equal(getattr(alone, name), getattr(together, name), equal_nan=True)
    assert together.evidence.luck.size > 2.5 * alone.evidence.luck.size
    assert together.evidence.hidden.pairs > alone.evidence.hidden.pairs > 0
    assert together.draw(3).work.size == together.tasks.sum()
    # nothing of an earlier log is nothing
    assert np.array_equal(fit(logs[-1], earlier=()).work, alone.work)


@pytest.mark.compiled
@pytest.mark.slow
def test_advice_goes_on_where_the_next_log_tells():
    """One log allows a part of the gain, two all of it."""
    best, steps = walked(world_of(21, 9), replications=40, draws=16, steps=2)
    one, two = steps
    assert not any(step.harms for step in steps)
    assert one.gain.value > 0.5 * best.value  # of two negative changes
    assert two.gain.value < 0.9 * best.value
    assert "may gain more" in one.open
    assert "may gain more" not in two.open


@pytest.mark.compiled
def test_advice_stays_within_the_first_budget_where_two_logs_would_go_beyond_it():
    """The second log is of what the first advises: counted from it, more than the budget is spent."""
    world, few = world_of(21, 14), [SPARK.options[place] for place in (1, 3, 5)]
    first = setting_of(read_policy(few[1]))
    settings = (None, first)
    logs = [read_history(hour_log(world, one, 1000 * place, 2 * place)) for place, one in enumerate(settings)]
    asked = {"replications": 40, "sweep": False, "remedies": False}
    found = answer(Replay(fit(logs[1], earlier=logs[:1])), replace(SPARK, options=tuple(few)), **asked)
    then = setting_of(found.options[found.advice.policy].policy)
    cost = truth(world, [None, then], 16)[then]["slot_time"]
    assert then != first
    assert cost.value - SURE * cost.error <= BUDGET


@pytest.mark.compiled
def test_earlier_logs_with_which_the_check_is_poor_are_left_out(monkeypatch):
    """More logs must not tell less: the answer is that of the last log alone."""
    logs = [read_history(one) for one in LOGS[:2]]
    asked = {"replications": 8, "sweep": False, "remedies": False}
    alone = answer(Replay(fit(logs[1])), SPARK, **asked)
    real = module.check_model

    def poor(question, *given):
        found, drawn = real(question, *given)
        items = tuple(replace(one, grade=POOR) for one in found.items)
        return (replace(found, items=items) if question.model.earlier else found), drawn

    monkeypatch.setattr(module, "check_model", poor)
    found = answer(Replay(fit(logs[1], earlier=logs[:1])), SPARK, **asked)
    assert found.check.verdict == alone.check.verdict != POOR
    assert not found.question.model.earlier
    assert found.question.model.notes[0].startswith(module.ALONE)
    assert found.advice == alone.advice


@pytest.mark.compiled
def test_the_shell_learns_from_logs_and_reads_other_formats_when_told(tmp_path, capsys):
    paths = []
    for one in LOGS[:2]:
        (tmp_path / one.name).write_bytes(one.data)
        paths.append(str(tmp_path / one.name))
    asked = ["--replications", "20", "--json", "-"]
    assert main(["whatif", *paths, *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["question"]["files"] == ["app-1"]
    assert "min_runtime=30" in found["today"]
    assert "learned from 2 logs, of which the last is played" in found["question"]["notes"]
    earlier = tmp_path / "earlier.txt"
    earlier.write_bytes(nightly(1, arrays=6, tasks=16).data)
    later = tmp_path / "later.txt"
    later.write_bytes(nightly(2, arrays=6, tasks=16).data)
    assert main(["whatif", str(later), "--earlier", str(earlier), *asked]) == 0
    notes = json.loads(capsys.readouterr().out)["question"]["notes"]
    assert "learned from 2 logs, of which the last is played" in notes


def test_what_is_no_list_of_logs_is_refused():
    with pytest.raises(BadInput, match=r"earlier: 'one\.txt' is not accepted; give a list of logs"):
        sim.whatif(LOGS[0], earlier="one.txt")


def test_the_page_of_steps_says_what_was_counted():
    steps = [
        {"verdict": "good", "trial": trial, "advised": "1.5/0.75", "gain": {"value": gain}, "held": 9}
        | {"promises": 10, "harms": harms}
        for trial, gain, harms in ((True, -0.1, False), (False, -0.2, True), (False, -0.2, False))
    ]
    rows = [
        {"number": 4, "law": "light", "causes": [], "best": {"value": -0.2, "error": 0.01}, "steps": steps}
    ]
    told = page(rows, "1", 60, 24)
    assert "| 1 | 50 % | 0 of 1 | 1 | 0 of 1 | 9 of 10 (90.0 %) | 0 |" in told
    assert "| 2 | 100 % | 0 of 1 | 0 | 1 of 1 | 9 of 10 (90.0 %) | 0 |" in told
    assert "4 light luck: good try 1.5/0.75 -10.0 % 9/10 > good 1.5/0.75 -20.0 % 9/10 HARMS" in told
