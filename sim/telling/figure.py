"""A chart as a figure of Plotly: the one place below the pages that knows of it, when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.telling.plot import Plot

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Figure


def figure(plot: Plot) -> Figure:
    """Return a chart as a figure.

    Notes
    -----
    Plotly would check each property, which takes five times as long as all the rest, for every visitor
    at every move; the tests check them instead.
    """
    from plotly.graph_objects import Figure

    return Figure(plot.values(), _validate=False)
