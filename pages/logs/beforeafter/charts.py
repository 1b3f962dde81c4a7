"""The charts of Before and after: where the time went, each job, and why tasks of a stage are unequal."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.on_page import Chart, figure
from sim.advice.diagnosis import charts
from sim.advice.diagnosis.account import STATES
from sim.advice.diagnosis.shares import Share
from sim.advice.several.change import Changes
from sim.advice.several.layout import PARTS
from sim.advice.several.reruns import Repeated
from sim.advice.several.sides import Sides
from sim.telling.plot import DOTTED, Plot, around, ends, in_chart, rows
from sim.telling.scales import named_ticks, span, tidy
from sim.telling.scales import shares as whole
from sim.telling.words import clipped, counted, listed, number, percent, spell, unit_for, within


def draw_account(found: Sides, dark: bool) -> go.Figure:
    """Draw the seconds of each state per job, before and after."""
    both = [found.before.per_job, found.after.per_job]
    longest = max(sum(one.values()) for one in both)
    unit = unit_for(longest)
    plot = Plot("account before and after", dark, 310, barmode="stack", bargap=0.4)
    charts.stacked(plot, ["before", "after"], both, [1 / unit.seconds] * 2)
    plot.axis("x", f"time per job ({unit.sign})", span(0, tidy(longest / unit.seconds)))
    return figure(plot)


def alt_account(found: Sides) -> str:
    """Say in words what `draw` shows."""
    both = found.before.per_job, found.after.per_job
    told = [
        f"{STATES[key].title} {' and '.join(spell(one.get(key, 0.0)) for one in both)}"
        for key in charts.occurring(both)
    ]
    return f"Time per job before and after, over {counted(found.jobs, 'job')}: {listed(told)}."


def about_account(found: Sides) -> str:
    """Return what stands below the chart."""
    return (
        f"{counted(found.jobs, 'job')} that are in both runs. After: {charts.explained(found.after.per_job)}"
    )


# The time of each job before and after: the mean over the runs of each side.


def draw_jobs(found: Changes, dark: bool) -> go.Figure:
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


def alt_jobs(found: Changes) -> str:
    """Say in words what `draw` shows."""
    before, after = found.job_times
    return (
        f"Of {len(before):,} jobs {int((after < before).sum()):,} took less time after and "
        f"{int((after > before).sum()):,} took more."
    )


def about_jobs(found: Changes) -> str:
    """Return what stands below the chart."""
    left = sum(found.jobs.unpaired)
    others = f" {left:,} that are not in all runs are left out." if left else ""
    mean = "The mean over the runs of each side. " if max(found.runs) > 1 else ""
    return f"{mean}Jobs are paired by {found.jobs.how}. Below the line: shorter after.{others}"


# Luck, machine and work: measured over all runs, and inferred from the first.

_LABELS = {"measured": "measured over all runs", "inferred": "inferred from the first"}


def _found(one: Repeated) -> dict[str, dict[str, Share]]:
    return {"measured": one.measured.shares, "inferred": one.inferred}


def draw_parts(one: Repeated, dark: bool) -> go.Figure:
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


def alt_parts(one: Repeated) -> str:
    """Say in words what `draw` shows."""
    told = []
    for name, shares in _found(one).items():
        parts = [f"{part} {within(*_ends(shares[part]), percent)}" for part in PARTS if part in shares]
        told.append(f"{_LABELS[name]}: {listed(parts) if parts else 'none of the 3 parts'}")
    return f"Shares of luck, machine and work, {'; '.join(told)}."


def about_parts(one: Repeated) -> str:
    """Return what stands below the chart."""
    free = one.measured.freedom
    return (
        f"{len(one.tasks.log):,} tasks that are in all runs; degrees of freedom: luck {free.luck:,}, "
        f"machine {free.machine:,}, work {free.work:,}. Every task counts the same. 95 % intervals."
    )


ACCOUNT = Chart("Where the time went", draw_account, alt_account, about_account)
JOBS = Chart("Each job before and after", draw_jobs, alt_jobs, about_jobs)
UNEQUAL = Chart("Why tasks of a stage are unequal", draw_parts, alt_parts, about_parts)
