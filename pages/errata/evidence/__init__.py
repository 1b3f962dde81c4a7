"""What shows a finding: numbers for its sentences, a table, a picture. A file for each paper computes them.

A finding of `sim/content/errata` names by ``numbers:`` the function that computes its own, one of the
``EVIDENCE`` of the paper's file. In every picture what is right has the first colour and a solid line, what
is printed the second and a dashed one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
from numpy.typing import ArrayLike

from sim.telling.plot import Part

#: Roles of a line.
RIGHT, PRINTED, OTHER = range(3)


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
    """Curves with axes, and labelled upright lines.

    Attributes
    ----------
    across, upwards : str
        Titles of the axes.
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
    uprights: tuple[tuple[float, str], ...] = ()
    axes: tuple[Part, Part] = ({}, {})
    labels: str = "bottom"


@dataclass(frozen=True, slots=True)
class Numbers:
    """What the theory answers to the instance of a finding: values for its text, a table, a picture."""

    values: Mapping[str, str]
    table: pd.DataFrame | None = None
    picture: Picture | None = None


def by_name(*compute: Callable[[], Numbers]) -> dict[str, Callable[[], Numbers]]:
    """Return functions by their names."""
    return {one.__name__: one for one in compute}
