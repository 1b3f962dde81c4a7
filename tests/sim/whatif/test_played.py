"""The figures of a replication and of the check: by hand, and no two numbers are the same."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sim.advice.whatif.check import (
    _figures,
    _job_times,
    _makespans,
    _quantile,
    _ratio,
    _widened,
    pictures,
    recorded_copies,
)
from sim.advice.whatif.runs import played
from sim.kernel.records import COPY, records
from tests.sim.logs.logs import ended, job, job_end, launched, read, small, stage

#: stage, task, copy, start, end, fate (0 finished, 1 killed) of each copy; stage 2 is of a job left out.
COPIES = [
    (0, 0, 0, 0.0, 4.0, 1),
    (0, 0, 1, 2.0, 4.0, 0),
    (0, 1, 0, 0.0, 3.0, 0),
    (0, 1, 1, 2.5, 3.0, 1),
    (1, 0, 0, 5.0, 6.5, 1),
    (1, 0, 1, 6.0, 6.5, 0),
    (2, 0, 0, 0.0, 7.0, 1),
    (2, 0, 1, 3.0, 7.0, 0),
]


def test_a_replication_counts_the_copies_of_jobs_in_the_figures_and_what_was_killed_of_them():
    log = records(len(COPIES), COPY)
    for place, (of, task, copy, start, end, fate) in enumerate(COPIES):
        log[place] = (of, task, copy, place, start, end, fate)
    jobs = SimpleNamespace(arrival=np.array([0.25, 5.0, 0.0]), finish=np.array([4.0, 6.5, 7.0]))
    model = SimpleNamespace(
        jobs=pd.DataFrame({"submit": [0.25, 0.0]}), stage_job=np.array([0, 0, 1]), history=None
    )
    question = SimpleNamespace(
        model=model,
        kept=np.array([True, False]),
        small=np.array([False]),
        submitted=lambda ends: np.array([0.25, 0.0]),
        tails=np.array([0.5, 1.5]),
    )
    found = played(question, SimpleNamespace(log=log, world=SimpleNamespace(jobs=jobs)))
    assert found.slot_time == 4 + 2 + 3 + 0.5 + 1.5 + 0.5
    assert (found.copies, found.won) == (3, 2)
    assert found.killed_time == 4 + 0.5 + 1.5
    assert found.job_times.tolist() == [6.75]
    assert found.stage_times.tolist() == [3.75, 1.5, 7.0]
    assert found.makespan == 6.75


#: Replications with a figure of 1 to 100: their 90 % band is 5.95 to 95.05, their 80 % band 10.9 to 90.1.
EVEN = np.arange(1.0, 101.0)


@pytest.mark.parametrize(
    ("recorded", "share"), [((5, 6, 7, 95), 0.75), ((7, 8, 93, 95), 1.0), ((1, 96), 0.0)]
)
def test_the_band_of_job_times_holds_nine_replications_of_ten(recorded, share):
    kept = np.append(np.ones(len(recorded), bool), False)
    model = SimpleNamespace(
        job_times=np.append(recorded, 1e9), recorded=np.empty(0), stage_job=np.empty(0, int)
    )
    question = SimpleNamespace(model=model, kept=kept)
    plays = [
        SimpleNamespace(
            job_times=np.full(len(recorded), value), stage_times=np.empty(0), figures={"mean": value}
        )
        for value in EVEN
    ]
    assert _job_times(question, plays).recorded == share
    shown = pictures(question, plays)
    assert shown.low == pytest.approx(5.95)
    assert shown.middle == pytest.approx(50.5)
    assert shown.high == pytest.approx(95.05)


@pytest.mark.parametrize(("recorded", "mean", "p95"), [(65.9, "poor", "fair"), (66.1, "fair", "good")])
def test_figures_are_held_to_the_band_of_nine_replications_of_ten(recorded, mean, p95):
    values = 60 + EVEN
    ratio, found = _ratio("mean job time", recorded, values), _quantile("p95", recorded, values)
    assert (ratio.grade, found.grade) == (mean, p95)
    assert "(90 %: 66 to 155)" in found.sentence
    for item in (ratio, found):
        assert f"{recorded} s recorded, 110.5 s in the model" in item.sentence
    assert ratio.sentence.endswith("recorded over model 0.60")


def test_the_mean_and_both_quantiles_are_compared_each_with_its_own():
    """Of 1 to 100 s recorded; played they take twice as long."""
    question = SimpleNamespace(model=SimpleNamespace(job_times=EVEN), kept=np.ones(100, bool))
    found = _figures(question, [SimpleNamespace(job_times=2 * EVEN)] * 3)
    assert {name: (one, set(played)) for name, (one, played) in found.items()} == {
        "mean": (50.5, {101.0}),
        "p50": (50.0, {100.0}),
        "p95": (95.0, {190.0}),
    }


def test_bands_are_widened_from_the_middle_until_they_hold_what_was_recorded():
    assert _widened({"mean": (5.95, EVEN)}) == pytest.approx(1.0)
    assert _widened({"mean": (50.5 - 2 * 44.55, EVEN)}) == pytest.approx(2.0)
    assert _widened({"mean": (40.0, EVEN), "p95": (50.5 + 3 * 44.55, EVEN)}) == pytest.approx(3.0)


def test_recorded_copies_are_those_of_the_log_and_of_the_jobs_in_the_figures():
    """Of two copies of a task the second won after 1 s; in another job, left out, it was killed after 2 s."""
    other = [
        job(1, [2], 50),
        stage(2, 1, 60),
        launched(9, 0, 100, of=2),
        launched(10, 0, 2100, of=2, speculative=True, executor="2", host="h2"),
        ended(9, 0, 100, 4100, of=2),
        ended(
            10,
            0,
            2100,
            4100,
            of=2,
            speculative=True,
            executor="2",
            host="h2",
            reason="TaskKilled",
            kill="another attempt succeeded",
        ),
        stage(2, 1, 60, 4100),
        job_end(1, 4200),
    ]
    log = small()
    history = read([*log[:-1], *other, log[-1]])
    model = SimpleNamespace(history=history, jobs=history.frame("jobs"))
    first = recorded_copies(model, np.array([True, False]))
    assert first == {"copies": 1.0, "won": 1.0, "killed_time": pytest.approx(2.9)}
    both = recorded_copies(model, np.array([True, True]))
    assert both == {"copies": 2.0, "won": 1.0, "killed_time": pytest.approx(4.9)}


def test_the_recorded_makespan_is_that_of_the_jobs_in_the_figures():
    jobs = pd.DataFrame({"submit": [0.0, 3.0, 5.0], "end": [90.0, 8.0, 7.0]})
    question = SimpleNamespace(model=SimpleNamespace(jobs=jobs), kept=np.array([False, True, True]))
    recorded, simulated = _makespans(question, [SimpleNamespace(makespan=4.0), SimpleNamespace(makespan=6.0)])
    assert recorded == 5.0
    assert simulated.tolist() == [4.0, 6.0]
