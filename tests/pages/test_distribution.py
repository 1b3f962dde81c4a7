"""The CDF and the tail against quantiles computed another way."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pages.shared.live.cards import flowtimes
from sim.model.result import Comparison, Sample
from sim.running.distribution import curve, distribution, distribution_alt, ends_early, told_alike
from sim.telling.palette import palette
from tests.pages.made import SCENARIO, checked, luck, made, one, traces, trouble, words

REPLICATIONS = 4


@pytest.fixture(scope="module")
def two() -> Comparison:
    return made(
        {
            "fair+late": [one(luck(r), resource=luck(r + 50)) for r in range(REPLICATIONS)],
            "hopper": [one(0.5 * luck(r), resource=2 * luck(r + 50)) for r in range(REPLICATIONS)],
        }
    )


def smallest_with(values: np.ndarray, share: float) -> float:
    return float(np.sort(values)[int(np.ceil(round(share * values.size, 9))) - 1])


@pytest.mark.parametrize("share", [0.01, 0.5, 0.95])
@pytest.mark.parametrize("measure", ["flowtime", "resource"])
def test_each_point_is_the_mean_of_the_quantiles_of_the_replications(two, share, measure) -> None:
    seed = {"flowtime": 0, "resource": 50}[measure]
    expected = np.mean([smallest_with(luck(r + seed), share) for r in range(REPLICATIONS)])
    (line,) = traces(checked(distribution(two, False, measure=measure)), name="fair+late")
    place = int(np.argmin(np.abs(line.y - 100 * share)))
    assert line.y[place] == pytest.approx(100 * share)
    assert line.x[place] == pytest.approx(expected)


def test_the_tail_says_the_same_from_the_other_side(two) -> None:
    (body,) = traces(checked(distribution(two, False)), name="hopper")
    (tail,) = traces(checked(distribution(two, False, tail=True)), name="hopper")
    n = body.x.size
    np.testing.assert_allclose(tail.x[:n], body.x)
    np.testing.assert_allclose(tail.y[:n], 100 - body.y)
    assert tail.x.size >= n


@pytest.mark.parametrize("tail", [False, True])
def test_bands_enclose_their_curves_with_the_half_width_of_student(two, tail) -> None:
    figure = checked(distribution(two, True, tail=tail))
    left = 10 ** figure.layout.xaxis.range[0]
    for name in two.policies:
        (line,) = traces(figure, name=name)
        (band,) = traces(figure, name=f"{name}, 95 % band")
        n = line.x.size
        low, high = band.x[:n], band.x[n:][::-1]
        assert np.all(low <= line.x)
        assert np.all(line.x <= high)
        assert np.all(low >= left * (1 - 1e-9))
        np.testing.assert_array_equal(band.y, np.concatenate([line.y, line.y[::-1]]))
    # the median of the first policy, by hand: t(0.975, 3 degrees of freedom) = 3.182446
    medians = [smallest_with(luck(r), 0.5) for r in range(REPLICATIONS)]
    half = 3.182446 * np.std(medians, ddof=1) / np.sqrt(REPLICATIONS)
    (band,) = traces(figure, name="fair+late, 95 % band")
    place = int(np.argmin(np.abs(band.y[: band.y.size // 2] - 50)))
    assert band.x[::-1][place] == pytest.approx(np.mean(medians) + half, rel=1e-5)


def test_one_replication_has_no_band() -> None:
    figure = checked(distribution(made({"a": [one(luck(1))]}), False))
    assert [trace.name for trace in figure.data] == ["a"]
    assert {*figure.data[0].text} == {""}
    assert figure.layout.showlegend


def test_a_band_ends_where_an_interval_would_not_keep_its_promise() -> None:
    """So does each number that is told of it: its card has no interval either."""
    unsettled = SCENARIO.replace(load=0.95, jobs=400)
    samples = [one(luck(r), scenario=unsettled) for r in range(REPLICATIONS)]
    comparison = made({"a": samples}, unsettled)
    assert comparison.policies["a"].estimate("flowtime", "p95").low is None
    for tail in (False, True):
        figure = checked(distribution(comparison, False, tail=tail))
        (line,), (band,) = traces(figure, name="a"), traces(figure, name="a, 95 % band")
        share = 100 - np.asarray(line.y) if tail else np.asarray(line.y)
        assert [bool(text) for text in line.text] == (share < 50.5).tolist()
        np.testing.assert_allclose(np.unique(band.y), np.unique(np.asarray(line.y)[share < 50.5]))
        half, *most = re.split(r"(?=9[59] % )", distribution_alt(comparison, tail=tail))
        assert "±" in half
        assert most
        assert "±" not in "".join(most)
    told = "Bands end where no interval is reliable: too few busy periods to know the 95th percentile."
    assert flowtimes(comparison, False).caption == told
    assert flowtimes(made({"a": samples[:1]}, unsettled), False).caption == ""
    ended = curve(comparison.policies["a"], "resource")
    assert np.isfinite(ended.half).all()  # a job's slot-time waits for nothing


def test_policies_take_their_colours_in_order_and_the_band_lets_them_through(two) -> None:
    figure = checked(distribution(two, True))
    for name, color in zip(two.policies, palette(dark=True).series, strict=False):
        (line,) = traces(figure, name=name)
        assert line.line.color == color
        assert line.line.dash in (None, "solid")
        assert line.line.width == 2


def test_unfinished_jobs_end_a_curve_with_a_mark_and_a_remark() -> None:
    flowtime = np.concatenate([luck(1, 150), np.full(50, np.inf)])
    comparison = made({"slow": [one(flowtime)] * 2, "quick": [one(luck(2))] * 2})
    figure = checked(distribution(comparison, False))
    (line,) = traces(figure, name="slow")
    assert line.y.max() == pytest.approx(75)
    (mark,) = traces(figure, name="slow, unfinished jobs")
    assert (mark.x[0], mark.y[0]) == (line.x[-1], line.y[-1])
    assert not traces(figure, name="quick, unfinished jobs")
    assert ends_early(comparison) == (
        "Curves end early where jobs are unfinished (Kaplan–Meier): "
        "slow at 75 % of the jobs (100 unfinished)."
    )
    assert "what 95 % need is not known" in distribution_alt(comparison)


def test_a_curve_that_only_the_view_cuts_has_no_mark() -> None:
    flowtime = np.concatenate([luck(1, 1999), [np.inf]])
    figure = distribution(made({"a": [one(flowtime)]}), False)
    assert not traces(figure, name="a, unfinished jobs")
    assert traces(distribution(made({"a": [one(flowtime)]}), False, tail=True), name="a, unfinished jobs")


def test_a_policy_that_finished_nothing_draws_nothing_and_breaks_nothing() -> None:
    comparison = made({"stuck": [one(np.full(20, np.inf))] * 2})
    for tail in (False, True):
        figure = checked(distribution(comparison, False, tail=tail))
        assert figure.data[0].x.size == 0
    assert "before its first point" in ends_early(comparison)
    assert "not known" in distribution_alt(comparison)


@pytest.mark.parametrize("tail", [False, True])
def test_all_of_a_curve_is_on_the_axes(two, tail) -> None:
    figure = checked(distribution(two, False, tail=tail))
    left, right = (10**edge for edge in figure.layout.xaxis.range)
    bottom, top = figure.layout.yaxis.range
    for name in two.policies:
        (line,) = traces(figure, name=name)
        assert left <= line.x.min()
        assert line.x.max() <= right
        shares = np.log10(line.y) if tail else line.y
        assert bottom - 1e-9 <= shares.min()
        assert shares.max() <= top + 1e-9


def test_no_number_is_missing_from_what_the_browser_gets(two) -> None:
    for comparison in (two, made({"a": [one(luck(1))]})):
        for trace in distribution(comparison, False).data:
            assert np.isfinite(np.asarray(trace.x, float)).all()
            assert np.isfinite(np.asarray(trace.y, float)).all()
        assert not trouble(words(distribution(comparison, False)))


def test_the_words_hold_the_estimates_of_the_cards(two) -> None:
    told = distribution_alt(two)
    for result in two.policies.values():
        for statistic in ("p50", "p95"):
            assert f"{result.estimate('flowtime', statistic).value:.2f}" in told
    assert told.startswith(
        "Cumulative share of jobs against flowtime, arrival to finish, in s. fair+late: 50 %"
    )
    assert "99 %" in distribution_alt(two, tail=True)
    assert "slot·s" in distribution_alt(two, measure="resource")


def test_a_level_between_those_known_is_not_made_up(two) -> None:
    assert curve(two.policies["hopper"], "flowtime").at(0.505) is None


@pytest.mark.parametrize("tail", [False, True])
def test_equal_curves_are_both_seen_and_told_and_others_are_solid(two, tail) -> None:
    assert [one["line"]["dash"] for one in traces(distribution(two, False, tail=tail)) if lines(one)] == [
        "solid"
    ] * 2
    assert told_alike(two, tail=tail) == ""
    first, second = two.policies.values()
    near = replace(first, samples=tuple(nearly(sample) for sample in first.samples))
    close = replace(two, policies={"a": first, "b": near, "c": second})
    drawn = [one["line"]["dash"] for one in traces(distribution(close, False, tail=tail)) if lines(one)]
    assert drawn[0] == drawn[2] == "solid" != drawn[1]
    assert told_alike(close, tail=tail) == "These two coincide: a and b."


def nearly(sample: Sample) -> Sample:
    """Return a sample that differs, by less than can be seen."""
    return replace(sample, curves={name: 1.0001 * each for name, each in sample.curves.items()})


@pytest.mark.parametrize("tail", [False, True])
def test_policies_that_did_the_same_are_one_line_with_one_label_in_the_colour_of_the_first(two, tail) -> None:
    first, second = two.policies.values()
    twins = replace(two, policies={"a": first, "b": second, "c": first, "d": first})
    drawn = [one for one in traces(distribution(twins, False, tail=tail)) if lines(one)]
    assert [one["name"] for one in drawn] == ["a = c = d", "b"]
    alone = [one for one in traces(distribution(two, False, tail=tail)) if lines(one)]
    assert [one["line"]["color"] for one in drawn] == [one["line"]["color"] for one in alone]
    assert told_alike(twins, tail=tail) == ""


def lines(trace: dict[str, Any]) -> bool:
    return bool(trace["mode"] == "lines")
