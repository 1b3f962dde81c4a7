"""The effect of redundancy: the measure against the demand d, a curve for each offered load."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from pages.coding.answer.loads import GRID, Beside, Step, Sweep
from pages.coding.charts.axes import (
    ALL,
    ENDS,
    color_of,
    demand_axis,
    halves,
    place,
    pointed,
    spelled,
    tight_log,
)
from pages.coding.question import DEMANDS
from pages.shared.charts.chart import figure
from sim.telling.palette import faded
from sim.telling.plot import DASHED, LINE, Plot
from sim.telling.words import measured, number, plain

#: The axis ends at this multiple of the measure without redundancy: beyond, a queue is all there is to see.
MOST = 3.0
#: Place of the first colour of policies beside the demands, the learned one's: after those of offered loads.
BESIDE_COLOR = 6


def response_chart(seen: Step, dark: bool) -> go.Figure:
    """Draw the measure against d; points with 95 % intervals, theory dashed, the best d ringed."""
    plot = Plot(f"response, {seen.asked.measure}", dark, 350, showlegend=True)
    series, (low, high) = plot.colors.series, _range(seen)
    for sweep in sorted(seen.sweeps, key=lambda one: one.load):
        color = color_of(sweep.load, seen.chosen.load, series)
        strong = sweep is seen.chosen
        if seen.asked.measure == "mean" and sweep.theory is not None:
            _theory(plot, sweep, color, strong, high)
        if sweep.points:
            _simulated(plot, seen, sweep, color, strong, high)
        if sweep.best is not None:
            value = min(sweep.at(sweep.best.demand).estimate.value or high, high)
            look = {"symbol": "circle-open", "size": 16, "line": {"width": 2, "color": color}}
            plot.dots(
                [place(sweep.best.demand)],
                [value],
                "best d",
                color,
                showlegend=False,
                cliponaxis=False,
                marker=look,
            )
    for nth, one in enumerate(seen.beside, start=BESIDE_COLOR):
        _beside(plot, one, seen, series[nth], high)
    _unstable(plot, seen)
    plot.up(place(seen.asked.demand), dash="dot")
    told = seen.asked.measure_info
    plot.axis("x", "jobs of demand up to d are expanded (s)", demand_axis())
    plot.axis("y", f"{told.title} ({told.unit})" if told.unit else told.title, tight_log(low, high))
    return figure(plot)


def _range(seen: Step) -> tuple[float, float]:
    """Return the ends of the axis: from below the least to `MOST` times what is without redundancy."""
    base = seen.chosen.points[0].estimate.value or 1.0
    values = [point.estimate.value or base for sweep in seen.done for point in sweep.points]
    return 0.85 * min(base, *values), MOST * base


def _simulated(plot: Plot, seen: Step, sweep: Sweep, color: str, strong: bool, high: float) -> None:
    """Draw a load's points, with crosses at the top where its queue grows or the axis ends."""
    shown = [
        point
        for point in sweep.points
        if point.estimate.value is not None and point.estimate.value <= high and not point.unstable
    ]
    name = f"ρ₀ = {plain(sweep.load)}"
    hover, group = f"<b>{name}</b><br>%{{customdata}}", {"legendgroup": name}
    plot.line(
        [place(point.demand) for point in shown],
        [point.estimate.value or 0.0 for point in shown],
        name,
        color if strong else faded(color, 0.75),
        hover,
        customdata=[_hover(seen, sweep, point.demand) for point in shown],
        error_y=halves([point.estimate for point in shown], color),
        **pointed(color, strong),
        **group,
    )
    beyond = [point for point in sweep.points if point not in shown]
    row = 0.955 ** (1 + [one.load for one in seen.done[::-1]].index(sweep.load))  # one for each load
    if beyond:
        symbols = ["x-thin" if point.unstable else "triangle-up" for point in beyond]
        plot.dots(
            [place(point.demand) for point in beyond],
            [row * high] * len(beyond),
            f"{name}, off the scale",
            color,
            hover,
            showlegend=False,
            marker={"symbol": symbols, "size": 9, "line": {"width": 2, "color": color}},
            customdata=[_hover(seen, sweep, point.demand) for point in beyond],
            **group,
        )


def _hover(seen: Step, sweep: Sweep, demand: float) -> str:
    point = sweep.at(demand)
    value = "the queue grows" if point.unstable else measured(point.estimate, seen.asked.measure_info.unit)
    return f"d: {spelled(demand)}<br>{seen.asked.measure_info.symbol} = {value}"


def _theory(plot: Plot, sweep: Sweep, color: str, strong: bool, high: float) -> None:
    """Draw the approximation, with a short stroke where all jobs are expanded."""
    assert sweep.theory is not None
    group = f"ρ₀ = {plain(sweep.load)}"
    name, pale = f"theory, {group}", color if strong else faded(color, 0.75)
    look = {"line": DASHED | {"width": LINE if strong else 1.5}, "legendgroup": group, "showlegend": False}
    for x, times in (
        (GRID, sweep.theory.times),
        (np.array([0.93 * ALL, ENDS[1]]), np.full(2, sweep.theory.at[math.inf])),
    ):
        if (seen := times <= high).any():
            plot.line(x[seen], times[seen], name, pale, f"{name}<br>d = %{{x:.3~r}}: %{{y:.3~r}} s", **look)


def _beside(plot: Plot, one: Beside, seen: Step, color: str, high: float) -> None:
    """Draw a policy without a d at the chosen load: a line from side to side, in its band."""
    value = one.estimate.value
    if value is None or one.unstable or value > high:
        return
    half = one.estimate.half if math.isfinite(one.estimate.half) else 0.0
    name = f"{one.title}, ρ₀ = {plain(seen.chosen.load)}"
    (left, right), told = ENDS, measured(one.estimate, seen.asked.measure_info.unit)
    low, top = value - half, value + half
    pale, group = faded(color, 0.25), {"legendgroup": name}
    plot.area([left, right, right, left], [low, low, top, top], name, pale, **group)
    hover = f"<b>{name}</b><br>{seen.asked.measure_info.symbol} = {told}"
    x = [left, *(place(d) for d in (0.0, *DEMANDS)), right]
    plot.line(x, [value] * len(x), name, color, hover, **group)


def _unstable(plot: Plot, seen: Step) -> None:
    """Shade the demands at which the chosen load's queue grows."""
    if grows := [place(point.demand) for point in seen.chosen.points if point.unstable]:
        before = [place(point.demand) for point in seen.chosen.points if place(point.demand) < min(grows)]
        begin = math.sqrt(min(grows) * max(before)) if before else ENDS[0]
        plot.region(faded(plot.colors.ink, 0.1), x0=begin, x1=ENDS[1])


def response_alt(seen: Step) -> str:
    """Say in words what `response_chart` shows, with its numbers."""
    told = []
    for sweep in seen.done:
        parts = [
            f"{spelled(point.demand)}: "
            + (
                "the queue grows"
                if point.unstable
                else measured(point.estimate, seen.asked.measure_info.unit)
            )
            for point in sweep.points
        ]
        theory = ""
        if seen.asked.measure == "mean" and sweep.theory is not None:
            ends = float(sweep.theory.times[0]), sweep.theory.at[math.inf]
            few, all_jobs = (f"{number(one)} s" if one < math.inf else "the queue grows" for one in ends)
            theory = f"; in theory {few} at the smallest d, {all_jobs} with all"
        told.append(f"offered load {plain(sweep.load)}: {', '.join(parts)}{theory}.")
    for one in seen.beside:
        value = "the queue grows" if one.unstable else measured(one.estimate, seen.asked.measure_info.unit)
        name = "The learned policy" if one is seen.learned else one.title
        told.append(f"{name} at offered load {plain(seen.chosen.load)}: {value}.")
    return f"{seen.asked.measure_info.title} by largest demand d that is expanded. " + " ".join(told)
