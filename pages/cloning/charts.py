"""The charts of the Cloning page: outliers against copies, copies against tasks, gains by job size."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from pages.cloning.question import Question
from pages.shared.charts.chart import chart, legend, titled
from pages.shared.charts.marks import Part, curve, level, note, points, upright
from pages.shared.charts.on_page import Chart
from pages.shared.charts.palette import palette
from pages.shared.charts.scales import log_axis
from pages.shared.words.numbers import counted, listed, percent, plain, spread
from pages.shared.words.winner import FLOWTIME, are_stable
from sim.counted_jobs import CLASSES
from sim.paired import PairedDifference, class_change
from sim.result import Comparison
from sim.statistics import Estimate

MOST_COPIES = 10
#: Probability below which a curve leaves the chart; jobs of at most so many tasks are shown.
LEAST, MOST_TASKS = 1e-4, 1000
#: Copies beyond which a curve leaves the chart.
HIGHEST = 100
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
TASK, JOB = "every task cloned", "whole job cloned"
SHARES = (1e-4, 1e-3, 1e-2, 1e-1, 1)


def outlier_chart(asked: Question, dark: bool) -> go.Figure:
    """Draw the probability that the job has an outlier against its copies (Dolly, Fig. 5)."""
    colors = palette(dark)
    copies = np.arange(1, MOST_COPIES + 1)
    traces = [
        curve(
            copies,
            values,
            name,
            color,
            mode="lines+markers",
            marker={"size": 7},
            line={"dash": "dash"},
            hovertemplate=f"{name}<br>%{{x}} copies: %{{y:.3~%}}<extra></extra>",
        )
        for name, values, color in (
            (TASK, asked.by_task(copies), colors.series[0]),
            (JOB, asked.by_job(copies), colors.series[1]),
        )
    ]
    axes: dict[str, Part] = {
        "xaxis": {
            "title": titled("copies, the original included", dark),
            "range": [0.7, MOST_COPIES + 0.3],
            "dtick": 1,
            "fixedrange": True,
        },
        "yaxis": {
            "title": titled("probability of an outlier in the job", dark),
            "type": "log",
            "range": [np.log10(LEAST), 0.05],
            "tickmode": "array",
            "tickvals": SHARES,
            "ticktext": [f"{100 * share:g} %" for share in SHARES],
            "fixedrange": True,
        },
    }
    target = note(
        f"ε = {plain(100 * asked.epsilon)} %",
        dark,
        x=MOST_COPIES,
        y=np.log10(asked.epsilon),
        xanchor="right",
        yanchor="bottom",
    )
    line = level(asked.epsilon, colors.ink, dash="dot")
    return chart(traces, axes, dark, name="outliers", height=320, shapes=[line], annotations=[target])


def outlier_alt(asked: Question) -> str:
    """Say in words what `outlier_chart` shows, with its numbers."""
    told = [
        f"with {copies} copies {percent(float(asked.by_task(copies)))} if every task is cloned and "
        f"{percent(float(asked.by_job(copies)))} if the whole job is"
        for copies in (2, 3)
    ]
    return (
        f"Probability that a job of {counted(asked.tasks, 'task')} has an outlier, on a logarithmic axis: "
        f"{percent(asked.once)} with one copy, {listed(told)}. The target is {plain(100 * asked.epsilon)} %."
    )


def copies_chart(asked: Question, dark: bool) -> go.Figure:
    """Draw the copies that meet the target against the tasks of a job."""
    colors = palette(dark)
    tasks = np.unique(np.round(np.geomspace(1, MOST_TASKS, 300)))
    traces = []
    for name, needed, color in (
        (TASK, asked.task_copies(tasks), colors.series[0]),
        (JOB, asked.job_copies(tasks), colors.series[1]),
    ):
        shown = needed <= 10 * HIGHEST
        hover = f"{name}<br>%{{x}} tasks: %{{y}} copies<extra></extra>"
        traces.append(
            curve(
                tasks[shown],
                needed[shown],
                name,
                color,
                line={"dash": "dash", "shape": "hv"},
                hovertemplate=hover,
            )
        )
    chosen: list[tuple[float, str]] = [(asked.per_task, colors.series[0])]
    if asked.per_job <= HIGHEST:
        chosen.append((asked.per_job, colors.series[1]))
    for copies, color in chosen:
        traces.append(
            points(
                [asked.tasks],
                [copies],
                "the job",
                color,
                showlegend=False,
                marker={"size": 10},
                hovertemplate="%{x} tasks: %{y} copies<extra></extra>",
            )
        )
    axes: dict[str, Part] = {
        "xaxis": log_axis(1, MOST_TASKS) | {"title": titled("tasks n of a job", dark), "fixedrange": True},
        "yaxis": log_axis(1, HIGHEST) | {"title": titled("copies needed", dark), "fixedrange": True},
    }
    # beside its line where half of it would lie on the ticks
    anchor = {"yanchor": "bottom", "xanchor": "left" if asked.tasks <= 2 else "center"}
    here = note(f"n = {asked.tasks}", dark, x=np.log10(asked.tasks), y=1, yref="paper", **anchor)
    above = legend(dark) | {"y": 1.1}  # the note has its place below
    line = upright(asked.tasks, colors.ink)
    return chart(
        traces, axes, dark, name="copies needed", height=320, shapes=[line], annotations=[here], legend=above
    )


def copies_alt(asked: Question) -> str:
    """Say in words what `copies_chart` shows, with its numbers."""
    return (
        f"Copies needed to keep the probability of an outlier at {plain(100 * asked.epsilon)} %, against the "
        f"tasks of a job on logarithmic axes. With {counted(asked.tasks, 'task')} "
        f"{counted(asked.per_task, 'copy', 'copies')} of each task, or {whole_copies(asked)} of the whole "
        f"job; with {100 * asked.tasks:,} tasks {counted(asked.per_task_large, 'copy', 'copies')} of "
        "each task."
    )


def whole_copies(asked: Question) -> str:
    """Return the copies of the whole job in words.

    Examples
    --------
    >>> whole_copies(Question(0.1, 0.05, 10)), whole_copies(Question(0.4, 0.05, 200))
    ('7', 'over a million')
    """
    return plain(asked.per_job) if asked.reachable else "over a million"


def by_size(comparison: Comparison, statistic: str = "mean") -> dict[str, list[PairedDifference | None]]:
    """Return, for each policy but the baseline, how flowtimes differ from the baseline's by size of job.

    Of policies whose queue grows, and against a baseline whose queue does, nothing is returned.
    """
    return {
        name: [
            class_change(comparison, name, comparison.baseline, place, statistic)
            if any(sample.classes[place].jobs for sample in comparison.policies[name].samples)
            else None
            for place in range(len(CLASSES))
        ]
        for name in comparison.policies
        if name != comparison.baseline and are_stable(comparison, name, comparison.baseline)
    }


def size_chart(comparison: Comparison, dark: bool, statistic: str = "mean") -> go.Figure:
    """Draw a statistic of the flowtimes by size of job over the baseline's, with intervals."""
    colors = palette(dark).of(comparison.policies)
    names = [name for name, _ in CLASSES]
    traces: list[dict[str, Any]] = []
    for symbol, (name, changes) in zip(SYMBOLS, by_size(comparison, statistic).items(), strict=False):
        known = [(place, one.share) for place, one in enumerate(changes) if one is not None and one.reference]
        traces.append(
            points(
                [names[place] for place, _ in known],
                [1 + (one.value or 0.0) for _, one in known],
                name,
                colors[name],
                marker={"symbol": symbol, "size": 9},
                error_y=_bars([one for _, one in known]),
                hovertemplate=f"<b>{name}</b><br>%{{x}}: %{{y:.3~g}} times the {FLOWTIME[statistic]} under "
                f"{comparison.baseline}<extra></extra>",
            )
        )
    axes: dict[str, Part] = {
        "xaxis": {
            "title": titled("tasks of a job", dark),
            "type": "category",
            "categoryorder": "array",
            "categoryarray": names,
            "ticktext": [name.removesuffix(" tasks") for name in names],
            "tickvals": names,
            "range": [-0.5, len(names) - 0.5],
        },
        "yaxis": _ratio_axis(traces)
        | {"title": titled(f"{FLOWTIME[statistic]} ÷ that of {comparison.baseline}", dark)},
    }
    line = level(1, palette(dark).ink, dash="dot")
    return chart(
        traces,
        axes,
        dark,
        name="flowtime by size",
        showlegend=True,
        shapes=[line],
        scattermode="group",
        scattergap=0.4,
    )


def _bars(shares: list[Estimate]) -> Part:
    """Return the intervals of shares as bars, where there are any."""
    known = [(one.value or 0.0, one.low, one.high) for one in shares]
    return {
        "type": "data",
        "symmetric": False,
        "array": [0.0 if high is None else high - value for value, _, high in known],
        "arrayminus": [0.0 if low is None else value - low for value, low, _ in known],
        "thickness": 1.5,
        "width": 3,
    }


def _ratio_axis(traces: list[dict[str, Any]]) -> Part:
    """Return a logarithmic axis around 1 on which all points have room, and their intervals upwards."""
    ratios = [float(y) for trace in traces for y in trace["y"]] or [1.0]
    return log_axis(min(0.5, *ratios), max(2.0, *ratios))


def size_remark(comparison: Comparison) -> str:
    """Say under which policies the queue grows; the chart leaves them out. Empty if there are none."""
    growing = [name for name in comparison.policies if not are_stable(comparison, name)]
    if comparison.baseline in growing:
        return f"The queue grows under {comparison.baseline}: nothing is compared with it."
    return f"Left out, since the queue grows: {listed(growing)}." if growing else ""


def size_alt(comparison: Comparison, statistic: str = "mean") -> str:
    """Say in words what `size_chart` shows, with its numbers."""
    told = []
    for name, changes in by_size(comparison, statistic).items():
        parts = [
            f"{label}: {spread(1 + one.relative, one.share.half)}"
            for (label, _), one in zip(CLASSES, changes, strict=True)
            if one is not None and one.reference
        ]
        told.append(f"{name} {'; '.join(parts) if parts else 'is not known'}.")
    told += filter(None, [size_remark(comparison)])
    what = f"{FLOWTIME[statistic].capitalize()} of jobs by their tasks"
    return f"{what}, divided by that under {comparison.baseline}. {' '.join(told)}"


OUTLIERS = Chart("How likely an outlier is, with so many copies", outlier_chart, outlier_alt)
COPIES = Chart("How many copies a job needs", copies_chart, copies_alt)
