"""Busy slots and waiting tasks: areas that add up, panels that are tall enough."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pages.compare.charts import usage, usage_alt
from tests.pages.made import POINTS, checked, luck, made, one, series, traces


def some(count: int):
    return made(
        {
            f"p{k}": [one(luck(k), busy=40 + k, extra=0.25, waiting=np.arange(POINTS) * (k + 1))] * 2
            for k in range(count)
        }
    )


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_areas_are_the_shares_of_the_slots_and_the_queue_is_whole(count: int) -> None:
    figure = checked(usage(some(count), True))
    for k in range(count):
        (original,) = traces(figure, name=f"p{k}, original copies")
        (busy,) = traces(figure, name=f"p{k}, busy")
        (queue,) = traces(figure, name=f"p{k}, waiting tasks")
        np.testing.assert_allclose(busy.y, 40 + k)
        np.testing.assert_allclose(original.y, 0.75 * (40 + k))
        np.testing.assert_allclose(busy.customdata, 0.25 * (40 + k))
        np.testing.assert_allclose(queue.y, np.arange(POINTS) * (k + 1))
        assert busy.fill == "tonexty"
        assert list(figure.data).index(busy) == list(figure.data).index(original) + 1  # filled down to it
        assert queue.line.color == busy.line.color


def test_slots_without_extra_copies_are_one_area() -> None:
    figure = checked(usage(made({"a": [one(luck(1), busy=40.0)]}), False))
    (busy,) = traces(figure, name="a, busy")
    assert not traces(figure, name="a, original copies")
    assert busy.fill == "tozeroy"
    assert busy.fillcolor == traces(usage(some(1), False), name="p0, original copies")[0].fillcolor
    assert "none with extra copies" in busy.hovertemplate
    np.testing.assert_allclose(busy.y, 40)


def test_points_lie_in_the_middle_of_their_intervals() -> None:
    (queue,) = traces(usage(some(1), False), name="p0, waiting tasks")
    assert (queue.x0, queue.dx) == pytest.approx((5, 10))  # 8 intervals up to the last arrival at 80


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_panels_do_not_overlap_and_the_figure_has_a_sensible_height(count: int) -> None:
    figure = checked(usage(some(count), False))
    assert 300 <= figure.layout.height <= 400
    domains = [figure.layout[f"yaxis{k or ''}"].domain for k in [None, *range(2, count + 2)]]
    for (low, _), (_, high) in pairwise(domains):
        assert low > high
    assert domains[-1][0] == pytest.approx(0, abs=1e-9)
    assert figure.layout.xaxis.anchor == f"y{count + 1}"
    names = [note.text for note in figure.layout.annotations]
    assert names[:count] == [f"<b>p{k}</b>" for k in range(count)]


def test_policies_that_did_the_same_share_a_panel_and_the_figure_keeps_its_height() -> None:
    (result,) = some(1).policies.values()
    twins = replace(some(1), policies={"A + x": result, "A + y": result})
    figure = checked(usage(twins, False))
    assert [note.text for note in figure.layout.annotations][:-1] == ["<b>A + x = y</b>"]
    assert figure.layout.height == usage(some(5), False).layout.height


def test_the_words_hold_the_numbers() -> None:
    told = usage_alt(some(1))
    assert "40 % busy, 10 % with extra copies, in the end 40 %; 3.50 tasks wait on average, 7.00 at" in told


def test_what_was_busy_is_the_number_of_the_cards_and_not_of_the_warm_up() -> None:
    runs = [replace(one(luck(r), busy=91.0), series=series(40.0, 0.0, 0.0)) for r in range(3)]
    assert "a: on average 91 % busy" in usage_alt(made({"a": runs}))


def test_an_empty_queue_has_an_axis() -> None:
    figure = checked(usage(made({"a": [one(luck(1))]}), False))
    assert figure.layout.yaxis2.range == (0, 1)
