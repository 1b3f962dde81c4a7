"""Where the time of the same jobs went before and after: two bars, state by state."""

from __future__ import annotations

import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.diagnosis import charts
from sim.advice.diagnosis.account import STATES
from sim.advice.several.sides import Sides
from sim.telling.plot import Plot
from sim.telling.scales import span, tidy
from sim.telling.words import counted, listed, spell, unit_for

TITLE = "Where the time went"


def draw(found: Sides, dark: bool) -> go.Figure:
    """Draw the seconds of each state per job, before and after."""
    both = [found.before.per_job, found.after.per_job]
    longest = max(sum(one.values()) for one in both)
    unit = unit_for(longest)
    plot = Plot("account before and after", dark, 310, barmode="stack", bargap=0.4)
    charts.stacked(plot, ["before", "after"], both, [1 / unit.seconds] * 2)
    plot.axis("x", f"time per job ({unit.sign})", span(0, tidy(longest / unit.seconds)))
    return figure(plot)


def alt(found: Sides) -> str:
    """Say in words what `draw` shows."""
    both = found.before.per_job, found.after.per_job
    told = [
        f"{STATES[key].title} {' and '.join(spell(one.get(key, 0.0)) for one in both)}"
        for key in charts.occurring(both)
    ]
    return f"Time per job before and after, over {counted(found.jobs, 'job')}: {listed(told)}."


def about(found: Sides) -> str:
    """Return what stands below the chart."""
    return (
        f"{counted(found.jobs, 'job')} that are in both runs. After: {charts.explained(found.after.per_job)}"
    )
