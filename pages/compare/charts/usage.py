"""Slots in use over time, by kind of copy, and how many tasks wait for one.

A panel for each policy shows the share of the slots that run original copies and, on top of it, extra
copies; below, all policies share a panel for the tasks that wait. All are means over the replications.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import axis, chart, named, titled
from sim.result import Comparison, PolicyResult
from sim.telling.palette import Palette, faded, palette
from sim.telling.plot import FONT, LINE, NAME, panels
from sim.telling.scales import linear_axis
from sim.telling.words import number, percent

#: Height of a policy's panel, in pixels.
PANEL = 52
#: Height of the panel of waiting tasks, in pixels.
QUEUE = 62
#: Height of the axis below the panels and the legend above them, in pixels.
AROUND = 80
#: Limits of the height of the chart, in pixels: panels get thinner rather than the chart higher.
LOWEST, HIGHEST = 320, 400
#: Opacity of the slots with original and with extra copies.
ORIGINAL, EXTRA = 0.35, 0.95


def usage(comparison: Comparison, dark: bool) -> go.Figure:
    """Draw busy slots, split into original and extra copies, and waiting tasks against time."""
    colors = palette(dark)
    slots, unit = comparison.scenario.slots, comparison.scenario.time_unit
    names = list(comparison.policies)
    height = min(max(AROUND + (PANEL + NAME) * len(names) + QUEUE + NAME, LOWEST), HIGHEST)
    inner = height - AROUND
    panel = (inner - QUEUE - NAME * (len(names) + 1)) / len(names)
    *domains, queue = panels([*[panel] * len(names), QUEUE], inner)
    results = comparison.policies.values()
    traces, axes, notes = list(_key(colors)), {"xaxis": _time_axis(comparison, dark)}, []
    for place, (name, color) in enumerate(colors.of(names).items(), start=1):
        result = comparison.policies[name]
        traces += [*_areas(result, place, slots, color, unit), _queue(result, len(names) + 1, color, unit)]
        axes[axis("yaxis", place)] = _share_axis(domains[place - 1], panel)
        notes.append(named(f"<b>{name}</b>, busy slots (% of {slots:,})", domains[place - 1], dark))
    longest = max(float(result.series[:, 2].max()) for result in results)
    axes[axis("yaxis", len(names) + 1)] = linear_axis(longest) | {"domain": queue, "nticks": 4}
    notes.append(named("<b>waiting tasks</b>, all policies", queue, dark))
    return chart(traces, axes, dark, name="usage", height=height, annotations=notes)


def _time_axis(comparison: Comparison, dark: bool) -> dict[str, Any]:
    last = max(step(result) * len(result.series) for result in comparison.policies.values())
    return {
        "title": titled(f"time (to the last arrival, {comparison.scenario.time_unit})", dark),
        "anchor": axis("y", len(comparison.policies) + 1),
        "range": [0, last],
        "nticks": 6,
        "tickformat": ",~r",
    }


def step(result: PolicyResult) -> float:
    """Return the length of the intervals whose means the series holds; the first begins at 0."""
    return float(np.mean([sample.span for sample in result.samples])) / len(result.series)


def _share_axis(domain: list[float], pixels: float) -> dict[str, Any]:
    """Return the axis of a policy's panel, with as many ticks as have room."""
    ticks = [0, 50, 100] if pixels >= 3 * FONT else [0, 100]
    return {
        "domain": domain,
        "range": [0, 102],
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [f"{tick} %" for tick in ticks],
    }


def _areas(result: PolicyResult, place: int, slots: int, color: str, unit: str) -> Iterator[dict[str, Any]]:
    """Yield the slots with original copies and, on top of them, those with extra copies, if any."""
    busy, extra = 100 * result.series[:, 0] / slots, 100 * result.series[:, 1] / slots
    told = f"<b>{result.name}</b><br>at %{{x:,.3~r}} {unit}: %{{y:.2~r}} % of the slots busy, "
    common = {
        "type": "scatter",
        "x0": step(result) / 2,
        "dx": step(result),
        "yaxis": axis("y", place),
        "mode": "lines",
        "showlegend": False,
    }
    if not extra.any():
        yield common | {
            "y": busy,
            "name": f"{result.name}, busy",
            "line": {"width": 1, "color": color},
            "fill": "tozeroy",
            "fillcolor": faded(color, ORIGINAL),
            "hovertemplate": f"{told}none with extra copies<extra></extra>",
        }
        return
    yield common | {
        "y": busy - extra,
        "name": f"{result.name}, original copies",
        "line": {"width": 0},
        "fill": "tozeroy",
        "fillcolor": faded(color, ORIGINAL),
        "hoverinfo": "skip",
    }
    yield common | {
        "y": busy,
        "customdata": extra,
        "name": f"{result.name}, busy",
        "line": {"width": 1, "color": color},
        "fill": "tonexty",
        "fillcolor": faded(color, EXTRA),
        "hovertemplate": f"{told}%{{customdata:.2~r}} % with extra copies<extra></extra>",
    }


def _queue(result: PolicyResult, place: int, color: str, unit: str) -> dict[str, Any]:
    """Return the tasks that wait under one policy."""
    return {
        "type": "scatter",
        "x0": step(result) / 2,
        "dx": step(result),
        "y": result.series[:, 2],
        "yaxis": axis("y", place),
        "name": f"{result.name}, waiting tasks",
        "mode": "lines",
        "line": {"color": color, "width": LINE},
        "showlegend": False,
        "hovertemplate": f"<b>{result.name}</b><br>at %{{x:,.3~r}} {unit}: "
        "%{y:,.3~r} tasks wait<extra></extra>",
    }


def _key(colors: Palette) -> Iterator[dict[str, Any]]:
    """Yield the entries of the legend: what the areas mean, whatever policy they belong to."""
    for name, opacity in (("original copies", ORIGINAL), ("extra copies", EXTRA)):
        yield {
            "type": "scatter",
            "x": [None],
            "y": [None],
            "name": name,
            "mode": "markers",
            "marker": {"symbol": "square", "size": 12, "color": faded(colors.ink, opacity)},
        }


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
            f"{name}: on average {percent(busy)} busy, {percent(extra / slots)} with extra copies; "
            f"{number(waiting)} tasks wait on average, {number(last)} at the last arrival."
        )
    return f"Busy slots (of {slots:,}) and waiting tasks against time. " + " ".join(told)
