"""Cells of a map that are not simulated, and the numbers of its report, checked by hand."""

from __future__ import annotations

import pytest

from sim.map.picture import BETWEEN, Square, _between
from sim.map.shipped import as_json, as_text, table
from tests.sim.map.made import plane, simulated, stood, unlike


@pytest.mark.parametrize(("cell", "share"), [((1, 2), 0.25), ((3, 2), 0.75)])
def test_a_cell_between_two_is_like_the_nearer_one(cell: tuple[int, int], share: float) -> None:
    ends = {(0, 2): simulated(stood(0.0, 0.1)), (4, 2): simulated(stood(0.0, 0.5))}
    found = _between(cell, ((0, 2), (4, 2)), ends)
    near = ends[0, 2] if share < 0.5 else ends[4, 2]
    gain = (1 - share) * 0.1 / 1.1 + share * 0.5 / 1.5
    assert found == Square(
        BETWEEN, near.standing, pytest.approx(gain), (0.0, pytest.approx(0.1 + 0.4 * share)), ((0, 2), (4, 2))
    )


def test_regrets_are_the_worst_and_the_mean_over_the_cells() -> None:
    first, second = unlike().regrets
    assert (first.worst.value, first.where, first.mean.value) == (0.5, (3, 1), pytest.approx(0.5 / 16))
    mean = (14 * 0.15 + 0.2) / 16
    assert (second.worst.value, second.where, second.mean.value) == (0.2, (2, 2), pytest.approx(mean))
    assert first.mean.half == pytest.approx((14 * 0.01 + 0.02 + 0.03) / 16)
    assert (first.wins, second.wins) == (14, 1)


def test_a_report_has_the_worst_and_the_mean_regret_each_by_its_name() -> None:
    found = unlike()
    told = as_json(found)
    second = told["regrets"]["B"]
    assert second["worst"] == pytest.approx({"value": 0.2, "low": 0.18, "high": 0.22})
    assert second["mean"]["value"] == pytest.approx(2.3 / 16)
    assert second["where"] == "load=0.6 straggle_tail=2.5"
    lines = as_text(found).splitlines()
    assert (
        "A  srpt+none: best in 14 of 16 cells, at worst 50.0 ± 3.0 % above the best (at load=0.8 "
        "straggle_tail=2), on average 3.1 ± 1.2 %"
    ) in lines
    assert any(line.endswith(", on average 14.4 ± 1.2 %") for line in lines)


def test_among_the_best_are_all_that_cannot_be_told_from_it() -> None:
    found = unlike()
    rows = table(found).set_index(["load", "straggle_tail", "letter"]).sort_index()
    assert rows.loc[(0.2, 1.5), "among_the_best"].tolist() == [True, True]
    assert rows.loc[(0.2, 1.5), "wins"].tolist() == [False, False]
    assert rows.loc[(0.4, 1.5), "among_the_best"].tolist() == [True, False]
    assert rows.loc[(0.8, 2.0), "among_the_best"].tolist() == [False, True]
    one = rows.loc[(0.8, 2.0, "A")]
    assert (one["above_the_best"], one["above_low"], one["above_high"]) == (0.5, 0.47, 0.53)
    assert (one["value"], one["low"], one["high"]) == (2.5, 2.47, 2.53)
    squares = as_json(found)["squares"]
    assert [squares[0]["leaders"], squares[1]["leaders"]] == ["AB", "A"]
    assert squares[0]["x"] == plane("load=0.2,0.4", "beta=1.5,2").x.values[0]
