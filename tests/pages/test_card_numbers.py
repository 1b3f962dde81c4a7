"""Every number of the cards of a comparison is the one its line names."""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import pytest

from pages.shared.live.cards import cards_of
from pages.shared.words.notice import what_to_notice
from pages.shared.words.winner import fastest, headline
from tests.pages.made import POINTS, luck, one
from tests.pages.made import made as of_runs
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
    ("leading", "told", "statistic"),
    [("mean", "p95 ", "p95"), ("p50", "p95 ", "p95"), ("p95", "median ", "p50")],
)
def test_the_line_below_it_is_another_statistic(three, leading, told, statistic) -> None:
    for card, name in zip(cards_of(three.comparison, leading), three.policies, strict=True):
        assert len(card.details) == 2
        assert card.details[1].startswith(told)
        assert_tells(card.details[1].removeprefix(told), three.values(name, "flowtime", statistic), "min")


@pytest.mark.parametrize(
    ("statistic", "called"), [("mean", "mean"), ("p50", "median"), ("p95", "p95 of the")]
)
def test_a_card_leads_with_the_statistic_that_is_chosen_in_at_most_three_digits(
    three, statistic, called
) -> None:
    for card, name in zip(cards_of(three.comparison, statistic), three.policies, strict=True):
        values = three.values(name, "flowtime", statistic)
        half = card.details[0].removeprefix(f"{called} flowtime ± ")
        assert half != card.details[0]
        assert_tells(f"{card.value.removesuffix(' min')} ± {half}", values)
        assert len(re.sub(r"\D", "", card.value).lstrip("0")) <= 3
        if name != "hopper":
            before = np.mean(three.values("hopper", "flowtime", statistic))
            differences = three.differences(name, "flowtime", statistic)
            assert_tells(card.change.removeprefix("+"), differences, "%", 100 / before)


def test_the_cost_is_the_slot_time_of_a_job_and_its_paired_difference(three) -> None:
    before = np.mean(three.values("hopper", "resource", "mean"))
    for card, name in zip(cards_of(three.comparison), three.policies, strict=True):
        cost, _, change = card.cost.removeprefix("slot-time ").partition(" :")
        assert_tells(cost, three.values(name, "resource", "mean"), "slot·min")
        assert bool(change) == (name != "hopper")
        if change:
            color, text = re.fullmatch(r"(\w+)\[[+]?(.*)\]", change).groups()
            differences = three.differences(name, "resource", "mean")
            assert_tells(text, differences, "%", 100 / before)
            value, half = interval(differences)
            sure = half < abs(value)
            assert color == (("red" if value > 0 else "green") if sure else "gray")


def test_nothing_unstable_is_praised() -> None:
    growing = {"busy": 100.0, "waiting": np.linspace(0, 5000, POINTS)}
    slow, fast = ([one(scale * luck(r), **growing) for r in range(4)] for scale in (3, 1))
    steady = [one(2 * luck(r)) for r in range(4)]
    comparison = of_runs({"slow": slow, "fast": fast, "steady": steady})
    cards = {card.name: card for card in cards_of(comparison)}
    assert [cards[name].unstable for name in ("slow", "fast", "steady")] == [True, True, False]
    assert {card.color for card in cards.values()} == {"gray"}  # since the baseline grows, too
    assert "No gain over **slow** is stated" in headline(comparison)
    assert "soonest" not in " ".join(what_to_notice(comparison))
    steadily = dataclasses.replace(comparison, baseline="steady")
    cards = {card.name: card for card in cards_of(steadily)}
    assert cards["fast"].color == "gray"
    assert "soonest" not in " ".join(what_to_notice(steadily))
    assert fastest(steadily) is None


def test_the_change_is_the_paired_difference_as_a_share_of_the_baseline(three) -> None:
    before = np.mean(three.values("hopper", "flowtime", "mean"))
    for card, name in zip(cards_of(three.comparison), three.policies, strict=True):
        if name == "hopper":
            assert card.change == "the baseline"
            continue
        differences = three.differences(name, "flowtime", "mean")
        assert_tells(card.change.removeprefix("+"), differences, "%", 100 / before)
        value, half = interval(differences)
        sure = half < abs(value)
        assert card.color == (("red" if value > 0 else "green") if sure else "gray")
        assert card.arrow == (("up" if value > 0 else "down") if sure else "off")


def test_where_the_mean_is_censored_the_median_is_told_and_called_so() -> None:
    cut = made(("fifo+none", "hopper"))
    for runs in cut.policies.values():
        for run in runs:
            run.outcome.finish[-30:] = math.inf
    for card, name in zip(cards_of(cut.comparison), cut.policies, strict=True):
        assert card.details[0].startswith("median flowtime")
        half = card.details[0].removeprefix("median flowtime ± ")
        assert_tells(f"{card.value.split(' ')[0]} ± {half}", cut.values(name, "flowtime", "p50"))
        assert "mean unknown" in card.details
        assert "7.5 % of the jobs unfinished" in card.details
    change = cards_of(cut.comparison)[1].change.removeprefix("+")
    assert_tells(change, cut.differences("hopper", "flowtime", "p50"), "%",
                 100 / np.mean(cut.values("fifo+none", "flowtime", "p50")))  # fmt: skip


def test_the_remarks_hold_the_numbers_they_are_about(three) -> None:
    told = what_to_notice(three.comparison)
    found = re.search(r"under \*\*(.+?)\*\*: a job takes ([\d.]+) min on average, (.+? %) less", told[0])
    winner, value, share = found.groups()
    assert winner == "fair+late"
    assert to_float(value) == pytest.approx(np.mean(three.values(winner, "flowtime", "mean")), rel=0.006)
    differences = three.differences(winner, "flowtime", "mean")
    before = np.mean(three.values("hopper", "flowtime", "mean"))
    assert_tells(f"−{share}", differences, "%", 100 / before)
