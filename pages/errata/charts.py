"""The picture of a finding.

What is right has the first colour and a solid line, what is printed the second and a dashed one.
"""

from __future__ import annotations

import plotly.graph_objects as go

from pages.errata.words.finding import Line, Picture
from pages.shared.charts.chart import chart, curve, note, points, titled, upright
from sim.telling.palette import palette
from sim.telling.plot import Part

HEIGHT = 300

DASHES = ("solid", "dash", "dot", "dashdot")


def draw(picture: Picture, dark: bool, name: str) -> go.Figure:
    """Draw the picture of a finding."""
    colors = palette(dark)
    traces = [_trace(line, colors.series[line.role]) for line in picture.lines]
    across = {"title": titled(picture.across, dark), "fixedrange": True, "nticks": 6} | picture.axes[0]
    upwards = {"title": titled(picture.upwards, dark), "fixedrange": True, "nticks": 6} | picture.axes[1]
    return chart(
        traces,
        {"xaxis": across, "yaxis": upwards},
        dark,
        name=name,
        height=HEIGHT,
        shapes=[upright(x, colors.ink, dash="dot") for x, _ in picture.uprights],
        annotations=[
            _label(picture.labels, place, x, text, dark) for place, (x, text) in enumerate(picture.uprights)
        ],
    )


def _label(side: str, place: int, x: float, text: str, dark: bool) -> Part:
    """Return what an upright says, each a line farther from the edge than the one before."""
    y = 0.02 + 0.1 * place
    where = {"x": x, "xanchor": "left", "yref": "paper", "yanchor": side}
    return note(f" {text} ", dark, y=y if side == "bottom" else 1 - y, **where)


def _trace(line: Line, color: str) -> Part:
    dash = {"dash": DASHES[line.role]}
    told = f"{line.name}: %{{y:.4~g}} at %{{x:.4~g}}<extra></extra>"
    if line.marked:
        look = {"mode": "lines+markers", "line": {"color": color, "width": 1}, "hovertemplate": told}
        return points(line.x, line.y, line.name, color, **look)
    return curve(line.x, line.y, line.name, color, line=dash, hovertemplate=told)
