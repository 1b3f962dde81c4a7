"""How unequal the tasks of a stage are: the slowest task over the median, by share of the stages."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.diagnosis.costs import STRAGGLER, Spread, weighted_quantile
from sim.telling.plot import Plot
from sim.telling.scales import log_axis, shares
from sim.telling.words import number, percent

TITLE = "Slowest task against the median of its stage"
#: Shares of the stages at which the curve is worked out.
_SHARES = np.unique(np.concatenate([np.linspace(0, 1, 101), [0.99, 0.995]]))


def draw(spread: Spread, dark: bool) -> go.Figure:
    """Draw the share of stages whose slowest finished task took more than so many times the median."""
    plot, table = Plot("slowest against median", dark), spread.table
    weight = 1 / table.groupby("job")["stage"].transform("size").to_numpy(float)
    slowest = table["slowest"].to_numpy(float)
    ratios = np.array([weighted_quantile(slowest, weight, share) for share in _SHARES])
    marks = np.array([spread.p50, spread.p90, spread.p99], float)
    first, second, *_ = plot.colors.series
    hover = "%{y:.3~%} of the stages: more than %{x:.3~r} times the median"
    plot.line(ratios, 1 - _SHARES, "stages", first, hover)
    plot.dots(marks, [0.5, 0.1, 0.01], "half, a tenth, a hundredth of the stages", second, hover)
    plot.up(STRAGGLER, dash="dot")
    across = log_axis(1.0, max(float(slowest.max()), 2.0))
    plot.axis("x", "slowest task ÷ median of its stage", across)
    plot.axis("y", "share of stages with more", shares())
    return figure(plot)


def alt(spread: Spread) -> str:
    """Say in words what `draw` shows."""
    p50, p90, p99 = (number(value or 0.0) for value in (spread.p50, spread.p90, spread.p99))
    return (
        f"Share of {spread.stages:,} stages against the ratio of their slowest task to their median: half "
        f"are above {p50}, a tenth above {p90}, a hundredth above {p99}."
    )


def about(spread: Spread) -> str:
    """Return what stands below the chart."""
    return (
        f"{spread.stages:,} stages with ten finished tasks or more, each job weighing alike. Dotted: "
        f"{STRAGGLER:g} times the median, from which a task is called a straggler: "
        f"{percent(spread.over_1_5 or 0.0)} of the copies."
    )
