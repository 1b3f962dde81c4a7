"""The check, job by job: the recorded time against the band that the model predicts."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import chart, points, titled
from sim.telling.palette import faded, palette
from sim.telling.scales import log_axis
from sim.telling.words import counted, percent, spell
from sim.traces.unit import unit_for
from sim.whatif.pictures import Pictures

TITLE = "Recorded job times against the model"
#: Jobs shown; of more, as many of them evenly by their times.
MOST = 60
#: Pixels: below the answer and the cards it is seen whole on a laptop.
HEIGHT = 300


def chosen(pictures: Pictures) -> np.ndarray:
    """Return the places of the jobs that are shown, by their recorded time."""
    order = np.argsort(pictures.recorded, kind="stable")
    return order[np.unique(np.linspace(0, order.size - 1, min(MOST, order.size)).round().astype(int))]


def inside(pictures: Pictures) -> np.ndarray:
    """Say of each job whether its recorded time is inside the band."""
    return np.asarray((pictures.low <= pictures.recorded) & (pictures.recorded <= pictures.high))


def draw(pictures: Pictures, dark: bool) -> go.Figure:
    """Draw a band for each job, and its recorded time."""
    colors, jobs = palette(dark), chosen(pictures)
    recorded, low, high = (values[jobs] for values in (pictures.recorded, pictures.low, pictures.high))
    unit = unit_for(float(np.median(pictures.recorded)))
    places = np.arange(1, jobs.size + 1)
    within = inside(pictures)[jobs]
    band = {
        "type": "bar",
        "x": places,
        "y": (high - low) / unit.seconds,
        "base": low / unit.seconds,
        "width": 0.7,
        "name": "model: 90 % of replications",
        "marker": {"color": faded(colors.series[0], 0.55)},
        "hoverinfo": "skip",
    }
    traces = [band]
    for name, there, color, symbol in (
        ("recorded, inside", within, colors.ink, "circle"),
        ("recorded, outside", ~within, colors.series[1], "x"),
    ):
        if there.any():
            traces.append(
                points(
                    places[there],
                    recorded[there] / unit.seconds,
                    name,
                    color,
                    marker={"symbol": symbol, "size": 7},
                    hovertemplate=f"recorded %{{y:,.3~r}} {unit.sign}<extra></extra>",
                )
            )
    ends = float(min(low.min(), recorded.min())), float(max(high.max(), recorded.max()))
    least = max(ends[0], ends[1] / 1e4, 1e-9)
    axes = {
        "xaxis": {
            "title": titled("jobs, by recorded time", dark),
            "range": [0.3, jobs.size + 0.7],
            "nticks": 7,
            "tickformat": ",~r",
            "showticklabels": False,
            "ticks": "",
            "fixedrange": True,
        },
        "yaxis": log_axis(least / unit.seconds, ends[1] / unit.seconds)
        | {"title": titled(f"job time ({unit.sign})", dark), "fixedrange": True},
    }
    return chart(traces, axes, dark, name="recorded against model", height=HEIGHT, bargap=0)


def alt(pictures: Pictures) -> str:
    """Say in words what `draw` shows."""
    ends = spell(float(pictures.recorded.min())), spell(float(pictures.recorded.max()))
    return (
        f"Recorded times of {counted(pictures.recorded.size, 'job')}, {ends[0]} to {ends[1]}, each beside "
        f"the band that holds 90 % of the model's replications: {percent(float(inside(pictures).mean()))} "
        "of them are inside."
    )


def about(pictures: Pictures) -> str:
    """Return what stands below the chart."""
    of = pictures.recorded.size
    some = f" {MOST} of {of:,} jobs are drawn, evenly by their times." if of > MOST else ""
    return (
        f"{int(inside(pictures).sum()):,} of {counted(of, 'recorded job time')} lie inside the model’s 90 % "
        f"band ({percent(float(inside(pictures).mean()))}).{some}"
    )
