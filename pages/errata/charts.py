"""The picture of a finding.

What is right has the first colour and a solid line, what is printed the second and a dashed one.
"""

from __future__ import annotations

import plotly.graph_objects as go

from pages.errata.evidence import Picture
from pages.shared.charts.on_page import figure
from sim.telling.plot import Plot

HEIGHT = 300

DASHES = ("solid", "dash", "dot", "dashdot")


def draw(picture: Picture, dark: bool, name: str) -> go.Figure:
    """Draw the picture of a finding."""
    plot = Plot(name, dark, HEIGHT)
    for line in picture.lines:
        told, color = f"{line.name}: %{{y:.4~g}} at %{{x:.4~g}}", plot.colors.series[line.role]
        if line.marked:
            thin = {"mode": "lines+markers", "line": {"color": color, "width": 1}}
            plot.dots(line.x, line.y, line.name, color, told, **thin)
        else:
            plot.line(line.x, line.y, line.name, color, told, line={"dash": DASHES[line.role]})
    for place, (x, text) in enumerate(picture.uprights):
        plot.up(x, dash="dot")
        y = 0.02 + 0.1 * place  # each a line farther from the edge than the one before
        y = y if picture.labels == "bottom" else 1 - y
        plot.note(f" {text} ", x=x, xanchor="left", y=y, yref="paper", yanchor=picture.labels)
    plot.axis("x", picture.across, {"nticks": 6} | picture.axes[0])
    plot.axis("y", picture.upwards, {"nticks": 6} | picture.axes[1])
    return figure(plot)
