"""The chart of the Start page: the tasks of one job in the order they end."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from pages.start.question import OneJob
from sim.telling.plot import Plot
from sim.telling.words import fixed

#: Of the bars with one copy, behind the others in both themes.
GHOST = "rgba(128, 128, 128, 0.35)"


def chart(job: OneJob, single: OneJob, *, longest: float, dark: bool) -> go.Figure:
    """Draw each task as a bar, the slowest in the second colour, before the bars of `single` copies.

    `longest` is the end of the time axis, in minutes, so that it stays where it is.
    """
    plot = Plot("one job", dark, 330, barmode="overlay", bargap=0.25)
    first, second, *_ = plot.colors.series
    rank = np.arange(1, job.finish.size + 1)
    bars = [
        (job.finish[:-1], rank[:-1], "tasks", first, 0),
        (job.finish[-1:], rank[-1:], "the slowest task", second, 0),
    ]
    if single.end > job.end:
        bars.append((single.finish, rank, "with one copy", GHOST, -1))
    for minutes, place, name, color, above in bars:
        hover = f"{name}<br>number %{{y}} to end, after %{{x:.1f}} min"
        plot.bars(minutes, place, name, color, hover, across=True, zorder=above)
    plot.up(job.end, dash="dot", width=1.5)
    # beside the line, where the fastest tasks leave room; above it is the legend
    beside = "left" if job.end < longest / 2 else "right"
    where = {"x": job.end, "xanchor": beside, "y": 1, "yref": "paper", "yanchor": "top"}
    plot.note(f"job done: {fixed(job.end, 1)} min", **where)
    plot.axis("x", "time (min)", {"range": [0, longest], "showgrid": True})
    unseen = {"showticklabels": False, "showgrid": False, "ticks": ""}
    plot.axis("y", "tasks, fastest first", {"autorange": "reversed"} | unseen)
    return figure(plot)
