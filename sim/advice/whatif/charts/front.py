"""The options: the change of the job time of each, against its change of the slot-time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim.advice.whatif.answer import Option
from sim.advice.whatif.charts.labels import MARK, placed
from sim.advice.whatif.setting_effect import FIGURES
from sim.telling.palette import faded
from sim.telling.plot import DOTTED, MIDDLE, Plot, around, ends, in_chart
from sim.telling.scales import span
from sim.telling.words import listed

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


def draw(front: Front, dark: bool) -> Plot:
    """Draw a mark for each option with its number and both its intervals, and the front."""
    plot = Plot("front", dark, HEIGHT)
    first, second, *_ = plot.colors.series
    names = list(front.options)
    x = ends([one.change["slot_time"] for one in front.options.values()], 100)
    y = ends([one.change[front.objective] for one in front.options.values()], 100)
    if len(names) > 1:
        edge = best(front)
        plot.line(x[0][edge].tolist(), y[0][edge].tolist(), "front", faded(first, 0.6), line=DOTTED)
    for kind, members, color in (
        ("today", [one for one in names if one == front.today], plot.colors.ink),
        ("other settings", [one for one in names if one not in (front.today, front.advised)], first),
        (front.standing, [one for one in names if one == front.advised], second),
    ):
        if members:
            places = [names.index(one) for one in members]
            seen = 0.25 if kind == "other settings" else 0.7  # numbers can be read across them
            bars = [
                around(value[places], low[places], high[places], faded(color, seen), width=0)
                for value, low, high in (x, y)
            ]
            plot.dots(
                x[0][places],
                y[0][places],
                kind,
                color,
                "%{hovertext}<br>job time %{y:+.1f} %, slot-time %{x:+.1f} %",
                hovertext=[in_chart(f"{place + 1}: {names[place]}") for place in places],
                marker={"size": MARK},
                error_x=bars[0],
                error_y=bars[1],
            )
    limits = _ends(x), _ends(y)
    plot.up(0)
    plot.across(0, width=1)
    if limits[0][0] < 100 * front.budget < limits[0][1]:
        plot.up(100 * front.budget, second, dash="dash")
    if names:
        _number(plot, front, x[0], y[0], limits)
    else:
        plot.note("settings follow after the check", **MIDDLE)
    plot.axis("x", "change of slot-time (%)", span(*limits[0]), showgrid=True)
    plot.axis("y", f"change of {FIGURES[front.objective]} (%)", span(*limits[1]))
    return plot


def _number(
    plot: Plot, front: Front, x: np.ndarray, y: np.ndarray, limits: tuple[tuple[float, float], ...]
) -> None:
    """Write the number of each option beside its mark; those that a reader looks for find room first."""
    names = list(front.options)
    across, up = ((values - low) / (high - low) for values, (low, high) in zip((x, y), limits, strict=True))
    wanted = [names.index(one) for one in (front.advised, front.today) if one in names]
    order = dict.fromkeys([*wanted, *best(front), *range(len(names))])
    texts = [str(place + 1) for place in range(len(names))]
    marks = list(zip(across.tolist(), up.tolist(), strict=True))
    for place, (right, above) in placed(marks, texts, list(order)).items():
        where = {"x": float(x[place]), "y": float(y[place]), "xshift": right, "yshift": above}
        plot.note(texts[place], borderpad=0, **where)


def _ends(values: tuple[np.ndarray, np.ndarray, np.ndarray]) -> tuple[float, float]:
    """Return the ends of an axis, in percent: all intervals, and 0."""
    low, high = float(values[1].min(initial=0.0)), float(values[2].max(initial=0.0))
    room = max(0.08 * (high - low), 1.0)
    return low - room, high + room


def alt(front: Front) -> str:
    """Say in words what `draw` shows."""
    if not front.options:
        return "No setting has been compared yet: 0 of them are drawn."
    standing = {front.advised: f" ({front.standing})", front.today: " (today)"}
    told = [
        f"{name}{standing.get(name, '')}: {FIGURES[front.objective]} {one.change[front.objective].told}, "
        f"slot-time {one.change['slot_time'].told}"
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
