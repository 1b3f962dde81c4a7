"""Luck, machine and work: measured over both runs, and inferred from the first."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.logs.axes import around, rows, whole
from pages.shared.charts.chart import chart, points
from sim.several.layout import PARTS
from sim.several.repeated import Repeated
from sim.telling.palette import palette
from sim.telling.words import listed, percent
from sim.traces.diagnosis.shares import Share

TITLE = "Why tasks of a stage are unequal"
_LABELS = {"measured": "measured over both runs", "inferred": "inferred from the first"}


def _found(one: Repeated) -> dict[str, dict[str, Share]]:
    return {"measured": one.measured.shares, "inferred": one.inferred}


def draw(one: Repeated, dark: bool) -> go.Figure:
    """Draw the shares with their intervals, a row for each part."""
    colors = palette(dark)
    traces = []
    for place, (name, shares) in enumerate(_found(one).items()):
        told = [part for part in PARTS if part in shares]
        value, low, high = (
            np.array([getattr(shares[part], end) for part in told]) for end in ("value", "low", "high")
        )
        traces.append(
            points(
                value,
                [PARTS.index(part) + (0.15, -0.15)[place] for part in told],
                _LABELS[name],
                colors.series[place],
                marker={"size": 9, "symbol": ("circle", "diamond")[place]},
                error_x=around(value, low, high, colors.series[place]),
                hovertemplate="%{x:.0%}<extra></extra>",
            )
        )
    axes = {"xaxis": whole("share of the variance within stages", dark), "yaxis": rows(list(PARTS))}
    return chart(traces, axes, dark, name="parts", height=310, showlegend=True)


def alt(one: Repeated) -> str:
    """Say in words what `draw` shows."""
    told = []
    for name, shares in _found(one).items():
        parts = [f"{part} {_told(shares[part])}" for part in PARTS if part in shares]
        told.append(f"{_LABELS[name]}: {listed(parts) if parts else 'none of the 3 parts'}")
    return f"Shares of luck, machine and work, {'; '.join(told)}."


def _told(share: Share) -> str:
    return f"{percent(share.value)} (95 %: {percent(share.low)} to {percent(share.high)})"


def about(one: Repeated) -> str:
    """Return what stands below the chart."""
    free = one.measured.freedom
    return (
        f"{len(one.tasks.log):,} tasks that are in both runs; degrees of freedom: luck {free.luck:,}, "
        f"machine {free.machine:,}, work {free.work:,}. Every task counts the same. 95 % intervals."
    )
