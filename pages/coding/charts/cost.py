"""The cost of redundancy: the load that the jobs bring, against the demand d."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from pages.coding.answer.loads import GRID, Step, Sweep
from pages.coding.charts.axes import ALL, ENDS, color_of, demand_axis, halves, place, pointed, spelled
from pages.shared.charts.chart import figure
from sim.telling.palette import faded
from sim.telling.plot import CLEAR, DASHED, LINE, Plot
from sim.telling.scales import tidy
from sim.telling.words import listed, measured, plain


def cost_chart(seen: Step, dark: bool) -> go.Figure:
    """Draw the load brought against d; points with 95 % intervals, theory dashed, overload shaded."""
    plot = Plot("cost", dark, 350, showlegend=True)
    for sweep in sorted(seen.sweeps, key=lambda one: one.load):
        color = color_of(sweep.load, seen.chosen.load, plot.colors.series)
        strong = sweep is seen.chosen
        if sweep.theory is not None:
            _theory(plot, sweep, color, strong)
        if sweep.points:
            _simulated(plot, sweep, color, strong)
    plot.up(place(seen.asked.demand), dash="dot")
    if (high := _high(seen)) > 1:
        plot.region(faded(plot.colors.ink, 0.1), y0=1, y1=high)
        where = {"xref": "paper", "x": 0.01, "xanchor": "left", "yanchor": "top"}
        plot.note("more work than the cluster can do", y=high, bgcolor=CLEAR, **where)
    plot.axis("x", "jobs of demand up to d are expanded (s)", demand_axis())
    plot.axis("y", "load ρ, redundancy included", {"range": [0, high], "nticks": 7})
    return figure(plot)


def _high(seen: Step) -> float:
    """Return the end of the axis: above 1, and above what the highest load brings."""
    brought = [point.load.value or 0.0 for sweep in seen.done for point in sweep.points]
    return tidy(max(1.15, *brought))


def _simulated(plot: Plot, sweep: Sweep, color: str, strong: bool) -> None:
    shown = [point for point in sweep.points if point.load.value is not None]
    name = f"ρ₀ = {plain(sweep.load)}"
    plot.line(
        [place(point.demand) for point in shown],
        [point.load.value or 0.0 for point in shown],
        name,
        color if strong else faded(color, 0.75),
        f"<b>{name}</b><br>%{{customdata}}",
        customdata=[f"d: {spelled(point.demand)}<br>ρ = {measured(point.load)}" for point in shown],
        error_y=halves([point.load for point in shown], color),
        **pointed(color, strong),
    )


def _theory(plot: Plot, sweep: Sweep, color: str, strong: bool) -> None:
    assert sweep.theory is not None
    look = DASHED | {"width": LINE if strong else 1.5}
    pale = color if strong else faded(color, 0.75)
    for x, loads in (
        (GRID, sweep.theory.loads),
        (np.array([0.93 * ALL, ENDS[1]]), np.full(2, sweep.theory.brought[math.inf])),
    ):
        plot.line(x, loads, "theory", pale, line=look, showlegend=False)


def cost_alt(seen: Step) -> str:
    """Say in words what `cost_chart` shows, with its numbers."""
    told = []
    for sweep in seen.done:
        parts = [f"{spelled(point.demand)}: {measured(point.load)}" for point in sweep.points]
        told.append(f"Offered load {plain(sweep.load)} becomes, by d, {listed(parts)}.")
    return "Load that the jobs bring, by largest demand d that is expanded; from 1 on it is too much. " + (
        " ".join(told)
    )
