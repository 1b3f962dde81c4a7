"""The options: the change of the job time of each, against its change of the slot-time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from pages.logs.axes import around
from pages.shared.charts.chart import chart, curve, level, note, points, titled, upright
from pages.whatif.charts.labels import MARK, placed
from pages.whatif.words.sentence import FIGURES, change
from sim.telling.palette import faded, palette
from sim.telling.plot import Part, in_chart
from sim.telling.words import listed
from sim.whatif.answer import Option
from sim.whatif.setting_effect import SettingEffect

TITLE = "Job time against slot-time, each setting"
#: Pixels: it stands beside the check.
HEIGHT = 300


@dataclass(frozen=True)
class Front:
    """What the chart shows.

    Parameters
    ----------
    options : mapping of str to Option
        By what each is called, in the order of the table.
    today : str
        Which of them is today's; empty while it is not known.
    advised : str
        Which is advised; empty if none is.
    standing : str
        Whether that is recommended, or to be tried.
    objective : str
        mean or p95.
    budget : float
        Most extra slot-time, as a share of today's.
    """

    options: Mapping[str, Option]
    today: str
    advised: str
    standing: str
    objective: str
    budget: float


def best(front: Front) -> list[int]:
    """Return the places of the options than which no other has less of both, from the least slot-time."""
    values = [
        (one.change["slot_time"].value, one.change[front.objective].value) for one in front.options.values()
    ]
    order = sorted(range(len(values)), key=lambda place: values[place])
    found: list[int] = []
    for place in order:
        if not found or values[place][1] < values[found[-1]][1]:
            found.append(place)
    return found


def draw(front: Front, dark: bool) -> go.Figure:
    """Draw a mark for each option with its number and both its intervals, and the front."""
    colors = palette(dark)
    names = list(front.options)
    across = [one.change["slot_time"] for one in front.options.values()]
    down = [one.change[front.objective] for one in front.options.values()]
    traces: list[Part] = []
    if len(names) > 1:
        edge = best(front)
        traces.append(
            curve(
                [100 * across[place].value for place in edge],
                [100 * down[place].value for place in edge],
                "front",
                faded(colors.series[0], 0.6),
                line={"dash": "dot"},
                hoverinfo="skip",
            )
        )
    kinds = {
        "today": ([front.today] if front.today in names else [], colors.ink),
        "other settings": (
            [one for one in names if one not in (front.today, front.advised)],
            colors.series[0],
        ),
        front.standing: ([front.advised] if front.advised in names else [], colors.series[1]),
    }
    for kind, (members, color) in kinds.items():
        if members:
            traces.append(_marks(kind, members, names, (across, down), color))
    limits = _ends(across), _ends(down)
    shapes = [upright(0, colors.ink), level(0, colors.ink, width=1)]
    if limits[0][0] < 100 * front.budget < limits[0][1]:
        shapes.append(upright(100 * front.budget, colors.series[1], dash="dash"))
    title = FIGURES[front.objective]
    axes = {
        "xaxis": _axis("change of slot-time (%)", limits[0], dark) | {"showgrid": True},
        "yaxis": _axis(f"change of {title} (%)", limits[1], dark),
    }
    notes = _numbers(front, (across, down), limits, dark)
    if not names:
        notes = [note("settings follow after the check", dark, x=0.5, y=0.5, xref="paper", yref="paper")]
    return chart(traces, axes, dark, name="front", height=HEIGHT, shapes=shapes, annotations=notes)


def _marks(
    kind: str,
    members: list[str],
    names: list[str],
    changes: tuple[list[SettingEffect], list[SettingEffect]],
    color: str,
) -> Part:
    """Return the marks of some options."""
    places = [names.index(one) for one in members]
    x, y = (
        np.array([[100 * getattr(of[place], part) for part in ("value", "low", "high")] for place in places])
        for of in changes
    )
    thin = {"width": 0}
    return points(
        x[:, 0],
        y[:, 0],
        kind,
        color,
        marker={"size": MARK},
        error_x=around(x[:, 0], x[:, 1], x[:, 2], faded(color, 0.7)) | thin,
        error_y=around(y[:, 0], y[:, 1], y[:, 2], faded(color, 0.7)) | thin,
        hovertext=[in_chart(f"{place + 1}: {names[place]}") for place in places],
        hovertemplate="%{hovertext}<br>job time %{y:+.1f} %, slot-time %{x:+.1f} %<extra></extra>",
    )


def _numbers(
    front: Front,
    changes: tuple[list[SettingEffect], list[SettingEffect]],
    limits: tuple[tuple[float, float], tuple[float, float]],
    dark: bool,
) -> list[Part]:
    """Return the number of each option beside its mark; those that a reader looks for find room first."""
    names = list(front.options)
    marks = [
        (
            (100 * x.value - limits[0][0]) / (limits[0][1] - limits[0][0]),
            (100 * y.value - limits[1][0]) / (limits[1][1] - limits[1][0]),
        )
        for x, y in zip(*changes, strict=True)
    ]
    wanted = [names.index(one) for one in (front.advised, front.today) if one in names]
    order = dict.fromkeys([*wanted, *best(front), *range(len(names))])
    texts = [str(place + 1) for place in range(len(names))]
    return [
        note(
            texts[place],
            dark,
            x=100 * changes[0][place].value,
            y=100 * changes[1][place].value,
            xshift=across,
            yshift=up,
            borderpad=0,
        )
        for place, (across, up) in placed(marks, texts, list(order)).items()
    ]


def _ends(changes: list[SettingEffect]) -> tuple[float, float]:
    """Return the ends of an axis, in percent: all intervals, and 0."""
    low = min([0.0, *(100 * one.low for one in changes)])
    high = max([0.0, *(100 * one.high for one in changes)])
    room = max(0.08 * (high - low), 1.0)
    return low - room, high + room


def _axis(title: str, ends: tuple[float, float], dark: bool) -> Part:
    return {
        "title": titled(title, dark),
        "range": list(ends),
        "nticks": 6,
        "tickformat": ",~r",
        "fixedrange": True,
    }


def alt(front: Front) -> str:
    """Say in words what `draw` shows."""
    if not front.options:
        return "No setting has been compared yet: 0 of them are drawn."
    standing = {front.advised: f" ({front.standing})", front.today: " (today)"}
    told = [
        f"{name}{standing.get(name, '')}: {FIGURES[front.objective]} {change(one.change[front.objective])}, "
        f"slot-time {change(one.change['slot_time'])}"
        for name, one in front.options.items()
    ]
    return f"Changes against today's setting. {'; '.join(told)}."


def about(front: Front) -> str:
    """Return what stands below the chart."""
    if not front.options:
        return "Each setting plays the same jobs with the same luck as today’s."
    edge = listed([str(place + 1) for place in best(front)])
    return (
        "Numbers are those of the table below; a mark that has no room for its own tells it when pointed at. "
        f"Bars: paired 95 % intervals. Settings on the dotted line ({edge}): to be faster than these costs "
        "more slot-time. Dashed: the budget of slot-time."
    )
