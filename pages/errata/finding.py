"""A finding: what a paper prints, what is right, and an instance that shows the difference.

The instance is computed by the theory when it is looked at. In every picture what is right has the first
colour and a solid line, what is printed the second and a dashed one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from pages.shared.charts.chart import chart, titled
from pages.shared.charts.marks import Part, curve, note, points, upright
from pages.shared.charts.palette import palette

HEIGHT = 300
RIGHT, PRINTED, OTHER, FOURTH = range(4)
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True, slots=True)
class Line:
    """A curve of a picture; its role gives colour and dash. Marked, it is points joined."""

    name: str
    x: ArrayLike
    y: ArrayLike
    role: int = RIGHT
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """Curves with axes, labelled upright lines, and the same in words.

    Attributes
    ----------
    across, upwards : str
        Titles of the axes.
    alt : str
        What the picture shows, with its numbers.
    uprights : tuple of (float, str)
        Where a line stands, and what it says.
    axes : tuple of two dicts
        What is special about the axes, as Plotly has it.
    labels : str
        Where the uprights are labelled, ``bottom`` or ``top``: where no curve is.
    """

    lines: tuple[Line, ...]
    across: str
    upwards: str
    alt: str
    uprights: tuple[tuple[float, str], ...] = ()
    axes: tuple[Part, Part] = ({}, {})
    labels: str = "bottom"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the theory answers to the instance of a finding: words in Markdown, a table, a picture."""

    told: str
    table: pd.DataFrame | None = None
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One place of a paper.

    Attributes
    ----------
    title : str
        In one line, what was found.
    place : str
        Where in the paper.
    printed, right : str
        In Markdown.
    show : callable
        Computes the evidence.
    known : str
        How we know.
    tests : tuple of str
        The tests that hold it, ``file::function`` below ``tests/theory``.
    remark : bool
        Whether nothing printed is wrong, but something worth knowing is not said.
    play : tuple of str and dict, optional
        The page on which the instance can be played with, and its link's parameters.
    """

    title: str
    place: str
    printed: str
    right: str
    show: Callable[[], Evidence]
    known: str
    tests: tuple[str, ...]
    remark: bool = False
    play: tuple[str, dict[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, what of it is confirmed, what was found, and small slips of the pen."""

    key: str
    short: str
    reference: str
    confirmed: tuple[str, ...]
    findings: tuple[Finding, ...]
    slips: tuple[str, ...]

    def anchor(self, finding: Finding) -> str:
        """Return the name of a finding in a link."""
        return f"{self.key}-{self.findings.index(finding) + 1}"


def draw(picture: Picture, dark: bool, name: str) -> go.Figure:
    """Draw the picture of a finding."""
    colors = palette(dark)
    traces = [_trace(line, colors.series[line.role]) for line in picture.lines]
    across = {"title": titled(picture.across, dark), "fixedrange": True, "nticks": 6} | picture.axes[0]
    upwards = {"title": titled(picture.upwards, dark), "fixedrange": True, "nticks": 6} | picture.axes[1]
    return chart(
        traces,
        {"xaxis": across, "yaxis": upwards},
        dark,
        name=name,
        height=HEIGHT,
        shapes=[upright(x, colors.ink, dash="dot") for x, _ in picture.uprights],
        annotations=[
            _label(picture.labels, place, x, text, dark) for place, (x, text) in enumerate(picture.uprights)
        ],
    )


def _label(side: str, place: int, x: float, text: str, dark: bool) -> Part:
    """Return what an upright says, each a line farther from the edge than the one before."""
    y = 0.02 + 0.1 * place
    where = {"x": x, "xanchor": "left", "yref": "paper", "yanchor": side}
    return note(f" {text} ", dark, y=y if side == "bottom" else 1 - y, **where)


def _trace(line: Line, color: str) -> Part:
    dash = {"dash": DASHES[line.role]}
    told = f"{line.name}: %{{y:.4~g}} at %{{x:.4~g}}<extra></extra>"
    if line.marked:
        look = {"mode": "lines+markers", "line": {"color": color, "width": 1}, "hovertemplate": told}
        return points(line.x, line.y, line.name, color, **look)
    return curve(line.x, line.y, line.name, color, line=dash, hovertemplate=told)
