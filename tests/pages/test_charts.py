"""Axes and legends that all charts share."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.charts.on_page import figure
from sim.telling.plot import FONT, Plot, panels
from sim.telling.scales import linear_axis, log_axis, round_down, round_up
from tests.pages.made import checked

ROOT = Path(__file__).resolve().parents[2]
POSITIVE = st.floats(1e-6, 1e9)


@given(value=POSITIVE)
def test_an_axis_ends_at_a_round_number_beyond_the_data_and_not_far(value: float) -> None:
    end = round_up(value)
    assert value * (1 - 1e-9) <= end <= 2.5 * value * (1 + 1e-9)
    mantissa = end / 10.0 ** math.floor(math.log10(end) + 1e-9)
    assert min(abs(mantissa - step) for step in (1, 2, 5, 10)) < 1e-6
    assert round_down(value) <= value * (1 + 1e-9)


@given(value=POSITIVE, step=st.floats(1, 1.01))
def test_an_axis_stays_put_while_data_move_a_little(value: float, step: float) -> None:
    assert round_up(round_up(value) / 1.02 / step) == round_up(value)


@given(low=POSITIVE, ratio=st.floats(1, 1e9))
def test_a_logarithmic_axis_holds_the_data_and_two_to_seven_ticks(low: float, ratio: float) -> None:
    axis = log_axis(low, low * ratio)
    left, right = (10.0**edge for edge in axis["range"])
    assert left <= low * (1 + 1e-9)
    assert right >= low * ratio * (1 - 1e-9)
    assert 2 <= len(axis["tickvals"]) <= 7
    assert axis["tickvals"] == sorted(axis["tickvals"])
    for value, text in zip(axis["tickvals"], axis["ticktext"], strict=True):
        assert left * (1 - 1e-9) <= value <= right * (1 + 1e-9)
        assert float(text.replace(",", "")) == pytest.approx(value)


def test_an_axis_of_nothing_is_still_an_axis() -> None:
    assert linear_axis(0.0)["range"] == [0, 1]


@given(heights=st.lists(st.floats(5, 100), min_size=1, max_size=6))
def test_panels_follow_each_other_with_room_for_their_names(heights: list[float]) -> None:
    inner = sum(heights) + 18 * len(heights)
    domains = panels(heights, inner)
    tops = [1.0, *[low for low, _ in domains]]
    for (low, high), above, height in zip(domains, tops, heights, strict=False):
        assert (above - high) * inner == pytest.approx(18, abs=0.01)
        assert (high - low) * inner == pytest.approx(height, abs=0.01)
    assert domains[-1][0] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("dark", [False, True])
def test_letters_are_large_and_the_legend_is_above_the_chart(dark: bool) -> None:
    plot = Plot("a", dark)
    plot.line(None, [1], "one", "#000000")
    plot.axis("x")
    plot.axis("y")
    layout = checked(figure(plot)).layout
    assert min(layout.font.size, layout.legend.font.size, layout.xaxis.tickfont.size, FONT) >= 12
    assert layout.legend.orientation == "h"
    assert layout.legend.y >= 1
    assert layout.legend.yanchor == "bottom"
    assert layout.uirevision == "a"


def test_a_property_plotly_does_not_know_would_be_noticed() -> None:
    plot = Plot("a", dark=False)
    plot.line([1], [1], "one", "#000000", colour=1)
    with pytest.raises(ValueError, match="colour"):
        checked(figure(plot))


def test_no_figure_is_drawn_without_its_words() -> None:
    calls = [
        (path.name, {one.arg for one in node.keywords})
        for path in (ROOT / "pages").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "plotly_chart"
    ]
    assert len(calls) > 2
    for name, options in calls:
        assert {"alt", "key"} <= options, name
