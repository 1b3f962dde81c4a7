"""Which jobs at what load: the plane of offered load and demand, tried point by point, with d* across it."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from pages.coding.answer.loads import GRID, LOADS, Seen, Sweep
from pages.coding.charts.axes import ALL, ENDS, demand_axis, place, spelled
from pages.coding.question import DEMANDS
from pages.shared.charts.chart import chart, curve, note, points, titled, upright
from sim.gang.sweep import Point
from sim.telling.palette import faded, palette
from sim.telling.plot import Part
from sim.telling.words import changed, counted, listed, plain

#: What expanding jobs up to d does, compared with no redundancy on the same jobs.
VERDICTS = ("better", "no difference seen", "worse", "queue grows")
SYMBOLS = ("circle", "circle-open", "triangle-up-open", "x-thin")


def verdict(point: Point) -> str:
    """Say whether redundancy helps at a point: the paired difference with its interval decides."""
    if point.unstable:
        return VERDICTS[3]
    return VERDICTS[1 + point.gain.sign]


def rule_chart(seen: Seen, dark: bool) -> go.Figure:
    """Draw what was tried at each load, the best of it, and the rule of the theory."""
    colors = palette(dark)
    traces = [*_tried(seen, dark), *_best(seen, dark), *_theory(seen, dark)]
    demands = demand_axis("largest demand d that is expanded (s)", dark) | {"range": _span()}
    axes = {
        "xaxis": {
            "title": titled("offered load ρ₀, without redundancy", dark),
            "range": [0, 1],
            "nticks": 6,
            "fixedrange": True,
        },
        "yaxis": demands,
    }
    shapes = [_overload(seen, dark), upright(seen.chosen.load, colors.ink, dash="dot")]
    notes = _notes(seen, dark)
    return chart(
        traces, axes, dark, name="rule", height=350, shapes=shapes, annotations=notes, showlegend=True
    )


def _span() -> list[float]:
    """Return the axis of demands without its place for none, which is what all is compared with."""
    return [math.log10(9.5), math.log10(ENDS[1] * 1.1)]


def _tried(seen: Seen, dark: bool) -> list[Part]:
    """Return the simulated points, a trace for each verdict."""
    series = palette(dark).series
    looks = (series[2], palette(dark).ink, series[1], series[1])
    found: dict[str, list[tuple[Sweep, Point]]] = {name: [] for name in VERDICTS}
    for sweep in seen.done:
        for point in sweep.points[1:]:
            found[verdict(point)].append((sweep, point))
    return [
        points(
            [sweep.load for sweep, _ in tried],
            [place(point.demand) for _, point in tried],
            name,
            color,
            customdata=[_hover(seen, sweep, point) for sweep, point in tried],
            hovertemplate="%{customdata}<extra></extra>",
            marker={"symbol": symbol, "size": 9, "line": {"width": 2, "color": color}},
        )
        for (name, tried), color, symbol in zip(found.items(), looks, SYMBOLS, strict=True)
        if tried
    ]


def _hover(seen: Seen, sweep: Sweep, point: Point) -> str:
    change = "the queue grows" if point.unstable else changed(point.gain)
    return (
        f"ρ₀ = {plain(sweep.load)}, d: {spelled(point.demand)}<br>{seen.asked.measure_info.symbol}: {change}"
    )


def _best(seen: Seen, dark: bool) -> list[Part]:
    """Return rings around the best demand of each load, where redundancy is best."""
    found = [sweep for sweep in seen.done if sweep.best and sweep.best.demand > 0]
    if not found:
        return []
    color = palette(dark).series[0]
    return [
        points(
            [sweep.load for sweep in found],
            [place(sweep.best.demand) for sweep in found if sweep.best],
            "best tried",
            color,
            hoverinfo="skip",
            marker={"symbol": "circle-open", "size": 17, "line": {"width": 2.5, "color": color}},
        )
    ]


def _theory(seen: Seen, dark: bool) -> list[Part]:
    """Return d* against the load, and the region below it, whose jobs are expanded."""
    demands = seen.rule.demands
    if demands is None or not _defined(seen):
        return []
    color = palette(dark).series[0]
    top = 10 ** _span()[1]
    y = np.where(np.isinf(demands), ALL, np.maximum(demands, 1.0))
    worth = demands > 0
    fill = curve(
        np.concatenate([[0.0], LOADS[worth], [LOADS[worth][-1] if worth.any() else 0.0, 0.0]]),
        np.concatenate([[top], np.where(np.isinf(demands), top, y)[worth], [1.0, 1.0]]),
        "expanded",
        color,
        mode="none",
        fill="toself",
        fillcolor=faded(color, 0.1),
        showlegend=False,
        hoverinfo="skip",
    )
    line = curve(
        LOADS[worth],
        y[worth],
        "d*, theory",
        color,
        line={"dash": "dash"},
        hovertemplate="ρ₀ = %{x:.2f}: d* = %{y:.3~r} s by Claim 1<extra></extra>",
    )
    return [fill, line]


def _overload(seen: Seen, dark: bool) -> Part:
    """Shade where the jobs bring more work than the cluster can do, whatever the order they start in."""
    limit = np.clip([*seen.rule.limit, seen.rule.limit_all], 0, 1)
    demands = [*GRID, 10 ** _span()[1]]
    path = "L".join(f"{x:.5g},{d:.5g}" for x, d in zip(limit, demands, strict=True))
    return {
        "type": "path",
        "path": f"M{path}L1,{demands[-1]:.5g}L1,{demands[0]:.5g}Z",
        "fillcolor": faded(palette(dark).ink, 0.12),
        "line": {"width": 0},
        "layer": "below",
    }


def _notes(seen: Seen, dark: bool) -> list[Part]:
    clear = {"bgcolor": "rgba(0, 0, 0, 0)"}
    found = []
    if _defined(seen):
        found.append(note("expand these jobs", dark, x=0.02, y=math.log10(21), xanchor="left", **clear))
    if seen.rule.limit_all < 0.7:
        found.append(note("too much<br>work", dark, x=0.8, y=math.log10(700), **clear))
    return found


def _defined(seen: Seen) -> bool:
    """Whether the theory says which jobs to expand."""
    return seen.rule.demands is not None and not np.isnan(seen.rule.demands).all()


def rule_alt(seen: Seen) -> str:
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
