"""The film of the worst stage: the luck of the log in another run, and what of both is seen."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sim.advice.whatif.animation import Lucky, Shot, _attempts, _played, _recorded, film, luck_of, stage_times
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay
from sim.engines.slots.scenario import read_policy
from sim.kernel.records import FATES
from sim.running.animation import MOST_SLOTS, MOST_TASKS
from tests.sim.whatif.clusters import cluster, pareto

pytestmark = pytest.mark.compiled

FINISHED, KILLED, RUNNING = (FATES.index(name) for name in ("finished", "killed", "running"))
COPIES = read_policy("fifo+spark:multiplier=1.2,quantile=0.5")


@pytest.fixture(scope="module")
def question() -> Replay:
    """Hosts of one slot each that are equally fast, so that it does not matter where a task runs."""
    truth = cluster(5, pareto(1.4), jobs=16, hosts=8, slots=1, load=0.4, two=0)
    return Replay(truth.model(fit(truth.history)))


@pytest.fixture(scope="module")
def lucky(question: Replay) -> Lucky:
    return Lucky(question.model, doubted=False)


def key(copies: pd.DataFrame) -> pd.DataFrame:
    return copies.set_index(["stage", "task", "number"])


def test_under_the_setting_of_the_log_the_luck_of_the_log_gives_the_log(
    question: Replay, lucky: Lucky
) -> None:
    recorded, again = (key(one) for one in (_recorded(question), _played(lucky, read_policy("fifo+none"))))
    assert len(recorded) == len(again) > 100
    for name in ("start", "end"):
        np.testing.assert_allclose(
            again[name].sort_index(), recorded[name].sort_index(), rtol=0, atol=1e-6 * recorded["end"].max()
        )


def test_with_copies_every_task_lasts_as_long_as_in_the_log_or_is_beaten(
    question: Replay, lucky: Lucky
) -> None:
    recorded, run = _recorded(question), _played(lucky, COPIES)
    lasted = key(recorded.assign(lasted=recorded["end"] - recorded["start"]))["lasted"]
    originals = run[run["number"] == 0]
    ran = (originals["end"] - originals["start"]).to_numpy()
    known = lasted.reindex(pd.MultiIndex.from_frame(originals[["stage", "task", "number"]])).to_numpy()
    done = (originals["fate"] == FINISHED).to_numpy()
    np.testing.assert_allclose(ran[done], known[done], rtol=1e-6)
    assert 0 < (~done).sum() < done.sum()
    assert (ran[~done] < known[~done]).all()
    won = run[(run["number"] > 0) & (run["fate"] == FINISHED)]
    assert tasks_of(won) == tasks_of(originals[~done])


def tasks_of(copies: pd.DataFrame) -> set[tuple[int, int]]:
    return set(zip(copies["stage"], copies["task"], strict=True))


def test_the_film_is_that_run_at_the_stage_whose_time_changes_most(question: Replay, lucky: Lucky) -> None:
    found = film(question, COPIES)
    assert found.played is not None
    runs = _recorded(question), _played(lucky, COPIES)
    times = [stage_times(one) for one in runs]
    change = (times[1] - times[0]).abs()
    stage = int(np.searchsorted(question.model.stages, found.stage))
    assert change[stage] == change.max() > 0
    assert found.begins == 0
    for shot, run, of_stage in zip((found.recorded, found.played), runs, times, strict=True):
        assert shot.time == pytest.approx(of_stage[stage])
        assert_shows(shot, run, stage, found.unit.seconds)


def assert_shows(shot: Shot, run: pd.DataFrame, stage: int, unit: float) -> None:
    """Assert that an animation has the copies of a stage, each when it ran, and no two at once in a slot."""
    own = run[run["stage"] == stage]
    first = own["start"].min()
    shown = pd.DataFrame(
        shot.animation.copies, columns=["job", "task", "number", "slot", "start", "end", "fate", "late"]
    )
    instants = np.append(shot.animation.instants, np.inf)
    mine = shown[shown["job"] == 0]
    names = np.array(shot.animation.called[0])[mine["task"]]
    there = key(own).loc[list(zip([stage] * len(mine), names, mine["number"], strict=True))]
    assert len(mine) == len(own)
    np.testing.assert_allclose(instants[mine["start"]], (there["start"] - first) / unit, atol=1e-4)
    done = (there["fate"] == FINISHED).to_numpy()
    np.testing.assert_allclose(instants[mine["end"]][done], (there["end"] - first)[done] / unit, rtol=1e-4)
    for _, bars in shown.sort_values("start").groupby("slot"):
        assert (bars["start"].to_numpy()[1:] >= bars["end"].to_numpy()[:-1]).all()
    assert shot.animation.jobs[0, 1] == own["task"].nunique()
    assert shot.animation.noun == "stage"
    assert shot.shown == shot.copies == len(shown)


def test_alone_the_recorded_run_is_seen_at_the_slowest_task(question: Replay) -> None:
    found = film(question, None)
    assert found.played is None
    recorded = _recorded(question)
    lasted = (recorded["end"] - recorded["start"]).groupby(recorded["stage"])
    assert question.model.stages[int((lasted.max() - lasted.median()).idxmax())] == found.stage


def test_of_many_slots_and_tasks_the_last_are_seen() -> None:
    """What ends last is there: what a stage waits for is never cut off."""
    history = cluster(7, pareto(1.4), jobs=1, tasks=(700, 700), hosts=5, slots=9, two=0).history
    asked = SimpleNamespace(history=history, stages=np.array([0]), jobs=history.frame("jobs"))
    question = SimpleNamespace(model=asked)  # what is recorded rests on no fit
    found = film(question, None)
    shot = found.recorded
    assert shot.slots > shot.animation.slots == MOST_SLOTS
    assert shot.copies > MOST_TASKS >= shot.shown
    assert found.begins > 0
    recorded = _recorded(question)
    own = recorded[recorded["stage"] == int(np.searchsorted(question.model.stages, found.stage))]
    last = own.sort_values("end").tail(MOST_SLOTS // 2)["task"]
    assert set(last) <= set(shot.animation.called[0])
    seen = shot.animation.instants[-1] * found.unit.seconds
    assert seen == pytest.approx(shot.time - found.begins, rel=0.1)


def test_a_copy_that_was_killed_would_have_run_longer(question: Replay) -> None:
    model = question.model
    table = model.history.copies
    killed = np.arange(table.num_rows) % 5 == 0
    frame = table.to_pandas()
    frame.loc[killed, ["fate", "complete"]] = ["killed", False]
    history = replace(
        model.history, copies=type(table).from_pandas(frame, table.schema, preserve_index=False)
    )
    factors = dict(zip(model.cluster.hosts, (1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7), strict=True))
    unequal = replace(model.cluster, factors=tuple(factors.values()))
    asked = Lucky(replace(model, history=history, cluster=unequal), doubted=False)
    given = Replay.conditions(asked, 0, 2)
    known = _attempts(asked, 2)
    at = known["number"].to_numpy(), known["row"].to_numpy()
    for chance in (0.0, 0.5, 0.999):
        luck = luck_of(asked, given, np.full(given.luck.shape, chance))
        lasts = (luck * given.work)[at] * known["host"].astype(str).map(factors).to_numpy(float)
        complete = known["complete"].to_numpy()
        np.testing.assert_allclose(lasts[complete], known["lasted"][complete], rtol=1e-9)
        assert (lasts[~complete] >= known["lasted"][~complete] * (1 - 1e-9)).all()
    assert (lasts[~complete] > known["lasted"][~complete] * 1.01).mean() > 0.5
