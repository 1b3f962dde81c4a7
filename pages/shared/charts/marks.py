"""Parts of the charts of theory pages, as Plotly has them: curves, points, straight lines, notes."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from pages.shared.charts.chart import FONT, LINE
from pages.shared.charts.palette import palette
from pages.shared.charts.scales import round_up

Part = dict[str, Any]


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


def tidy(value: float) -> float:
    """Return the smallest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is at least `value` > 0.

    An axis that ends there stays where it is while a control moves the data a little.

    Examples
    --------
    >>> tidy(1.33), tidy(61), tidy(0.8)
    (1.5, 80.0, 0.8)
    """
    return round_up(value, (1, 1.5, 2, 3, 4, 5, 6, 8))
