"""Parts of all charts of a comparison: axes that stay put, a legend that covers nothing, colours.

A chart is a pure function from a comparison to a figure, with a twin that says the same in words for
those who cannot see it. Simulated curves are solid with a 95 % band, theory is dashed.
"""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from sim.telling.margins import WIDTH, known, margins
from sim.telling.palette import palette
from sim.telling.plot import FONT, LINE, Part, Plot


def figure(plot: Plot) -> go.Figure:
    """Return a chart as a figure, which Streamlit draws.

    Notes
    -----
    Plotly would check each property, which takes five times as long as all the rest, for every visitor
    at every move; the tests check them instead.
    """
    return go.Figure(plot.values(), _validate=False)


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


def curve(x: ArrayLike, y: ArrayLike, name: str, color: str, **more: Any) -> Part:
    """Return a line through points; a ``line`` given in `more` replaces only what it names."""
    line = {"color": color, "width": LINE} | more.pop("line", {})
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "line": line} | more


def points(x: ArrayLike, y: ArrayLike, name: str, color: str, **more: Any) -> Part:
    """Return marks at points; a ``marker`` given in `more` replaces only what it names."""
    marker = {"color": color, "size": 8} | more.pop("marker", {})
    return {"type": "scatter", "mode": "markers", "x": x, "y": y, "name": name, "marker": marker} | more


def upright(x: float, color: str, *, top: float | None = None, dash: str = "solid", width: float = 1) -> Part:
    """Return a vertical line, up to `top` in the units of the axis or through the whole panel."""
    ends = {"yref": "paper", "y0": 0, "y1": 1} if top is None else {"y0": 0, "y1": top}
    return {"type": "line", "x0": x, "x1": x, **ends, "line": {"color": color, "width": width, "dash": dash}}


def level(y: float, color: str, *, dash: str = "solid", width: float = 1.5) -> Part:
    """Return a horizontal line through the whole panel."""
    line = {"color": color, "width": width, "dash": dash}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}


def note(text: str, dark: bool, **where: Any) -> Part:
    """Return a few words in the chart, on the colour of the paper so that lines do not cross them."""
    colors = palette(dark)
    font = {"color": colors.ink, "size": FONT}
    return {"text": text, "showarrow": False, "font": font, "bgcolor": colors.paper} | where
