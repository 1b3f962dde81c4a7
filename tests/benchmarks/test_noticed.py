"""The table of errors that the check notices is the one its program prints."""

from __future__ import annotations

import re

import pytest

from tests.benchmarks import noticed
from tests.benchmarks.noticed import Seen
from tests.zoo.causes import CAUSES


def test_a_row_counts_what_has_a_model_and_names_what_was_seen_most():
    seen = [
        Seen("good", ()),
        Seen("fair", ("p95", "won")),
        Seen("poor", ("won",)),
        Seen("poor", ("won", "p50")),
        Seen("refused", ()),
    ]
    assert (
        noticed.row("", seen)
        == "| nothing | yes | 4 (1 refused) | 1 (25 %) | 2 (50 %) | won 3; p95 1; p50 1 |"
    )
    assert noticed.row("spells", seen[:1]) == "| hosts slow for minutes | no | 1 | 0 (0 %) | 0 (0 %) | – |"


def test_every_way_is_a_cause_and_worlds_have_it_alone():
    assert sorted(noticed.ways()) == sorted(["", *CAUSES])
    assert {*noticed.KNOWN, *noticed.LIKE_LUCK, *noticed.COPIED} - {""} <= set(CAUSES)
    assert noticed.world_of("spells", 3).causes == ("spells",)
    assert noticed.world_of("", 3).causes == ()
    assert all(noticed.world_of("shared_luck", number).setting for number in range(4))


@pytest.mark.parametrize("line", noticed.recorded())
def test_a_recorded_row_is_of_a_way_and_adds_up(line):
    title, known, histories, fair, poor, _ = (cell.strip() for cell in line.strip("|").split("|"))
    titles = {"nothing": ""} | {cause.title: name for name, cause in CAUSES.items()}
    cause = titles[title]
    told = "as luck" if cause in noticed.LIKE_LUCK else "yes" if cause in noticed.KNOWN else "no"
    assert known == told
    count, *shown = (int(re.match(r"\d+", text)[0]) for text in (histories, fair, poor))
    assert sum(shown) <= count
    assert count >= 30
