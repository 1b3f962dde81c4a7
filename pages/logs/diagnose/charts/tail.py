"""The law of luck on logarithmic axes: the share of copies beyond so many medians, and the fit."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.diagnosis.luck import Luck, Tail
from sim.telling.palette import faded
from sim.telling.plot import DASHED, DOTTED, Part, Plot
from sim.telling.scales import log_axis
from sim.telling.words import number, percent

TITLE = "Luck: how likely is a slow copy?"
#: Points of a curve, and marks of killed copies, that are sent at most.
MOST, MARKS = 400, 300
#: Lowest probability drawn.
LEAST = 1e-5


def draw(luck: Luck, dark: bool) -> go.Figure:
    """Draw the survival of the ratios, the Pareto fit if there is one, and where copies were killed."""
    plot = Plot("law of luck", dark)
    first, second, third, *_ = plot.colors.series
    x, survival = _seen(luck)
    last = float(max(x[-1], 2.0))
    low = max(float(survival[survival > 0].min()), LEAST)
    hover = "%{y:.3~%} take more than %{x:.3~r} times the median"
    plot.line(x, survival, "copies (Kaplan–Meier)", first, hover, line={"shape": "hv"})
    if (tail := luck.tail) is not None:
        _fit(plot, tail, luck, last, second)
        plot.up(tail.x_min, dash="dot")
        where = {"y": 0, "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
        plot.note(f"tail from {number(tail.x_min)}", x=np.log10(tail.x_min), **where)
    _exponential(plot, luck, low, last)
    _killed(plot, luck, third)
    plot.axis("x", "duration ÷ median of its stage", log_axis(1.0, last), zoom=True)
    plot.axis("y", "share of copies that take more", log_axis(low, 1.0), zoom=True)
    return figure(plot)


def _seen(luck: Luck) -> tuple[np.ndarray, np.ndarray]:
    """Return the estimate above the median, thinned to as many points as a screen can show."""
    kept = (luck.x >= 1) & (luck.survival > LEAST)
    x, survival = luck.x[kept], luck.survival[kept]
    if not x.size:
        return np.array([1.0, 2.0]), np.array([0.5, 0.5])
    if x.size > MOST:
        wanted = np.linspace(np.log(survival[0]), np.log(survival[-1]), MOST)
        chosen = np.unique(np.searchsorted(-np.log(survival), -wanted).clip(0, x.size - 1))
        x, survival = x[chosen], survival[chosen]
    return x, survival


def survival_at(luck: Luck, ratios: np.ndarray) -> np.ndarray:
    """Return the estimated chance of at least each of some ratios."""
    place = np.searchsorted(luck.x, ratios, side="left")
    return np.concatenate([[1.0], luck.survival])[place]


def _fit(plot: Plot, tail: Tail, luck: Luck, last: float, color: str) -> None:
    """Draw the fitted law, which begins on the estimate, with the band of its index."""
    begin = float(survival_at(luck, np.array([tail.x_min]))[0])
    x = np.geomspace(tail.x_min, max(last, tail.x_min * 1.01), 40)
    fitted, light, heavy = (begin * (x / tail.x_min) ** -index for index in (tail.index, tail.high, tail.low))
    band: Part = {"type": "scatter", "mode": "lines", "line": {"width": 0}}
    band |= {"showlegend": False, "hoverinfo": "skip", "x": x}
    plot.traces += [
        band | {"y": light},
        band | {"y": heavy, "fill": "tonexty", "fillcolor": faded(color)},
    ]
    hover = "fit: %{y:.3~%} take more than %{x:.3~r} times the median"
    plot.line(x, fitted, f"Pareto, index {number(tail.index)}", color, hover, line=DASHED)


def _exponential(plot: Plot, luck: Luck, low: float, last: float) -> None:
    """Draw the exponential law that is likeliest above x_min, or above the median if there is no tail."""
    begin = luck.tail.x_min if luck.tail else 1.0
    above = luck.points[luck.points["ratio"] > begin]
    mean = float((above["ratio"] - begin).sum()) / max(int(above["complete"].sum()), 1)
    height = float(survival_at(luck, np.array([begin]))[0])
    if mean > 0 and height > low:
        last = min(last, begin + mean * np.log(height / low))
    x = np.linspace(begin, max(last, begin * 1.01), 60)
    survival = height * np.exp(-(x - begin) / mean) if mean > 0 else np.full(x.size, height)
    ink = faded(plot.colors.ink, 0.7)
    plot.line(x, survival, "exponential law", ink, line=DOTTED | {"width": 1.5})


def _killed(plot: Plot, luck: Luck, color: str) -> None:
    """Mark where copies were killed, which would have run longer."""
    points_of = luck.points
    killed = np.sort(points_of["ratio"][~points_of["complete"] & (points_of["ratio"] >= 1)].to_numpy(float))
    if not killed.size:
        return
    if killed.size > MARKS:
        killed = killed[np.linspace(0, killed.size - 1, MARKS).astype(int)]
    height = np.maximum(survival_at(luck, killed), LEAST)
    look = {"symbol": "line-ns-open", "size": 9, "line": {"width": 1.5, "color": color}}
    hover = "ended by force at %{x:.3~r} times the median"
    plot.dots(killed, height, "did not end: would have taken longer", color, hover, marker=look)


def alt(luck: Luck) -> str:
    """Say in words what `draw` shows."""
    chances = survival_at(luck, np.array([1.5, 3.0]))
    return (
        f"Share of copies that take more than a ratio to the median, on logarithmic axes: "
        f"{percent(float(chances[0]))} more than 1.5, {percent(float(chances[1]))} more than 3. "
        f"{luck.verdict}"
    )


def about(luck: Luck) -> str:
    """Return what stands below the chart: the fit with its range, its quality, and what fits as well."""
    if (tail := luck.tail) is None:
        return luck.verdict
    better = (
        f"A {tail.better} law fits better (5 % test): read the index as a slope within this range"
        if tail.better
        else "No alternative fits better (lognormal, exponential, truncated Pareto; 5 % tests)"
    )
    killed = (
        f" {tail.censored:,} of them did not end and count as longer; without them the index would be "
        f"{number(tail.naive)}."
        if tail.censored
        else ""
    )
    return (
        f"Pareto above {number(tail.x_min)} times the median: index {number(tail.index)}, 95 % interval "
        f"{number(tail.low)} to {number(tail.high)}, n = {tail.n:,} copies, Kolmogorov–Smirnov distance "
        f"{number(tail.ks, 2)}.{killed} {better}."
    )
