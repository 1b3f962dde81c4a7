"""The effect of redundancy: the measure against the demand d, a curve for each offered load."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from pages.coding.answer.loads import GRID, Beside, Seen, Sweep
from pages.coding.charts.axes import ALL, ENDS, color_of, demand_axis, place, spelled, tight_log
from pages.coding.question import DEMANDS
from pages.shared.charts.chart import chart, curve, points, titled, upright
from sim.telling.palette import faded, palette
from sim.telling.plot import LINE, Part
from sim.telling.words import measured, plain

#: The axis ends at this multiple of the measure without redundancy: beyond, a queue is all there is to see.
MOST = 3.0
#: Place of the first colour of policies beside the demands, the learned one's: after those of offered loads.
BESIDE_COLOR = 6


def response_chart(seen: Seen, dark: bool) -> go.Figure:
    """Draw the measure against d; points with 95 % intervals, theory dashed, the best d ringed."""
    low, high = _range(seen)
    traces: list[Part] = []
    for sweep in sorted(seen.sweeps, key=lambda one: one.load):
        color = color_of(sweep.load, seen.chosen.load, dark)
        strong = sweep is seen.chosen
        if seen.asked.measure == "mean" and sweep.theory is not None:
            traces += _theory(sweep, color, strong, high)
        if sweep.points:
            traces += _simulated(seen, sweep, color, strong, high)
        if sweep.best is not None:
            traces.append(_best(sweep, color, high))
    for nth, one in enumerate(seen.beside, start=BESIDE_COLOR):
        traces += _beside(one, seen, palette(dark).series[nth], high)
    shapes = _unstable(seen, dark)
    looked = seen.asked.demand
    shapes.append(upright(place(looked), palette(dark).ink, dash="dot"))
    told = seen.asked.measure_info
    unit = f" ({told.unit})" if told.unit else ""
    axes = {
        "xaxis": demand_axis("jobs of demand up to d are expanded (s)", dark),
        "yaxis": tight_log(low, high) | {"title": titled(f"{told.title}{unit}", dark)},
    }
    name = f"response, {seen.asked.measure}"
    return chart(traces, axes, dark, name=name, height=350, shapes=shapes, showlegend=True)


def _range(seen: Seen) -> tuple[float, float]:
    """Return the ends of the axis: from below the least to `MOST` times what is without redundancy."""
    base = seen.chosen.points[0].estimate.value or 1.0
    values = [point.estimate.value or base for sweep in seen.done for point in sweep.points]
    return 0.85 * min(base, *values), MOST * base


def _simulated(seen: Seen, sweep: Sweep, color: str, strong: bool, high: float) -> list[Part]:
    """Return a load's points, with crosses at the top where its queue grows or the axis ends."""
    shown = [
        point
        for point in sweep.points
        if point.estimate.value is not None and point.estimate.value <= high and not point.unstable
    ]
    x = [place(point.demand) for point in shown]
    halves = [point.estimate.half for point in shown]
    name = f"ρ₀ = {plain(sweep.load)}"
    look = {"width": LINE + 1 if strong else 1.5}
    traces = [
        curve(
            x,
            [point.estimate.value or 0.0 for point in shown],
            name,
            color if strong else faded(color, 0.75),
            mode="lines+markers",
            legendgroup=name,
            line=look,
            marker={"color": color, "size": 8 if strong else 6},
            customdata=[_hover(seen, sweep, point.demand) for point in shown],
            hovertemplate=f"<b>{name}</b><br>%{{customdata}}<extra></extra>",
            error_y={
                "type": "data",
                "array": [half if math.isfinite(half) else 0.0 for half in halves],
                "color": color,
                "thickness": 1.5,
                "width": 3,
            },
        )
    ]
    beyond = [point for point in sweep.points if point not in shown]
    row = 0.955 ** (1 + [one.load for one in seen.done[::-1]].index(sweep.load))  # one for each load
    if beyond:
        traces.append(
            points(
                [place(point.demand) for point in beyond],
                [row * high] * len(beyond),
                f"{name}, off the scale",
                color,
                legendgroup=name,
                showlegend=False,
                marker={
                    "symbol": ["x-thin" if point.unstable else "triangle-up" for point in beyond],
                    "size": 9,
                    "line": {"width": 2, "color": color},
                },
                customdata=[_hover(seen, sweep, point.demand) for point in beyond],
                hovertemplate=f"<b>{name}</b><br>%{{customdata}}<extra></extra>",
            )
        )
    return traces


def _hover(seen: Seen, sweep: Sweep, demand: float) -> str:
    point = sweep.at(demand)
    value = "the queue grows" if point.unstable else measured(point.estimate, seen.asked.measure_info.unit)
    return f"d: {spelled(demand)}<br>{seen.asked.measure_info.symbol} = {value}"


def _theory(sweep: Sweep, color: str, strong: bool, high: float) -> list[Part]:
    """Return the approximation, with a short stroke where all jobs are expanded."""
    assert sweep.theory is not None
    strokes = [(GRID, sweep.theory.times)]
    strokes.append((np.array([0.93 * ALL, ENDS[1]]), np.full(2, sweep.theory.at[math.inf])))
    look = {"dash": "dash", "width": LINE if strong else 1.5}
    group = f"ρ₀ = {plain(sweep.load)}"
    return [
        curve(
            x[times <= high],
            times[times <= high],
            f"theory, {group}",
            color if strong else faded(color, 0.75),
            line=look,
            legendgroup=group,
            showlegend=False,
            hovertemplate=f"theory, {group}<br>d = %{{x:.3~r}}: %{{y:.3~r}} s<extra></extra>",
        )
        for x, times in strokes
        if (times <= high).any()
    ]


def _best(sweep: Sweep, color: str, high: float) -> Part:
    assert sweep.best is not None
    value = sweep.at(sweep.best.demand).estimate.value or high
    return points(
        [place(sweep.best.demand)],
        [min(value, high)],
        "best d",
        color,
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
        marker={"symbol": "circle-open", "size": 16, "line": {"width": 2, "color": color}},
    )


def _beside(one: Beside, seen: Seen, color: str, high: float) -> list[Part]:
    """Return a policy without a d at the chosen load: a line from side to side, in its band."""
    value = one.estimate.value
    if value is None or one.unstable or value > high:
        return []
    half = one.estimate.half if math.isfinite(one.estimate.half) else 0.0
    name = f"{one.title}, ρ₀ = {plain(seen.chosen.load)}"
    (left, right), told = ENDS, measured(one.estimate, seen.asked.measure_info.unit)
    return [
        curve(
            [left, right, right, left],
            [value - half, value - half, value + half, value + half],
            name,
            color,
            mode="none",
            fill="toself",
            fillcolor=faded(color, 0.25),
            showlegend=False,
            legendgroup=name,
            hoverinfo="skip",
        ),
        curve(
            [left, *(place(d) for d in (0.0, *DEMANDS)), right],
            [value] * (len(DEMANDS) + 3),
            name,
            color,
            legendgroup=name,
            hovertemplate=f"<b>{name}</b><br>{seen.asked.measure_info.symbol} = {told}<extra></extra>",
        ),
    ]


def _unstable(seen: Seen, dark: bool) -> list[Part]:
    """Shade the demands at which the chosen load's queue grows."""
    grows = [place(point.demand) for point in seen.chosen.points if point.unstable]
    if not grows:
        return []
    before = [place(point.demand) for point in seen.chosen.points if place(point.demand) < min(grows)]
    ends = {"x0": math.sqrt(min(grows) * max(before)) if before else ENDS[0], "x1": ENDS[1]}
    look = {"fillcolor": faded(palette(dark).ink, 0.1), "line": {"width": 0}, "layer": "below"}
    return [{"type": "rect", "yref": "paper", "y0": 0, "y1": 1} | ends | look]


def response_alt(seen: Seen) -> str:
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
        told.append(f"offered load {plain(sweep.load)}: {', '.join(parts)}.")
    for one in seen.beside:
        value = "the queue grows" if one.unstable else measured(one.estimate, seen.asked.measure_info.unit)
        name = "The learned policy" if one is seen.learned else one.title
        told.append(f"{name} at offered load {plain(seen.chosen.load)}: {value}.")
    return f"{seen.asked.measure_info.title} by largest demand d that is expanded. " + " ".join(told)
