"""The map of the lessons: each below those that it builds on."""

from __future__ import annotations

import textwrap

import plotly.graph_objects as go

from pages.lessons import LESSONS
from pages.lessons.course import NEEDS, depth
from pages.shared.charts.chart import chart, note, points
from sim.telling.palette import palette
from sim.telling.plot import Part

#: Pixels of the map; characters of a line of a title; pixels that an arrow stays off a lesson.
HEIGHT, LINE, OFF = 400, 15, 16
#: Behind texts: a box would hide the dots.
CLEAR = "rgba(0, 0, 0, 0)"


def places() -> dict[int, tuple[float, float]]:
    """Return where each lesson stands: rows by what it builds on, evenly spread from side to side.

    Examples
    --------
    >>> places()[1], places()[3], places()[7]
    ((0.5, 0.0), (0.16666666666666666, 2.0), (0.8333333333333334, 2.0))
    """
    found: dict[int, tuple[float, float]] = {}
    for row in range(1 + max(map(depth, NEEDS))):
        beside = [number for number in NEEDS if depth(number) == row]
        found |= {number: ((at + 0.5) / len(beside), float(row)) for at, number in enumerate(beside)}
    return found


def draw(now: int, dark: bool) -> go.Figure:
    """Draw all lessons, `now` in a colour of its own, with an arrow from each to those that build on it."""
    where, look = places(), palette(dark)
    x, y = zip(*where.values(), strict=True)
    colors = [look.series[0] if number == now else look.ink for number in where]
    dots = points(
        x,
        y,
        "lessons",
        "",
        mode="markers+text",
        text=[str(number) for number in where],
        textfont={"color": look.paper, "size": 13},
        marker={"size": 26, "color": colors},
        hoverinfo="skip",
    )
    titles = [_title(number, where, dark) for number in where]
    arrows = [_arrow(where[needed], where[number], dark) for number in NEEDS for needed in NEEDS[number]]
    hidden = {"visible": False, "fixedrange": True}
    return chart(
        [dots],
        {
            "xaxis": hidden | {"range": [-0.15, 1.15]},
            "yaxis": hidden | {"range": [max(y) + 0.4, -0.4]},
        },
        dark,
        name="lessons",
        height=HEIGHT,
        showlegend=False,
        annotations=[*arrows, *titles],
    )


def _title(number: int, where: dict[int, tuple[float, float]], dark: bool) -> Part:
    """Write a title beside a lesson, on the side to which no arrow leads."""
    across, down = where[number]
    side = "right" if any(where[needed][0] > across for needed in NEEDS[number]) else "left"
    return note(
        "<br>".join(textwrap.wrap(LESSONS[number].title, LINE)),
        dark,
        x=across,
        y=down,
        bgcolor=CLEAR,
        xanchor=side,
        xshift=17 if side == "left" else -17,
        align=side,
    )


def _arrow(start: tuple[float, float], end: tuple[float, float], dark: bool) -> Part:
    return note(
        "",
        dark,
        x=end[0],
        y=end[1],
        ax=start[0],
        ay=start[1],
        axref="x",
        ayref="y",
        showarrow=True,
        arrowhead=2,
        arrowwidth=1.5,
        arrowcolor=palette(dark).ink,
        standoff=OFF,
        startstandoff=OFF,
        bgcolor=CLEAR,
    )


def alt() -> str:
    """Say in words what `draw` shows."""
    told = [
        f"{number} ({LESSONS[number].title}) on {' and '.join(map(str, needed))}"
        for number, needed in NEEDS.items()
        if needed
    ]
    return f"Lessons build on others: {'; '.join(told)}."
