"""Figures in few bytes: no reader sees or is told anything else."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import orjson
import plotly.graph_objects as go
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.charts.on_page import figure
from pages.shared.charts.serialized import UNSEEN, SerializedFigure, compact, needed, plain
from sim.telling.plot import Plot

SHARES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=60)


def off(point: complex, begin: complex, end: complex) -> float:
    """Return how far a point is from a line between two others."""
    along = end - begin
    share = (
        0.0 if along == 0 else min(max(((point - begin) * along.conjugate()).real / abs(along) ** 2, 0), 1)
    )
    return abs(point - begin - share * along)


@given(shares=SHARES, most=st.sampled_from([UNSEEN, 0.02, 0.3]))
def test_a_line_through_the_points_that_are_needed_is_where_it_was(shares, most) -> None:
    points = np.array([complex(*one) for one in shares])
    kept = needed(points, most)
    assert {0, points.size - 1} <= set(kept)
    for first, last in pairwise(kept):
        left_out = points[first + 1 : last]
        assert all(off(one, points[first], points[last]) <= most + 1e-9 for one in left_out)


def test_a_smooth_band_has_far_fewer_points_and_ends_where_it_did() -> None:
    x = np.concatenate([np.linspace(6, 9, 100), np.linspace(9.2, 6.2, 100)])
    y = np.concatenate([np.linspace(0, 1, 100), np.linspace(1, 0, 100)])
    band = {"type": "scatter", "x": x, "y": y, "fill": "toself", "hoverinfo": "skip"}
    layout = {"xaxis": {"range": [0, 1], "type": "log"}, "yaxis": {"range": [0, 1]}}
    found = compact(band, layout)
    assert len(found["x"]) == len(found["y"]) < 60
    assert (min(found["x"]), max(found["x"]), max(found["y"])) == (6, 9.2, 1)
    assert len(compact(band, {"xaxis": {}, "yaxis": {}})["x"]) == 200  # nobody knows what can be seen


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=20))
def test_a_reader_is_told_the_same_digits(numbers) -> None:
    told = "%{x:,.3~r} ± %{customdata:,.2~r}"
    exact = np.array(numbers)
    found = compact({"x": exact, "customdata": exact, "hovertemplate": told}, {"xaxis": {"range": [0, 2e6]}})
    for name, digits in (("x", 3), ("customdata", 2)):
        for before, after in zip(exact, found[name], strict=True):
            assert abs(float(f"{after:.{digits}g}") - before) <= 0.5001 * 10 ** (
                np.floor(np.log10(before)) - digits + 1
            ) + 0.5 * 10 ** (np.floor(np.log10(before)) - digits)
    np.testing.assert_allclose(compact({"customdata": exact}, {})["customdata"], exact, rtol=6e-4)


def test_what_is_left_out_is_what_plotly_takes_anyway() -> None:
    plot = Plot("a", dark=True)
    plot.line(None, [1], "one", "#000000")
    plot.notes.append({"text": "b", "font": plot.font})
    plot.axis("x")
    plot.axis("y", scale={"visible": False, "range": [0, 1]}, zoom=True)
    drawn = figure(plot)
    before, after = drawn.layout.to_plotly_json(), plain(drawn.layout.to_plotly_json())
    assert after["font"] == before["font"] == before["xaxis"]["tickfont"] == before["legend"]["font"]
    assert not {"tickfont", "gridcolor"} & after["xaxis"].keys()
    assert after["xaxis"]["linecolor"] == before["xaxis"]["linecolor"]
    assert after["yaxis"] == {"visible": False, "range": [0, 1]}
    assert after["annotations"] == [{"text": "b"}]
    assert after["hoverlabel"]["font"] == before["hoverlabel"]["font"]  # which has a font of its own


def test_a_name_is_sent_where_somebody_sees_it() -> None:
    named = {"type": "scatter", "name": "a"}
    assert "name" not in compact(named | {"hoverinfo": "skip", "showlegend": False}, {})
    assert all("name" in compact(named | one, {}) for one in ({"hoverinfo": "skip"}, {"showlegend": False}))


def test_whole_numbers_have_no_point() -> None:
    figure = go.Figure({"data": [{"type": "scatter", "y": np.array([0.0, 2.0, 0.5])}]}, _validate=False)
    assert b'"y":[0,2,0.5]' in orjson.dumps(SerializedFigure(figure).to_dict())


def test_a_band_that_ends_below_0_is_drawn_to_below_a_logarithmic_axis() -> None:
    """Its end has no logarithm: Plotly would tear the band there."""
    band = {
        "fill": "toself",
        "hoverinfo": "skip",
        "x": np.array([0.1, 0.5, 0.9]),
        "y": np.array([20.0, -3, 40]),
    }
    axes = {"xaxis": {"range": [0.0, 1.0]}, "yaxis": {"type": "log", "range": [1.0, 2.0]}}
    assert compact(band, axes)["y"] == [20.0, 1.0, 40.0]
