"""What is added up over a fleet is sure, a gain has its ends in order, and logs stand by what can be won."""

from __future__ import annotations

import pytest

from sim.advice.fleet import report
from sim.advice.fleet.first_look import Look
from sim.advice.fleet.survey import most_first, most_lost
from tests.sim.fleet.looks import LOOKS

#: The sums that a log is part of: logs, unread, computed, jobs, hours, lost, slot-hours, and sure gain.
PARTS = {
    "a": (1, 0, 1, 2, 10.0, 3.0, 5.0, 2.0),
    "b": (1, 0, 1, 3, 40.0, 7.0, 11.0, 0.0),
    "c": (1, 0, 1, 5, 20.0, 5.0, 13.0, 5.0),
    "u": (1, 0, 1, 7, 8.0, 4.0, 17.0, 0.0),
    "n": (1, 0, 1, 11, 16.0, 6.0, 19.0, 0.0),
    "w": (1, 0, 0, 13, 32.0, 1.0, 23.0, 0.0),
    "t": (1, 0, 0, 17, 0.0, 0.0, 0.0, 0.0),
    "d": (1, 1, 0, 0, 0.0, 0.0, 0.0, 0.0),
    "e": (0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_log_is_in_the_sums_with_what_is_sure_of_it_and_nothing_else(name: str) -> None:
    def sums(looks: list[Look]) -> list[float]:
        return list(vars(report.totals(looks)).values())[:8]

    rest = [one for one in LOOKS if one.name != name]
    parts = [a - b for a, b in zip(sums(LOOKS), sums(rest), strict=True)]
    assert parts == pytest.approx(PARTS[name])


def test_a_gain_goes_from_its_least_to_its_most_wherever_it_is_told() -> None:
    """Hours of each log: of the remedy's own change, whose upper end is the least that it gains."""
    gains = {"a": (2.0, 1.0, 4.0), "b": (12.0, -4.0, 20.0), "c": (5.0, 1.0, 7.0)}
    rows, told = report.table(LOOKS).set_index("log"), report.as_json(LOOKS)["logs"]
    text = report.as_text(LOOKS)
    for place, (name, gain) in enumerate(gains.items()):
        value, low, high = gain
        assert rows.loc[name, ["gain (h)", "gain from (h)", "gain to (h)"]].tolist() == pytest.approx(gain)
        assert [*told[place]["remedy"]["gain_hours"].values()] == pytest.approx(gain)
        assert f"{value:.4g} ({low:.4g} to {high:.4g})" in text
        assert told[place]["remedy"]["surely_pays"] == (name != "b")
    assert "computed for 5 of them and would win 7 h" in report.sentence(LOOKS)


def test_logs_are_computed_by_what_they_lost_and_shown_by_what_can_be_won() -> None:
    names = [one.name for one in LOOKS]
    for count in range(9):
        assert [names[place] for place in most_lost(LOOKS, count)] == list("bncuaw")[:count]
    # 12 h by a trial, 5 h, 4 h lost where nothing can be told, 2 h, 1 h lost; nothing to be done is none
    assert [one.name for one in most_first(LOOKS)] == list("bcuawntde")
    for most in range(1, 9):
        lines = report.as_text(LOOKS, most=most).splitlines()
        told = [line[0] for line in lines if line[1:3] == ": "]
        assert told == [one.upper() for one in "abcund" if one in "abcunwtd"[:most]]
        more = [line for line in lines if line.endswith(" more") and line[0].isdigit()]
        assert more == ([f"{8 - most} log{'s' * (most < 7)} more"] if most < 8 else [])
