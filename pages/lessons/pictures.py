"""What pictures of several lessons share: colours of the answer and of a prediction, axes, bars, draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sim.telling.palette import faded
from sim.telling.plot import DASHED, Plot
from sim.telling.scales import named_ticks

#: Pixels of a picture.
HEIGHT = 320
#: Share of a curve's height below which a line is too near to the axis for its name.
NEAR = 0.15
#: Times the height of a curve from which on there is room for a name between it and a line.
FAR = 1.5
#: Draws among which the first picture is found.
MOST_DRAWS = 1000


class LessonPlot(Plot):
    """A picture of a lesson: what is the answer, what was predicted, and what is compared with the answer.

    Parameters
    ----------
    name : str
    dark : bool
    **layout
        As of a `Plot`.
    """

    def __init__(self, name: str, dark: bool, **layout: Any) -> None:
        super().__init__(name, dark, HEIGHT, **layout)
        self.answer, self.yours, self.other, *_ = self.colors.series

    def numbers(self, which: str, title: str, low: float, high: float) -> None:
        """Set a linear axis over a range that stays."""
        self.axis(which, title, {"type": "linear", "range": [low, high], "nticks": 6}, zoom=True)

    def names(
        self, title: str, texts: list[str], *, above: float = 0.0, which: str = "y", **more: Any
    ) -> None:
        """Set an axis with a place for each text, the first one on top, and room for so many more above."""
        places = named_ticks(list(range(len(texts))), texts)
        ends = {"range": [len(texts) - 0.5, -0.5 - above]} | more
        self.axis(which, title, places | ends, showgrid=False, ticks="", zoom=True)

    def between(
        self, rows: np.ndarray, begin: np.ndarray, end: np.ndarray, name: str, color: Any, **more: Any
    ) -> None:
        """Draw bars from `begin` to `end` at these rows."""
        told = f"{name}<br>until %{{customdata:.3~r}}"
        self.bars(end - begin, rows, name, color, told, across=True, base=begin, customdata=end, **more)

    def theory(self, x: np.ndarray, y: Any, name: str = "by theory", color: str = "") -> None:
        """Draw a curve of theory, of the colour of the answer unless told."""
        self.line(x, y, name, color or self.answer, "", line=DASHED)

    def point(self, x: float, y: float, name: str, color: str = "") -> None:
        """Mark a point of a curve, of the colour of the answer unless told."""
        self.dots([x], [y], name, color or self.answer, "", marker={"size": 11})

    def predicted_level(self, value: float | None, text: str, right: float, curve: float) -> None:
        """Draw the line across at the height that was predicted, and its name; nothing for None.

        The name is at the `right` end, on the side away from the answer, whose curve ends there at this
        height, but not on the axis and not above the chart.
        """
        if value is not None:
            away = -11 if NEAR * curve < value < curve or value > FAR * curve else 11
            self.across(value, self.yours, dash="dot", width=2)
            self.note(f"predicted: {text}", x=right, y=value, xanchor="right", yshift=away)

    def predicted_place(self, value: float | None, text: str, y: float, middle: float) -> None:
        """Draw the line up at the predicted place, and its name on the side of the `middle`."""
        if value is not None:
            where = {"xanchor": "right", "xshift": -5} if value > middle else {"xanchor": "left", "xshift": 5}
            self.up(value, self.yours, dash="dot", width=2)
            self.note(f"predicted: {text}", x=value, y=y, **where)

    def predicted_area(self, **ends: float) -> None:
        """Shade the part that was predicted."""
        self.region(faded(self.yours, 0.25), **ends)


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
