"""Every number of the cards of a comparison is the one its line names."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from pages.shared.live.cards import cards_of
from pages.shared.words.notice import what_to_notice
from tests.samples import Made, assert_tells, interval, made, to_float


@pytest.fixture(scope="module")
def three() -> Made:
    return made(("fair+late", "hopper", "fifo+none"), baseline="hopper")


def test_the_number_is_the_mean_flowtime_with_its_half_width_and_unit(three) -> None:
    for card, name in zip(cards_of(three.comparison), three.policies, strict=True):
        assert card.name == name
        assert card.details[0].startswith("mean flowtime")
        half = card.details[0].removeprefix("mean flowtime ± ")
        value, unit = card.value.split(" ")
        assert unit == "min"
        assert_tells(f"{value} ± {half}", three.values(name, "flowtime", "mean"))


@pytest.mark.parametrize(
    ("place", "begins", "measure", "statistic", "unit"),
    [(1, "p95 ", "flowtime", "p95", "min"), (2, "resource ", "resource", "mean", "slot·min")],
)
def test_a_line_below_it_is_what_it_is_called(three, place, begins, measure, statistic, unit) -> None:
    for card, name in zip(cards_of(three.comparison), three.policies, strict=True):
        assert len(card.details) == 3
        told = card.details[place]
        assert told.startswith(begins)
        assert_tells(told.removeprefix(begins), three.values(name, measure, statistic), unit)


def test_the_change_is_the_paired_difference_as_a_share_of_the_baseline(three) -> None:
    before = np.mean(three.values("hopper", "flowtime", "mean"))
    for card, name in zip(cards_of(three.comparison), three.policies, strict=True):
        if name == "hopper":
            assert card.change == "the baseline"
            continue
        differences = three.differences(name, "flowtime", "mean")
        assert_tells(card.change, differences, "%", 100 / before)
        value, half = interval(differences)
        sure = half < abs(value)
        assert card.color == ("inverse" if sure else "gray")
        assert card.arrow == (("up" if value > 0 else "down") if sure else "off")


def test_where_the_mean_is_censored_the_median_is_told_and_called_so() -> None:
    one = made(("fifo+none", "hopper"))
    for runs in one.policies.values():
        for run in runs:
            run.outcome.finish[-30:] = math.inf
    for card, name in zip(cards_of(one.comparison), one.policies, strict=True):
        assert card.details[0].startswith("median flowtime")
        half = card.details[0].removeprefix("median flowtime ± ")
        assert_tells(f"{card.value.split(' ')[0]} ± {half}", one.values(name, "flowtime", "p50"))
        assert "mean censored" in card.details
        assert "7.5 % of the jobs unfinished" in card.details
    assert_tells(cards_of(one.comparison)[1].change, one.differences("hopper", "flowtime", "p50"), "%",
                 100 / np.mean(one.values("fifo+none", "flowtime", "p50")))  # fmt: skip


def test_the_remarks_hold_the_numbers_they_are_about(three) -> None:
    told = what_to_notice(three.comparison)
    winner, value = re.search(r"under `(.+?)`: a job takes ([\d.]+) min on average", told[0]).groups()
    assert winner == "fair+late"
    assert to_float(value) == pytest.approx(np.mean(three.values(winner, "flowtime", "mean")), rel=0.006)
    gap, share = re.search(r"([\d.]+) ± [\d.]+ min \((\d+) %\) less", told[0]).groups()
    difference = -np.mean(three.differences(winner, "flowtime", "mean"))
    assert to_float(gap) == pytest.approx(difference, rel=0.02)
    before = np.mean(three.values("hopper", "flowtime", "mean"))
    assert to_float(share) == pytest.approx(100 * difference / before, abs=0.6)
