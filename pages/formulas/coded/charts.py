"""The charts of the Codes tab: one job against the tasks it starts, response times against the load."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from pages.formulas.coded.question import LOADS, Request
from pages.shared.charts.on_page import Chart, figure
from sim.telling.plot import ABOVE, DASHED, Plot
from sim.telling.scales import span, tidy
from sim.telling.words import counted, listed, number, plain

#: The axis of response times ends at this multiple of the time without redundancy in an empty cluster.
MOST = 3.0


def job_chart(asked: Request, dark: bool) -> go.Figure:
    """Draw time and slot-time of the job against the tasks started, over those without redundancy."""
    plot = Plot("coded job", dark, 320, above=1.1)  # the legend is above the note
    n = asked.started
    ratios = {
        "time": asked.latency(n) / asked.latency(asked.k),
        "slot-time": asked.cost(n) / asked.cost(asked.k),
    }
    for (name, y), color in zip(ratios.items(), plot.colors.series, strict=False):
        plot.line(n, y, name, color, f"{name}, %{{x}} tasks: %{{y:.3~g}} times", line=DASHED)
        chosen, told = float(y[asked.n - asked.k]), f"{name} as chosen: %{{y:.3~g}} times"
        plot.dots([asked.n], [chosen], f"{name}, as chosen", color, told, showlegend=False)
    plot.across(1, dash="dot", width=1)
    plot.up(asked.n)
    plot.note(f"n = {asked.n}", x=asked.n, **ABOVE)
    plot.axis("x", f"tasks n started, of which any {asked.k} end the job", span(asked.k, float(n[-1])))
    plot.axis(
        "y", "times that without extra tasks", span(0, tidy(max(float(y.max()) for y in ratios.values())))
    )
    return figure(plot)


def job_alt(asked: Request) -> str:
    """Say in words what `job_chart` shows, with its numbers."""
    return (
        f"Time and slot-time of a job that ends with any {asked.k} of n tasks, over those without extra "
        f"tasks, against n from {asked.k} to {int(asked.started[-1])}. With n = {asked.n} the time is "
        f"{number(asked.faster)} and the slot-time {number(asked.dearer)} times as much."
    )


def called(name: str, asked: Request) -> str:
    """Return which jobs are expanded, in words."""
    return f"jobs up to {plain(asked.d)} s" if name == "small jobs" else name


def response_chart(asked: Request, dark: bool) -> go.Figure:
    """Draw the mean response time by Claim 1 against the offered load, for each choice of jobs."""
    plot = Plot("coded cluster", dark, 320, above=1.1)
    high = tidy(MOST * float(asked.time(0.0, 0.0)))
    for (name, d), color in zip(asked.demands.items(), plot.colors.series, strict=False):
        times, told = asked.time(d, LOADS), called(name, asked)
        shown = times <= high
        hover = f"{told}, ρ₀ = %{{x:.2f}}: %{{y:.3~g}} s"
        plot.line(LOADS[shown], times[shown], told, color, hover, line=DASHED)
        if asked.choices[name] <= high:
            plot.dots([asked.load], [asked.choices[name]], f"{told}, at ρ₀", color, hover, showlegend=False)
    plot.up(asked.load)
    plot.note(f"ρ₀ = {plain(asked.load)}", x=asked.load, **ABOVE)
    plot.axis("x", "offered load ρ₀, without extra tasks", {"range": [0, 1], "nticks": 6})
    plot.axis("y", "mean response time E[T] (s)", span(0, high))
    return figure(plot)


def seconds(time: float) -> str:
    """Return a mean response time, infinite where the queue grows."""
    return f"{number(time)} s" if math.isfinite(time) else "infinite"


def response_alt(asked: Request) -> str:
    """Say in words what `response_chart` shows, with its numbers."""
    told = []
    for name, d in asked.demands.items():
        low, high = (seconds(float(time)) for time in np.asarray(asked.time(d, np.array([0.3, 0.9]))))
        told.append(
            f"with extra tasks for {called(name, asked)} {seconds(asked.choices[name])} at load "
            f"{plain(asked.load)}, {low} at 0.3 and {high} at 0.9"
        )
    at = f"against offered load with {counted(asked.slots, 'slot')}"
    return f"Mean response time {at}, by Claim 1: {listed(told)}."


JOB = Chart("One job: what extra tasks bring and cost", job_chart, job_alt)
RESPONSE = Chart("All jobs: which of them to expand, at what load", response_chart, response_alt)
