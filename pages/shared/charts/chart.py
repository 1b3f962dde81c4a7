"""A chart as the figure that Streamlit draws."""

from __future__ import annotations

import plotly.graph_objects as go

from sim.telling.plot import Plot


def figure(plot: Plot) -> go.Figure:
    """Return a chart as a figure.

    Notes
    -----
    Plotly would check each property, which takes five times as long as all the rest, for every visitor
    at every move; the tests check them instead.
    """
    return go.Figure(plot.values(), _validate=False)
