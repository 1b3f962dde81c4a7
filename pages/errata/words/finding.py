"""A finding: what a paper prints, the correction, and an instance that shows the difference.

The instance is computed by the theory when it is looked at. In every picture what is right has the first
colour and a solid line, what is printed the second and a dashed one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from numpy.typing import ArrayLike

from sim.telling.plot import Part

#: Roles of a line.
RIGHT, PRINTED, OTHER, FOURTH = range(4)


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

    @property
    def corrections(self) -> tuple[Finding, ...]:
        """Findings of something printed that is wrong; the others are remarks."""
        return tuple(finding for finding in self.findings if not finding.remark)

    def anchor(self, finding: Finding) -> str:
        """Return the name of a finding in a link."""
        return f"{self.key}-{self.findings.index(finding) + 1}"
