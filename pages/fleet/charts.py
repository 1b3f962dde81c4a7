"""The logs that lost most: their recorded job time, and what of it stragglers cost."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from pages.logs.axes import rows
from pages.shared.charts.chart import chart, titled
from sim.fleet.look import HOUR, Look
from sim.telling.palette import faded, palette
from sim.telling.plot import in_chart
from sim.telling.scales import linear_axis
from sim.telling.words import clipped, counted, listed, spell
from sim.traces.unit import unit_for

TITLE = "Logs that lost most"
#: Logs shown.
MOST = 10


def worst(looks: Sequence[Look]) -> list[Look]:
    """Return the logs that are shown."""
    told = [one for one in looks if one.lost is not None]
    return sorted(told, key=lambda one: -(one.lost or 0.0))[:MOST]


def draw(looks: Sequence[Look], dark: bool) -> go.Figure:
    """Draw the job time of the worst logs, split into what remains and what stragglers cost."""
    colors, shown = palette(dark), worst(looks)
    longest = max(one.hours for one in shown) * HOUR
    unit = unit_for(longest)
    names = [one.application for one in shown]
    parts = (
        (
            "all tasks at the median",
            [one.hours - (one.lost or 0.0) for one in shown],
            faded(colors.series[0], 0.6),
        ),
        ("lost to stragglers", [one.lost or 0.0 for one in shown], colors.series[1]),
    )
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "x": [hours * HOUR / unit.seconds for hours in values],
            "y": list(range(len(names))),
            "marker": {"color": color},
            "hovertext": [in_chart(clipped(one)) for one in names],
            "hovertemplate": f"%{{hovertext}}<br>{name}: %{{x:,.3~r}} {unit.sign}<extra></extra>",
        }
        for name, values, color in parts
    ]
    axes = {
        "xaxis": linear_axis(longest / unit.seconds)
        | {"title": titled(f"job time, all jobs of the log ({unit.sign})", dark), "fixedrange": True},
        "yaxis": rows(names),
    }
    return chart(bars, axes, dark, name="logs that lost most", height=310, barmode="stack", bargap=0.25)


def alt(looks: Sequence[Look]) -> str:
    """Say in words what `draw` shows."""
    shown = worst(looks)
    told = [
        f"{clipped(one.application)} lost {spell((one.lost or 0.0) * HOUR)} of {spell(one.hours * HOUR)}"
        for one in shown[:3]
    ]
    return f"Bars of the {counted(len(shown), 'log')} that lost most time to stragglers: {listed(told)}."


def about(looks: Sequence[Look]) -> str:
    """Return what stands below the chart."""
    return (
        "Recorded time of all jobs of a log, and what it would be with every task at the median of its stage."
    )
