"""Before and after do not change places, and options move what they are about: bands, reruns, and runs."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sim.advice.several import after as module
from sim.advice.several import report
from sim.advice.several.after import Band, promised
from sim.advice.several.change import BY_RERUNS, changes_of
from sim.advice.several.reruns import Reruns
from sim.model.fields import BadInput
from sim.shell.verbs import main
from tests.sim.several.runs import job_times
from tests.sim.several.test_limits import figures, opposite

SIDE = {"mean": 0.0, "p50": 0.5, "p95": 0.95, "p99": 0.99, "slot-time": 0.0}


def test_one_run_a_side_changed_places_tells_the_same_backwards_and_the_last_runs_are_compared() -> None:
    jobs = job_times(7, jobs=60, load=0.1, change=1.4)
    back = replace(jobs, **{name: getattr(jobs, name)[:, ::-1] for name in ("time", "submit", "end")})
    back = replace(back, slot_time=jobs.slot_time[:, ::-1])
    here, there = changes_of(jobs, 1).change, changes_of(back, 1).change
    for name in SIDE:
        one, other = here[name], there[name]
        assert (one.before, one.after) == (other.after, other.before)
        for limit in (0.0, 0.2, 0.4, 1.0):
            assert one.larger(limit) == pytest.approx(other.smaller(1 / (1 + limit) - 1))
        for end, turned in (("value", "value"), ("low", "high"), ("high", "low")):
            a, b = getattr(one.share, end), getattr(other.share, turned)
            assert (a is None) == (b is None), (name, end)
            assert a is None or math.log1p(a) == pytest.approx(-math.log1p(b), abs=3e-3)
    three = job_times(5, jobs=60, load=0.1, change=1.4, runs=3)  # of which the last two are after
    for before, last in ((1, [0, 2]), (2, [1, 2])):
        pair = replace(three, time=three.time[:, last], slot_time=three.slot_time[:, last])
        pair = replace(pair, submit=three.submit[:, last], end=three.end[:, last])
        found, of_last = changes_of(three, before), changes_of(pair, 1)
        if found.blocks == of_last.blocks:
            assert found.change["mean"].share == of_last.change["mean"].share
        assert found.change["mean"].share.value == of_last.change["mean"].share.value
        assert found.change["mean"].before == pytest.approx(three.time[:, :before].mean())


def test_reruns_shift_the_change_and_their_most_is_its_least() -> None:
    """Of jobs that overlap: luck made the later run longer by up to 50 % and shorter by up to 10 %."""
    jobs = job_times(1, jobs=60, load=3.0)
    luck = dict.fromkeys(("mean", "p95"), np.linspace(math.log(0.9), math.log(1.5), 401))
    found = changes_of(jobs, 1, Reruns({name: np.zeros(1) for name in luck}, luck)).change
    for name in luck:
        one, (low, high) = found[name], np.quantile(luck[name], (0.025, 0.975))
        value = math.log1p(one.share.value)
        assert (one.over, one.larger(0.0)) == (BY_RERUNS, None)
        assert [one.share.low, one.share.high] == pytest.approx(np.expm1([value - high, value - low]))
    assert found["p50"].share.low is None


@pytest.mark.parametrize("wide", [1.0, 1.5])
def test_a_band_holds_its_ends_and_is_of_its_own_figure(monkeypatch: pytest.MonkeyPatch, wide: float) -> None:
    assert [Band(1.0, 2.0, 3.0, 9.0, came).kept for came in (0.999, 1.0, 3.0, 3.001)] == [0, 1, 1, 0]
    monkeypatch.setattr(module, "today", lambda history: history)
    jobs = opposite(2, 3)
    plays = {name: np.geomspace(1, 9, 41) * (2 + place) for place, name in enumerate(SIDE)}
    run: Any = SimpleNamespace(checked=SimpleNamespace(widened=wide, verdict="fair"))
    found = promised(run, plays, "now", "then", jobs)  # type: ignore[arg-type]
    assert (found.setting, found.verdict) == (("now", "then"), "fair")
    for name, values in figures(jobs).items():
        band, (low, middle, high) = found.bands[name], np.quantile(plays[name], (0.05, 0.5, 0.95))
        assert (band.middle, band.low) == pytest.approx((middle, max(0, middle - wide * (middle - low))))
        assert band.high == pytest.approx(middle + wide * (high - middle))
        if name not in ("p50", "p95", "p99"):  # quantiles of What-if lie between two jobs
            assert (band.before, band.after) == pytest.approx((values[0], values[-1]))


def test_the_run_before_is_promised_the_later_setting_and_each_is_rerun_under_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Any] = []

    def replayed(history: str, rows: np.ndarray, seed: int, count: int, player: object) -> Any:
        def plays(text: str, player: object) -> dict[str, np.ndarray]:
            asked.append((history, int(rows[0]), seed, count, text))
            return {"mean": np.array([1.0, 2.0]) * (1 + (history == "b"))}

        return SimpleNamespace(plays=plays, checked=SimpleNamespace(widened=1.0, verdict="good"))

    jobs = job_times(1, jobs=60, load=3.0)
    jobs = replace(jobs, rows=jobs.rows + np.array([0, 100]))
    monkeypatch.setattr(module, "today", lambda history: f"of {history}")
    monkeypatch.setattr(module, "replayed", replayed)
    monkeypatch.setattr(module, "paired_jobs", lambda both, leave_out: jobs)
    known = module.After(changes_of(jobs, 1), {}, None)  # type: ignore[arg-type]
    found = module.with_replays(known, "a", "b", 30, 5)  # type: ignore[arg-type]
    assert asked == [("a", 0, 5, 30, "of b"), ("a", 0, 5, 30, "of a"), ("b", 100, 6, 30, "of b")]
    assert found.promise is not None
    assert found.promise.setting == ("of a", "of b")
    assert found.found.change["mean"].over == BY_RERUNS
    given: list[Any] = []

    def compared(*sides: Any, **more: Any) -> Any:
        given.append((sides, more))
        raise BadInput("seen")

    monkeypatch.setattr(report, "read_sides", lambda *sides: given.extend(sides) or ("early", "late", "x"))
    monkeypatch.setattr(report, "compared", compared)
    words = ["--more-before=c", "--more-after=d", "--replications=30", "--leave-out=x", "--left-out=gone"]
    assert main(["after", "a", "b", *words]) == 2
    assert capsys.readouterr().err.startswith("sim: seen")
    assert given[:2] + given[3:] == [
        *(["a", "c"], ["b", "d"], "x", "gone", (("early", "late", 30), {"leave_out": "x"}))
    ]
