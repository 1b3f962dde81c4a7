"""The map: a square for each cell in the colour of its winner, with letters, hatches and lines of theory."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

import numpy as np
import plotly.graph_objects as go

from pages.map.charts.shades import strength, strongest
from pages.map.charts.ticks import ticks
from pages.map.question.asked import Asked
from pages.map.words import names, told
from pages.shared.charts.chart import chart, titled
from pages.shared.charts.margins import ROW as LEGEND
from pages.shared.charts.margins import TOP, margins
from pages.shared.charts.marks import Part, curve, points
from pages.shared.charts.palette import Palette, faded, palette
from sim.map.boundaries import Boundary, boundaries
from sim.map.picture import GUESSED, SIMULATED, Picture, Square
from sim.map.plane import LETTERS, Cell
from sim.map.standing import ALIKE, SURE, UNKNOWN, UNSTABLE

NAME = "map"
#: Letters in a cell, at most.
MOST_LETTERS = 3
#: Characters of a line of the title of an axis, at most: a low map has room for no more.
MOST_TITLE = 36
#: How the lines of theory are dashed, in their order.
DASHES = ("dash", "dot", "dashdot", "longdash")
#: Rows of the legend on a wide screen.
ROWS = 3
#: Pixels of a cell's height, of what is around, and at least and most of the whole.
ROW, AROUND, LEAST, MOST = 34, 150, 330, 620


def draw(asked: Asked, found: Picture, dark: bool) -> go.Figure:
    """Draw a map; the axes count cells, so that values may lie as they like."""
    colors = palette(dark)
    x, y = found.plane.x.values, found.plane.y.values
    axes = {
        "xaxis": _axis(asked.labels[0], x, dark) | {"showgrid": False},
        "yaxis": _axis(asked.labels[1], y, dark) | {"showgrid": False},
    }
    traces = [
        *_colours(found, colors), *_hatch(found, colors), *_lines(found, colors), _letters(found, colors),
        _hover(asked, found, colors),
    ]  # fmt: skip
    height = min(max(LEAST, ROW * len(y) + AROUND), MOST)
    margin = margins(axes, []) | {"t": 8 + TOP + ROWS * LEGEND}  # on a narrow screen the legend takes more
    return chart(
        traces, axes, dark, name=NAME, height=height, showlegend=True, hoverdistance=30, margin=margin
    )


def letters(one: Square) -> str:
    """Return what stands in a cell."""
    standing = one.standing
    if one.known == GUESSED:
        return "·"
    if standing.kind == UNSTABLE:
        return "×"
    if standing.kind == UNKNOWN or standing.best is None:
        return "?"
    if standing.kind == SURE:
        return LETTERS[standing.best]
    alike = [LETTERS[i].lower() for i in sorted(standing.leaders)]
    return "".join(alike) if len(alike) <= MOST_LETTERS else f"{''.join(alike[: MOST_LETTERS - 1])}…"


def _axis(label: str, values: Sequence[float], dark: bool) -> Part:
    places, told = ticks(values)
    return {
        "title": titled("<br>".join(textwrap.wrap(label, MOST_TITLE)), dark),
        "range": [-0.5, len(values) - 0.5],
        "fixedrange": True,
        "tickmode": "array",
        "tickvals": places,
        "ticktext": told,
    }


def _grid(found: Picture) -> np.ndarray:
    return np.full((len(found.plane.y.values), len(found.plane.x.values)), np.nan)


def _colours(found: Picture, colors: Palette) -> Iterator[Part]:
    """Yield a layer for each policy, and one for cells that nobody wins, with an entry of the legend."""
    for i, name in enumerate(names(found.plane)):
        color, layer = colors.series[i], _grid(found)
        most = strongest(color, colors)
        for (across, up), one in found.squares.items():
            if one.standing.kind in (SURE, ALIKE) and one.standing.best == i:
                gain = one.gain if one.standing.kind == SURE else 0.0
                layer[up, across] = strength(gain, most)
        yield _layer(layer, [[0.0, faded(color, 0.0)], [1.0, faded(color, 1.0)]])
        yield points(
            [math.nan], [math.nan], f"{LETTERS[i]} {name}", faded(color, most),
            marker={"symbol": "square", "size": 13}, hoverinfo="skip",
        )  # fmt: skip
    layer = _grid(found)
    for (across, up), one in found.squares.items():
        if one.standing.kind not in (SURE, ALIKE):
            layer[up, across] = 0.25
    yield _layer(layer, [[0.0, faded(colors.ink, 0.0)], [1.0, faded(colors.ink, 1.0)]])


def _layer(values: np.ndarray, scale: list[list[object]]) -> Part:
    rows = [[None if math.isnan(one) else one for one in row] for row in values.tolist()]
    return {
        "type": "heatmap", "z": rows, "zmin": 0.0, "zmax": 1.0, "colorscale": scale, "showscale": False,
        "xgap": 1, "ygap": 1, "hoverinfo": "skip",
    }  # fmt: skip


def _hatch(found: Picture, colors: Palette) -> Iterator[Part]:
    """Yield the hatches of cells whose best policies cannot be told apart."""
    x: list[float] = []
    y: list[float] = []
    for (i, j), one in found.squares.items():
        if one.standing.kind == ALIKE:
            for ends in ((-0.5, 0.0, 0.0, 0.5), (-0.5, -0.5, 0.5, 0.5), (0.0, -0.5, 0.5, 0.0)):
                x += [i + ends[0], i + ends[2], math.nan]
                y += [j + ends[1], j + ends[3], math.nan]
    if x:
        yield curve(x, y, "ab: a tie", faded(colors.ink, 0.45), line={"width": 1}, hoverinfo="skip")


def _lines(found: Picture, colors: Palette) -> Iterator[Part]:
    """Yield what theory says, as lines."""
    for place, one in enumerate(boundaries(found.plane)):
        x, y = line(found, one)
        dash = DASHES[place % len(DASHES)]
        yield curve(
            x, y, one.title, colors.ink, line={"dash": dash}, hovertemplate=f"{one.title}<extra></extra>"
        )


def line(found: Picture, one: Boundary) -> tuple[list[float], list[float]]:
    """Return a line of theory in cells, cut where it leaves the map."""
    upright = found.plane.x.name == "load"
    values = np.array((found.plane.x if upright else found.plane.y).values)
    loads = np.array(one.loads)
    inside = (loads >= values[0]) & (loads <= values[-1])
    places = [
        float(place) if fits else math.nan
        for place, fits in zip(np.interp(loads, values, np.arange(values.size)), inside, strict=True)
    ]
    others = [float(k) for k in range(len(places))]
    return (places, others) if upright else (others, places)


def _letters(found: Picture, colors: Palette) -> Part:
    """Return what stands in the cells, upright where they are simulated; lines do not touch it."""
    cells = list(found.squares)
    text = [
        letters(one) if one.known == SIMULATED else f"<i>{letters(one)}</i>" for one in found.squares.values()
    ]
    return {
        "type": "scatter", "mode": "text", "x": [i for i, _ in cells], "y": [j for _, j in cells],
        "text": text, "textfont": {"color": colors.ink, "size": 13, "shadow": halo(colors)},
        "showlegend": False, "hoverinfo": "skip",
    }  # fmt: skip


def halo(colors: Palette) -> str:
    """Return a shadow of the colour of the paper on all sides, so that a letter stands out from a line."""
    ways = ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0))
    return ", ".join(f"{across}px {down}px 2px {colors.paper}" for across, down in ways)


def _hover(asked: Asked, found: Picture, colors: Palette) -> Part:
    """Return unseen points that tell all numbers of a cell, and can be clicked."""
    cells = list(found.squares)
    unseen = {"marker": {"opacity": 0.0}}
    return points(
        [i for i, _ in cells], [j for _, j in cells], "cells", colors.ink,
        marker={"size": 24, "opacity": 0.0, "symbol": "square"}, selected=unseen, unselected=unseen,
        showlegend=False, hovertext=["<br>".join(told(asked, found, cell)) for cell in cells],
        hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip


def cell_at(found: Picture, x: float, y: float) -> Cell | None:
    """Return the cell at a place of the chart; None if it has none there."""
    cell = round(x), round(y)
    return cell if cell in found.squares else None
