"""The check of the whole: figures of the history over those of the model."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.logs.axes import around, rows
from pages.shared.charts.chart import chart, points, titled, upright
from sim.telling.palette import palette
from sim.telling.words import listed, number
from sim.whatif.check import COMPARED, Item
from sim.whatif.pictures import Pictures

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
    colors, found = palette(dark), compared(*parts)
    places = list(range(len(found)))
    ratio, low, high = (np.array([row[part] for row in found]) for part in (1, 2, 3))
    one = np.ones(ratio.size)
    traces = [
        points(
            one,
            places,
            "model: 90 % of replications",
            colors.series[0],
            marker={"symbol": "square", "size": 8},
            error_x=around(one, np.minimum(low, one), np.maximum(high, one), colors.series[0])
            | {"thickness": 8, "width": 0},
            hoverinfo="skip",
        ),
        points(
            ratio,
            places,
            "recorded",
            colors.ink,
            marker={"size": 10, "symbol": "diamond"},
            hovertemplate="recorded ÷ model: %{x:.3~r}<extra></extra>",
        ),
    ]
    ends = min(0.7, float(ratio.min()), float(low.min())), max(1.4, float(ratio.max()), float(high.max()))
    axes = {
        "xaxis": {
            "title": titled("recorded ÷ mean of the model", dark),
            "range": [ends[0] - 0.05, ends[1] + 0.05],
            "nticks": 6,
            "tickformat": ",~r",
            "fixedrange": True,
        },
        "yaxis": rows([row[0] for row in found]),
    }
    return chart(traces, axes, dark, name="ratios", shapes=[upright(1.0, colors.ink, dash="dot")])


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
