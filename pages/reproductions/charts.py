"""The charts of the Reproductions page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap

import numpy as np
import plotly.graph_objects as go

from pages.reproductions.question import Row
from pages.reproductions.words import as_read, known, with_unit
from pages.shared.charts.on_page import figure
from sim.papers.claim import typeset
from sim.papers.picture import Curve, Mark, Picture
from sim.telling.palette import faded
from sim.telling.plot import DASHED, Part, Plot, around, ends
from sim.telling.scales import log_axis, round_up, span
from sim.telling.words import number, plain

# The results of each choice that the paper leaves open, beside the reported number.

#: Letters of a line of a choice's name, pixels of a line, and of a row besides.
LETTERS, LINE, GAP = 30, 15, 6
#: Name of the judged value.
OURS = "ours, as judged"


def draw_choices(row: Row, dark: bool) -> go.Figure:
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


def alt_choices(row: Row) -> str:
    """Say in words what `draw` shows, with its numbers."""
    told = [f"{typeset(name)}: {known(one)}" for name, one in {OURS: row.ours, **row.choices}.items()]
    region = row.claim.region
    ends = (f"from {plain(region.low)} " if math.isfinite(region.low) else "") + (
        f"up to {plain(region.high)}" if math.isfinite(region.high) else "on"
    )
    reported = with_unit(plain(row.claim.reported), row.claim.unit)
    return f"Reported: {reported}; a number {ends} reproduces it. {'; '.join(told)}."


# A figure of a paper with our curves: bands are 95 % intervals, marks are what the paper reports.

HEIGHT = 300
#: Pixels of all panels of a picture on a laptop.
WIDE = 800
#: Points below which each is seen.
FEW = 15


def draw_picture(picture: Picture, curves: Sequence[Curve], place: int, dark: bool) -> go.Figure:
    """Draw one panel of a picture."""
    panel, wide = picture.panels[place], WIDE / len(picture.panels)
    name = f"{picture.key} {place}"
    plot = Plot(name, dark, HEIGHT, wide=wide, showlegend=True, barmode="group")
    names = list(dict.fromkeys(one.name for one in curves))
    marks = [one for one in picture.marks if one.panel == place]
    here = [one for one in curves if one.panel == place]
    seen: set[str] = set()
    for one in here:
        color = plot.colors.series[names.index(one.name) % len(plot.colors.series)]
        # the theory beside a simulated curve has its colour and its entry
        _curve(plot, one, color, {"showlegend": False} if one.name in seen else {})
        seen.add(one.name)
    stars = 0
    for mark in marks:
        if mark.y is None:
            plot.up(mark.x, dash="dash")
        elif mark.x is None:
            plot.across(mark.y, dash="dash")
        else:
            look = {"symbol": "star", "size": 13, "line": {"color": plot.colors.paper, "width": 1}}
            told, listed = f"the paper: {mark.text}", {"showlegend": not stars}
            plot.dots([mark.x], [mark.y], "paper", plot.colors.ink, told, marker=look, **listed)
            stars += 1
    across: Part = {}
    if not here or not isinstance(here[0].x[0], str):
        xs = [x for one in here for x in one.x] + [one.x for one in marks if one.x is not None]
        if panel.log:
            across = log_axis(min(xs), max(xs))
        else:
            across = {"range": panel.xlim or [0.0, round_up(max(xs))]}
    plot.axis("x", panel.across, {"nticks": 6} | across)
    low, high = panel.ylim or _span(here, marks)
    plot.axis("y", panel.upwards, {"nticks": 6, "range": [low, high]})
    return figure(plot)


def _curve(plot: Plot, one: Curve, color: str, listed: Part) -> None:
    """Draw a curve with its band, or bars with their intervals; points without a value are left out."""
    known = [(x, y) for x, y in zip(one.x, one.y, strict=True) if y.value is not None]
    at, (middle, low, high) = [x for x, _ in known], ends([y for _, y in known])
    name = typeset(one.name)
    if isinstance(one.x[0], str):
        bars = around(middle, low, high)
        plot.bars(at, middle, name, color, f"{name}: %{{y:.3~g}}", error_y=bars, **listed)
        return
    if not one.exact:
        plot.area([*at, *reversed(at)], [*high, *reversed(low)], name, faded(color))
    told = f"{name}: %{{y:.4~g}} at %{{x:.4~g}}"
    dash, few = DASHED if one.exact else {}, {"mode": "lines+markers"} if len(at) < FEW else {}
    plot.line(at, middle, name, color, told, line=dash, **few, **listed)


def _span(here: Sequence[Curve], marks: Sequence[Mark]) -> tuple[float, float]:
    shown = np.concatenate(ends([y for one in here for y in one.y if y.value is not None])).tolist()
    shown += [one.y for one in marks if one.y is not None]
    margin = 0.05 * (max(shown) - min(shown)) or 0.1
    return min(0.0, min(shown) - margin) if min(shown) < 0 else 0.0, max(shown) + margin


def alt_picture(picture: Picture, curves: Sequence[Curve], place: int) -> str:
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
