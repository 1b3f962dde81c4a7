"""Slots in use over time, by kind of copy, and how many tasks wait for one.

A panel for each policy shows the share of the slots that run original copies and, on top of it, extra
copies; below, all policies share a panel for the tasks that wait. All are means over the replications.
Policies that did the same share a panel.
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.compare.charts.row import HEIGHT, LONGEST, WIDE
from pages.shared.charts.chart import figure
from sim.model.result import Comparison, PolicyResult
from sim.running.distribution import labels
from sim.telling.palette import faded
from sim.telling.plot import FONT, NAME, Part, Plot, panels
from sim.telling.scales import linear_axis, named_ticks, span
from sim.telling.words import clipped, number, percent

#: Height of the panel of waiting tasks, in pixels.
QUEUE = 62
#: Height of the axis below the panels and the legend above them, in pixels.
AROUND = 80
#: Opacity of the slots with original and with extra copies.
ORIGINAL, EXTRA = 0.35, 0.95


def usage(comparison: Comparison, dark: bool) -> go.Figure:
    """Draw busy slots, split into original and extra copies, and waiting tasks against time."""
    slots, unit = comparison.scenario.slots, comparison.scenario.time_unit
    called, results = labels(comparison), comparison.policies.values()
    plot = Plot("usage", dark, HEIGHT, wide=WIDE)
    names, colors = list(called), plot.colors.of(comparison.policies)
    inner = HEIGHT - AROUND
    panel = (inner - QUEUE - NAME * (len(names) + 1)) / len(names)
    *domains, queue = panels([*[panel] * len(names), QUEUE], inner)
    last = _nth(len(names) + 1)
    for name, opacity in (("originals", ORIGINAL), ("extra copies", EXTRA)):
        look = {"symbol": "square", "size": 12}
        plot.dots([None], [None], name, faded(plot.colors.ink, opacity), "", marker=look)
    for place, (first, name) in enumerate(called.items(), start=1):
        result, domain, color = comparison.policies[first], domains[place - 1], colors[first]
        _areas(plot, result, name, _nth(place), slots, color, unit)
        hover = f"<b>{name}</b><br>at %{{x:,.3~r}} {unit}: %{{y:,.3~r}} tasks wait"
        where = _stretch(result, last)
        plot.line(None, result.series[:, 2], f"{name}, waiting tasks", color, hover, **where)
        _share_axis(plot, _nth(place), domain, panel)
        plot.panel(f"<b>{clipped(name, LONGEST)}</b>", domain)
    longest = max(float(result.series[:, 2].max()) for result in results)
    plot.axis(last, scale=linear_axis(longest), domain=queue, nticks=4, zoom=True)
    plot.panel("<b>waiting tasks</b>, all policies", queue)
    end = max(step(result) * len(result.series) for result in results)
    title = f"time to the last arrival ({comparison.scenario.time_unit})"
    plot.axis("x", title, span(0, end, anchor=last), zoom=True)
    return figure(plot)


def _nth(place: int) -> str:
    """Return the name of a panel's upward axis, from 1."""
    return "y" if place == 1 else f"y{place}"


def step(result: PolicyResult) -> float:
    """Return the length of the intervals whose means the series holds; the first begins at 0."""
    return float(np.mean([sample.span for sample in result.samples])) / len(result.series)


def _share_axis(plot: Plot, which: str, domain: list[float], pixels: float) -> None:
    """Set the axis of a policy's panel, with as many ticks as have room."""
    ticks = [0, 50, 100] if pixels >= 3 * FONT else [0, 100]
    shares = named_ticks(ticks, [f"{tick} %" for tick in ticks])
    plot.axis(which, scale=shares, domain=domain, range=[0, 102], zoom=True)


def _stretch(result: PolicyResult, which: str) -> Part:
    """Return where the means of a series lie, in a panel."""
    return {"x0": step(result) / 2, "dx": step(result), "yaxis": which, "showlegend": False}


def _areas(
    plot: Plot, result: PolicyResult, called: str, which: str, slots: int, color: str, unit: str
) -> None:
    """Draw the slots with original copies and, on top of them, those with extra copies, if any."""
    busy, extra = 100 * result.series[:, 0] / slots, 100 * result.series[:, 1] / slots
    told = f"<b>{called}</b><br>at %{{x:,.3~r}} {unit}: %{{y:.2~r}} % of the slots busy, "
    name, thin, where = f"{called}, busy", {"width": 1}, _stretch(result, which)
    below = where | {"fill": "tozeroy", "fillcolor": faded(color, ORIGINAL)}
    if not extra.any():
        plot.line(None, busy, name, color, f"{told}none with extra copies", line=thin, **below)
        return
    originals = f"{called}, original copies"
    plot.line(None, busy - extra, originals, color, line={"width": 0}, **below)
    above = where | {"fill": "tonexty", "fillcolor": faded(color, EXTRA), "customdata": extra}
    hover = f"{told}%{{customdata:.2~r}} % with extra copies"
    plot.line(None, busy, name, color, hover, line=thin, **above)


def usage_remark(comparison: Comparison) -> str:
    """Say why there is nothing to see where one job alone arrives; else nothing."""
    if any(sample.jobs > 1 for result in comparison.policies.values() for sample in result.samples):
        return ""
    return "Slots and jobs are observed until the last arrival: one job leaves nothing to see before it."


def usage_alt(comparison: Comparison) -> str:
    """Say in words what `usage` shows, with its numbers."""
    if remark := usage_remark(comparison):
        return remark
    slots = comparison.scenario.slots
    told = []
    for name, result in comparison.policies.items():
        _, extra, waiting, _ = result.series.mean(axis=0)
        last, busy = result.series[-1, 2], result.estimate("utilisation").value or 0.0  # as everywhere
        told.append(
            f"{name}: on average {percent(busy)} busy, {percent(extra / slots)} with extra copies, in the "
            f"end {percent(result.series[-1, 0] / slots)}; "
            f"{number(waiting)} tasks wait on average, {number(last)} at the last arrival."
        )
    return f"Busy slots (of {slots:,}) and waiting tasks against time. " + " ".join(told)
