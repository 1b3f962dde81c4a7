"""The curves of the Threshold page: a job's service rate, and the value of one more slot."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np
import plotly.graph_objects as go

from pages.formulas.tab import MOST_HELD
from pages.formulas.threshold.question import Job, Scene, SlotValue
from pages.shared.charts.on_page import Chart, figure
from sim.telling.palette import Palette, faded
from sim.telling.plot import ABOVE, DASHED, DOTTED, LINE, Part, Plot
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
    fractional = SlotValue(seen.law.beta)  # drawn beside whole copies, and higher by a little
    plot = _framed(seen, dark, "service rate")
    _draw(
        plot, seen, "rate", [job.rates for job in seen.jobs], [job.rate for job in seen.jobs], fractional.rate
    )
    laws = (seen.law, fractional) if seen.law.whole else (seen.law,)
    high = max(float(law.rate(job.slots[-1], job.tasks)) for law in laws for job in seen.jobs)
    if seen.law.printed:  # what no job can exceed while each of its tasks has one copy
        ends = [0, min(high, float(seen.jobs[0].slots[-1]))]
        plot.line(ends, ends, "one copy per task", plot.colors.ink, line=DASHED | {"width": 1.5})
    plot.axis("y", "service rate μ (plain slots)", linear_axis(high))
    return figure(plot)


def value_chart(seen: Scene, dark: bool) -> go.Figure:
    """Draw the value of one more slot to each job, with the thresholds labelled."""
    plot = _framed(seen, dark, "value of a slot")
    values = [job.value for job in seen.jobs]
    fractional = SlotValue(seen.law.beta).value
    _draw(plot, seen, "another slot adds", [job.values for job in seen.jobs], values, fractional)
    high = ceil(2 * seen.law.plateau / (1 - HEADROOM)) / 2
    for place, (job, color, _) in enumerate(
        sorted(_styled(seen, plot.colors), key=lambda it: it[0].threshold)
    ):
        top = high * (0.97 - ROW * place)
        plot.up(job.threshold, color, top=top, dash="dot", width=1.5)
        _label(plot, job, seen, top)
    plot.axis("y", "value of one more slot", {"range": [0, high], "nticks": 6})
    return figure(plot)


def _styled(seen: Scene, colors: Palette) -> list[tuple[Job, str, str]]:
    return list(zip(seen.jobs, colors.series, SYMBOLS, strict=False))


def _draw(
    plot: Plot,
    seen: Scene,
    what: str,
    curves: list[np.ndarray],
    chosen: list[float],
    fractional: Callable[[np.ndarray, int], np.ndarray],
) -> None:
    """Draw a curve for each job, its threshold, and the point at which it is read.

    The curve of fractional copies is dotted behind that of whole ones; the mark of a threshold is open, so
    that the curve is seen through it.
    """
    for (job, color, _), y, value in zip(_styled(seen, plot.colors), curves, chosen, strict=True):
        group: Part = {"legendgroup": job.name}
        if seen.law.whole:
            name, dotted = f"job {job.name}, fractional copies", DOTTED | {"width": 1.5}
            rates = fractional(job.slots, job.tasks)
            plot.line(job.slots, rates, name, faded(color, 0.7), line=dotted, showlegend=False, **group)
        told = f"job {job.name}<br>%{{x:.3~g}} slots: %{{y:.3~g}}<br>at S: {what} {number(value)}"
        plot.line(job.slots, y, f"job {job.name}, T = {job.tasks}", color, told, **group)
    for (job, color, symbol), value in zip(_styled(seen, plot.colors), chosen, strict=True):
        top = seen.law.rate(job.threshold, job.tasks)
        if what != "rate":
            top = seen.law.value(job.threshold * (1 - 1e-9), job.tasks)
        look = {"symbol": f"{symbol}-open", "size": 11, "line": {"width": LINE}}
        told = f"job {job.name}: threshold at %{{x:.3~g}} slots"
        plot.dots([job.threshold], [float(top)], "threshold", color, told, marker=look, showlegend=False)
        read = f"job {job.name} at S: {what}"
        plot.dots([seen.chosen], [value], read, color, f"{read} %{{y:.3~g}}", showlegend=False)


def _label(plot: Plot, job: Job, seen: Scene, y: float) -> None:
    """Name a threshold, on the side that has room."""
    sign = f"{plain(seen.law.theta)}T".removeprefix("1") if seen.law.whole else "θT"
    side = "left" if job.threshold < 0.6 * float(job.slots[-1]) else "right"
    plot.note(f" {job.name}: {sign} = {in_slots(job.threshold)} ", x=job.threshold, y=y, xanchor=side)


def _framed(seen: Scene, dark: bool, name: str) -> Plot:
    """Begin what both charts share: the slot axis and the number of slots at which curves are read."""
    plot = Plot(name, dark, above=1.1)  # the legend is above the note
    plot.pulls("slots", "S", seen.chosen, (MOST_HELD.low, MOST_HELD.high), MOST_HELD.step)
    plot.up(seen.chosen)
    plot.note(f"S = {plain(seen.chosen)}", x=seen.chosen, **ABOVE)
    plot.axis("x", "slots that a job holds", {"range": [0, float(seen.jobs[0].slots[-1])], "nticks": 6})
    return plot


def rate_alt(seen: Scene) -> str:
    """Say in words what `rate_chart` shows, with its numbers."""
    told = [
        f"job {job.name} with {counted(job.tasks, 'task')} has rate {number(job.rate)}, its threshold at "
        f"{in_slots(job.threshold)} and can approach {number(float(seen.law.rate(1e9, job.tasks)))}"
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
