"""The charts of the Coding page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from pages.coding.question import (
    DEMAND_EDGES,
    DEMANDS,
    GRID,
    LANDMARKS,
    LOAD_EDGES,
    LOADS,
    Beside,
    Map,
    Step,
    Sweep,
    map_of,
)
from pages.shared.charts.on_page import figure
from sim.model.statistics import Estimate
from sim.running.gang_sweep import Point
from sim.telling.palette import faded
from sim.telling.plot import CLEAR, DASHED, LINE, Part, Plot
from sim.telling.scales import few_ticks, named_ticks, ticked_log, tidy
from sim.telling.words import changed, counted, listed, measured, number, plain

# Parts that the charts of the Coding page share: axes of demands, colours of loads, looks of curves.

#: Where "none" (d = 0) and "all" (d infinite) stand on the logarithmic axis of demands.
NONE, ALL = 7.5, 6500.0
ENDS = (6.3, 7800.0)
#: Steps of a decade that a logarithmic axis may name, from many to few.
STEPS = ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,))


def place(demand: float) -> float:
    """Return where a demand stands on its axis.

    Examples
    --------
    >>> place(0), place(120), place(float("inf"))
    (7.5, 120, 6500.0)
    """
    return ALL if demand == math.inf else NONE if demand == 0 else demand


def spelled(demand: float) -> str:
    """Return a demand as the axis and sentences have it.

    Examples
    --------
    >>> spelled(0), spelled(1000.0), spelled(float("inf"))
    ('none', '1,000', 'all')
    """
    return "none" if demand == 0 else "all" if demand == math.inf else plain(demand)


def demand_axis(ends: tuple[float, float] = ENDS) -> Part:
    """Return the axis of demands, from no job to all; every second finite one has its number."""
    named = (0.0, *DEMANDS[1:-1:2], math.inf)
    ticks = (0.0, *DEMANDS)
    labels = [spelled(demand) if demand in named else "" for demand in ticks]
    log = {"type": "log", "range": [math.log10(end) for end in ends]}
    return log | named_ticks([place(demand) for demand in ticks], labels)


def tight_log(low: float, high: float) -> Part:
    """Return a logarithmic axis over exactly [low, high], with at most seven round ticks.

    Examples
    --------
    >>> tight_log(14, 90)["ticktext"]
    ['15', '20', '30', '40', '50', '70']
    >>> tight_log(1, 500)["ticktext"]
    ['1', '3', '10', '30', '100', '300']
    """
    return ticked_log(low, high, few_ticks(low, high, STEPS))


def color_of(load: float, chosen: float, series: Sequence[str]) -> str:
    """Return the colour of an offered load: the first for the chosen one, its own for every landmark."""
    return series[0] if load == chosen else series[1 + LANDMARKS.index(load)]


def pointed(color: str, strong: bool) -> Part:
    """Return the looks of a curve through simulated points."""
    marks = {"color": color, "size": 8 if strong else 6}
    return {"mode": "lines+markers", "line": {"width": LINE + 1 if strong else 1.5}, "marker": marks}


def halves(found: Sequence[Estimate], color: str) -> Part:
    """Return the half widths of intervals as bars, of none where there is none."""
    known = [one.half if math.isfinite(one.half) else 0.0 for one in found]
    return {"type": "data", "array": known, "color": color, "thickness": 1.5, "width": 3}


def star(plot: Plot, loads: np.ndarray, demands: np.ndarray, color: str) -> None:
    """Draw d* of the theory against the offered load."""
    told = "ρ₀ = %{x:.2f}: d* = %{y:.3~r} s by Claim 1"
    plot.line(loads, demands, "d*, theory", color, told, line=DASHED)


# The cost of redundancy: the load that the jobs bring, against the demand d.


def cost_chart(seen: Step, dark: bool) -> go.Figure:
    """Draw the load brought against d; points with 95 % intervals, theory dashed, overload shaded."""
    plot = Plot("cost", dark, 350, showlegend=True)
    for sweep in sorted(seen.sweeps, key=lambda one: one.load):
        color = color_of(sweep.load, seen.chosen.load, plot.colors.series)
        strong = sweep is seen.chosen
        if sweep.theory is not None:
            _theory_of_cost(plot, sweep, color, strong)
        if sweep.points:
            _simulated_cost(plot, sweep, color, strong)
    plot.up(place(seen.asked.demand), dash="dot")
    if (high := _high(seen)) > 1:
        plot.region(faded(plot.colors.ink, 0.1), y0=1, y1=high)
        where = {"xref": "paper", "x": 0.01, "xanchor": "left", "yanchor": "top"}
        plot.note("more work than the cluster can do", y=high, bgcolor=CLEAR, **where)
    plot.axis("x", "jobs of demand up to d are expanded (s)", demand_axis())
    plot.axis("y", "load ρ, redundancy included", {"range": [0, high], "nticks": 7})
    return figure(plot)


def _high(seen: Step) -> float:
    """Return the end of the axis: above 1, and above what the highest load brings."""
    brought = [point.load.value or 0.0 for sweep in seen.done for point in sweep.points]
    return tidy(max(1.15, *brought))


def _simulated_cost(plot: Plot, sweep: Sweep, color: str, strong: bool) -> None:
    shown = [point for point in sweep.points if point.load.value is not None]
    name = f"ρ₀ = {plain(sweep.load)}"
    plot.line(
        [place(point.demand) for point in shown],
        [point.load.value or 0.0 for point in shown],
        name,
        color if strong else faded(color, 0.75),
        f"<b>{name}</b><br>%{{customdata}}",
        customdata=[f"d: {spelled(point.demand)}<br>ρ = {measured(point.load)}" for point in shown],
        error_y=halves([point.load for point in shown], color),
        **pointed(color, strong),
    )


def _theory_of_cost(plot: Plot, sweep: Sweep, color: str, strong: bool) -> None:
    assert sweep.theory is not None
    look = DASHED | {"width": LINE if strong else 1.5}
    pale = color if strong else faded(color, 0.75)
    for x, loads in (
        (GRID, sweep.theory.loads),
        (np.array([0.93 * ALL, ENDS[1]]), np.full(2, sweep.theory.brought[math.inf])),
    ):
        plot.line(x, loads, "theory", pale, line=look, showlegend=False)


def cost_alt(seen: Step) -> str:
    """Say in words what `cost_chart` shows, with its numbers."""
    told = []
    for sweep in seen.done:
        parts = [f"{spelled(point.demand)}: {measured(point.load)}" for point in sweep.points]
        told.append(f"Offered load {plain(sweep.load)} becomes, by d, {listed(parts)}.")
    return "Load that the jobs bring, by largest demand d that is expanded; from 1 on it is too much. " + (
        " ".join(told)
    )


# How much redundancy each job gets: the step of Redundant-small, and the map a network has learned.

#: Both maps end at this load; what can be offered ends at 1.
MOST_MAPPED = 1.25
#: Opacity of the colour of the largest expansion rate, and that rate.
STRONGEST, LARGEST_RATE = 0.9, 3.0


def step_chart(seen: Step, dark: bool) -> go.Figure:
    """Draw whom Redundant-small expands with the best d tried, at each offered load."""
    plot = Plot("step", dark, 350, showlegend=True)
    tried = [(sweep.load, sweep.best.demand) for sweep in seen.done if sweep.best is not None]
    rate, ink = seen.asked.rate, plot.colors.ink
    loads, best = [load for load, _ in tried], [demand for _, demand in tried]
    if tried:
        between = [(a + b) / 2 for a, b in pairwise(loads)]
        edges = sorted({DEMAND_EDGES[0], DEMAND_EDGES[-1], *(d for d in best if 0 < d < math.inf)})
        inside = [low < d for d in best for low in edges[:-1]]
        rates = np.where(np.reshape(inside, (len(best), -1)), rate, 1.0).T
        told = [[f"best d tried: {spelled(d)}" for d in best]] * (len(edges) - 1)
        _shades(plot, [0.0, *between, 1.0], edges, rates, told)
    _legend(plot, [1.0, rate])
    demands = seen.rule.demands
    if demands is not None and not np.isnan(demands).all():
        worth = demands > 0
        y = np.where(np.isinf(demands), place(math.inf), np.maximum(demands, DEMAND_EDGES[0]))
        star(plot, LOADS[worth], y[worth], ink)
    if tried:
        ring = {"symbol": "circle-open", "size": 9, "line": {"width": 2}}
        marks = [place(d) if d else DEMAND_EDGES[0] for d in best]
        plot.dots(loads, marks, "best d tried", ink, marker=ring)
    plot.up(seen.chosen.load, dash="dot")
    plot.note("no such<br>load", x=(1 + MOST_MAPPED) / 2, y=math.log10(220), bgcolor=CLEAR)
    return _map(plot, "offered load ρ₀ of the run")


def learned_chart(seen: Step, dark: bool) -> go.Figure:
    """Draw how much redundancy the network starts at the chosen offered load, by demand and load found."""
    plot, learned = Plot("learned", dark, 350, showlegend=True), map_of(seen.asked.scenario)
    _shades(plot, LOAD_EDGES, DEMAND_EDGES, learned.rates.T)
    _legend(plot, learned.chosen)
    if seen.learned is not None and seen.learned.load.value is not None:
        mean = min(seen.learned.load.value, MOST_MAPPED)
        plot.up(mean, dash="dot")
        where = {"x": mean, "y": math.log10(0.8 * DEMAND_EDGES[-1]), "xanchor": "right"}
        plot.note(f"mean load<br>at ρ₀ = {plain(seen.chosen.load)}", **where)
    return _map(plot, "load that the job finds")


def _map(plot: Plot, load: str) -> go.Figure:
    """Return a chart over load and demand, the same for both maps."""
    plot.axis("x", load, {"range": [0, MOST_MAPPED], "nticks": 7})
    ends = (DEMAND_EDGES[0], DEMAND_EDGES[-1])
    plot.axis("y", "demand of the job (s)", demand_axis(ends), showgrid=False)
    return figure(plot)


def strength(rate: float) -> float:
    """Return the opacity that stands for an expansion rate.

    Examples
    --------
    >>> strength(1), strength(2), strength(3)
    (0.0, 0.45, 0.9)
    """
    return STRONGEST * (min(rate, LARGEST_RATE) - 1) / (LARGEST_RATE - 1)


def _shades(
    plot: Plot,
    loads: list[float] | np.ndarray,
    demands: list[float] | np.ndarray,
    rates: np.ndarray,
    told: list[list[str]] | None = None,
) -> None:
    """Draw the rates, shape (demands, loads), as shades between the edges."""
    color = plot.colors.series[0]
    hover = "load %{x:.2f}, demand %{y:,.3~r} s<br>rate %{z}<extra></extra>"
    if told is not None:
        hover = "demand %{y:,.3~r} s: rate %{z}<br>%{text}<extra></extra>"
    plot.traces.append(
        {
            "type": "heatmap",
            "x": np.asarray(loads, dtype=float),
            "y": np.asarray(demands, dtype=float),
            "z": rates.astype(np.float32),
            "zmin": 1.0,
            "zmax": LARGEST_RATE,
            "colorscale": [[0.0, faded(color, 0.0)], [1.0, faded(color, STRONGEST)]],
            "showscale": False,
            "hovertemplate": hover,
        }
        | ({} if told is None else {"text": told})
    )


def _legend(plot: Plot, rates: list[float]) -> None:
    """Draw a square for each rate, to be listed above the chart."""
    edge = {"width": 1, "color": faded(plot.colors.ink, 0.6)}
    for rate in rates:
        color, look = faded(plot.colors.series[0], strength(rate)), {"symbol": "square", "size": 12}
        plot.dots([math.nan], [math.nan], _called(rate), color, "", marker=look | {"line": edge})


def _called(rate: float) -> str:
    return "k tasks, none more" if rate == 1 else f"⌈{plain(rate)} k⌉ tasks"


def step_alt(seen: Step) -> str:
    """Say in words what `step_chart` shows, with its numbers."""
    told = [
        f"{spelled(sweep.best.demand)} at {plain(sweep.load)}"
        for sweep in seen.done
        if sweep.best is not None
    ]
    return (
        f"Redundant-small by offered load: jobs of demand up to d have {plain(seen.asked.rate)} times their "
        f"tasks, others none more. Best d tried: {listed(told) if told else 'none, every queue grows'}."
    )


def learned_alt(seen: Step) -> str:
    """Say in words what `learned_chart` shows, with its numbers."""
    learned: Map = map_of(seen.asked.scenario)
    return (
        "Redundant tasks by demand and load, as a network has learned them for offered load "
        f"{plain(seen.chosen.load)}. {learned.in_words()}"
    )


# The effect of redundancy: the measure against the demand d, a curve for each offered load.

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


# Which jobs at what load: the plane of offered load and demand, tried point by point, with d* across it.

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
    _theory_of_rule(plot, seen)
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
                customdata=[_hover_of_rule(seen, sweep, point) for sweep, point in tried],
                marker={"symbol": symbol, "size": 9, "line": {"width": 2, "color": color}},
            )


def _hover_of_rule(seen: Step, sweep: Sweep, point: Point) -> str:
    change = "the queue grows" if point.unstable else changed(point.gain)
    return (
        f"ρ₀ = {plain(sweep.load)}, d: {spelled(point.demand)}<br>{seen.asked.measure_info.symbol}: {change}"
    )


def _theory_of_rule(plot: Plot, seen: Step) -> None:
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
