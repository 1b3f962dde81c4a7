"""The map as a chart: shades, ticks, cells, lines of theory, and the cell below a click."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from pages.map.question.asked import Asked
from pages.map.words import names, told
from pages.shared.charts.chart import chart, curve, points, titled
from sim.map.boundaries import Boundary, boundaries
from sim.map.picture import GUESSED, SIMULATED, Picture, Square
from sim.map.plane import LETTERS, Cell
from sim.map.standing import ALIKE, SURE, UNKNOWN, UNSTABLE
from sim.telling.margins import ROW as LEGEND
from sim.telling.margins import TOP, margins
from sim.telling.palette import Palette, faded, mixed, palette
from sim.telling.plot import Part
from sim.telling.scales import few_ticks, round_up
from sim.telling.words import plain

#: Opacity of no gain and of the largest, and the gain from which a colour is as strong as it gets.
PALE, STRONG, LARGE = 0.12, 0.6, 0.5
#: Contrast of a letter with the colour it stands on, at least (WCAG 2.2, AA).
CONTRAST = 4.5


def strength(gain: float | None, strongest: float = STRONG) -> float:
    """Return the opacity that stands for a gain.

    Examples
    --------
    >>> strength(0.0), strength(0.5), strength(0.9), round(strength(0.1), 3)
    (0.12, 0.6, 0.6, 0.335)
    """
    share = min(max(gain or 0.0, 0.0), LARGE) / LARGE
    return round(PALE + (strongest - PALE) * math.sqrt(share), 6)


@lru_cache
def strongest(color: str, colors: Palette) -> float:
    """Return the strongest opacity of a colour on which a letter can be read.

    Examples
    --------
    >>> from sim.telling.palette import palette
    >>> strongest("#FFFFFF", palette(dark=False)), strongest("#000000", palette(dark=False))
    (0.6, 0.42)
    """
    opacity = STRONG
    while opacity > PALE and contrast(colors.ink, mixed(colors.paper, color, opacity)) < CONTRAST:
        opacity -= 0.02
    return round(opacity, 2)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two ``#rrggbb`` colours (WCAG 2.2: relative luminance).

    Examples
    --------
    >>> round(contrast("#000000", "#FFFFFF"), 3)
    21.0
    """
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    parts = [part / 255 for part in bytes.fromhex(color[1:])]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


#: Labels of an axis, at most.
MOST_LABELS = 7
#: Spread of the steps between values, as a share of their mean, up to which they count as even.
EVEN = 0.25


def ticks(values: Sequence[float]) -> tuple[list[float], list[str]]:
    """Return where labels stand, in cells from 0, and what they say.

    Few values, or uneven ones, are said as they are; else round numbers stand where they lie between the
    middles of two cells, by even steps or even ratios as the values have.

    Examples
    --------
    >>> ticks([0.3, 0.5, 0.8])
    ([0.0, 1.0, 2.0], ['0.3', '0.5', '0.8'])
    >>> places, told = ticks(np.linspace(0.3, 0.9, 12).round(4).tolist())
    >>> told, [round(place, 2) for place in places]
    (['0.3', '0.4', '0.5', '0.6', '0.7', '0.8', '0.9'], [0.0, 1.83, 3.67, 5.5, 7.33, 9.17, 11.0])
    >>> ticks([20, 39, 75, 144, 278, 536, 1036, 2000])[1]
    ['20', '50', '100', '200', '500', '1,000', '2,000']
    """
    if len(values) > MOST_LABELS:
        if _uneven(values) < EVEN:
            return _at(_steps(values[0], values[-1]), values)
        if values[0] > 0 and _uneven(logs := [math.log(value) for value in values]) < EVEN:
            found = few_ticks(values[0], values[-1], ((1, 2, 5), (1, 3), (1,)))
            places, _ = _at([math.log(one) for one in found], logs)
            return places, [plain(one) for one in found]
    chosen = range(0, len(values), math.ceil(len(values) / MOST_LABELS))
    return [float(place) for place in chosen], [plain(float(f"{values[place]:.3g}")) for place in chosen]


def _uneven(values: Sequence[float]) -> float:
    steps = np.diff(values)
    return float(steps.std() / steps.mean())


def _steps(low: float, high: float) -> list[float]:
    """Return the multiples of a round step between two ends."""
    step = round_up((high - low) / (MOST_LABELS - 1))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{step * place:.12g}") for place in range(first, last + 1)]


def _at(wanted: Sequence[float], values: Sequence[float]) -> tuple[list[float], list[str]]:
    places: list[float] = np.interp(wanted, values, np.arange(len(values))).tolist()
    return places, [plain(one) for one in wanted]


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
ROW, AROUND, LOWEST, HIGHEST = 34, 150, 330, 620


def draw(asked: Asked, found: Picture, dark: bool) -> go.Figure:
    """Draw a map; the axes count cells, so that values may lie as they like."""
    colors = palette(dark)
    x, y = found.plane.x.values, found.plane.y.values
    axes = {
        "xaxis": _axis(asked.labels[0], x, dark) | {"showgrid": False},
        "yaxis": _axis(asked.labels[1], y, dark) | {"showgrid": False},
    }
    traces = [
        *_colours(found, colors),
        *_hatch(found, colors),
        *_lines(found, colors),
        _letters(found, colors),
        _hover(asked, found, colors),
    ]
    height = min(max(LOWEST, ROW * len(y) + AROUND), HIGHEST)
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
            [math.nan],
            [math.nan],
            f"{LETTERS[i]} {name}",
            faded(color, most),
            marker={"symbol": "square", "size": 13},
            hoverinfo="skip",
        )
    layer = _grid(found)
    for (across, up), one in found.squares.items():
        if one.standing.kind not in (SURE, ALIKE):
            layer[up, across] = 0.25
    yield _layer(layer, [[0.0, faded(colors.ink, 0.0)], [1.0, faded(colors.ink, 1.0)]])


def _layer(values: np.ndarray, scale: list[list[object]]) -> Part:
    rows = [[None if math.isnan(one) else one for one in row] for row in values.tolist()]
    return {
        "type": "heatmap",
        "z": rows,
        "zmin": 0.0,
        "zmax": 1.0,
        "colorscale": scale,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "skip",
    }


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
        "type": "scatter",
        "mode": "text",
        "x": [i for i, _ in cells],
        "y": [j for _, j in cells],
        "text": text,
        "textfont": {"color": colors.ink, "size": 13, "shadow": halo(colors)},
        "showlegend": False,
        "hoverinfo": "skip",
    }


def halo(colors: Palette) -> str:
    """Return a shadow of the colour of the paper on all sides, so that a letter stands out from a line."""
    ways = ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0))
    return ", ".join(f"{across}px {down}px 2px {colors.paper}" for across, down in ways)


def _hover(asked: Asked, found: Picture, colors: Palette) -> Part:
    """Return unseen points that tell all numbers of a cell, and can be clicked."""
    cells = list(found.squares)
    unseen = {"marker": {"opacity": 0.0}}
    return points(
        [i for i, _ in cells],
        [j for _, j in cells],
        "cells",
        colors.ink,
        marker={"size": 24, "opacity": 0.0, "symbol": "square"},
        selected=unseen,
        unselected=unseen,
        showlegend=False,
        hovertext=["<br>".join(told(asked, found, cell)) for cell in cells],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def cell_at(found: Picture, x: float, y: float) -> Cell | None:
    """Return the cell at a place of the chart; None if it has none there."""
    cell = round(x), round(y)
    return cell if cell in found.squares else None
