"""Time lost by cause: what jobs would have saved without it, with its interval."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.advice.diagnosis.causes import CAUSES, Causes
from sim.advice.diagnosis.costs import Cause
from sim.telling.plot import Plot, around, rows
from sim.telling.scales import span
from sim.telling.words import begun, listed, spell, unit_for, within

TITLE = "Time lost by cause"


def ranked(costs: Causes) -> list[str]:
    """Return the causes, the dearest first; those that cannot be told come last."""
    return sorted(CAUSES, key=lambda name: -costs.told[name].seconds if name in costs.told else np.inf)


def draw(costs: Causes, dark: bool) -> go.Figure:
    """Draw what each cause cost."""
    plot, order = Plot("causes", dark, bargap=0.4), ranked(costs)
    known = [name for name in order if name in costs.told]
    value, low, high = np.array([_values(costs.told[name]) for name in known]).T
    unit = unit_for(float(value.max()))
    value, low, high = value / unit.seconds, low / unit.seconds, high / unit.seconds
    plot.bars(
        value,
        list(range(len(known))),
        None,
        [plot.colors.series[0 if name == "luck" else 1] for name in known],
        [f"{CAUSES[name].title}: {within(*_values(costs.told[name]), spell)}" for name in known],
        across=True,
        error_x=around(value, low, high, plot.colors.ink),
        showlegend=False,
    )
    for place, name in enumerate(order):
        if name not in costs.told:
            plot.note("not known", x=0, y=place, xanchor="left", xshift=4)
    ends = min(float(low.min()), 0.0), max(float(high.max()), 0.0) or 1.0
    room = 0.03 * (ends[1] - ends[0])
    across = span(ends[0] - room * (ends[0] < 0), ends[1] + room, zeroline=True)
    plot.axis("x", f"job time saved without it ({unit.sign})", across)
    plot.axis("y", scale=rows([CAUSES[name].title for name in order]))
    return figure(plot)


def _values(one: Cause) -> tuple[float, float, float]:
    return one.seconds, one.low, one.high


def alt(costs: Causes) -> str:
    """Say in words what `draw` shows."""
    known = [
        f"{CAUSES[name].title} {within(*_values(costs.told[name]), spell)}"
        for name in ranked(costs)
        if name in costs.told
    ]
    return f"Job time that would have been saved without each cause: {listed(known)}."


def about(costs: Causes) -> str:
    """Return what stands below the chart: what each cause is, and what this log cannot tell."""
    known = "; ".join(
        f"{CAUSES[name].title}: {CAUSES[name].meaning}" for name in ranked(costs) if name in costs.told
    )
    unknown = "; ".join(f"{CAUSES[name].title}, since {reason}" for name, reason in costs.untold.items())
    luck = any(name not in ("failures", "idle") for name in costs.untold)
    return " ".join(
        [
            f"Replays without one cause at a time, with 95 % intervals. {begun(known)}.",
            *[f"Not known: {unknown}."] * bool(unknown),
            *["What is not known counts as luck."] * luck,
        ]
    )
