"""Every number of the cards of a comparison is the one its line names."""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import pytest

from pages.shared.live.cards import cards_of, lines_of
from pages.shared.words.lead import fastest, lead
from tests.pages.made import POINTS, luck, one
from tests.pages.made import made as of_runs
from tests.samples import Made, assert_changes, assert_tells, interval, made, to_float


def assert_brief(told: str, values: list[float], unit: str) -> None:
    """Assert that a card tells the mean of these with one digit of its half width, in one line."""
    found = re.fullmatch(rf"([\d.,]+) ± ([\d.,]+) {unit}", told)
    value, half = interval(values)
    assert to_float(found[2]) == pytest.approx(half, rel=0.51)
    assert abs(to_float(found[1]) - value) <= max(half / 2, 0.006 * value)
    assert len(found[2].replace(".", "").lstrip("0")) <= 2


@pytest.fixture(scope="module")
def three() -> Made:
    return made(("fair+late", "hopper", "fifo+none"), baseline="hopper")


def test_the_number_is_the_mean_flowtime_with_its_half_width_and_unit(three) -> None:
    for card, name in zip(cards_of(three.comparison), three.policies, strict=True):
        assert card.name == name
        assert card.what == "mean flowtime"
        assert_brief(card.value, three.values(name, "flowtime", "mean"), "min")


@pytest.mark.parametrize(
    ("leading", "told", "statistic"),
    [("mean", "p95 ", "p95"), ("p50", "p95 ", "p95"), ("p95", "median ", "p50")],
)
def test_the_line_below_it_is_another_statistic(three, leading, told, statistic) -> None:
    for card, name in zip(cards_of(three.comparison, leading), three.policies, strict=True):
        (line,) = card.details
        assert line.startswith(told)
        assert_tells(line.removeprefix(told), three.values(name, "flowtime", statistic), "min")


@pytest.mark.parametrize(
    ("statistic", "called"), [("mean", "mean"), ("p50", "median"), ("p95", "p95 of the")]
)
def test_a_card_leads_with_the_statistic_that_is_chosen_in_at_most_three_digits(
    three, statistic, called
) -> None:
    for card, name in zip(cards_of(three.comparison, statistic), three.policies, strict=True):
        assert card.what == f"{called} flowtime"
        assert_brief(card.value, three.values(name, "flowtime", statistic), "min")
        assert len(re.sub(r"\D", "", card.value.partition(" ±")[0]).lstrip("0")) <= 3
        if name != "hopper":
            assert_changes(card.change, three.ratio(name, "flowtime", statistic))


def test_a_card_says_of_which_jobs_it_is_where_its_name_may_be_read_otherwise(three) -> None:
    for card in cards_of(three.comparison, "p50", " of all jobs"):
        assert card.what == "median flowtime of all jobs"


def test_the_cost_is_the_slot_time_of_a_job_and_its_paired_change(three) -> None:
    for card, name in zip(cards_of(three.comparison), three.policies, strict=True):
        cost, _, change = card.cost.removeprefix("slot-time ").partition(" :")
        assert_tells(cost, three.values(name, "resource", "mean"), "slot·min")
        assert bool(change) == (name != "hopper")
        if change:
            color, text = re.fullmatch(r"(\w+)\[(.*)\]", change).groups()
            _, low, high = found = three.ratio(name, "resource", "mean")
            assert_changes(text, found)
            assert color == ("red" if low > 1 else "green" if high < 1 else "gray")


def test_nothing_unstable_is_praised() -> None:
    growing = {"busy": 100.0, "waiting": np.linspace(0, 5000, POINTS)}
    slow, fast = ([one(scale * luck(r), **growing) for r in range(4)] for scale in (3, 1))
    steady = [one(2 * luck(r)) for r in range(4)]
    comparison = of_runs({"slow": slow, "fast": fast, "steady": steady})
    cards = {card.name: card for card in cards_of(comparison)}
    assert [cards[name].unstable for name in ("slow", "fast", "steady")] == [True, True, False]
    assert {card.color for card in cards.values()} == {"gray"}  # since the baseline grows, too
    assert [card.change for card in cards.values()] == ["the baseline"] + ["unstable baseline"] * 2
    assert "%" not in " ".join(card.cost for card in cards.values())
    assert "No gain over **slow** is stated" in lead(comparison)
    steadily = dataclasses.replace(comparison, baseline="steady")
    cards = {card.name: card for card in cards_of(steadily)}
    assert (cards["fast"].color, cards["fast"].change) == ("gray", "its queue grows")
    assert "%" not in cards["fast"].cost
    assert "Only under **steady** did the queue not grow" in lead(steadily)
    assert fastest(steadily) is None


def test_the_change_is_the_ratio_of_the_two_numbers_and_its_colour_follows_its_interval(three) -> None:
    for card, name in zip(cards_of(three.comparison), three.policies, strict=True):
        if name == "hopper":
            assert card.change == "the baseline"
            continue
        _, low, high = found = three.ratio(name, "flowtime", "mean")
        assert_changes(card.change, found)
        assert card.color == ("red" if low > 1 else "green" if high < 1 else "gray")
        assert card.arrow == ("up" if low > 1 else "down" if high < 1 else "off")


def test_cards_on_a_line_have_name_number_and_change_alone(three) -> None:
    for line, card in zip(lines_of(three.comparison, "p50"), cards_of(three.comparison, "p50"), strict=True):
        assert (line.name, line.value, line.change, line.dot) == (
            card.name,
            card.value,
            card.change,
            card.dot,
        )
        assert (line.what, line.details, line.cost) == ("", (), "")


def test_policies_that_did_the_same_have_the_colour_of_their_line() -> None:
    fast, slow = ([one(scale * luck(r)) for r in range(4)] for scale in (1, 2))
    cards = cards_of(of_runs({"a": fast, "b": slow, "c": fast}))
    assert cards[0].dot == cards[2].dot != cards[1].dot


def test_where_the_mean_is_censored_the_median_is_told_and_called_so() -> None:
    cut = made(("fifo+none", "hopper"))
    for runs in cut.policies.values():
        for run in runs:
            run.outcome.finish[-30:] = math.inf
    for card, name in zip(cards_of(cut.comparison), cut.policies, strict=True):
        assert card.what == "median flowtime"
        assert_brief(card.value, cut.values(name, "flowtime", "p50"), "min")
        assert "mean unknown" in card.details
        assert "7.5 % of the jobs unfinished" in card.details
    change = cards_of(cut.comparison)[1].change.removeprefix("+")
    assert_changes(change, cut.ratio("hopper", "flowtime", "p50"))
