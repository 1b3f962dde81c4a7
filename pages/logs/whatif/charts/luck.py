"""Luck against a property that should not affect it: the usual luck of each group of copies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from pages.shared.words.foreign import literal
from sim.advice.whatif.check import ABOUT, Residual
from sim.telling.plot import Plot, around, in_chart, rows
from sim.telling.scales import log_axis
from sim.telling.words import begun, clipped, counted, listed, number

#: Groups that are drawn: of more, half of them are the slowest and half the fastest.
MOST = 12
#: Characters of a group beside its row, and in the alt text of the chart.
BESIDE, IN_ALT = 32, 40
#: Pixels of a row, and of what is around the rows.
ROW, AROUND = 20, 110


def title(one: Residual) -> str:
    """Return what stands above the chart."""
    return f"Luck by {one.name}"


def drawn(one: Residual) -> pd.DataFrame:
    """Return the groups that are drawn, in order."""
    groups = one.groups
    if len(groups) <= MOST:
        return groups
    order = np.argsort(groups["luck"].to_numpy(float), kind="stable")
    return groups.iloc[np.r_[order[::-1][: MOST // 2], order[: MOST // 2][::-1]]]


def draw(one: Residual, dark: bool) -> go.Figure:
    """Draw a row for each group: its median luck over the usual one, with a 95 % interval."""
    groups = drawn(one)
    plot = Plot(f"luck by {one.name}", dark, AROUND + ROW * len(groups))
    luck, low, high = (groups[column].to_numpy(float) for column in ("luck", "low", "high"))
    away = (low > 1) | (high < 1)
    plot.dots(
        luck,
        list(range(len(groups))),
        "groups",
        "",
        [in_chart(text) for text in _told(groups, IN_ALT)],
        showlegend=False,
        marker={"color": [plot.colors.series[1 if one else 0] for one in away]},
        error_x=around(luck, low, high, plot.colors.ink),
    )
    plot.up(1.0, dash="dot")
    across = log_axis(min(0.8, float(low.min())), max(1.25, float(high.max())))
    plot.axis("x", "luck over the usual one (×)", across)
    plot.axis("y", scale=rows([name or "no name" for name in groups["group"]], BESIDE))
    return figure(plot)


def alt(one: Residual) -> str:
    """Say in words what `draw` shows."""
    return f"Median luck by {ABOUT[one.name]}: {listed(list(_told(drawn(one), IN_ALT)))}."


def about(one: Residual) -> str:
    """Return what stands below the chart."""
    some = ""
    if (of := len(one.groups)) > MOST:
        some = f" Drawn are the {MOST // 2} slowest and the {MOST // 2} fastest of {of:,} groups."
    said = one.about
    return f"{literal(begun(said))}. Rows: {ABOUT[one.name]}.{some}"


def _told(groups: pd.DataFrame, most: int) -> list[str]:
    return [
        f"{clipped(name, most) or 'no name'} {number(luck)} (95 %: {number(low)} to {number(high)}; "
        f"{counted(copies, 'copy', 'copies')})"
        for name, copies, luck, low, high in groups.itertuples(index=False)
    ]
