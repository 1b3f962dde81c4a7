"""The check, stage by stage: where recorded stage times lie among the simulated ones."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.whatif.check import Pictures
from sim.telling.plot import Plot
from sim.telling.scales import linear_axis, span
from sim.telling.words import counted, number

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
    plot, found = Plot("ranks", dark), counts(pictures)
    low, high = band(pictures.ranks.size)
    middles = np.arange(CLASSES) * 10 + 5
    plot.bars(middles, found, "stages", plot.colors.series[0], "%{y} stages", width=9)
    plot.across(low, dash="dot")
    plot.across(high, dash="dot")
    plot.axis("x", "rank of the recorded time, of 100", span(0, 100))
    plot.axis("y", "stages", linear_axis(max(float(found.max()), high)))
    return figure(plot)


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
