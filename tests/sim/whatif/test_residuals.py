"""Luck held against what it should not depend on; closed loops; jobs that are gone."""

from __future__ import annotations

import numpy as np
import pytest

from sim.slots.policy import read_policy
from sim.traces.formats import read_history
from sim.traces.left_out import GONE
from sim.traces.samples import spark
from sim.whatif.model import fit
from sim.whatif.residuals import SURE, residuals
from sim.whatif.runs import Question, replicate
from tests.sim.traces.test_hierarchy import stages
from tests.sim.traces.truth import exponential, generated, lognormal, pareto

NONE = [read_policy("fifo+none")]


def test_luck_alone_goes_along_with_nothing():
    """Each of about 25 comparisons is a false alarm with a chance of `SURE`: three would be once in 500."""
    alarms = 0
    for seed, law in enumerate((pareto(1.6), lognormal(0.4), exponential, lognormal(0.8))):
        alarms += sum(one.clear for one in residuals(fit(generated(seed, law, stages=12, tasks=24))))
    assert SURE == 0.01
    assert alarms <= 2


def test_spells_of_a_host_are_found_and_say_so():
    """A host in five is three times slower for six stages in thirty."""

    def duration(random, stage, task):
        spell = (task + 7 * stage) % 20 % 5 == (stage // 6) % 5
        return 2 * np.exp(random.normal(0, 0.3)) * (3 if spell else 1)

    found = {one.name: one for one in residuals(fit(stages(1, 30, 20, duration)))}
    assert found["host and time"].grade == "poor"
    assert "goes along with host and time" in found["host and time"].sentence
    assert not found["host"].clear


def test_a_closed_loop_is_played_as_one():
    """Stages one after the other: a faster cluster ends the whole sooner; the recorded makespan is met."""
    model = fit(generated(5, lognormal(0.4), stages=15, tasks=20))
    assert (model.after[1:] == np.arange(14)).all()
    none, copied = replicate(
        Question(model), [*NONE, read_policy("fifo+spark:multiplier=1.2,quantile=0.5")], range(6)
    )
    recorded = float(model.jobs["end"].max())
    assert np.mean([play.makespan for play in none]) == pytest.approx(recorded, rel=0.08)
    gain = [a.job_times.sum() - b.job_times.sum() for a, b in zip(none, copied, strict=True)]
    sooner = [a.makespan - b.makespan for a, b in zip(none, copied, strict=True)]
    assert sooner == pytest.approx(gain)
    twice = replicate(Question(model, rate=2.0), NONE, range(6))[0]
    thought = float(model.think.sum()) / 2
    assert np.mean([play.makespan for play in twice]) == pytest.approx(
        np.mean([play.makespan for play in none]) - thought
    )


def test_jobs_that_are_gone_feed_neither_arrivals_nor_load():
    history = read_history(spark(speculation=False))
    kept, gone = fit(history, leave_out="warmup"), fit(history, leave_out="warmup", left_out=GONE)
    assert (len(kept.jobs), len(gone.jobs)) == (26, 24)
    assert not gone.jobs["group"].str.contains("warmup").any()
    assert gone.jobs["submit"].iloc[0] == 0
    asked = Question(gone)
    ran = float(gone.work.sum()) * gone.law.mean
    assert asked.load == pytest.approx(ran / (12 * float(gone.jobs["submit"].max())), rel=0.05)
