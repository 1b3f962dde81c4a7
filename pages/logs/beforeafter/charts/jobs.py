"""The time of each job before and after: the mean over the runs of each side."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.several.change import Changes
from sim.telling.plot import DOTTED, Plot, in_chart
from sim.telling.scales import named_ticks
from sim.telling.words import clipped, number, unit_for

TITLE = "Each job before and after"


def draw(found: Changes, dark: bool) -> go.Figure:
    """Draw the time after over the time before, a dot a job, and the line of no change."""
    plot = Plot("jobs", dark, showlegend=True)
    unit = unit_for(float(np.median(found.jobs.time)))
    before, after = (side / unit.seconds for side in found.job_times)
    low, high = float(min(before.min(), after.min())), float(max(before.max(), after.max()))
    ends = [low / 1.15, high * 1.15]
    told = [
        f"{in_chart(clipped(name))}: {number(one)} → {number(other)} {unit.sign}"
        for name, one, other in zip(found.jobs.names, before, after, strict=True)
    ]
    plot.dots(before, after, "jobs", plot.colors.series[0], told, marker={"opacity": 0.8})
    plot.line(ends, ends, "no change", plot.colors.ink, line=DOTTED | {"width": 1})
    powers = range(int(np.floor(np.log10(ends[0]))), int(np.ceil(np.log10(ends[1]))) + 1)
    ticks = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
    log = {"type": "log", "range": [float(np.log10(end)) for end in ends]}
    for which, run in (("x", "before"), ("y", "after")):
        scale = log | named_ticks(ticks, [f"{one:g}" for one in ticks])
        plot.axis(which, f"job time {run} ({unit.sign})", scale)
    return figure(plot)


def alt(found: Changes) -> str:
    """Say in words what `draw` shows."""
    before, after = found.job_times
    return (
        f"Of {len(before):,} jobs {int((after < before).sum()):,} took less time after and "
        f"{int((after > before).sum()):,} took more."
    )


def about(found: Changes) -> str:
    """Return what stands below the chart."""
    left = sum(found.jobs.unpaired)
    others = f" {left:,} that are not in all runs are left out." if left else ""
    mean = "The mean over the runs of each side. " if max(found.runs) > 1 else ""
    return f"{mean}Jobs are paired by {found.jobs.how}. Below the line: shorter after.{others}"
