"""How much redundancy each job gets: the step of Redundant-small, and the map a network has learned."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from pages.coding.answer.learned import DEMAND_EDGES, LOAD_EDGES, Map, map_of
from pages.coding.answer.loads import LOADS, Seen
from pages.coding.charts.axes import demand_axis, place, spelled
from pages.shared.charts.chart import chart, curve, note, points, titled, upright
from sim.telling.palette import faded, palette
from sim.telling.plot import Part
from sim.telling.words import listed, plain

#: Both maps end at this load; what can be offered ends at 1.
MOST = 1.25
#: Opacity of the colour of the largest expansion rate, and that rate.
STRONGEST, LARGEST_RATE = 0.9, 3.0


def step_chart(seen: Seen, dark: bool) -> go.Figure:
    """Draw whom Redundant-small expands with the best d tried, at each offered load."""
    tried = [sweep for sweep in seen.done if sweep.best is not None]
    traces: list[Part] = []
    rate = seen.asked.rate
    if tried:
        loads = [sweep.load for sweep in tried]
        between = [(a + b) / 2 for a, b in pairwise(loads)]
        best = [sweep.best.demand for sweep in tried if sweep.best]
        edges = sorted({DEMAND_EDGES[0], DEMAND_EDGES[-1], *(d for d in best if 0 < d < math.inf)})
        inside = [low < d for d in best for low in edges[:-1]]
        rates = np.where(np.reshape(inside, (len(best), -1)), rate, 1.0).T
        told = [[f"best d tried: {spelled(d)}" for d in best]] * (len(edges) - 1)
        traces.append(_shades([0.0, *between, 1.0], edges, rates, dark, told))
    traces += _legend([1.0, rate], dark)
    traces += _star(seen, dark)
    if tried:
        ink = palette(dark).ink
        traces.append(
            points(
                loads,
                [place(d) if d else DEMAND_EDGES[0] for d in best],
                "best d tried",
                ink,
                hoverinfo="skip",
                marker={"symbol": "circle-open", "size": 9, "line": {"width": 2}},
            )
        )
    shapes = [upright(seen.chosen.load, palette(dark).ink, dash="dot")]
    notes = [note("no such<br>load", dark, x=(1 + MOST) / 2, y=math.log10(220), bgcolor="rgba(0, 0, 0, 0)")]
    return _map("offered load ρ₀ of the run", traces, shapes, notes, "step", dark)


def learned_chart(seen: Seen, dark: bool) -> go.Figure:
    """Draw how much redundancy the network starts at the chosen offered load, by demand and load found."""
    learned = map_of(seen.asked.scenario)
    traces = [_shades(LOAD_EDGES, DEMAND_EDGES, learned.rates.T, dark), *_legend(learned.chosen, dark)]
    shapes, notes = [], []
    if seen.learned is not None and seen.learned.load.value is not None:
        mean = min(seen.learned.load.value, MOST)
        shapes.append(upright(mean, palette(dark).ink, dash="dot"))
        where = {"x": mean, "y": math.log10(0.8 * DEMAND_EDGES[-1]), "xanchor": "right"}
        notes.append(note(f"mean load<br>at ρ₀ = {plain(seen.chosen.load)}", dark, **where))
    return _map("load that the job finds", traces, shapes, notes, "learned", dark)


def _map(
    load: str, traces: list[Part], shapes: list[Part], notes: list[Part], name: str, dark: bool
) -> go.Figure:
    """Return a chart over load and demand, the same for both maps."""
    axes = {
        "xaxis": {"title": titled(load, dark), "range": [0, MOST], "nticks": 7, "fixedrange": True},
        "yaxis": demand_axis("demand of the job (s)", dark)
        | {"range": [math.log10(end) for end in (DEMAND_EDGES[0], DEMAND_EDGES[-1])], "showgrid": False},
    }
    return chart(traces, axes, dark, name=name, height=350, shapes=shapes, annotations=notes, showlegend=True)


def strength(rate: float) -> float:
    """Return the opacity that stands for an expansion rate.

    Examples
    --------
    >>> strength(1), strength(2), strength(3)
    (0.0, 0.45, 0.9)
    """
    return STRONGEST * (min(rate, LARGEST_RATE) - 1) / (LARGEST_RATE - 1)


def _shades(
    loads: list[float] | np.ndarray,
    demands: list[float] | np.ndarray,
    rates: np.ndarray,
    dark: bool,
    told: list[list[str]] | None = None,
) -> Part:
    """Return the rates, shape (demands, loads), as shades between the edges."""
    color = palette(dark).series[0]
    found = {
        "type": "heatmap",
        "x": np.asarray(loads, dtype=float),
        "y": np.asarray(demands, dtype=float),
        "z": rates.astype(np.float32),
        "zmin": 1.0,
        "zmax": LARGEST_RATE,
        "colorscale": [[0.0, faded(color, 0.0)], [1.0, faded(color, STRONGEST)]],
        "showscale": False,
        "hovertemplate": "load %{x:.2f}, demand %{y:,.3~r} s<br>rate %{z}<extra></extra>",
    }
    if told is not None:
        found |= {"text": told, "hovertemplate": "demand %{y:,.3~r} s: rate %{z}<br>%{text}<extra></extra>"}
    return found


def _legend(rates: list[float], dark: bool) -> list[Part]:
    """Return a square for each rate, to be listed above the chart."""
    color, ink = palette(dark).series[0], palette(dark).ink
    return [
        points(
            [math.nan],
            [math.nan],
            _called(rate),
            faded(color, strength(rate)),
            marker={"symbol": "square", "size": 12, "line": {"width": 1, "color": faded(ink, 0.6)}},
        )
        for rate in rates
    ]


def _called(rate: float) -> str:
    return "k tasks, none more" if rate == 1 else f"⌈{plain(rate)} k⌉ tasks"


def _star(seen: Seen, dark: bool) -> list[Part]:
    """Return d* of the theory against the offered load."""
    demands = seen.rule.demands
    if demands is None or np.isnan(demands).all():
        return []
    worth = demands > 0
    y = np.where(np.isinf(demands), place(math.inf), np.maximum(demands, DEMAND_EDGES[0]))
    return [
        curve(
            LOADS[worth],
            y[worth],
            "d*, theory",
            palette(dark).ink,
            line={"dash": "dash"},
            hovertemplate="ρ₀ = %{x:.2f}: d* = %{y:.3~r} s by Claim 1<extra></extra>",
        )
    ]


def step_alt(seen: Seen) -> str:
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


def learned_alt(seen: Seen) -> str:
    """Say in words what `learned_chart` shows, with its numbers."""
    learned: Map = map_of(seen.asked.scenario)
    return (
        "Redundant tasks by demand and load, as a network has learned them for offered load "
        f"{plain(seen.chosen.load)}. {learned.in_words()}"
    )
