"""The check of the whole: figures of the history over those of the model."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.whatif.check import COMPARED, Item, Pictures
from sim.telling.plot import Plot, around, rows
from sim.telling.scales import span
from sim.telling.words import listed, number

TITLE = "Recorded figures against the model"
#: Labels beside the rows.
CALLED = {
    "p50": "median job time",
    "p95": "p95 of job time",
    "copies": "second copies",
    "won": "copies that won",
    "killed_time": "slot-time killed",
}


def compared(items: tuple[Item, ...], pictures: Pictures) -> list[tuple[str, float, float, float]]:
    """Return what each figure is called, recorded over simulated, and where 90 % of replications lie."""
    found = []
    for item in items:
        if (figure := COMPARED.get(item.name)) and item.expected > 0:
            low, high = np.quantile(pictures.figures[figure], (0.05, 0.95)) / item.expected
            found.append((CALLED.get(item.name, item.name), item.ratio, low, high))
    return found


def draw(parts: tuple[tuple[Item, ...], Pictures], dark: bool) -> go.Figure:
    """Draw a row for each figure."""
    plot, found = Plot("ratios", dark), compared(*parts)
    places, color = list(range(len(found))), plot.colors.series[0]
    ratio, low, high = (np.array([row[part] for row in found]) for part in (1, 2, 3))
    one = np.ones(ratio.size)
    bars = around(one, np.minimum(low, one), np.maximum(high, one), color, thickness=8, width=0)
    name, square = "model: 90 % of replications", {"symbol": "square", "size": 8}
    plot.dots(one, places, name, color, marker=square, error_x=bars)
    diamond = {"size": 10, "symbol": "diamond"}
    told = "recorded ÷ model: %{x:.3~r}"
    plot.dots(ratio, places, "recorded", plot.colors.ink, told, marker=diamond)
    plot.up(1.0, dash="dot")
    least = min(0.7, float(ratio.min()), float(low.min()))
    most = max(1.4, float(ratio.max()), float(high.max()))
    plot.axis("x", "recorded ÷ mean of the model", span(least - 0.05, most + 0.05))
    plot.axis("y", scale=rows([row[0] for row in found]))
    return figure(plot)


def alt(parts: tuple[tuple[Item, ...], Pictures]) -> str:
    """Say in words what `draw` shows."""
    told = [
        f"{name} {number(ratio)} (90 % of replications: {number(low)} to {number(high)})"
        for name, ratio, low, high in compared(*parts)
    ]
    return f"Recorded over model: {listed(told)}."


def about(parts: tuple[tuple[Item, ...], Pictures]) -> str:
    """Return what stands below the chart."""
    return (
        "Above 1 the history took longer, or had more, than the model. A ratio of times is good from 0.9 to "
        "1.1; copies are judged by the spread of the replications."
    )
