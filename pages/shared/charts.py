"""What all charts of a comparison share: axes that stay put, a legend that covers nothing, colours.

A chart is a pure function from a comparison to a figure, with a twin that says the same in words for
those who cannot see it. Simulated curves are solid with a 95 % band, theory is dashed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go

from pages.shared.palette import palette
from pages.shared.words import plain

#: Points of text; nothing on a chart is smaller.
FONT = 12
LINE = 2
MOST_TICKS = 7
#: Pixels of the line above a panel that says what it shows.
NAME = 18


def chart(
    traces: list[dict[str, Any]],
    axes: dict[str, dict[str, Any]],
    dark: bool,
    *,
    name: str,
    height: int = 360,
    **layout: Any,
) -> go.Figure:
    """Make a figure with the looks that all charts share.

    Parameters
    ----------
    traces : list of dict
        As Plotly has them.
    axes : dict of dict
        What is special about each axis, by Plotly's name of it.
    dark : bool
        Whether the reader's theme is the dark one.
    name : str
        What the zoom of the reader belongs to: the same for every state of one chart.
    height : int
        In pixels, 300 to 400.
    **layout
        What this chart wants besides: annotations, shapes, ...

    Notes
    -----
    Plotly would check each property, which takes five times as long as all the rest, for every visitor
    at every move; the tests check them instead.
    """
    colors = palette(dark)
    text = {"color": colors.ink, "size": FONT}
    common = {
        "height": height,
        "margin": {"l": 8, "r": 12, "t": 8, "b": 8},
        "font": text,
        "paper_bgcolor": colors.paper,
        "plot_bgcolor": colors.paper,
        "hoverlabel": {"bgcolor": colors.paper, "bordercolor": colors.ink, "font": text},
        "hovermode": "closest",
        "dragmode": False,  # a finger on a small screen scrolls the page, not the chart
        "legend": legend(dark),
        "uirevision": name,
    }
    dressed = {key: _axis_looks(key, dark) | axis for key, axis in axes.items()}
    return go.Figure({"data": traces, "layout": common | dressed | layout}, _validate=False)


def _axis_looks(key: str, dark: bool) -> dict[str, Any]:
    """Return what all axes share: thin, quiet, grid lines across only."""
    colors = palette(dark)
    return {
        "tickfont": {"color": colors.ink, "size": FONT},
        "gridcolor": colors.grid,
        "linecolor": colors.grid,
        "tickcolor": colors.grid,
        "ticks": "outside",
        "automargin": True,
        "zeroline": False,
        "showgrid": key.startswith("y"),
        "showline": key.startswith("x"),
    }


def titled(text: str, dark: bool) -> dict[str, Any]:
    """Return the title of an axis: the quantity, its symbol and its unit."""
    return {"text": text, "standoff": 8, "font": {"color": palette(dark).ink, "size": FONT}}


def legend(dark: bool) -> dict[str, Any]:
    """Return a legend above the chart, from the left, as many rows as it needs."""
    text = {"color": palette(dark).ink, "size": FONT}
    return {
        "orientation": "h",
        "traceorder": "normal",
        "x": 0,
        "xanchor": "left",
        "y": 1.02,
        "yanchor": "bottom",
        "font": text,
        "title": {"text": ""},
        "bgcolor": "rgba(0, 0, 0, 0)",
        "itemclick": "toggle",
        "itemdoubleclick": "toggleothers",
    }


def round_up(value: float) -> float:
    """Return the smallest of ..., 0.1, 0.2, 0.5, 1, 2, 5, 10, ... that is at least `value` > 0.

    An axis that ends there stays where it is while a control moves the data a little.

    Examples
    --------
    >>> round_up(3.0), round_up(0.1), round_up(51.0)
    (5.0, 0.1, 100.0)
    """
    power = 10.0 ** math.floor(math.log10(value))
    steps = (step * power for step in (1, 2, 5, 10))
    return float(next(f"{step:.12g}" for step in steps if step >= value * (1 - 1e-9)))


def round_down(value: float) -> float:
    """Return the largest of ..., 0.1, 0.2, 0.5, 1, 2, 5, 10, ... that is at most `value` > 0.

    Examples
    --------
    >>> round_down(3.0), round_down(0.1), round_down(51.0)
    (2.0, 0.1, 50.0)
    """
    return float(f"{1 / round_up(1 / value):.12g}")


def log_axis(low: float, high: float) -> dict[str, Any]:
    """Return a logarithmic axis over [low, high], both > 0, with few round ticks.

    Examples
    --------
    >>> log_axis(1.2, 80.0)["ticktext"], log_axis(1.2, 490.0)["ticktext"]
    (['1', '2', '5', '10', '20', '50', '100'], ['1', '3', '10', '30', '100', '300'])
    """
    low, high = round_down(low), round_up(high)
    if low == high:
        low, high = round_down(low / 2), round_up(high * 2)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = list(_ticks(low, high, steps))
        if len(ticks) <= MOST_TICKS:
            break
    ticks = ticks[:: math.ceil(len(ticks) / MOST_TICKS)]
    return {
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [plain(tick) for tick in ticks],
    }


def _ticks(low: float, high: float, steps: tuple[int, ...]) -> Iterator[float]:
    """Yield these steps of each decade, within [low, high]."""
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for step in steps:
            tick = float(f"{step}e{power}")
            if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9):
                yield tick


def linear_axis(high: float) -> dict[str, Any]:
    """Return a linear axis from 0 to a round number of at least `high`, which may be 0."""
    return {
        "type": "linear",
        "range": [0, round_up(high) if high > 0 else 1],
        "nticks": 6,
        "tickformat": ",~r",
    }


def panels(heights: list[float], inner: float) -> list[list[float]]:
    """Return the domains of panels from the top, each below a line of `NAME` pixels that says what it shows.

    Parameters
    ----------
    heights : list of float
        In pixels.
    inner : float
        Pixels of all of them with their lines.
    """
    found, top = [], inner
    for height in heights:
        top -= NAME
        found.append([max(top - height, 0.0) / inner, top / inner])
        top -= height
    return found


def axis(letters: str, place: int) -> str:
    """Return Plotly's name of the `place`-th axis.

    Examples
    --------
    >>> axis("y", 1), axis("yaxis", 2)
    ('y', 'yaxis2')
    """
    return letters if place == 1 else f"{letters}{place}"


def named(text: str, domain: list[float], dark: bool) -> dict[str, Any]:
    """Return the line above the panel that has this domain."""
    return {
        "text": text,
        "font": {"color": palette(dark).ink, "size": FONT},
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": domain[1],
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
    }
