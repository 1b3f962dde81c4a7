"""Which jobs at what load: the plane of offered load and demand, tried point by point, with d* across it."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from pages.coding.answer.loads import GRID, LOADS, Step, Sweep
from pages.coding.charts.axes import ALL, ENDS, demand_axis, place, spelled, star
from pages.coding.question import DEMANDS
from pages.shared.charts.chart import figure
from sim.running.gang_sweep import Point
from sim.telling.palette import faded
from sim.telling.plot import CLEAR, Plot
from sim.telling.words import changed, counted, listed, plain

#: What expanding jobs up to d does, compared with no redundancy on the same jobs.
VERDICTS = ("better", "no difference seen", "worse", "queue grows")
#: The axis of demands without its place for none, which is what all is compared with.
SPAN = (9.5, ENDS[1] * 1.1)
SYMBOLS = ("circle", "line-ew", "diamond-open", "x-thin")


def verdict(point: Point) -> str:
    """Say whether redundancy helps at a point: the paired difference with its interval decides."""
    if point.unstable:
        return VERDICTS[3]
    return VERDICTS[1 + point.gain.sign]


def rule_chart(seen: Step, dark: bool) -> go.Figure:
    """Draw what was tried at each load, the best of it, and the rule of the theory."""
    plot = Plot("rule", dark, 350, showlegend=True)
    _tried(plot, seen)
    found = [(sweep.load, sweep.best.demand) for sweep in seen.done if sweep.best and sweep.best.demand > 0]
    if found:  # rings, where redundancy is best
        color = plot.colors.series[0]
        ring = {"symbol": "circle-open", "size": 17, "line": {"width": 2.5, "color": color}}
        loads, demands = zip(*found, strict=True)
        plot.dots(list(loads), list(map(place, demands)), "best tried", color, marker=ring)
    _theory(plot, seen)
    _overload(plot, seen)
    plot.up(seen.chosen.load, dash="dot")
    if _defined(seen):
        plot.note("expand these jobs", x=0.02, y=math.log10(21), xanchor="left", bgcolor=CLEAR)
    if seen.rule.limit_all < 0.7:
        plot.note("too much<br>work", x=0.8, y=math.log10(700), bgcolor=CLEAR)
    plot.axis("x", "offered load ρ₀, without redundancy", {"range": [0, 1], "nticks": 6})
    plot.axis("y", "largest demand d that is expanded (s)", demand_axis(SPAN))
    return figure(plot)


def _tried(plot: Plot, seen: Step) -> None:
    """Mark the simulated points, a trace for each verdict."""
    _, second, third, *_ = plot.colors.series
    found: dict[str, list[tuple[Sweep, Point]]] = {name: [] for name in VERDICTS}
    for sweep in seen.done:
        for point in sweep.points[1:]:
            found[verdict(point)].append((sweep, point))
    looks = zip(found.items(), (third, plot.colors.ink, second, second), SYMBOLS, strict=True)
    for (name, tried), color, symbol in looks:
        if tried:
            plot.dots(
                [sweep.load for sweep, _ in tried],
                [place(point.demand) for _, point in tried],
                name,
                color,
                "%{customdata}",
                customdata=[_hover(seen, sweep, point) for sweep, point in tried],
                marker={"symbol": symbol, "size": 9, "line": {"width": 2, "color": color}},
            )


def _hover(seen: Step, sweep: Sweep, point: Point) -> str:
    change = "the queue grows" if point.unstable else changed(point.gain)
    return (
        f"ρ₀ = {plain(sweep.load)}, d: {spelled(point.demand)}<br>{seen.asked.measure_info.symbol}: {change}"
    )


def _theory(plot: Plot, seen: Step) -> None:
    """Draw d* against the load, and the region below it, whose jobs are expanded."""
    demands = seen.rule.demands
    if demands is None or not _defined(seen):
        return
    color, top = plot.colors.series[0], SPAN[1]
    y = np.where(np.isinf(demands), ALL, np.maximum(demands, 1.0))
    worth = demands > 0
    plot.area(
        np.concatenate([[0.0], LOADS[worth], [LOADS[worth][-1] if worth.any() else 0.0, 0.0]]),
        np.concatenate([[top], np.where(np.isinf(demands), top, y)[worth], [1.0, 1.0]]),
        "expanded",
        faded(color, 0.1),
    )
    star(plot, LOADS[worth], y[worth], color)


def _overload(plot: Plot, seen: Step) -> None:
    """Shade where the jobs bring more work than the cluster can do, whatever the order they start in."""
    limit = np.clip([*seen.rule.limit, seen.rule.limit_all], 0, 1)
    demands = [*GRID, SPAN[1]]
    path = "L".join(f"{x:.5g},{d:.5g}" for x, d in zip(limit, demands, strict=True))
    path = f"M{path}L1,{demands[-1]:.5g}L1,{demands[0]:.5g}Z"
    look = {"fillcolor": faded(plot.colors.ink, 0.12), "line": {"width": 0}, "layer": "below"}
    plot.shapes.append({"type": "path", "path": path} | look)


def _defined(seen: Step) -> bool:
    """Whether the theory says which jobs to expand."""
    return seen.rule.demands is not None and not np.isnan(seen.rule.demands).all()


def rule_alt(seen: Step) -> str:
    """Say in words what `rule_chart` shows, with its numbers."""
    told = []
    for sweep in seen.done:
        by_verdict = {
            name: [spelled(point.demand) for point in sweep.points[1:] if verdict(point) == name]
            for name in VERDICTS
        }
        parts = [f"{name} for d {listed(demands)}" for name, demands in by_verdict.items() if demands]
        told.append(f"At offered load {plain(sweep.load)}: {'; '.join(parts)}.")
    return (
        f"What expanding jobs up to a demand d does at {counted(len(seen.done), 'offered load')}, for "
        f"{len(DEMANDS)} demands: compared with no redundancy it is better, worse, or the queue grows. "
        + " ".join(told)
    )
