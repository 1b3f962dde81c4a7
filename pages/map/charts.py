"""The map as a chart: shades, ticks, cells, lines of theory, and the cell below a click."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from pages.map.question import Request
from pages.map.words import names, told
from pages.shared.charts.on_page import figure
from sim.map.picture import GUESSED, SIMULATED, Picture, Square
from sim.map.plane import LETTERS, Cell
from sim.map.survey import ALIKE, SURE, UNKNOWN, UNSTABLE, Boundary, boundaries
from sim.telling.palette import Palette, contrast, faded, mixed
from sim.telling.plot import ROW as LEGEND
from sim.telling.plot import TOP, Plot, margins
from sim.telling.scales import few_ticks, named_ticks, round_up
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


def draw(asked: Request, found: Picture, dark: bool) -> go.Figure:
    """Draw a map; the axes count cells, so that values may lie as they like."""
    x, y = found.plane.x.values, found.plane.y.values
    height = min(max(LOWEST, ROW * len(y) + AROUND), HIGHEST)
    plot = Plot(NAME, dark, height, showlegend=True, hoverdistance=30)
    for which, label, values in zip("xy", asked.labels, (x, y), strict=True):
        title = "<br>".join(textwrap.wrap(label, MOST_TITLE))
        ends = [-0.5, len(values) - 0.5]
        plot.axis(which, title, named_ticks(*ticks(values)), range=ends, showgrid=False)
    # on a narrow screen the legend takes more
    plot.layout["margin"] = margins(plot.axes, []) | {"t": 8 + TOP + ROWS * LEGEND}
    _colours(plot, found)
    _hatch(plot, found)
    _lines(plot, found)
    _letters(plot, found)
    _hover(plot, asked, found)
    return figure(plot)


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


def _grid(found: Picture) -> np.ndarray:
    return np.full((len(found.plane.y.values), len(found.plane.x.values)), np.nan)


def _colours(plot: Plot, found: Picture) -> None:
    """Draw a layer for each policy, and one for cells that nobody wins, with an entry of the legend."""
    colors = plot.colors
    for i, name in enumerate(names(found.plane)):
        color, layer = colors.series[i], _grid(found)
        most = strongest(color, colors)
        for (across, up), one in found.squares.items():
            if one.standing.kind in (SURE, ALIKE) and one.standing.best == i:
                gain = one.gain if one.standing.kind == SURE else 0.0
                layer[up, across] = strength(gain, most)
        _layer(plot, layer, color)
        look = {"symbol": "square", "size": 13}
        plot.dots([math.nan], [math.nan], f"{LETTERS[i]} {name}", faded(color, most), marker=look)
    layer = _grid(found)
    for (across, up), one in found.squares.items():
        if one.standing.kind not in (SURE, ALIKE):
            layer[up, across] = 0.25
    _layer(plot, layer, colors.ink)


def _layer(plot: Plot, values: np.ndarray, color: str) -> None:
    rows = [[None if math.isnan(one) else one for one in row] for row in values.tolist()]
    plot.traces.append(
        {
            "type": "heatmap",
            "z": rows,
            "zmin": 0.0,
            "zmax": 1.0,
            "colorscale": [[0.0, faded(color, 0.0)], [1.0, faded(color, 1.0)]],
            "showscale": False,
            "xgap": 1,
            "ygap": 1,
            "hoverinfo": "skip",
        }
    )


def _hatch(plot: Plot, found: Picture) -> None:
    """Hatch the cells whose best policies cannot be told apart."""
    x: list[float] = []
    y: list[float] = []
    for (i, j), one in found.squares.items():
        if one.standing.kind == ALIKE:
            for ends in ((-0.5, 0.0, 0.0, 0.5), (-0.5, -0.5, 0.5, 0.5), (0.0, -0.5, 0.5, 0.0)):
                x += [i + ends[0], i + ends[2], math.nan]
                y += [j + ends[1], j + ends[3], math.nan]
    if x:
        plot.line(x, y, "ab: a tie", faded(plot.colors.ink, 0.45), line={"width": 1})


def _lines(plot: Plot, found: Picture) -> None:
    for place, one in enumerate(boundaries(found.plane)):
        dash = {"dash": DASHES[place % len(DASHES)]}
        plot.line(*line(found, one), one.title, plot.colors.ink, one.title, line=dash)


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


def _letters(plot: Plot, found: Picture) -> None:
    """Write what stands in the cells, upright where they are simulated; lines do not touch it."""
    text = [
        letters(one) if one.known == SIMULATED else f"<i>{letters(one)}</i>" for one in found.squares.values()
    ]
    x, y = ([cell[side] for cell in found.squares] for side in (0, 1))
    font = {"color": plot.colors.ink, "size": 13, "shadow": halo(plot.colors)}
    look = {"mode": "text", "textfont": font, "showlegend": False, "hoverinfo": "skip"}
    plot.traces.append({"type": "scatter", "x": x, "y": y, "text": text} | look)


def halo(colors: Palette) -> str:
    """Return a shadow of the colour of the paper on all sides, so that a letter stands out from a line."""
    ways = ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0))
    return ", ".join(f"{across}px {down}px 2px {colors.paper}" for across, down in ways)


def _hover(plot: Plot, asked: Request, found: Picture) -> None:
    """Draw unseen points that tell all numbers of a cell, and can be clicked."""
    unseen = {"marker": {"opacity": 0.0}}
    plot.dots(
        [i for i, _ in found.squares],
        [j for _, j in found.squares],
        "cells",
        plot.colors.ink,
        ["<br>".join(told(asked, found, cell)) for cell in found.squares],
        marker={"size": 24, "opacity": 0.0, "symbol": "square"},
        selected=unseen,
        unselected=unseen,
        showlegend=False,
    )


def cell_at(found: Picture, x: float, y: float) -> Cell | None:
    """Return the cell at a place of the chart; None if it has none there."""
    cell = round(x), round(y)
    return cell if cell in found.squares else None
