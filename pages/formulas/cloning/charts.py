"""The charts of the Cloning page: outliers against copies, copies against tasks, gains by job size."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.formulas.cloning.question import Request
from pages.shared.charts.on_page import Chart, figure
from pages.shared.words.lead import FLOWTIME, are_stable
from sim.model.counted_jobs import CLASSES
from sim.model.result import Comparison, PairedDifference, class_change
from sim.telling.plot import ABOVE, DASHED, Plot, around, ends
from sim.telling.scales import log_axis, named_ticks
from sim.telling.words import counted, listed, percent, plain, spread

MOST_COPIES = 10
#: Probability below which a curve leaves the chart; jobs of at most so many tasks are shown.
LEAST, MOST_TASKS = 1e-4, 1000
#: Copies beyond which a curve leaves the chart.
HIGHEST = 100
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
TASK, JOB = "every task cloned", "whole job cloned"
SHARES = (1e-4, 1e-3, 1e-2, 1e-1, 1)


def outlier_chart(asked: Request, dark: bool) -> go.Figure:
    """Draw the probability that the job has an outlier against its copies (Dolly, Fig. 5)."""
    plot = Plot("outliers", dark, 320)
    copies = np.arange(1, MOST_COPIES + 1)
    for name, values, color in zip(
        (TASK, JOB), (asked.by_task, asked.by_job), plot.colors.series, strict=False
    ):
        hover = f"{name}<br>%{{x}} copies: %{{y:.3~%}}"
        plot.line(
            copies, values(copies), name, color, hover, line=DASHED, mode="lines+markers", marker={"size": 7}
        )
    plot.across(asked.epsilon, dash="dot")
    where = {"x": MOST_COPIES, "y": np.log10(asked.epsilon), "xanchor": "right", "yanchor": "bottom"}
    plot.note(f"ε = {plain(100 * asked.epsilon)} %", **where)
    plot.axis("x", "copies, the original included", {"range": [0.7, MOST_COPIES + 0.3], "dtick": 1})
    shares = named_ticks(SHARES, [f"{100 * share:g} %" for share in SHARES])
    ends = {"type": "log", "range": [np.log10(LEAST), 0.05]}
    plot.axis("y", "probability of an outlier in the job", shares | ends)
    return figure(plot)


def outlier_alt(asked: Request) -> str:
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


def copies_chart(asked: Request, dark: bool) -> go.Figure:
    """Draw the copies that meet the target against the tasks of a job."""
    plot = Plot("copies needed", dark, 320, above=1.1)  # the note has its place below the legend
    first, second, *_ = plot.colors.series
    tasks = np.unique(np.round(np.geomspace(1, MOST_TASKS, 300)))
    for name, needed, color in (
        (TASK, asked.task_copies(tasks), first),
        (JOB, asked.job_copies(tasks), second),
    ):
        shown = needed <= 10 * HIGHEST
        hover = f"{name}<br>%{{x}} tasks: %{{y}} copies"
        plot.line(tasks[shown], needed[shown], name, color, hover, line=DASHED | {"shape": "hv"})
    for copies, color in ((asked.per_task, first), (asked.per_job, second)):
        if color == first or copies <= HIGHEST:
            told, look = "%{x} tasks: %{y} copies", {"size": 10}
            plot.dots([asked.tasks], [copies], "the job", color, told, marker=look, showlegend=False)
    plot.up(asked.tasks)
    # beside its line where half of it would lie on the ticks
    anchor = "left" if asked.tasks <= 2 else "center"
    plot.note(f"n = {asked.tasks}", x=np.log10(asked.tasks), xanchor=anchor, **ABOVE)
    plot.axis("x", "tasks n of a job", log_axis(1, MOST_TASKS))
    plot.axis("y", "copies needed", log_axis(1, HIGHEST))
    return figure(plot)


def copies_alt(asked: Request) -> str:
    """Say in words what `copies_chart` shows, with its numbers."""
    return (
        f"Copies needed to keep the probability of an outlier at {plain(100 * asked.epsilon)} %, against the "
        f"tasks of a job on logarithmic axes. With {counted(asked.tasks, 'task')} "
        f"{counted(asked.per_task, 'copy', 'copies')} of each task, or {whole_copies(asked)} of the whole "
        f"job; with {100 * asked.tasks:,} tasks {counted(asked.per_task_large, 'copy', 'copies')} of "
        "each task."
    )


def whole_copies(asked: Request) -> str:
    """Return the copies of the whole job in words.

    Examples
    --------
    >>> whole_copies(Request(0.1, 0.05, 10)), whole_copies(Request(0.4, 0.05, 200))
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
    plot = Plot("flowtime by size", dark, showlegend=True, scattermode="group", scattergap=0.4)
    colors = plot.colors.of(comparison.policies)
    names = [name for name, _ in CLASSES]
    ratios = [1.0]
    for symbol, (name, changes) in zip(SYMBOLS, by_size(comparison, statistic).items(), strict=False):
        known = [(place, one.share) for place, one in enumerate(changes) if one is not None and one.reference]
        value, low, high = ends([share for _, share in known])
        ratios += (1 + value).tolist()
        plot.dots(
            [names[place] for place, _ in known],
            (1 + value).tolist(),
            name,
            colors[name],
            f"<b>{name}</b><br>%{{x}}: %{{y:.3~g}} times the {FLOWTIME[statistic]} under "
            f"{comparison.baseline}",
            marker={"symbol": symbol, "size": 9},
            error_y=around(value, low, high, width=3),
        )
    plot.across(1, dash="dot")
    order = {"type": "category", "categoryorder": "array", "categoryarray": names, "tickvals": names}
    plot.axis(
        "x",
        "tasks of a job",
        order | {"ticktext": [name.removesuffix(" tasks") for name in names]},
        range=[-0.5, len(names) - 0.5],
        zoom=True,
    )
    across = log_axis(min(0.5, *ratios), max(2.0, *ratios))
    plot.axis("y", f"{FLOWTIME[statistic]} ÷ that of {comparison.baseline}", across, zoom=True)
    return figure(plot)


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
