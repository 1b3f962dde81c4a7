"""The results of each choice that the paper leaves open, beside the reported number."""

from __future__ import annotations

import math
from textwrap import wrap

import plotly.graph_objects as go

from pages.reproductions.question import Row
from pages.reproductions.words import as_read, known, with_unit
from pages.shared.charts.chart import figure
from sim.papers.typeset import typeset
from sim.telling.palette import faded
from sim.telling.plot import Plot, around, ends
from sim.telling.scales import span
from sim.telling.words import plain

#: Letters of a line of a choice's name, pixels of a line, and of a row besides.
LETTERS, LINE, GAP = 30, 15, 6
#: Name of the judged value.
OURS = "ours, as judged"


def draw(row: Row, dark: bool) -> go.Figure:
    """Draw the judged number and one a choice, with their intervals; the region that reproduces is shaded."""
    found = {OURS: row.ours, **row.choices}
    found = {name: one for name, one in found.items() if one.value is not None}
    labels = ["<br>".join(wrap(typeset(name), LETTERS)) for name in found]
    places, claim = list(range(len(found))), row.claim
    most = max(label.count("<br>") + 1 for label in labels)
    height = 70 + (len(labels) + 1) * (GAP + LINE * most)
    plot = Plot(f"choices of {claim.key}", dark, max(height, 150))
    choice, ours, shade, *_ = plot.colors.series
    value, low, high = ends(found.values())
    plot.dots(
        value.tolist(),
        places,
        "choices",
        choice,
        [f"{typeset(name)}: {known(one)}" for name, one in found.items()],
        showlegend=False,
        marker={
            "color": [ours if name == OURS else choice for name in found],
            "size": [11 if name == OURS else 8 for name in found],
        },
        error_x=around(value, low, high, plot.colors.ink),
    )
    shown = [claim.reported, *low, *high]  # every interval and the reported number have room
    margin = 0.06 * (max(shown) - min(shown)) or 0.1
    left, right = float(min(shown) - margin), float(max(shown) + margin)
    plot.region(faded(shade, 0.15), x0=max(claim.region.low, left), x1=min(claim.region.high, right))
    plot.up(claim.reported, dash="dash")
    side = "left" if claim.reported < (left + right) / 2 else "right"
    plot.note(f" reported {plain(claim.reported)} ", x=claim.reported, y=-0.75, xanchor=side)
    plot.axis("x", as_read(claim.unit) or "value", span(left, right))
    names = {"title": {"text": ""}, "tickvals": places, "ticktext": labels}
    plot.axis("y", scale=names, range=[len(found) - 0.4, -0.9], showgrid=False)
    return figure(plot)


def alt(row: Row) -> str:
    """Say in words what `draw` shows, with its numbers."""
    told = [f"{typeset(name)}: {known(one)}" for name, one in {OURS: row.ours, **row.choices}.items()]
    region = row.claim.region
    ends = (f"from {plain(region.low)} " if math.isfinite(region.low) else "") + (
        f"up to {plain(region.high)}" if math.isfinite(region.high) else "on"
    )
    reported = with_unit(plain(row.claim.reported), row.claim.unit)
    return f"Reported: {reported}; a number {ends} reproduces it. {'; '.join(told)}."
