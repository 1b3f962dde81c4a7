"""The results of each choice that the paper leaves open, beside the reported number."""

from __future__ import annotations

import math
from textwrap import wrap

import plotly.graph_objects as go

from pages.reproductions.question import Row
from pages.reproductions.words import as_read, known, with_unit
from pages.shared.charts.chart import chart, note, points, titled, upright
from sim.claims.typeset import typeset
from sim.statistics import Estimate
from sim.telling.palette import faded, palette
from sim.telling.plot import Part
from sim.telling.words import plain

#: Letters of a line of a choice's name, pixels of a line, and of a row besides.
LETTERS, LINE, GAP = 30, 15, 6
#: Name of the judged value.
OURS = "ours, as judged"


def draw(row: Row, dark: bool) -> go.Figure:
    """Draw the judged number and one a choice, with their intervals; the region that reproduces is shaded."""
    colors = palette(dark)
    found = {OURS: row.ours, **row.choices}
    found = {name: one for name, one in found.items() if one.value is not None}
    labels = ["<br>".join(wrap(typeset(name), LETTERS)) for name in found]
    places = list(range(len(found)))
    series = [colors.series[1 if name == OURS else 0] for name in found]
    values = [one.value or 0.0 for one in found.values()]
    dots = points(
        values,
        places,
        "choices",
        colors.series[0],
        showlegend=False,
        marker={"color": series, "size": [11 if name == OURS else 8 for name in found]},
        error_x=_bars(list(found.values()), colors.ink),
        hovertext=[f"{typeset(name)}: {known(one)}" for name, one in found.items()],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    low, high = _limits(row, found)
    axes: dict[str, Part] = {
        "xaxis": {
            "title": titled(as_read(row.claim.unit) or "value", dark),
            "range": [low, high],
            "nticks": 6,
            "tickformat": ",~r",
            "fixedrange": True,
        },
        "yaxis": {
            "title": {"text": ""},
            "tickvals": places,
            "ticktext": labels,
            "range": [len(found) - 0.4, -0.9],
            "fixedrange": True,
            "showgrid": False,
        },
    }
    most = max(label.count("<br>") + 1 for label in labels)
    height = 70 + (len(labels) + 1) * (GAP + LINE * most)
    return chart(
        [dots],
        axes,
        dark,
        name=f"choices of {row.claim.key}",
        height=max(height, 150),
        shapes=[
            _region(row, low, high, faded(colors.series[2], 0.15)),
            upright(row.claim.reported, colors.ink, dash="dash"),
        ],
        annotations=[
            note(
                f" reported {plain(row.claim.reported)} ",
                dark,
                x=row.claim.reported,
                y=-0.75,
                xanchor=_side(row, low, high),
            )
        ],
    )


def _bars(found: list[Estimate], color: str) -> Part:
    up = [(one.high if one.high is not None else one.value or 0) - (one.value or 0) for one in found]
    down = [(one.value or 0) - (one.low if one.low is not None else one.value or 0) for one in found]
    return {
        "type": "data",
        "symmetric": False,
        "array": up,
        "arrayminus": down,
        "color": color,
        "thickness": 1.5,
    }


def _limits(row: Row, found: dict[str, Estimate]) -> tuple[float, float]:
    """Return ends of the axis that hold every interval and the reported number."""
    ends = [row.claim.reported]
    for one in found.values():
        ends += [end for end in (one.low, one.value, one.high) if end is not None]
    margin = 0.06 * (max(ends) - min(ends)) or 0.1
    return min(ends) - margin, max(ends) + margin


def _side(row: Row, low: float, high: float) -> str:
    return "left" if row.claim.reported < (low + high) / 2 else "right"


def _region(row: Row, low: float, high: float, color: str) -> Part:
    """Return the numbers that reproduce the claim, as far as the axis shows them."""
    region = row.claim.region
    ends = max(region.low, low), min(region.high, high)
    return {
        "type": "rect",
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "x0": ends[0],
        "x1": ends[1],
        "fillcolor": color,
        "line": {"width": 0},
        "layer": "below",
    }


def alt(row: Row) -> str:
    """Say in words what `draw` shows, with its numbers."""
    told = [f"{typeset(name)}: {known(one)}" for name, one in {OURS: row.ours, **row.choices}.items()]
    region = row.claim.region
    ends = (f"from {plain(region.low)} " if math.isfinite(region.low) else "") + (
        f"up to {plain(region.high)}" if math.isfinite(region.high) else "on"
    )
    reported = with_unit(plain(row.claim.reported), row.claim.unit)
    return f"Reported: {reported}; a number {ends} reproduces it. {'; '.join(told)}."
