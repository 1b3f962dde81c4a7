"""The curves of the Threshold page: a job's service rate, and the value of one more slot."""

from __future__ import annotations

from math import ceil

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import chart, curve, legend, note, points, titled, upright
from pages.shared.charts.on_page import Chart
from pages.threshold.question import Job, Scene, SlotValue
from sim.telling.palette import Palette, faded, palette
from sim.telling.plot import LINE, Part
from sim.telling.scales import linear_axis, round_up
from sim.telling.words import counted, counted_slots, in_slots, number, plain

SYMBOLS = ("circle", "square", "diamond")
#: The space above the plateau in which the thresholds are labelled, and a line of it, as shares of the axis.
HEADROOM, ROW = 0.34, 0.095


def slot_limit(tasks: tuple[int, ...], chosen: float) -> float:
    """Return the end of the slot axis: round, so that it stays while a control moves a little.

    Examples
    --------
    >>> slot_limit((10, 20, 40), 30), slot_limit((10, 20, 40), 130)
    (100.0, 200.0)
    """
    return round_up(max(chosen, 2.2 * max(tasks)))


def rate_chart(seen: Scene, dark: bool) -> go.Figure:
    """Draw the service rate of each job against its slots, with its threshold and the chosen number."""
    colors, traces = palette(dark), []
    for job, color, _ in _styled(seen, colors):
        if seen.law.whole:
            traces.append(_fractional(job, SlotValue(seen.law.beta).rate(job.slots, job.tasks), color))
        traces.append(_line(job, job.rates, color, f"rate {number(job.rate)}"))
    for job, color, symbol in _styled(seen, colors):
        top = float(seen.law.rate(job.threshold, job.tasks))
        traces.append(_threshold(job, top, color, symbol))
        traces.append(_reading(seen.chosen, job.rate, color, f"job {job.name} at S: rate"))
    fractional = SlotValue(seen.law.beta)  # drawn beside whole copies, and higher by a little
    laws = (seen.law, fractional) if seen.law.whole else (seen.law,)
    high = max(float(law.rate(job.slots[-1], job.tasks)) for law in laws for job in seen.jobs)
    if seen.law.printed:  # what no job can exceed while each of its tasks has one copy
        ends = [0, min(high, float(seen.jobs[0].slots[-1]))]
        one_copy = {"line": {"width": 1.5, "dash": "dash"}, "hoverinfo": "skip"}
        traces.append(curve(ends, ends, "one copy per task", colors.ink, **one_copy))
    axis = linear_axis(high) | {"title": titled("service rate μ (plain slots)", dark)}
    return _framed(traces, axis, [], [], seen, dark, "service rate")


def value_chart(seen: Scene, dark: bool) -> go.Figure:
    """Draw the value of one more slot to each job, with the thresholds labelled."""
    colors, traces = palette(dark), []
    for job, color, _ in _styled(seen, colors):
        if seen.law.whole:
            traces.append(_fractional(job, SlotValue(seen.law.beta).value(job.slots, job.tasks), color))
        traces.append(_line(job, job.values, color, f"another slot adds {number(job.value)}"))
    for job, color, symbol in _styled(seen, colors):
        before = float(seen.law.value(job.threshold * (1 - 1e-9), job.tasks))
        traces.append(_threshold(job, before, color, symbol))
        traces.append(_reading(seen.chosen, job.value, color, f"job {job.name} at S: another slot adds"))
    high = ceil(2 * seen.law.plateau / (1 - HEADROOM)) / 2
    lines, notes = [], []
    for place, (job, color, _) in enumerate(sorted(_styled(seen, colors), key=lambda it: it[0].threshold)):
        top = high * (0.97 - ROW * place)
        lines.append(upright(job.threshold, color, top=top, dash="dot", width=1.5))
        notes.append(_label(job, seen, top, dark))
    axis = {"title": titled("value of one more slot", dark), "range": [0, high], "nticks": 6}
    return _framed(traces, axis, lines, notes, seen, dark, "value of a slot")


def _styled(seen: Scene, colors: Palette) -> list[tuple[Job, str, str]]:
    return list(zip(seen.jobs, colors.series, SYMBOLS, strict=False))


def _line(job: Job, y: np.ndarray, color: str, told: str) -> Part:
    return curve(
        job.slots,
        y,
        f"job {job.name}, T = {job.tasks}",
        color,
        legendgroup=job.name,
        hovertemplate=f"job {job.name}<br>%{{x:.3~g}} slots: %{{y:.3~g}}<br>at S: {told}<extra></extra>",
    )


def _fractional(job: Job, y: np.ndarray, color: str) -> Part:
    """Return the curve of fractional copies, dotted behind that of whole ones."""
    dotted = {"color": faded(color, 0.7), "width": 1.5, "dash": "dot"}
    quiet = {"showlegend": False, "legendgroup": job.name, "hoverinfo": "skip"}
    return curve(job.slots, y, f"job {job.name}, fractional copies", color, line=dotted, **quiet)


def _threshold(job: Job, y: float, color: str, symbol: str) -> Part:
    """Return the mark of a threshold: open, so that the curve is seen through it."""
    look = {"symbol": f"{symbol}-open", "size": 11, "line": {"width": LINE}}
    told = f"job {job.name}: threshold at %{{x:.3~g}} slots<extra></extra>"
    return points([job.threshold], [y], "threshold", color, marker=look, showlegend=False, hovertemplate=told)


def _reading(x: float, y: float, color: str, what: str) -> Part:
    """Return the point at which a curve is read."""
    return points([x], [y], what, color, showlegend=False, hovertemplate=f"{what} %{{y:.3~g}}<extra></extra>")


def _label(job: Job, seen: Scene, y: float, dark: bool) -> Part:
    """Name a threshold, on the side that has room."""
    sign = f"{plain(seen.law.theta)}T".removeprefix("1") if seen.law.whole else "θT"
    side = "left" if job.threshold < 0.6 * float(job.slots[-1]) else "right"
    return note(f" {job.name}: {sign} = {in_slots(job.threshold)} ", dark, x=job.threshold, y=y, xanchor=side)


def _framed(
    traces: list[Part], axis: Part, lines: list[Part], notes: list[Part], seen: Scene, dark: bool, name: str
) -> go.Figure:
    """Add what both charts share: the slot axis and the number of slots at which curves are read."""
    chosen = note(f"S = {plain(seen.chosen)}", dark, x=seen.chosen, y=1, yref="paper", yanchor="bottom")
    across = {"title": titled("slots that a job holds", dark), "range": [0, float(seen.jobs[0].slots[-1])]}
    return chart(
        traces,
        {"xaxis": across | {"nticks": 6, "fixedrange": True}, "yaxis": axis | {"fixedrange": True}},
        dark,
        name=name,
        shapes=[upright(seen.chosen, palette(dark).ink), *lines],
        annotations=[chosen, *notes],
        legend=legend(dark) | {"y": 1.1},  # above the note
    )


def rate_alt(seen: Scene) -> str:
    """Say in words what `rate_chart` shows, with its numbers."""
    told = [
        f"job {job.name} with {counted(job.tasks, 'task')} has rate {number(job.rate)} and can approach "
        f"{number(float(seen.law.rate(1e9, job.tasks)))}"
        for job in seen.jobs
    ]
    return (
        f"Service rate against slots, rising with falling slope. At {counted_slots(seen.chosen)} "
        f"{'; '.join(told)}."
    )


def value_alt(seen: Scene) -> str:
    """Say in words what `value_chart` shows, with its numbers."""
    told = [
        f"job {job.name} up to {counted_slots(job.threshold)}, and {number(job.value)} at "
        f"{plain(seen.chosen)}"
        for job in seen.jobs
    ]
    return (
        f"What another slot adds, against slots. It is {number(seen.law.plateau)} in "
        f"{'; in '.join(told)}; beyond these thresholds it falls towards 0."
    )


RATES = Chart("What a job gets done", rate_chart, rate_alt)
VALUES = Chart("Value of one more slot", value_chart, value_alt)
