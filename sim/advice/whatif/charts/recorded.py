"""The check, job by job: the recorded time against the band that the model predicts."""

from __future__ import annotations

import numpy as np

from sim.advice.whatif.check import Pictures
from sim.telling.palette import faded
from sim.telling.plot import Plot
from sim.telling.scales import log_axis, span
from sim.telling.words import counted, percent, spell, unit_for

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


def draw(pictures: Pictures, dark: bool) -> Plot:
    """Draw a band for each job, and its recorded time."""
    plot, jobs = Plot("recorded against model", dark, HEIGHT, bargap=0), chosen(pictures)
    unit = unit_for(float(np.median(pictures.recorded)))
    recorded, low, high = (
        values[jobs] / unit.seconds for values in (pictures.recorded, pictures.low, pictures.high)
    )
    places = np.arange(1, jobs.size + 1)
    within = inside(pictures)[jobs]
    first, second, *_ = plot.colors.series
    name = "model: 90 % of replications"
    plot.bars(places, high - low, name, faded(first, 0.55), base=low, width=0.7)
    for told, there, color, symbol in (
        ("recorded, inside", within, plot.colors.ink, "circle"),
        ("recorded, outside", ~within, second, "x"),
    ):
        if there.any():
            look = {"symbol": symbol, "size": 7}
            hover = f"recorded %{{y:,.3~r}} {unit.sign}"
            plot.dots(places[there], recorded[there], told, color, hover, marker=look)
    most = float(max(high.max(), recorded.max()))
    least = max(float(min(low.min(), recorded.min())), most / 1e4, 1e-9 / unit.seconds)
    across = span(0.3, jobs.size + 0.7, nticks=7, showticklabels=False, ticks="")
    plot.axis("x", "jobs, by recorded time", across)
    plot.axis("y", f"job time ({unit.sign})", log_axis(least, most))
    return plot


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
