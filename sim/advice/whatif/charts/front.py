"""The options: the change of the job time of each, against its change of the slot-time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sim.advice.whatif.answer import Option
from sim.advice.whatif.setting_effect import FIGURES
from sim.telling.palette import faded
from sim.telling.plot import DOTTED, MIDDLE, Plot, around, ends, in_chart
from sim.telling.scales import span
from sim.telling.words import listed

# Positions of the numbers of marks: beside their marks, covering no mark and no other number.

#: A place in a plot, or a shift, across and up; shares of the plot, or pixels.
Place = tuple[float, float]
#: Left, right, lower and upper end, in pixels.
Box = tuple[float, float, float, float]

#: Pixels that a plot is wide on a phone, a tablet, a laptop and a projector, and high everywhere.
WIDTHS, LABELS_HEIGHT = (270, 340, 460, 800), 200
#: Pixels of a mark, and of a number: its height, and the width of a digit.
MARK, LINE, DIGIT = 11, 14, 8
#: Pixels from the middle of a mark to that of its number: near first, then at the end of a line.
NEAR, FAR = 15, 30
_AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (0.8, 0.8), (-0.8, 0.8), (0.8, -0.8), (-0.8, -0.8))
SHIFTS: tuple[Place, ...] = tuple((far * x, far * y) for far in (NEAR, FAR) for x, y in _AROUND)


def placed(marks: Sequence[Place], texts: Sequence[str], order: Sequence[int]) -> dict[int, Place]:
    """Return how far each number stands from its mark, in pixels; one that has no room is left out.

    Parameters
    ----------
    marks : sequence of (float, float)
        As shares of the plot, from its lower left corner.
    texts : sequence of str
    order : sequence of int
        Places among them; the first ones find room first.

    Examples
    --------
    >>> placed([(0.2, 0.5), (0.8, 0.5)], ["1", "2"], [0, 1])
    {0: (15, 0), 1: (15, 0)}
    >>> placed([(0.5, 0.5)] * 3, ["1", "2", "3"], [2, 1, 0])
    {2: (15, 0), 1: (-15, 0), 0: (0, 15)}
    """
    found: dict[int, Place] = {}
    for mark in order:
        for shift in SHIFTS:
            if not any(_hits(marks, texts, found, mark, shift, wide) for wide in WIDTHS):
                found[mark] = shift
                break
    return found


def _hits(
    marks: Sequence[Place],
    texts: Sequence[str],
    found: dict[int, Place],
    mark: int,
    shift: Place,
    wide: float,
) -> bool:
    """Whether a number so far from its mark lies on another, on a mark or beyond a plot that is so wide."""
    own = _box(marks[mark], shift, DIGIT * len(texts[mark]), LINE, wide)
    if own[0] < 0 or own[1] > wide or own[2] < 0 or own[3] > LABELS_HEIGHT:
        return True
    return any(_over(own, other) for other in _taken(marks, texts, found, wide))


def _taken(
    marks: Sequence[Place], texts: Sequence[str], found: dict[int, Place], wide: float
) -> Iterator[Box]:
    """Yield the boxes of all marks, and of the numbers that have room."""
    yield from (_box(mark, (0, 0), MARK, MARK, wide) for mark in marks)
    for one, shift in found.items():
        yield _box(marks[one], shift, DIGIT * len(texts[one]), LINE, wide)


def _box(mark: Place, shift: Place, width: float, height: float, wide: float) -> Box:
    x, y = mark[0] * wide + shift[0], mark[1] * LABELS_HEIGHT + shift[1]
    return x - width / 2, x + width / 2, y - height / 2, y + height / 2


def _over(one: Box, other: Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


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
