"""The charts of the Rollouts tab: how long a step takes, and what is thrown away, by the extra answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.on_page import Chart, figure
from sim.advice.rollouts import Rollouts
from sim.telling.plot import ABOVE, DASHED, Plot
from sim.telling.scales import shares, span, tidy
from sim.telling.words import number, percent, plain


def shown(found: Rollouts) -> np.ndarray:
    """Return the numbers of extra answers that are drawn: up to twice the best, and some more."""
    return found.extra[: max(2 * found.best, found.awaited // 2, 8) + 1]


def time_chart(found: Rollouts, dark: bool) -> go.Figure:
    """Draw the mean time of a step against the extra answers, alone and with the price of its slots."""
    plot, k = _begun("rollouts time", found, dark), shown(found)
    plot.note(f"best: {found.best}", x=found.best, **ABOVE)
    curves = {"time of a step": found.times, "with the price of its slots": found.costs}
    for (name, y), color in zip(curves.items(), plot.colors.series, strict=False):
        plot.line(k, y[k], name, color, f"{name}, %{{x}} more: %{{y:.3~g}} s", line=DASHED)
        told = f"{name} with the best number: %{{y:.3~g}} s"
        plot.dots([found.best], [float(y[found.best])], f"{name}, best", color, told, showlegend=False)
    high = max(float(found.costs[k].max()), float(found.times[0]))
    plot.axis("y", "mean time (s)", span(0, tidy(min(high, 2.5 * float(found.times[0])))))
    return figure(plot)


def time_alt(found: Rollouts) -> str:
    """Say in words what `time_chart` shows, with its numbers."""
    k, times = found.best, found.times
    return (
        f"Mean time of a step that ends with any {found.awaited} answers, against the extra answers "
        f"started, 0 to {int(shown(found)[-1])}: {number(times[0])} s without any, {number(times[k])} s with "
        f"the best number, {k}. With the price of its slots, {plain(found.price)}, it is "
        f"{number(found.costs[k])} s there, the least."
    )


def wasted_chart(found: Rollouts, dark: bool) -> go.Figure:
    """Draw the share of the slot-time that is thrown away, or the age of answers that are carried over."""
    plot, k = _begun("rollouts waste", found, dark, showlegend=False), shown(found)
    name = "age" if found.carry_over else "thrown away"
    y = k / found.awaited if found.carry_over else found.wasted[k]
    color = plot.colors.series[0]
    hover = "%{x} more: %{y:.2~f} steps" if found.carry_over else "%{x} more: %{y:.1%} thrown away"
    plot.line(k, y, name, color, hover)
    plot.dots([found.best], [float(y[found.best])], f"{name}, best", color, hover)
    if found.carry_over:
        plot.axis("y", "mean age of an answer (steps)", span(0, tidy(float(y[-1]))))
    else:
        plot.axis("y", "share of the slot-time", shares())
    return figure(plot)


def wasted_alt(found: Rollouts) -> str:
    """Say in words what `wasted_chart` shows, with its numbers."""
    last = int(shown(found)[-1])
    if found.carry_over:
        return (
            "Mean age in steps of an answer when it is used, against the extra answers started: 0 without "
            f"any, {number(found.age)} with the best number, {found.best}, and "
            f"{number(last / found.awaited)} with {last}."
        )
    return (
        "Share of the slot-time that is thrown away, against the extra answers started: 0 % without any, "
        f"{percent(found.wasted[found.best])} with the best number, {found.best}, and "
        f"{percent(found.wasted[last])} with {last}."
    )


def _begun(name: str, found: Rollouts, dark: bool, **layout: Any) -> Plot:
    """Return a chart with its axis of extra answers and a line at the best number."""
    plot = Plot(name, dark, 320, above=1.1, **layout)  # the legend is above the note
    plot.up(found.best)
    room = span(0, 1.08 * float(shown(found)[-1]))  # the best may be the last
    plot.axis("x", f"extra answers k beyond the {found.awaited} awaited", room)
    return plot


TIME = Chart("How long a step takes", time_chart, time_alt)
WASTED = Chart(
    lambda found: "How old answers get" if found.carry_over else "What is thrown away",
    wasted_chart,
    wasted_alt,
)
