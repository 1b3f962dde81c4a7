"""Luck tested against properties that should not affect it; closed loops; jobs that are gone."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from sim.advice.whatif.check import LARGER, SURE, _residuals, _weights, residuals
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay, replicate
from sim.engines.slots.scenario import read_policy
from sim.logs.formats import read_history
from sim.logs.history import SCHEMAS, table_of
from sim.logs.leaving_out import GONE
from sim.logs.samples import spark
from tests.sim.logs.test_hierarchy import stages
from tests.sim.logs.truth import exponential, generated, lognormal, pareto

NONE = [read_policy("fifo+none")]


def test_luck_alone_goes_along_with_nothing():
    """Each of about 25 comparisons is a false alarm with a chance of `SURE`: three would be once in 500."""
    alarms = 0
    for seed, law in enumerate((pareto(1.6), lognormal(0.4), exponential, lognormal(0.8))):
        alarms += sum(one.clear for one in residuals(fit(generated(seed, law, stages=12, tasks=24))))
    assert SURE == 0.01
    assert alarms <= 2


def test_spells_of_a_host_are_found_and_say_so():
    """In each stage another host of five is three times slower: too short to be part of the fit."""

    def duration(random, stage, task):
        spell = (task + 7 * stage) % 20 % 5 == 3 * stage % 5
        return 2 * np.exp(random.normal(0, 0.3)) * (3 if spell else 1)

    found = {one.name: one for one in residuals(fit(stages(1, 30, 20, duration)))}
    assert found["host and time"].grade == "poor"
    assert "depends on host and time" in found["host and time"].sentence
    assert not found["host"].clear


@pytest.mark.parametrize(
    ("longer", "every", "grade"),
    [
        pytest.param(0.03, 2, "fair", id="long tasks hardly differ"),
        pytest.param(0.3, 2, "poor", id="long tasks differ"),
        pytest.param(0.03, 30, "poor", id="hardly a job is long, so that p95 is of short ones"),
        pytest.param(0.3, 10, "poor", id="few long tasks differ"),
    ],
)
def test_spells_count_by_what_they_cost_jobs(longer, every, grade):
    """Tasks of milliseconds come in spells of three times; those of every so many stages in some percent."""

    def duration(random, stage, task):
        spell = (task + 7 * stage) % 20 % 5 == (stage // 6) % 5
        short = stage % every != 0
        noise = np.exp(random.normal(0, 0.1 if short else 0.02))
        return (0.01 if short else 2) * noise * (1 + (2 if short else longer) * spell)

    found = {one.name: one for one in residuals(fit(stages(1, 90, 20, duration)))}["host and time"]
    assert found.clear
    assert found.grade == grade
    assert found.spread >= 0.4 * np.log1p(longer)  # one in five is so much longer
    assert ("durations differ by at most" in found.about) == (grade == "fair")


@pytest.mark.parametrize(("spells_of", "grade"), [("warm-up", "fair"), ("work", "poor")])
def test_a_warm_up_in_spells_of_a_host_makes_no_model_poor(spells_of, grade):
    """Tasks of 0.4 s hardly vary but by spells; those of 3 s have so much luck that little is excluded."""

    def duration(random, stage, task):
        spell = (task + 7 * stage) % 20 % 5 == (stage // 6) % 5
        if stage % 3 == 0:
            return 0.4 * np.exp(random.normal(0, 0.02)) * (2 if spell and spells_of == "warm-up" else 1)
        luck = np.exp(random.normal(0, 0.5)) * (random.uniform(3, 12) if random.random() < 0.06 else 1)
        return 3.0 * luck * (4 if spell and spells_of == "work" else 1)

    names = ("warm", "work", "work")
    model = fit(stages(7, 60, 20, duration, names=names))
    found = {one.name: one for one in residuals(model)}["host and time"]
    assert found.clear
    assert found.grade == grade


@pytest.mark.parametrize(("every", "large"), [(2, [1.0, 0.0]), (30, [1.0, 1.0])])
def test_copies_count_by_seconds_by_job_time_and_alike_in_large_jobs(every, large):
    """Every so many stages, each a job, takes 2 s for each of 20 tasks, the others 0.01 s."""
    model = fit(stages(1, 90, 20, lambda random, stage, task: 0.01 if stage % every else 2.0 + 0.1 * task))
    copies = model.history.frame("copies").loc[model.evidence.rows]
    seconds, job_time, alike = (
        np.bincount(copies["stage"], weight)[:2] for weight in _weights(model, copies)
    )
    np.testing.assert_allclose(seconds, [59.0, 0.2])
    np.testing.assert_allclose(job_time, [3.9, 0.01])
    np.testing.assert_allclose(alike, large)


@pytest.mark.parametrize("few", [False, True], ids=["all count", "one in six counts"])
def test_the_spread_is_larger_than_said_as_rarely_as_is_said(few):
    """Of 60 histories three are expected; more than nine are once in 900, if the bound holds."""
    beyond, told = 0, []
    for seed in range(60):
        random = np.random.default_rng(seed)
        stage, group = np.repeat(np.arange(30), 16), random.integers(0, 40, 480)
        effect = random.normal(0, 0.05, 40)[group]
        weight = np.where(random.random(480) < 1 / 6, 1.0, 1e-6) if few else np.ones(480)
        luck = effect + random.normal(0, 0.1, 480)
        groups = {"host": pd.Series([f"g{one:02d}" for one in group])}
        (found,) = _residuals(rankdata(luck), luck, weight[None], stage, groups)
        means = np.bincount(stage, weight * effect) / np.bincount(stage, weight)
        real = np.average((effect - means[stage]) ** 2, weights=weight) ** 0.5
        beyond += found.spread < real
        told.append(found.spread / real)
    assert LARGER == 0.05
    assert beyond <= 9
    assert np.median(told) < 2.5, "a bound that says something"


def test_what_has_no_copy_among_those_looked_at_could_depend_by_all_of_luck():
    random = np.random.default_rng(3)
    luck, groups = random.normal(0, 0.1, 480), {"host": pd.Series(random.choice(["a", "b"], 480))}
    stage, none = np.repeat(np.arange(30), 16), np.zeros(480)
    (one,) = _residuals(rankdata(luck), luck, np.ones((1, 480)), stage, groups)
    (other,) = _residuals(rankdata(luck), luck, np.array([np.ones(480), none]), stage, groups)
    assert one.spread < 0.05 < other.spread == pytest.approx(luck.std())


def test_groups_are_in_order_and_named_by_what_they_hold():
    """Medians and counts of groups by another route: straight from the evidence and the log."""
    model = fit(generated(3, lognormal(0.5), stages=12, tasks=24))
    found = {one.name: one for one in residuals(model)}
    copies = model.history.frame("copies").loc[model.evidence.rows]
    host = found["host"].groups
    assert host["group"].tolist() == sorted(copies["host"].unique())
    factor = np.exp(model.evidence.luck)
    for _, name, count, luck, low, high in host.itertuples():
        own = factor[copies["host"].eq(name).to_numpy()]
        assert (count, luck) == (own.size, pytest.approx(np.median(own)))
        assert low <= luck <= high
    launch = (copies["launch"] - copies["launch"].min()).to_numpy(float)
    begins = [float(text.partition(" ")[0]) for text in found["time"].groups["group"]]
    assert begins == sorted(begins)
    assert begins[0] == 0
    assert len(begins) == 8
    assert found["time"].groups["copies"].sum() == launch.size
    assert found["time"].groups["copies"].between(launch.size // 8 - 1, launch.size // 8 + 1).all()
    assert "bytes read" not in found  # all read alike


@pytest.mark.parametrize("seed", [1, 2])
def test_records_are_looked_at_and_found_where_the_model_does_not_know_them(seed):
    """Bytes differ a little and say nothing; durations go by the records: the model knows both."""

    def known(history):
        random = np.random.default_rng(seed)
        copies = history.frame("copies")
        size = np.exp(random.normal(0, 0.6, len(copies)))
        copies["records"] = np.rint(1000 * size)
        copies["bytes"] = np.rint(1e6 * np.exp(random.normal(0, 0.02, len(copies))))
        copies["end"] = copies["began"] + (copies["end"] - copies["began"]) * size
        return dataclasses.replace(history, copies=table_of(copies, SCHEMAS["copies"]))

    model = fit(known(generated(seed, lognormal(0.3), stages=12, tasks=24)))
    found = {one.name: one for one in residuals(model)}
    assert not found["records read"].clear
    assert not found["bytes read"].clear
    luck = model.evidence.luck + model.evidence.copies.seen_work()  # as if they were unknown
    blind = dataclasses.replace(model, evidence=dataclasses.replace(model.evidence, luck=luck))
    found = {one.name: one for one in residuals(blind)}
    assert found["records read"].grade == "poor"


def test_a_closed_loop_is_played_as_one():
    """Stages one after the other: a faster cluster ends the whole sooner; the recorded makespan is met."""
    model = fit(generated(5, lognormal(0.4), stages=15, tasks=20))
    assert (model.after[1:] == np.arange(14)).all()
    none, copied = replicate(
        Replay(model), [*NONE, read_policy("fifo+spark:multiplier=1.2,quantile=0.5")], range(6)
    )
    recorded = float(model.jobs["end"].max())
    assert np.mean([play.makespan for play in none]) == pytest.approx(recorded, rel=0.08)
    gain = [a.job_times.sum() - b.job_times.sum() for a, b in zip(none, copied, strict=True)]
    sooner = [a.makespan - b.makespan for a, b in zip(none, copied, strict=True)]
    assert sooner == pytest.approx(gain)
    twice = replicate(Replay(model, rate=2.0), NONE, range(6))[0]
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
    asked = Replay(gone)
    ran = float(gone.work.sum()) * gone.law.mean
    assert asked.load == pytest.approx(ran / (12 * float(gone.jobs["submit"].max())), rel=0.05)
