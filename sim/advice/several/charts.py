"""Charts of before and after that the page and Python draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.advice.several.after import After
from sim.advice.several.change import TITLES
from sim.telling.figure import figure
from sim.telling.plot import Plot, around, ends, rows
from sim.telling.scales import span
from sim.telling.words import changed, listed, number

if TYPE_CHECKING:
    from sim.telling.figure import Figure

# By what each figure changed, with its interval, and the band that What-if had promised.

TITLE = "By what the same jobs changed"


def draw(found: After, dark: bool) -> Figure:
    """Draw the change of each figure, and above it what was promised."""
    plot = Plot("changes", dark, 310, showlegend=True)
    first, second, *_ = plot.colors.series
    names = list(found.found.change)
    known = [name for name in names if found.found.change[name].share.half < np.inf]
    limits = [-5.0, 5.0]
    for label, color, chosen in (
        ("measured, 95 % interval", first, known),
        ("measured, interval unknown", plot.colors.ink, [name for name in names if name not in known]),
    ):
        if chosen:
            value, low, high = ends([found.found.change[name].share for name in chosen], 100)
            limits += [float(low.min()), float(high.max())]
            bars, places = around(value, low, high, color), [names.index(name) + 0.12 for name in chosen]
            plot.dots(value, places, label, color, "%{x:+.1f} %", marker={"size": 9}, error_x=bars)
    if found.promise is not None and (bands := found.promise.bands):
        value, low, high = (
            np.array([100 * (getattr(band, end) / band.before - 1) for band in bands.values()])
            for end in ("middle", "low", "high")
        )
        limits += [float(low.min()), float(high.max())]
        plot.dots(
            value,
            [names.index(name) - 0.18 for name in bands],
            "promised, 90 % of runs",
            second,
            "promised %{x:+.1f} %",
            marker={"size": 9, "symbol": "diamond"},
            error_x=around(value, low, high, second),
        )
    plot.up(0)
    room = 0.05 * (max(limits) - min(limits))
    plot.axis("x", "change (%)", span(min(limits) - room, max(limits) + room, showgrid=True))
    plot.axis("y", scale=rows([TITLES[name] for name in names] or [" "]))
    return figure(plot)


def alt(found: After) -> str:
    """Say in words what `draw` shows."""
    told = [f"{TITLES[name]} {changed(one.share)}" for name, one in found.found.change.items()]
    bands = found.promise.bands if found.promise else {}
    promised = [
        f"{TITLES[name]} {number(100 * (band.low / band.before - 1))} to "
        f"{number(100 * (band.high / band.before - 1))} %"
        for name, band in bands.items()
    ]
    more = f" Promised: {listed(promised)}." if promised else ""
    return f"Change over {len(found.found.jobs.names):,} jobs: {listed(told)}.{more}"


def about(found: After) -> str:
    """Return what stands below the chart."""
    one = found.found
    over = dict.fromkeys(change.over for change in one.change.values() if change.over)
    blocks = f"; intervals over {listed(list(over))}" if over else ""
    promise = "" if found.promise is None else _promised(found)
    return f"{len(one.jobs.names):,} jobs that are in all runs{blocks}. {promise}".strip()


def _promised(found: After) -> str:
    assert found.promise is not None
    if not found.promise.bands:
        return ""
    return (
        "What was promised is the run before, played again under the setting of the run after: 90 % of such "
        "runs lie in the band."
    )
