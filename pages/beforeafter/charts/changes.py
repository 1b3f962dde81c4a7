"""By what each figure changed, with its interval, and the band that What-if had promised."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.logs.axes import around, rows
from pages.shared.charts.chart import chart, points, titled, upright
from sim.several.after import After
from sim.several.change import TITLES
from sim.statistics import Estimate
from sim.telling.palette import palette
from sim.telling.plot import Part
from sim.telling.words import changed, listed, number

TITLE = "By what the same jobs changed"


def draw(found: After, dark: bool) -> go.Figure:
    """Draw the change of each figure, and above it what was promised."""
    colors = palette(dark)
    names = list(found.found.change)
    known = [name for name in names if found.found.change[name].share.half < np.inf]
    traces: list[Part] = []
    ends = [-5.0, 5.0]
    for label, color, chosen in (
        ("measured, 95 % interval", colors.series[0], known),
        ("measured, interval unknown", colors.ink, [name for name in names if name not in known]),
    ):
        if not chosen:
            continue
        shares = [found.found.change[name].share for name in chosen]
        value, low, high = (
            np.array([100 * _end(one, end) for one in shares]) for end in ("value", "low", "high")
        )
        ends += [float(low.min()), float(high.max())]
        traces.append(
            points(
                value,
                [names.index(name) + 0.12 for name in chosen],
                label,
                color,
                marker={"size": 9},
                error_x=around(value, low, high, color),
                hovertemplate="%{x:+.1f} %<extra></extra>",
            )
        )
    if found.promise is not None and (bands := found.promise.bands):
        value, low, high = (
            np.array([100 * (getattr(band, end) / band.before - 1) for band in bands.values()])
            for end in ("middle", "low", "high")
        )
        ends += [float(low.min()), float(high.max())]
        traces.append(
            points(
                value,
                [names.index(name) - 0.18 for name in bands],
                "promised, 90 % of runs",
                colors.series[1],
                marker={"size": 9, "symbol": "diamond"},
                error_x=around(value, low, high, colors.series[1]),
                hovertemplate="promised %{x:+.1f} %<extra></extra>",
            )
        )
    room = 0.05 * (max(ends) - min(ends))
    axes = {
        "xaxis": {
            "title": titled("change (%)", dark),
            "range": [min(ends) - room, max(ends) + room],
            "nticks": 6,
            "tickformat": ",~r",
            "fixedrange": True,
            "showgrid": True,
        },
        "yaxis": rows([TITLES[name] for name in names] or [" "]),
    }
    return chart(
        traces, axes, dark, name="changes", height=310, shapes=[upright(0, colors.ink)], showlegend=True
    )


def _end(share: Estimate, end: str) -> float:
    """Return an end of an interval; the value where there is none."""
    known = getattr(share, end)
    return float(share.value or 0.0) if known is None else float(known)


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
    return f"{len(one.jobs.names):,} jobs that are in both runs{blocks}. {promise}".strip()


def _promised(found: After) -> str:
    assert found.promise is not None
    if not found.promise.bands:
        return ""
    return (
        "What was promised is the run before, played again under the setting of the run after: 90 % of such "
        "runs lie in the band."
    )
