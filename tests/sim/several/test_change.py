"""Changes between runs: how often intervals hold them, and what a gate says by chance and of a true one."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from sim.advice.several.after import EXIT, FAILS, FALSE_ALARM, PASSES, UNTOLD, After, judge, read_condition
from sim.advice.several.change import (
    BY_NOTHING,
    BY_RUNS,
    FEWEST,
    Swaps,
    blocks_of,
    changes_of,
    evidence,
    told,
)
from sim.advice.several.report import (
    after_html,
    after_json,
    after_text,
    gate_html,
    gate_json,
    gate_junit,
    gate_markdown,
    gate_text,
)
from sim.advice.several.sides import sides_of
from sim.model.fields import BadInput
from sim.model.statistics import Estimate
from tests.sim.several.runs import history, job_times

CHANCE = 1e-6
#: Runs in which many jobs run apart from each other.
APART = {"jobs": 80, "load": 0.2}


def code(jobs, *conditions, before=1):
    return judge(changes_of(jobs, before), [read_condition(one) for one in conditions]).code


def chance(jobs, limit, quantile=0.0):
    """Return how likely so large a change is seen if the true one is the limit: what a gate looks at.

    Where too few jobs run apart, behind one giant, it is 1: nothing is told.
    """
    swaps = Swaps(jobs.time[:, 0], jobs.time[:, 1], blocks_of(jobs), quantile)
    return float(swaps.larger(np.array([1 + limit]))[0]) if swaps.blocks >= FEWEST else 1.0


@pytest.mark.parametrize("index", [2.5, 1.5])
def test_a_gate_seldom_fails_without_a_change_above_its_limit(index):
    """Where the change is the limit itself, it fails with probability 1 % at most, whatever the tail."""
    runs, failed, told = 80, np.zeros(3, int), 0
    for seed in range(runs):
        same = job_times(seed, index=index, **APART)
        slower = job_times(seed, index=index, change=1.1, **APART)
        chances = chance(same, 0.0), chance(same, 0.0, 0.5), chance(slower, 0.1)
        failed += np.array(chances) <= FALSE_ALARM
        told += max(chances) < 1
    most = stats.binom.ppf(1 - CHANCE, runs, FALSE_ALARM)
    assert failed.max() <= most < 0.12 * runs
    assert told > runs / 2


def test_a_gate_sees_a_large_change_and_passes_a_large_gain():
    assert [code(job_times(seed, change=2.0, **APART), "p50 > +10%") for seed in range(3)] == [1] * 3
    assert [code(job_times(seed, change=0.4, **APART), "p50 > +10%") for seed in range(3)] == [0] * 3


def test_intervals_hold_the_change():
    runs, change = 20, 1.3
    held = {"mean": 0, "p50": 0}
    for seed in range(runs):
        jobs = job_times(seed + 500, change=change, **APART)
        for name, quantile in (("mean", 0.0), ("p50", 0.5)):
            one = Swaps(jobs.time[:, 0], jobs.time[:, 1], blocks_of(jobs), quantile).interval()
            held[name] += one.low <= change - 1 <= one.high
    least = stats.binom.ppf(CHANCE, runs, 0.95)
    assert least >= 0.6 * runs
    assert min(held.values()) >= least


def test_chances_are_those_of_all_swaps():
    random = np.random.default_rng(4)
    before, after = random.exponential(1, 12), random.exponential(1.2, 12)
    block = np.repeat(np.arange(9), [1, 2, 1, 2, 1, 1, 1, 2, 1])
    seen, count = 0, 0
    for signs in product((1, -1), repeat=9):
        kept = np.array(signs)[block] > 0
        late, early = np.where(kept, after / 1.1, before), np.where(kept, before, after / 1.1)
        seen += late.sum() - early.sum() >= (after / 1.1).sum() - before.sum() - 1e-9
        count += 1
    assert Swaps(before, after, block).larger(np.array([1.1]))[0] == pytest.approx(seen / count)


def test_jobs_that_run_at_the_same_time_are_one_block_and_tell_nothing():
    jobs = job_times(1, jobs=60, load=3.0)
    assert blocks_of(jobs).max() + 1 < FEWEST
    one = changes_of(jobs, 1).change["mean"]
    assert (one.over, one.share.low, one.larger(0.1)) == (BY_NOTHING, None, None)
    assert one.reason.endswith("jobs overlap (one group)")
    assert one.untold.endswith("Record two runs of each side.")
    assert code(jobs, "mean > +10%") == EXIT[UNTOLD]


def test_a_handful_of_jobs_and_a_quantile_of_few_cannot_be_told():
    assert code(job_times(1, jobs=6, load=0.1, change=5.0), "mean > +10%") == EXIT[UNTOLD]
    few = changes_of(job_times(1, jobs=25, load=0.1), 1)
    assert "too few of 25 jobs decide" in few.change["p99"].reason
    assert judge(few, [read_condition("p99 > +10%")]).verdict == UNTOLD


@pytest.mark.parametrize(
    ("share", "useful"),
    [
        (Estimate(0.1, -0.88, 4.21), False),
        (Estimate(0.0, -0.5, 1.0), False),
        (Estimate(0.1, -0.45, 2.0), False),
        (Estimate(0.0, -0.5, 0.99), True),
        (Estimate(2.0, 0.1, 9.0), True),  # its direction is told
        (Estimate(-0.5, -0.9, -0.1), True),
    ],
)
def test_an_interval_too_wide_to_be_of_use_is_no_headline(share, useful):
    """Shell, file and Markdown say the same: these runs cannot tell it, and what to record next."""
    known = changes_of(job_times(1, **APART), 1)
    found = replace(known, change=known.change | {"mean": replace(known.change["mean"], share=share)})
    run = history(1)
    sides = sides_of(run, run, np.array([[0, 0]]))
    one = After(found, {}, sides)
    if useful:
        assert "%" in one.sentence
        assert not found.change["mean"].untold
        return
    said = found.change["mean"].untold
    assert one.sentence == said
    assert not re.search(r"[+-]?\d+ ?%", said)
    assert said.startswith("One run a side cannot tell by what the mean job time changed")
    assert said.endswith("Record two runs of each side.")
    assert after_text(one).startswith(said)
    assert after_json(one)["figures"]["mean"]["change"] == share.as_dict()
    gate = judge(found, [read_condition("mean > +0%")], sides)
    assert gate.verdict == UNTOLD
    for text in (after_html(one), gate_text(gate), gate_html(gate), gate_markdown(gate)):
        assert said in text


def test_days_that_differ_are_seen_by_several_runs_only():
    """With a whole run slower by chance, one run each fails often; four runs of each seldom do."""
    runs, day = 16, {"day": 0.3, **APART}
    one = sum(chance(job_times(seed, **day), 0.0) <= FALSE_ALARM for seed in range(runs))
    many = 0
    for seed in range(runs):
        found = changes_of(job_times(seed, runs=8, **day), 4)
        assert found.change["mean"].over == BY_RUNS
        many += judge(found, [read_condition("mean > +0%")]).code == 1
    assert many <= stats.binom.ppf(1 - CHANCE, runs, FALSE_ALARM) < one


def test_a_sequential_test_keeps_its_promise_over_all_looks():
    """Without a change, pairs of runs speak of one at any of 40 looks with probability 5 % at most."""
    random, runs = np.random.default_rng(6), 200
    ever = sum(
        any(evidence(z[:count]) >= 20 for count in range(2, 41)) for z in random.normal(0, 1, (runs, 40))
    )
    assert ever <= stats.binom.ppf(1 - CHANCE, runs, 0.05)
    found = sum(any(evidence(z[:n]) >= 20 for n in range(2, 41)) for z in random.normal(1, 1, (50, 40)))
    assert found >= 45


def test_how_many_more_pairs_are_needed_is_what_tells():
    z = [0.3, 0.25, 0.5]
    now = told([*z, -0.1])
    assert not now.told
    spread = np.std([*z, -0.1], ddof=1)
    mean = np.mean([*z, -0.1])
    count = 4 + now.more
    like = mean + spread * math.sqrt((count - 1) / count) * np.array(
        [-1, 1] * (count // 2) + [0] * (count % 2)
    )
    like = mean + (like - like.mean()) * spread / np.std(like, ddof=1)
    assert evidence(like) >= 20 > evidence(like[: count - 2])


@pytest.mark.parametrize(
    "text", ["p90 > 10%", "mean < 10%", "mean > 10", "mean > ten%", "", "mean > -100%", "mean > 1e3%"]
)
def test_a_condition_that_is_not_accepted_is_told_what_is(text):
    with pytest.raises(BadInput, match=r"fail-if: .* is not accepted; give a figure.*p95.*slot-time"):
        read_condition(text)


def test_reports_of_a_gate_are_what_pipelines_read():
    found = judge(
        changes_of(job_times(2, change=2.0, **APART), 1),
        [read_condition(one) for one in ("p50 > +10%", "p50 > +900%", "p99 > +150%")],
    )
    assert [one.verdict for one in found.judged] == [FAILS, PASSES, UNTOLD]
    suite = ET.fromstring(gate_junit(found))
    assert suite.attrib == {"name": "gate", "errors": "0", "tests": "3", "failures": "1", "skipped": "1"}
    assert [[inner.tag for inner in case] for case in suite] == [["failure"], [], ["skipped"]]
    rows = [line for line in gate_markdown(found).splitlines() if line.startswith("| p")]
    assert [row.split(" | ")[1] for row in rows] == [FAILS, PASSES, UNTOLD]
    answer = json.loads(json.dumps(gate_json(found), allow_nan=False))
    assert (answer["verdict"], answer["exit_code"]) == (FAILS, 1)
    assert answer["figures"]["p50"]["change"]["low"] > 0.1
