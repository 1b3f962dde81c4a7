"""The cost of redundancy: the load that the jobs bring, against the demand d."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from pages.coding.answer.loads import GRID, Seen, Sweep
from pages.coding.charts.axes import ALL, ENDS, color_of, demand_axis, place, spelled
from pages.shared.charts.chart import chart, curve, note, titled, upright
from sim.telling.palette import faded, palette
from sim.telling.plot import LINE, Part
from sim.telling.scales import tidy
from sim.telling.words import listed, measured, plain


def cost_chart(seen: Seen, dark: bool) -> go.Figure:
    """Draw the load brought against d; points with 95 % intervals, theory dashed, overload shaded."""
    traces: list[Part] = []
    for sweep in sorted(seen.sweeps, key=lambda one: one.load):
        color = color_of(sweep.load, seen.chosen.load, dark)
        strong = sweep is seen.chosen
        if sweep.theory is not None:
            traces += _theory(sweep, color, strong)
        if sweep.points:
            traces.append(_simulated(sweep, color, strong))
    high = _high(seen)
    colors = palette(dark)
    shapes = [upright(place(seen.asked.demand), colors.ink, dash="dot")]
    notes = []
    if high > 1:
        shapes.append(
            {
                "type": "rect",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": 1,
                "y1": high,
                "fillcolor": faded(colors.ink, 0.1),
                "line": {"width": 0},
                "layer": "below",
            }
        )
        text = "more work than the cluster can do"
        clear = {"bgcolor": "rgba(0, 0, 0, 0)", "xanchor": "left", "yanchor": "top"}
        notes.append(note(text, dark, xref="paper", x=0.01, y=high, **clear))
    axes = {
        "xaxis": demand_axis("jobs of demand up to d are expanded (s)", dark),
        "yaxis": {
            "title": titled("load ρ, redundancy included", dark),
            "range": [0, high],
            "nticks": 7,
            "fixedrange": True,
        },
    }
    return chart(
        traces, axes, dark, name="cost", height=350, shapes=shapes, annotations=notes, showlegend=True
    )


def _high(seen: Seen) -> float:
    """Return the end of the axis: above 1, and above what the highest load brings."""
    brought = [point.load.value or 0.0 for sweep in seen.done for point in sweep.points]
    return tidy(max(1.15, *brought))


def _simulated(sweep: Sweep, color: str, strong: bool) -> Part:
    shown = [point for point in sweep.points if point.load.value is not None]
    name = f"ρ₀ = {plain(sweep.load)}"
    return curve(
        [place(point.demand) for point in shown],
        [point.load.value or 0.0 for point in shown],
        name,
        color if strong else faded(color, 0.75),
        mode="lines+markers",
        line={"width": LINE + 1 if strong else 1.5},
        marker={"color": color, "size": 8 if strong else 6},
        customdata=[f"d: {spelled(point.demand)}<br>ρ = {measured(point.load)}" for point in shown],
        hovertemplate=f"<b>{name}</b><br>%{{customdata}}<extra></extra>",
        error_y={
            "type": "data",
            "array": [point.load.half if math.isfinite(point.load.half) else 0.0 for point in shown],
            "color": color,
            "thickness": 1.5,
            "width": 3,
        },
    )


def _theory(sweep: Sweep, color: str, strong: bool) -> list[Part]:
    assert sweep.theory is not None
    strokes = [
        (GRID, sweep.theory.loads),
        (np.array([0.93 * ALL, ENDS[1]]), np.full(2, sweep.theory.brought[math.inf])),
    ]
    return [
        curve(
            x,
            loads,
            "theory",
            color if strong else faded(color, 0.75),
            line={"dash": "dash", "width": LINE if strong else 1.5},
            showlegend=False,
            hoverinfo="skip",
        )
        for x, loads in strokes
    ]


def cost_alt(seen: Seen) -> str:
    """Say in words what `cost_chart` shows, with its numbers."""
    told = []
    for sweep in seen.done:
        parts = [f"{spelled(point.demand)}: {measured(point.load)}" for point in sweep.points]
        told.append(f"Offered load {plain(sweep.load)} becomes, by d, {listed(parts)}.")
    return "Load that the jobs bring, by largest demand d that is expanded; from 1 on it is too much. " + (
        " ".join(told)
    )
