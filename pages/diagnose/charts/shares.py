"""Where unequal durations come from: the share of each part, with its interval."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.logs.axes import around, rows, whole
from pages.shared.charts.chart import chart
from pages.shared.charts.marks import note
from pages.shared.charts.palette import palette
from pages.shared.words.numbers import listed, percent
from sim.traces.diagnosis.shares import Share, Shares

TITLE = "Where unequal durations come from"
#: Each part with its name, and with what it is.
PARTS = {
    "luck": ("luck", "what a second copy draws anew"),
    "machine": ("machine", "hosts of unequal speed"),
    "work": ("work", "tasks that read unequal amounts"),
    "first_wave": ("first wave", "cold slots"),
}


def told(shares: Shares) -> dict[str, Share]:
    """Return the shares that the log tells."""
    return {part: share for part in PARTS if (share := getattr(shares, part)) is not None}


def draw(shares: Shares, dark: bool) -> go.Figure:
    """Draw the share of the variance of log durations that each part explains."""
    colors, known = palette(dark), told(shares)
    places = {part: place for place, part in enumerate(PARTS)}
    value, low, high = np.array([(one.value, one.low, one.high) for one in known.values()]).T
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": value,
        "y": [places[part] for part in known],
        "marker": {"color": [colors.series[0 if part == "luck" else 1] for part in known]},
        "error_x": around(value, low, high, colors.ink),
        "hovertext": [f"{PARTS[part][0]}: {_interval(share)}" for part, share in known.items()],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }
    unknown = [
        note("not known", dark, x=0.01, y=place, xanchor="left")
        for part, place in places.items()
        if part not in known
    ]
    axes = {
        "xaxis": whole("share of the variance of log durations within stages", dark),
        "yaxis": rows([name for name, _ in PARTS.values()]),
    }
    return chart([bars], axes, dark, name="shares", bargap=0.4, annotations=unknown)


def _interval(share: Share) -> str:
    return f"{percent(share.value)} (95 %: {percent(share.low)} to {percent(share.high)})"


def alt(shares: Shares) -> str:
    """Say in words what `draw` shows."""
    known = [f"{PARTS[part][0]} {_interval(share)}" for part, share in told(shares).items()]
    parts = listed(known) if known else "nothing of it is known"
    return f"Shares of the variance of log durations within stages: {parts}."


def about(shares: Shares) -> str:
    """Return what stands below the chart: what each part is, and what this log cannot tell."""
    known = [f"{PARTS[part][0]} is {PARTS[part][1]}" for part in told(shares)]
    unknown = [
        f"{PARTS[part][0].capitalize()} is not known: {reason}."
        for part, reason in shares.reasons.items()
        if part in PARTS
    ]
    return " ".join(
        [
            f"{', '.join(known).capitalize()}.",
            *unknown,
            *["What is not known counts as luck."] * bool(unknown),
        ]
    )
