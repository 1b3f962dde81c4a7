"""Parts that pictures of several lessons share: colours of a prediction and of the answer, axes, bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pages.shared.charts.chart import level, note, titled, upright
from sim.telling.palette import faded, palette
from sim.telling.plot import Part
from sim.telling.words import plain

#: Pixels of a picture.
HEIGHT = 320
#: Share of a curve's height below which a line is too near to the axis for its name.
NEAR = 0.15
#: Draws among which the first picture is found.
MOST_DRAWS = 1000
#: Lines across or up a picture, and what is written at them.
Marks = tuple[list[Part], list[Part]]


def colors(dark: bool) -> tuple[str, str, str]:
    """Return the colours of the answer, of what was predicted, and of what is compared with the answer."""
    answer, predicted, other, *_ = palette(dark).series
    return answer, predicted, other


def axis(title: str, low: float, high: float, dark: bool, **more: Any) -> dict[str, Any]:
    """Return a linear axis over a range that stays."""
    return {"type": "linear", "range": [low, high], "title": titled(title, dark), "nticks": 6} | more


def names(title: str, texts: list[str], dark: bool, *, above: float = 0.0) -> dict[str, Any]:
    """Return an axis with a place for each text, the first one on top, and room for so many more above."""
    return {
        "range": [len(texts) - 0.5, -0.5 - above],
        "tickmode": "array",
        "tickvals": list(range(len(texts))),
        "ticktext": texts,
        "title": titled(title, dark),
        "showgrid": False,
        "ticks": "",
    }


def bars(rows: np.ndarray, begin: np.ndarray, end: np.ndarray, name: str, color: str, **more: Any) -> Part:
    """Return horizontal bars from `begin` to `end` at these rows."""
    return {
        "type": "bar",
        "orientation": "h",
        "y": rows,
        "base": begin,
        "x": end - begin,
        "name": name,
        "marker": {"color": color} | more.pop("marker", {}),
        "customdata": end,
        "hovertemplate": f"{name}<br>until %{{customdata:.3~r}}<extra></extra>",
    } | more


def label(text: str, x: float, y: float, dark: bool, **more: Any) -> Part:
    """Return a few words beside a point."""
    return note(text, dark, x=x, y=y, **more)


def luck(lesson: int, draw: int) -> np.random.Generator:
    """Return the luck of a scene: the same for all visitors of this draw of it."""
    return np.random.default_rng([19, lesson, draw])


def drawn(
    lesson: int,
    draw: int,
    take: Callable[[np.random.Generator], np.ndarray],
    shows: Callable[[np.ndarray], bool],
) -> np.ndarray:
    """Return what a draw of the luck gives.

    The first one, draw 0, shows what the text is about, such as a straggler; those after it are as they come.

    Parameters
    ----------
    lesson, draw : int
    take : callable
        Luck -> what is drawn.
    shows : callable
        Whether that shows what the text is about.
    """
    taken = (take(luck(lesson, place)) for place in range(MOST_DRAWS))
    first = next(place for place, found in enumerate(taken) if shows(found))
    return take(luck(lesson, first + draw))


def how(draw: int) -> str:
    """Say how a scene came about.

    Examples
    --------
    >>> how(0), how(1)
    ('an example', 'drawn at random')
    """
    return "drawn at random" if draw else "an example"


def times(factor: float) -> str:
    """Return how many times as much something is.

    Examples
    --------
    >>> times(12.13), times(1.6), times(0.571)
    ('12', '1.6', '0.57')
    """
    return plain(float(f"{factor:.2g}")) if factor < 100 else f"{factor:,.0f}"


def predicted_level(value: float | None, text: str, right: float, curve: float, dark: bool) -> Marks:
    """Return the line across a picture at the height that was predicted, and its name; nothing for None.

    The name is at the `right` end, on the side away from the answer, whose curve ends there at this height,
    but not on the axis.
    """
    if value is None:
        return [], []
    color = colors(dark)[1]
    away = -11 if NEAR * curve < value < curve else 11
    return [level(value, color, dash="dot", width=2)], [
        label(f"predicted: {text}", right, value, dark, xanchor="right", yshift=away)
    ]


def predicted_place(value: float | None, text: str, y: float, dark: bool, middle: float) -> Marks:
    """Return the line up a picture at the predicted place, and its name on the side of the `middle`."""
    if value is None:
        return [], []
    color, left = colors(dark)[1], value > middle
    where = {"xanchor": "right" if left else "left", "xshift": -5 if left else 5}
    return [upright(value, color, dash="dot", width=2)], [
        label(f"predicted: {text}", value, y, dark, **where)
    ]


def predicted_area(dark: bool, **where: Any) -> Part:
    """Return the part of a picture that was predicted, shaded; `where` as Plotly has shapes."""
    look = {"fillcolor": faded(colors(dark)[1], 0.25), "line": {"width": 0}, "layer": "below"}
    return {"type": "rect"} | look | where
