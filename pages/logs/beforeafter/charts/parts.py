"""Luck, machine and work: measured over all runs, and inferred from the first."""

from __future__ import annotations

import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.diagnosis.shares import Share
from sim.advice.several.layout import PARTS
from sim.advice.several.reruns import Repeated
from sim.telling.plot import Plot, around, ends, rows
from sim.telling.scales import shares as whole
from sim.telling.words import listed, percent, within

TITLE = "Why tasks of a stage are unequal"
_LABELS = {"measured": "measured over all runs", "inferred": "inferred from the first"}


def _found(one: Repeated) -> dict[str, dict[str, Share]]:
    return {"measured": one.measured.shares, "inferred": one.inferred}


def draw(one: Repeated, dark: bool) -> go.Figure:
    """Draw the shares with their intervals, a row for each part."""
    plot = Plot("parts", dark, 310, showlegend=True)
    for (name, shares), aside, symbol, color in zip(
        _found(one).items(), (0.15, -0.15), ("circle", "diamond"), plot.colors.series, strict=False
    ):
        told = [part for part in PARTS if part in shares]
        value, low, high = ends([shares[part] for part in told])
        plot.dots(
            value,
            [PARTS.index(part) + aside for part in told],
            _LABELS[name],
            color,
            "%{x:.0%}",
            marker={"size": 9, "symbol": symbol},
            error_x=around(value, low, high, color),
        )
    plot.axis("x", "share of the variance within stages", whole())
    plot.axis("y", scale=rows(list(PARTS)))
    return figure(plot)


def _ends(share: Share) -> tuple[float, float, float]:
    return share.value, share.low, share.high


def alt(one: Repeated) -> str:
    """Say in words what `draw` shows."""
    told = []
    for name, shares in _found(one).items():
        parts = [f"{part} {within(*_ends(shares[part]), percent)}" for part in PARTS if part in shares]
        told.append(f"{_LABELS[name]}: {listed(parts) if parts else 'none of the 3 parts'}")
    return f"Shares of luck, machine and work, {'; '.join(told)}."


def about(one: Repeated) -> str:
    """Return what stands below the chart."""
    free = one.measured.freedom
    return (
        f"{len(one.tasks.log):,} tasks that are in all runs; degrees of freedom: luck {free.luck:,}, "
        f"machine {free.machine:,}, work {free.work:,}. Every task counts the same. 95 % intervals."
    )
