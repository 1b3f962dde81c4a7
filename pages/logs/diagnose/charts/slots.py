"""Slots over time, and how many of them copies held."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.logs.words import FROM
from pages.shared.charts.chart import figure
from sim.logs.history import History
from sim.telling.palette import faded
from sim.telling.plot import Plot
from sim.telling.scales import linear_axis, span
from sim.telling.words import number, percent, spell, unit_for

TITLE = "Slots over time"
#: Stretches of time over which busy slots are averaged.
BINS = 240


def occupied(history: History) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of equal stretches of time (s), and the mean number of copies that ran in each."""
    first, last = history.limits
    edges = np.linspace(first, max(last, first + 1e-9), BINS + 1)
    copies = history.frame("copies").dropna(subset=["launch", "end"])
    busy = np.zeros(edges.size)  # slot-seconds before each edge
    for column, sign in (("launch", 1.0), ("end", -1.0)):
        times = np.sort(copies[column].to_numpy(float))
        before = np.searchsorted(times, edges)
        total = np.concatenate([[0.0], np.cumsum(times)])
        busy += sign * (before * edges - total[before])
    return edges, np.diff(busy) / np.diff(edges)


def busy_share(history: History) -> float | None:
    """Return the share of the slot-time that copies held; None if the log had no slots."""
    first, last = history.limits
    changes = history.frame("slots")
    times = np.append(changes["time"].to_numpy(float).clip(first, last), last)
    offered = float(np.diff(times) @ changes["slots"].to_numpy(float))
    edges, busy = occupied(history)
    return float(np.diff(edges) @ busy) / offered if offered > 0 else None


def draw(history: History, dark: bool) -> go.Figure:
    """Draw the number of slots and the mean number that were busy, over time."""
    edges, busy = occupied(history)
    first, last = history.limits
    unit = unit_for(last - first)
    changes = history.frame("slots")
    times = np.append(np.maximum(changes["time"].to_numpy(float), first), last)
    slots = np.append(changes["slots"].to_numpy(float), changes["slots"].to_numpy(float)[-1:])
    if slots.size < times.size:  # nothing is known of slots
        times = times[:0]
    scale = 1 / unit.seconds
    plot = Plot("slots over time", dark)
    color = plot.colors.series[0]
    hover = f"%{{y:,}} slots from %{{x:.3~r}} {unit.sign}"
    look = {"shape": "hv", "width": 1.5}
    plot.line((times - first) * scale, slots, "slots", plot.colors.ink, hover, line=look)
    plot.line(
        (np.repeat(edges, 2)[1:-1] - first) * scale,
        np.repeat(busy, 2),
        "busy with copies",
        color,
        f"%{{y:.3~r}} busy at %{{x:.3~r}} {unit.sign}",
        line={"width": 1},
        fill="tozeroy",
        fillcolor=faded(color, 0.4),
    )
    plot.axis("x", f"time since the log begins ({unit.sign})", span(0, (last - first) * scale or 1))
    plot.axis("y", "slots", linear_axis(float(max(slots.max(initial=0), busy.max(initial=0)))))
    return figure(plot)


def alt(history: History) -> str:
    """Say in words what `draw` shows."""
    most = max(history.slots["slots"].to_pylist(), default=0)
    _, busy = occupied(history)
    return (
        f"Slots and how many were busy over {spell(history.span)}: at most {most:,} slots, on average "
        f"{number(float(busy.mean()))} busy."
    )


def about(history: History) -> str:
    """Return what stands below the chart."""
    edges, _ = occupied(history)
    most = max(history.slots["slots"].to_pylist(), default=0)
    held = busy_share(history)
    share = f"; copies held {percent(held)} of the slot-time" if held is not None else ""
    return (
        f"At most {most:,} slots ({FROM[history.slots_from]}){share}. Busy slots are means over "
        f"{spell(float(edges[1] - edges[0]))}."
    )
