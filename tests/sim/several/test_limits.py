"""A limit of a gate decides at its very value: of each figure, by the right end, and with a shared alarm."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from sim.advice.several.after import FAILS, FALSE_ALARM, PASSES, UNTOLD, judge, read_condition
from sim.advice.several.change import BY_RERUNS, changes_of, evidence, told
from sim.advice.several.matching import PairedJobs

ENDS = [PASSES, FAILS, UNTOLD]


def opposite(before: int, after: int) -> PairedJobs:
    """Return 40 jobs apart: after the change the mean is less and the p95 more, slot-time most; p50 stays."""
    random = np.random.default_rng(3)
    base = np.r_[np.full(30, 10.0), np.full(7, 40.0), np.full(3, 50.0)]
    factor = np.r_[np.full(10, 0.4), np.full(20, 1.0), np.full(7, 0.4), np.full(3, 1.4)]
    late = np.arange(before + after) >= before
    run = np.exp(random.normal(0, 0.02, before + after))
    time = base[:, None] * np.where(late, factor[:, None], 1.0) * run
    slots = time * np.where(late, 1.9, 1.0)
    submit = np.arange(40.0)[:, None] * 1000 + np.zeros(before + after)
    rows = np.arange(40)[:, None] + 100 * np.arange(before + after)
    names = tuple(f"job {number}" for number in range(40))
    return PairedJobs(time, slots, submit, submit + time, names, rows, "names", (0,) * (before + after))


def figures(jobs: PairedJobs) -> dict[str, np.ndarray]:
    """Return each figure of each run, by hand: quantiles are the job at that place of 40."""
    ordered = np.sort(jobs.time, axis=0)
    found = {"mean": jobs.time.mean(axis=0), "p50": ordered[19], "p95": ordered[37], "p99": ordered[39]}
    return found | {"slot-time": jobs.slot_time.mean(axis=0)}


@pytest.mark.parametrize("sides", [(2, 3), (3, 2), (1, 4)])
def test_runs_tell_each_figure_as_the_t_test_does_and_a_limit_decides_where_it_is_crossed(sides: Any) -> None:
    jobs, before = opposite(*sides), sides[0]
    found = changes_of(jobs, before)
    assert found.runs == sides
    assert found.last_rows.tolist() == [[row + 100 * (before - 1), row + 400] for row in range(40)]
    for name, values in figures(jobs).items():
        one, early, late = found.change[name], np.log(values[:before]), np.log(values[before:])
        test = stats.ttest_ind(late, early)
        assert (one.before, one.after) == pytest.approx((values[:before].mean(), values[before:].mean()))
        ends = [late.mean() - early.mean(), *test.confidence_interval(0.95)]
        assert [one.share.value, one.share.low, one.share.high] == pytest.approx(np.expm1(ends))
        for others in (0, 1, 2):  # conditions beside it, which pass: the false alarm is shared
            rest = [read_condition("p50 > +900%")] * others

            def sure(limit: float, others: int = others, late: Any = late, early: Any = early) -> float:
                odds = stats.ttest_ind(late - math.log1p(limit), early, alternative="greater").pvalue
                return float(odds) - 0.01 / (1 + others)

            edge = optimize.brentq(sure, -0.99, one.share.value)
            for limit, verdict in (
                *((edge - 1e-6, FAILS), (edge + 1e-6, UNTOLD), (one.share.value, UNTOLD)),
                *((one.share.high - 1e-9, UNTOLD), (one.share.high, PASSES), (9.0, PASSES)),
            ):
                gate = judge(found, [*rest, replace(read_condition(f"{name} > 0%"), limit=limit)])
                assert gate.judged[-1].verdict == gate.verdict == verdict, (name, limit)
    assert found.change["mean"].share.high < 0 < found.change["p95"].share.low


def seen(above: float | None, below: float | None, high: float | None) -> Any:
    """Return a change with these chances at a limit of 10 % and none at others."""
    real = changes_of(opposite(2, 2), 2).change["mean"]

    class Known(type(real)):  # type: ignore[misc]
        def larger(self, limit: float) -> float | None:
            return above if limit == 0.1 else 0.5

        def smaller(self, limit: float) -> float | None:
            return below if limit == 0.1 else 0.5

    share = replace(real.share, value=0.1, low=-0.3, high=high)
    return Known(**vars(replace(real, share=share, over=BY_RERUNS)))


@pytest.mark.parametrize("many", [1, 2, 4])
@pytest.mark.parametrize(
    ("above", "below", "high", "verdict"),
    [
        *((1.0, 60, 0.4, FAILS), (1.0000001, 60, 0.4, UNTOLD), (None, None, 0.4, UNTOLD)),
        *((60, 1.0, 0.4, PASSES), (60, 1.0000001, 0.4, UNTOLD), (60, 60, 0.1, PASSES)),
        *((60, 60, 0.1000001, UNTOLD), (60, 60, None, UNTOLD), (None, None, 0.1, PASSES)),
        (1.0, 1.0, 0.1, FAILS),
    ],
)
def test_a_chance_or_an_end_at_its_limit_decides(
    above: Any, below: Any, high: Any, verdict: str, many: int
) -> None:
    """Chances are in those of one condition."""
    alarm = FALSE_ALARM / many
    one = seen(*(chance and (chance * alarm if chance < 2 else 0.6) for chance in (above, below)), high)
    found = replace(changes_of(opposite(2, 2), 2), change={"mean": one, "p95": one})
    for place in range(many):  # whichever comes first
        texts = ["p95 > +10%"] * many
        texts[place] = "mean > +10%"
        assert [item.verdict for item in judge(found, list(map(read_condition, texts))).judged] == [
            verdict
        ] * many


def test_a_gate_comes_to_its_worst_condition_wherever_it_stands() -> None:
    found = changes_of(opposite(3, 3), 3)
    texts = {PASSES: "mean > +0%", FAILS: "p95 > +0%", UNTOLD: "p50 > +0%"}
    for first in ENDS:
        for second in ENDS:
            gate = judge(found, [read_condition(texts[one]) for one in (first, second)])
            assert [one.verdict for one in gate.judged] == [first, second]
            worst = next(one for one in (FAILS, UNTOLD, PASSES) if one in (first, second))
            assert (gate.verdict, gate.code) == (worst, {PASSES: 0, FAILS: 1, UNTOLD: 3}[worst])
    assert read_condition("p95 > -5%").limit == -0.05
    assert read_condition("makespan > 1000%").limit == 10.0


def test_a_sequence_tells_at_its_false_alarm_and_asks_for_as_many_pairs_as_it_lacks() -> None:
    z = [0.2, 0.3, 0.35]
    ratio = evidence(z)
    assert told(z, false_alarm=1 / ratio).told
    assert not told(z, false_alarm=(1 - 1e-9) / ratio).told
    assert evidence([-one for one in z]) == pytest.approx(ratio)
