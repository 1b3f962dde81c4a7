"""Remedies: how much each shortens jobs, and how much of the possible gain a setting reaches."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.logs.axes import around, rows
from pages.shared.charts.chart import chart, note, titled, upright
from pages.shared.words.foreign import literal
from pages.whatif.charts.front import HEIGHT
from pages.whatif.words.sentence import FIGURES, change
from sim.telling.palette import faded, palette
from sim.telling.plot import Part
from sim.whatif.html import typeset
from sim.whatif.remedies.judged import Judged, Remedies
from sim.whatif.setting_effect import SettingEffect

TITLE = "What each remedy gains"
#: Widths of bars, as shares of a row.
MOST, REACHED = 0.7, 0.36


def draw(found: Remedies | None, dark: bool) -> go.Figure:
    """Draw a row for each remedy: a wide bar at most, a narrow one for what is reached, with its interval."""
    colors = palette(dark)
    judged = found.judged if found else ()
    objective = found.objective if found else "mean"
    traces: list[Part] = []
    if found is not None:
        places = list(range(len(judged)))
        most = [100 * -one.ceiling[objective].value for one in judged]
        traces.append(_bar("at most", places, most, MOST, faded(colors.ink, 0.25), "at most %{x:.1f} %"))
        for name, color, advised in (
            ("a setting reaches", colors.series[0], False),
            ("recommended", colors.series[1], True),
        ):
            shown = [
                place
                for place in places
                if judged[place].change and (judged[place] is found.first) == advised
            ]
            if shown:
                traces.append(_reached(name, shown, judged, objective, color, colors.ink))
    ends = _ends(judged, objective)
    axes = {
        "xaxis": {
            "title": titled(f"{FIGURES[objective]} shorter by (%)", dark),
            "range": list(ends),
            "nticks": 6,
            "tickformat": ",~r",
            "fixedrange": True,
            "showgrid": True,
        },
        "yaxis": rows([one.remedy.title for one in judged] or [" "]),
    }
    notes = []
    if found is None:
        notes = [note("remedies follow after the settings", dark, x=0.5, y=0.5, xref="paper", yref="paper")]
    return chart(
        traces,
        axes,
        dark,
        name="remedies",
        height=HEIGHT,
        barmode="overlay",
        shapes=[upright(0, colors.ink)],
        annotations=notes,
    )


def _bar(name: str, y: list[int], x: list[float], width: float, color: str, told: str) -> Part:
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": x,
        "y": y,
        "width": width,
        "marker": {"color": color},
        "hovertemplate": f"{told}<extra></extra>",
    }


def _reached(
    name: str, places: list[int], judged: tuple[Judged, ...], objective: str, color: str, ink: str
) -> Part:
    """Return the bars of what settings reach, with their intervals in the colour of the ink."""
    changes = [judged[place].change_of(objective) for place in places]
    gain, low, high = (
        np.array([-100 * part for part in parts])
        for parts in zip(*((one.value, one.high, one.low) for one in changes), strict=True)
    )
    bar = _bar(name, places, gain.tolist(), REACHED, color, "a setting reaches %{x:.1f} %")
    return bar | {"error_x": around(gain, low, high, ink) | {"width": 4}}


def _ends(judged: tuple[Judged, ...], objective: str) -> tuple[float, float]:
    """Return the ends of the axis, in percent: all bars, intervals of what is reached, and 0."""
    reached: list[SettingEffect] = [one.change[objective] for one in judged if one.change]
    values = [-100 * one.ceiling[objective].value for one in judged]
    values += [-100 * end for one in reached for end in (one.low, one.high)]
    low, high = min([0.0, *values]), max([5.0, *values])
    room = 0.05 * (high - low)
    return (low - room if low < 0 else 0.0), high + room


def alt(found: Remedies | None) -> str:
    """Say in words what `draw` shows."""
    if found is None:
        return "No remedy has been played yet: 0 of them are drawn."
    told = []
    for one in found.judged:
        reached = f"a setting {change(one.change[found.objective])}" if one.change else "no setting"
        told.append(f"{one.remedy.title}: {reached}, at most {change(one.ceiling[found.objective])}")
    return f"Change of the {FIGURES[found.objective]} by remedy. {'; '.join(told)}."


def about(found: Remedies | None) -> str:
    """Return what stands below the chart: how to read it, and why remedies are not recommended."""
    if found is None:
        return "Remedies are played with the same luck as today’s setting."
    why = [f"*{one.remedy.title}*: {literal(typeset(one.reason))}." for one in found.judged if one.reason]
    return " ".join(
        [
            "Grey: the most there is to gain, with the cause mended entirely. Lines: paired 95 % intervals.",
            *why,
        ]
    )
