"""A figure of a paper with our curves: bands are 95 % intervals, marks are what the paper reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import chart, curve, level, points, titled, upright
from sim.claims.picture import Curve, Mark, Panel, Picture
from sim.claims.typeset import typeset
from sim.statistics import Estimate
from sim.telling.palette import Palette, faded, palette
from sim.telling.plot import Part
from sim.telling.scales import log_axis, round_up
from sim.telling.words import number

HEIGHT = 300
#: Pixels of all panels of a picture on a laptop.
WIDE = 800
#: Points below which each is seen.
FEW = 15


def draw(picture: Picture, curves: Sequence[Curve], place: int, dark: bool) -> go.Figure:
    """Draw one panel of a picture."""
    panel, colors = picture.panels[place], palette(dark)
    names = list(dict.fromkeys(one.name for one in curves))
    wide = WIDE / len(picture.panels)
    marks = [one for one in picture.marks if one.panel == place]
    here = [one for one in curves if one.panel == place]
    traces: list[Part] = []
    seen: set[str] = set()
    for one in here:
        drawn = _traces(one, colors.series[names.index(one.name) % len(colors.series)])
        if one.name in seen:  # the theory beside a simulated curve has its colour and its entry
            drawn = [trace | {"showlegend": False} for trace in drawn]
        seen.add(one.name)
        traces += drawn
    stars = [one for one in marks if one.x is not None and one.y is not None]
    traces += [_mark(one, colors) | {"showlegend": one is stars[0]} for one in stars]
    lines = [upright(one.x, colors.ink, dash="dash") for one in marks if one.y is None]
    lines += [level(one.y, colors.ink, dash="dash") for one in marks if one.x is None and one.y is not None]
    return chart(
        traces,
        _axes(panel, here, marks, dark),
        dark,
        name=f"{picture.key} {place}",
        height=HEIGHT,
        wide=wide,
        showlegend=True,
        shapes=lines,
        barmode="group",
    )


def _traces(one: Curve, color: str) -> list[Part]:
    """Return a curve with its band, or bars with their intervals; points without a value are left out."""
    known = [(x, *_ends(y)) for x, y in zip(one.x, one.y, strict=True) if y.value is not None]
    at = [x for x, *_ in known]
    low, middle, high = (np.array([point[i] for point in known]) for i in (1, 2, 3))
    if isinstance(one.x[0], str):
        return [_bars(one, at, middle, high - middle, middle - low, color)]
    dash = {"dash": "dash"} if one.exact else {}
    name = typeset(one.name)
    told = f"{name}: %{{y:.4~g}} at %{{x:.4~g}}<extra></extra>"
    line = curve(at, middle, name, color, line=dash, hovertemplate=told)
    if len(at) < FEW:
        line["mode"] = "lines+markers"
    if one.exact:
        return [line]
    band = {
        "type": "scatter",
        "x": [*at, *reversed(at)],
        "y": [*high, *reversed(low)],
        "fill": "toself",
        "fillcolor": faded(color),
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
        "name": name,
    }
    return [band, line]


def _bars(
    one: Curve, at: list[Any], middle: np.ndarray, up: np.ndarray, down: np.ndarray, color: str
) -> Part:
    ends = {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "thickness": 1.5}
    return {
        "type": "bar",
        "x": at,
        "y": middle,
        "name": typeset(one.name),
        "marker": {"color": color},
        "error_y": ends,
        "hovertemplate": f"{typeset(one.name)}: %{{y:.3~g}}<extra></extra>",
    }


def _ends(one: Estimate) -> tuple[float, float, float]:
    """Return the ends of an interval and its middle; where there is none, the value itself."""
    value = 0.0 if one.value is None else one.value
    return (value if one.low is None else one.low, value, value if one.high is None else one.high)


def _mark(one: Mark, colors: Palette) -> Part:
    look = {"symbol": "star", "size": 13, "line": {"color": colors.paper, "width": 1}}
    told = f"the paper: {one.text}<extra></extra>"
    return points([one.x], [one.y or 0.0], "paper", colors.ink, marker=look, hovertemplate=told)


def _axes(panel: Panel, here: Sequence[Curve], marks: Sequence[Mark], dark: bool) -> dict[str, Part]:
    across: Part = {"title": titled(panel.across, dark), "fixedrange": True, "nticks": 6}
    upwards: Part = {"title": titled(panel.upwards, dark), "fixedrange": True, "nticks": 6}
    if not here or not isinstance(here[0].x[0], str):
        xs = [x for one in here for x in one.x] + [one.x for one in marks if one.x is not None]
        if panel.log:
            across |= log_axis(min(xs), max(xs))
        else:
            across["range"] = panel.xlim or [0.0, round_up(max(xs))]
    low, high = panel.ylim or _span(here, marks)
    return {"xaxis": across, "yaxis": upwards | {"range": [low, high]}}


def _span(here: Sequence[Curve], marks: Sequence[Mark]) -> tuple[float, float]:
    ends = [end for one in here for y in one.y if y.value is not None for end in _ends(y)]
    ends += [one.y for one in marks if one.y is not None]
    margin = 0.05 * (max(ends) - min(ends)) or 0.1
    return min(0.0, min(ends) - margin) if min(ends) < 0 else 0.0, max(ends) + margin


def alt(picture: Picture, curves: Sequence[Curve], place: int) -> str:
    """Say in words what `draw` shows, with the ends of each curve."""
    panel = picture.panels[place]
    told = [_said(one) for one in curves if one.panel == place]
    return f"{panel.upwards} against {panel.across}. {'; '.join(told)}. {reported(picture, place)}"


def reported(picture: Picture, place: int) -> str:
    """Return what the paper reports in a panel; empty if nothing."""
    marks = [one.text for one in picture.marks if one.panel == place]
    return f"The paper reports: {'; '.join(marks)}." if marks else ""


def _said(one: Curve) -> str:
    known = [(x, y.value) for x, y in zip(one.x, one.y, strict=True) if y.value is not None]
    if isinstance(one.x[0], str):
        return f"{typeset(one.name)}: " + ", ".join(f"{x} {number(y)}" for x, y in known)
    (first, low), (last, high) = known[0], known[-1]
    return f"{typeset(one.name)}: {number(low)} at {number(first)}, {number(high)} at {number(last)}"
