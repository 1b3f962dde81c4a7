"""Charts of a fleet that the page and Python draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.advice.diagnosis.charts import split
from sim.advice.fleet.first_look import HOUR, Look
from sim.telling.figure import figure
from sim.telling.plot import Plot
from sim.telling.scales import linear_axis
from sim.telling.words import clipped, counted, listed, spell, unit_for

if TYPE_CHECKING:
    from sim.telling.figure import Figure

# The logs that lost most: their recorded job time, and what of it stragglers cost.

TITLE = "Logs that lost most"
#: Logs shown.
MOST = 10


def worst(looks: Sequence[Look]) -> list[Look]:
    """Return the logs that are shown."""
    told = [one for one in looks if one.lost is not None]
    return sorted(told, key=lambda one: -(one.lost or 0.0))[:MOST]


def draw(looks: Sequence[Look], dark: bool) -> Figure:
    """Draw the job time of the worst logs, split into what remains and what stragglers cost."""
    shown = worst(looks)
    longest = max(one.hours for one in shown) * HOUR
    unit = unit_for(longest)
    plot = Plot("logs that lost most", dark, 280, barmode="stack", bargap=0.25)
    without, lost = (
        [hours * HOUR / unit.seconds for hours in part]
        for part in ([one.hours - (one.lost or 0.0) for one in shown], [one.lost or 0.0 for one in shown])
    )
    split(plot, [clipped(one.application) for one in shown], without, lost, unit)
    plot.axis("x", f"job time, all jobs of the log ({unit.sign})", linear_axis(longest / unit.seconds))
    return figure(plot)


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
