"""The map of the lessons: each below those that it builds on."""

from __future__ import annotations

import textwrap

import plotly.graph_objects as go

from pages.lessons import LESSONS
from pages.lessons.course import NEEDS, depth
from pages.shared.charts.on_page import figure
from sim.telling.plot import CLEAR, Plot

#: Pixels of the map; characters of a line of a title; pixels that an arrow stays off a lesson.
HEIGHT, LINE, OFF = 400, 15, 16


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
    where, plot = places(), Plot("lessons", dark, HEIGHT, showlegend=False)
    ink, x, y = plot.colors.ink, *zip(*where.values(), strict=True)
    for number, needs in NEEDS.items():
        for needed in needs:
            _arrow(plot, where[needed], where[number])
    plot.dots(
        x,
        y,
        "lessons",
        "",
        mode="markers+text",
        text=[str(number) for number in where],
        textfont={"color": plot.colors.paper, "size": 13},
        marker={"size": 26, "color": [plot.colors.series[0] if one == now else ink for one in where]},
    )
    for number in where:
        _title(plot, number, where)
    plot.axis("x", range=[-0.15, 1.15], visible=False)
    plot.axis("y", range=[max(y) + 0.4, -0.4], visible=False)
    return figure(plot)


def _title(plot: Plot, number: int, where: dict[int, tuple[float, float]]) -> None:
    """Write a title beside a lesson, on the side to which no arrow leads."""
    across, down = where[number]
    side = "right" if any(where[needed][0] > across for needed in NEEDS[number]) else "left"
    title = "<br>".join(textwrap.wrap(LESSONS[number].title, LINE))
    shift = 17 if side == "left" else -17
    plot.note(title, x=across, y=down, bgcolor=CLEAR, xanchor=side, xshift=shift, align=side)


def _arrow(plot: Plot, start: tuple[float, float], end: tuple[float, float]) -> None:
    look = {"showarrow": True, "arrowhead": 2, "arrowwidth": 1.5, "arrowcolor": plot.colors.ink}
    ends = {"x": end[0], "y": end[1], "ax": start[0], "ay": start[1], "axref": "x", "ayref": "y"}
    plot.note("", bgcolor=CLEAR, standoff=OFF, startstandoff=OFF, **look, **ends)


def alt() -> str:
    """Say in words what `draw` shows."""
    told = [
        f"{number} ({LESSONS[number].title}) on {' and '.join(map(str, needed))}"
        for number, needed in NEEDS.items()
        if needed
    ]
    return f"Lessons build on others: {'; '.join(told)}."
