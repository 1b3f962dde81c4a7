"""Intervals keep their promise where they are given: the recorded coverage, and a quick new measurement."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from sim.engines.registry import ENGINES, PRESETS
from sim.engines.slots.scenario import SlotScenario
from sim.model.outcome import (
    interval_is_reliable,
    jobs_needed,
    leading,
    moments_needed,
    spare_slots,
    tail_index,
)
from sim.running.experiment import Experiment, compare
from tests.agreement import FALSE_ALARM
from tests.benchmarks.coverage import (
    LAWS,
    METHODS,
    MOST_TASKS,
    SYSTEMS,
    N,
    covered,
    idle,
    marked,
    scenario,
    single_server,
    slowest,
    slowest_quantile,
    waits,
)
from tests.benchmarks.coverage_table import ENOUGH, Row, recorded

QUICK = 40


ROWS = recorded(list(METHODS))


def too_low(row: Row) -> bool:
    """Whether a row shows, at 1 %, that less than enough is covered."""
    hits = round(row.covered["Student"] * row.experiments)
    return bool(stats.binom.cdf(hits, row.experiments, ENOUGH) < 0.01)


def test_every_system_law_and_method_is_recorded() -> None:
    assert {(row.system, row.law) for row in ROWS} == set(itertools.product(SYSTEMS, LAWS))
    assert {name for row in ROWS for name in row.covered} == set(METHODS)
    assert all(row.experiments >= 100 for row in ROWS)


def test_every_recorded_interval_covers_enough_or_is_marked() -> None:
    assert [row for row in ROWS if row.reliable and too_low(row)] == []
    assert sum(row.reliable for row in ROWS) > len(ROWS) / 2


def test_what_is_recorded_as_marked_is_what_is_marked() -> None:
    for row in ROWS:
        assert row.reliable == marked(row.system, row.law, row.statistic), row


def test_the_marks_are_needed() -> None:
    """Most of the marked means cover less than enough."""
    means = [row for row in ROWS if row.statistic == "mean" and not row.reliable]
    assert np.mean([too_low(row) for row in means]) > 0.5


@pytest.mark.parametrize("simulate", [idle, single_server])
@pytest.mark.parametrize("law", LAWS)
def test_what_covers_and_what_does_not_is_measured_again(simulate, law) -> None:
    """A correct program fails with probability 1e-6: the binomial test of 93 % on other seeds."""
    fields = {"slots": 1_000_000, "load": 0.01} if simulate is idle else {"slots": 1, "load": 0.7}
    known = scenario(LAWS[law], **fields)
    for statistic, found in simulate(LAWS[law], QUICK, seed=7).items():
        of = statistic if statistic.startswith("p") else "mean"
        hits = round(covered(found) * QUICK)
        if interval_is_reliable(known, "flowtime", of):
            assert stats.binom.cdf(hits, QUICK, ENOUGH) > FALSE_ALARM, (law, statistic, hits)
    if simulate is single_server and law in ("1.5", "2", "2.5"):
        hits = round(covered(simulate(LAWS[law], QUICK)["mean"]) * QUICK)
        assert stats.binom.cdf(hits, QUICK, ENOUGH) < 1e-3
        assert not interval_is_reliable(known, "flowtime", "mean")


def test_an_interval_half_as_wide_would_be_noticed() -> None:
    found = single_server(math.inf, 150, seed=7)["mean"]
    half = 0.5 * stats.t.ppf(0.975, N - 1) * stats.sem(found.values, axis=1)
    hits = int((np.abs(found.values.mean(1) - found.truth) <= half).sum())
    assert stats.binom.cdf(hits, 150, ENOUGH) < FALSE_ALARM


@pytest.mark.parametrize("tail", [2.5, math.inf])
def test_the_idle_cluster_of_the_benchmark_is_the_engines(tail: float) -> None:
    alone = scenario(tail, slots=2000, load=0.01).replace(jobs=4000, warm_up=0)
    result = compare(Experiment.of_texts(alone, ["fifo+none"]), replications=4).policies["fifo+none"]
    for statistic, expected in (("mean", slowest(tail)), ("p50", slowest_quantile(tail, 0.5))):
        values = np.array(result.values("flowtime", statistic), float)
        assert values.mean() == pytest.approx(expected, rel=0.04)
    assert alone.tasks_max == MOST_TASKS


def test_the_waits_of_the_benchmark_are_those_of_erlang() -> None:
    rng = np.random.default_rng(3)
    found = np.array([waits(math.inf, N, rng)[0].mean() for _ in range(40)])
    assert found.mean() == pytest.approx(0.7 / 0.3, rel=0.05)


@pytest.mark.parametrize(
    ("fields", "measure", "statistic", "known"),
    [
        ({"straggle_tail": 2.01, "load": 0.3}, "flowtime", "mean", True),
        ({"straggle_tail": 2.0, "load": 0.3}, "flowtime", "mean", False),
        ({"straggle_tail": 2.0, "load": 0.3}, "flowtime", "p95", True),
        ({"straggle_tail": 2.0, "load": 0.3}, "resource", "mean", False),
        ({"straggle": "bounded-pareto", "load": 0.3}, "flowtime", "mean", True),
        ({"straggle": "outlier", "straggle_tail": 1.9, "load": 0.3}, "flowtime", "mean", False),
        (
            {"straggle": "exponential", "size": "pareto", "size_tail": 2, "load": 0.3},
            "flowtime",
            "mean",
            False,
        ),
        ({"slots": 1, "straggle_tail": 3.0, "tasks_max": 1, "load": 0.3}, "flowtime", "mean", False),
        ({"slots": 1, "straggle_tail": 3.1, "tasks_max": 1, "load": 0.3}, "flowtime", "mean", True),
        ({"slots": 1, "straggle_tail": 2.5, "tasks_max": 1, "load": 0.3}, "flowtime", "p50", True),
        ({"straggle": "exponential", "load": 0.95}, "flowtime", "mean", False),
        ({"straggle": "exponential", "load": 0.95}, "resource", "mean", True),
        ({"straggle": "exponential", "load": 0.95, "jobs": 100_000}, "flowtime", "mean", True),
        ({"straggle": "exponential", "load": 1.1}, "flowtime", "p95", False),
        ({"jobs": 1, "warm_up": 0, "straggle_tail": 2.0}, "flowtime", "p50", False),
        ({"jobs": 1, "warm_up": 0, "straggle_tail": 2.1}, "flowtime", "p50", True),
    ],
)
def test_each_moment_and_the_length_count(fields, measure, statistic, known) -> None:
    assert interval_is_reliable(SlotScenario(**fields), measure, statistic) == known


#: Share of the intervals of a 95th percentile, of ten replications, that hold the mean of 120 to 200 of them
#: (4,000 draws of ten): the least over a preset's policies, in per cent.
COVERED = {
    "light": 95.5,
    "load-and-tail": 95.0,
    "busy": 89.4,
    "small": 85.5,
    "overloaded": 88.4,
    "hopper-fair": 86.2,
}


@pytest.mark.parametrize("name", COVERED)
def test_a_95th_percentile_of_a_preset_is_marked_where_its_interval_covers_too_little(name: str) -> None:
    assert interval_is_reliable(PRESETS[name].scenario, "flowtime", "p95") == (COVERED[name] > 100 * ENOUGH)


def test_copies_tame_the_slot_time_and_not_surely_the_flowtime() -> None:
    heavy = SlotScenario(straggle_tail=1.5, load=0.3)
    assert interval_is_reliable(heavy, "resource", "mean", copied=True)
    assert not interval_is_reliable(heavy, "flowtime", "mean", copied=True)
    assert tail_index(heavy, escaped=True) == 3


@pytest.mark.parametrize("engine", ENGINES.values(), ids=lambda one: one.key)
def test_every_engine_has_a_statistic_to_lead_with(engine) -> None:
    usual = engine.scenario(straggle="exponential", size="constant", load=0.3)
    assert leading(usual) == "mean"
    assert leading(usual.replace(straggle="pareto", straggle_tail=1.5)) == "p50"
    assert spare_slots(usual) > 1
    assert moments_needed(usual, "flowtime", "p50") == 0
    assert jobs_needed(usual) < usual.jobs


def test_an_unreliable_estimate_has_a_value_and_no_interval() -> None:
    heavy = SlotScenario(slots=50, jobs=300, tasks_max=5, load=0.3, straggle_tail=1.5)
    comparison = compare(Experiment.of_texts(heavy, ["fifo+none", "fifo+clone"]), replications=4)
    none = comparison.policies["fifo+none"].estimate("flowtime", "mean")
    assert none.value == pytest.approx(np.mean(comparison.policies["fifo+none"].values("flowtime", "mean")))
    assert (none.low, none.high, none.reliable) == (None, None, False)
    difference = comparison.difference("fifo+clone", "flowtime", "mean")
    assert (difference.low, difference.reliable) == (None, False)
    assert comparison.difference("fifo+clone", "flowtime", "p50").reliable
    kept = comparison.with_all_intervals().difference("fifo+clone", "flowtime", "mean")
    assert kept.value == difference.value
    assert kept.low is not None
