"""Up to which load the advised setting pays: the change of job time over the offered load."""

from __future__ import annotations

from sim.advice.whatif.charts.front import HEIGHT
from sim.advice.whatif.reach import Reach
from sim.advice.whatif.setting_effect import FIGURES
from sim.telling.plot import Plot, around, ends
from sim.telling.scales import span
from sim.telling.words import listed, number

TITLE = "Up to which load it pays"


def draw(reach: Reach, dark: bool) -> Plot:
    """Draw the change at each load, with its interval."""
    plot = Plot("load", dark, HEIGHT)
    color, load = plot.colors.series[1], [point.load for point in reach.points]
    change, low, high = ends([point.change[reach.objective] for point in reach.points], 100)
    bars, hover = around(change, low, high, color), "load %{x:.3~r}: %{y:+.1f} %"
    plot.line(load, change, "advised setting", color, hover, mode="lines+markers", error_y=bars)
    plot.across(0, width=1)
    plot.axis("x", "offered load", span(0, max([1.0, *load]) * 1.05))
    room = 0.08 * float(max(high.max(), 0) - min(low.min(), 0)) or 1.0
    shown = span(float(min(low.min(), 0)) - room, float(max(high.max(), 0)) + room)
    plot.axis("y", f"change of {FIGURES[reach.objective]} (%)", shown)
    return plot


def alt(reach: Reach) -> str:
    """Say in words what `draw` shows."""
    told = [f"{point.change[reach.objective].told} at {number(point.load)}" for point in reach.points]
    return f"Change of the {FIGURES[reach.objective]} by offered load: {listed(told)}."
