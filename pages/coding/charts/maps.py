"""How much redundancy each job gets: the step of Redundant-small, and the map a network has learned."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from pages.coding.answer.learned import DEMAND_EDGES, LOAD_EDGES, Map, map_of
from pages.coding.answer.loads import LOADS, Step
from pages.coding.charts.axes import demand_axis, place, spelled, star
from pages.shared.charts.chart import figure
from sim.telling.palette import faded
from sim.telling.plot import CLEAR, Plot
from sim.telling.words import listed, plain

#: Both maps end at this load; what can be offered ends at 1.
MOST = 1.25
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
    plot.note("no such<br>load", x=(1 + MOST) / 2, y=math.log10(220), bgcolor=CLEAR)
    return _map(plot, "offered load ρ₀ of the run")


def learned_chart(seen: Step, dark: bool) -> go.Figure:
    """Draw how much redundancy the network starts at the chosen offered load, by demand and load found."""
    plot, learned = Plot("learned", dark, 350, showlegend=True), map_of(seen.asked.scenario)
    _shades(plot, LOAD_EDGES, DEMAND_EDGES, learned.rates.T)
    _legend(plot, learned.chosen)
    if seen.learned is not None and seen.learned.load.value is not None:
        mean = min(seen.learned.load.value, MOST)
        plot.up(mean, dash="dot")
        where = {"x": mean, "y": math.log10(0.8 * DEMAND_EDGES[-1]), "xanchor": "right"}
        plot.note(f"mean load<br>at ρ₀ = {plain(seen.chosen.load)}", **where)
    return _map(plot, "load that the job finds")


def _map(plot: Plot, load: str) -> go.Figure:
    """Return a chart over load and demand, the same for both maps."""
    plot.axis("x", load, {"range": [0, MOST], "nticks": 7})
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
