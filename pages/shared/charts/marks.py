"""Parts of the charts of theory pages, as Plotly has them: curves, points, straight lines, notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pages.shared.charts.chart import FONT, LINE
from pages.shared.charts.palette import palette
from pages.shared.charts.scales import round_up

Part = dict[str, Any]
#: Lines of curves that lie on each other, the first below: each leaves room for those before it.
DASHES = ("solid", "12px,12px", "5px,19px", "2px,22px", "1px,23px")
#: Curves nearer to each other than this share of the width lie on each other: two pixels of 400.
NEAR = 0.005


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


def lying_on(places: Mapping[str, np.ndarray]) -> dict[str, list[str]]:
    """Return on which curves before it each lies; `places` are theirs on the axis, as shares of the width.

    Examples
    --------
    >>> low, high = np.array([0.1, 0.2]), np.array([0.3, 0.6])
    >>> lying_on({"fair": low, "srpt": high, "fifo": low + 0.001})
    {'fair': [], 'srpt': [], 'fifo': ['fair']}
    """
    found: dict[str, list[str]] = {}
    for name, mine in places.items():
        pairs = {other: (mine, places[other]) for other in found}
        cut = {other: [one[: min(map(len, pair))] for one in pair] for other, pair in pairs.items()}
        near = [other for other, (a, b) in cut.items() if a.size and np.abs(a - b).mean() < NEAR]
        found[name] = near
    return found
