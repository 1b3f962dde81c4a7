"""Parts of all charts of a comparison: axes that stay put, a legend that covers nothing, colours.

A chart is a pure function from a comparison to a figure, with a twin that says the same in words for
those who cannot see it. Simulated curves are solid with a 95 % band, theory is dashed.
"""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from pages.shared.charts.margins import WIDTH, known, margins
from pages.shared.charts.palette import palette

#: Points of text; nothing on a chart is smaller.
FONT = 12
LINE = 2
#: Pixels of the line above a panel that says what it shows.
NAME = 18


def chart(
    traces: list[dict[str, Any]],
    axes: dict[str, dict[str, Any]],
    dark: bool,
    *,
    name: str,
    height: int = 340,
    wide: float = WIDTH,
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
    wide : float
        Pixels that its legend has on a laptop.
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
        "margin": margins(axes, _entries(traces, layout), (layout.get("legend") or legend(dark))["y"], wide),
        "font": text,
        "paper_bgcolor": colors.paper,
        "plot_bgcolor": colors.paper,
        "hoverlabel": {"bgcolor": colors.paper, "bordercolor": colors.ink, "font": text},
        "hovermode": "closest",
        "dragmode": False,  # a finger on a small screen scrolls the page, not the chart
        "legend": legend(dark),
        "uirevision": name,
    }
    dressed = {
        key: _axis_looks(key, dark) | {"automargin": not known(axis)} | axis for key, axis in axes.items()
    }
    return go.Figure({"data": traces, "layout": common | dressed | layout}, _validate=False)


def _entries(traces: list[dict[str, Any]], layout: dict[str, Any]) -> list[str]:
    """Return what the legend lists; Plotly has none for a single trace unless told so."""
    listed = [trace.get("name", "") for trace in traces if trace.get("showlegend", True)]
    return listed if layout.get("showlegend", len(traces) > 1) else []


def _axis_looks(key: str, dark: bool) -> dict[str, Any]:
    """Return what all axes share: thin, quiet, grid lines across only."""
    colors = palette(dark)
    return {
        "tickfont": {"color": colors.ink, "size": FONT},
        "gridcolor": colors.grid,
        "linecolor": colors.grid,
        "tickcolor": colors.grid,
        "ticks": "outside",
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
        found.append([round(max(top - height, 0.0) / inner, 5), round(top / inner, 5)])
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
