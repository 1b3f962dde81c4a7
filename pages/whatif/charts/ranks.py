"""The check, stage by stage: where recorded stage times lie among the simulated ones."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import chart, level, titled
from sim.telling.palette import palette
from sim.telling.scales import linear_axis
from sim.telling.words import counted, number
from sim.whatif.pictures import Pictures

TITLE = "Ranks of recorded stage times"
#: Classes of ranks.
CLASSES = 10


def counts(pictures: Pictures) -> np.ndarray:
    """Return how many stages have a rank in each class."""
    places = np.floor(np.round(pictures.ranks * CLASSES, 9)).astype(int)
    return np.bincount(np.minimum(places, CLASSES - 1), minlength=CLASSES)


def band(stages: int) -> tuple[float, float]:
    """Return the least and the most that 95 % of the classes have where the model is right."""
    half = 1.96 * math.sqrt(stages * (1 / CLASSES) * (1 - 1 / CLASSES))
    return max(0.0, stages / CLASSES - half), stages / CLASSES + half


def draw(pictures: Pictures, dark: bool) -> go.Figure:
    """Draw the classes, and how many stages each has where the model is right."""
    colors, found = palette(dark), counts(pictures)
    low, high = band(pictures.ranks.size)
    bars = {
        "type": "bar",
        "x": np.arange(CLASSES) * 10 + 5,
        "y": found,
        "width": 9,
        "name": "stages",
        "marker": {"color": colors.series[0]},
        "hovertemplate": "%{y} stages<extra></extra>",
    }
    axes = {
        "xaxis": {
            "title": titled("rank of the recorded time, of 100", dark),
            "range": [0, 100],
            "nticks": 6,
            "tickformat": ",~r",
            "fixedrange": True,
        },
        "yaxis": linear_axis(max(float(found.max()), high))
        | {"title": titled("stages", dark), "fixedrange": True},
    }
    shapes = [level(low, colors.ink, dash="dot"), level(high, colors.ink, dash="dot")]
    return chart([bars], axes, dark, name="ranks", shapes=shapes)


def alt(pictures: Pictures) -> str:
    """Say in words what `draw` shows."""
    return (
        f"{counted(pictures.ranks.size, 'stage')} by the rank of their recorded time among the simulated "
        f"ones, in {CLASSES} classes: {', '.join(map(str, counts(pictures)))}."
    )


def about(pictures: Pictures) -> str:
    """Return what stands below the chart."""
    middle = number(100 * float(pictures.ranks.mean()), 2)
    return (
        "Ranks spread evenly where the model is right: classes then mostly lie between the dotted lines. Low "
        f"ranks: recorded stages were faster than the model’s; high ones: slower. Mean rank {middle} of 100."
    )
