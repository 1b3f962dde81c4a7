"""A figure of a paper as a value: its axes, our curves on them, and the points the paper reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.model.statistics import Estimate
from sim.telling.content import FOLDER, ContentError, made, tables


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve of ours.

    Parameters
    ----------
    name : str
        What the legend calls it.
    x : tuple of float or of str
        Numbers, or the names of bars.
    y : tuple of Estimate
        One for each `x`; exact ones have no interval.
    panel : int, optional
        Place of the panel it is in.
    exact : bool, optional
        Whether it is computed from a formula.
    """

    name: str
    x: tuple[Any, ...]
    y: tuple[Estimate, ...]
    panel: int = 0
    exact: bool = False

    @classmethod
    def of_theory(cls, name: str, x: ArrayLike, y: ArrayLike, panel: int = 0) -> Curve:
        """Return an exact curve.

        Examples
        --------
        >>> Curve.of_theory("theta", [1.5], [4 / 3]).y[0].half
        0.0
        """
        values = np.asarray(y, dtype=float).tolist()
        exact = tuple(Estimate(one, one, one) for one in values)
        return cls(name, tuple(np.asarray(x, dtype=float).tolist()), exact, panel, exact=True)


@dataclass(frozen=True, slots=True)
class Mark:
    """What the paper reports: a point, or a line if one of the two numbers is all it reports."""

    text: str
    x: Any = None
    y: float | None = None
    panel: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """The axes of one panel, as in the paper; without limits they are those of the curves."""

    across: str
    upwards: str
    title: str = ""
    log: bool = False
    xlim: tuple[float, float] | None = None
    ylim: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure of a paper.

    Parameters
    ----------
    key : str
        How the shell calls it: the beginning of the keys of its claims, if it has any.
    paper, place : str
        The paper, as the project calls it, and the figure or section.
    title : str
        What it shows, in one line.
    panels : tuple of Panel
    draw : callable
        Called with whether a quick answer will do; returns the curves.
    about : str
        How ours is made, and in what it differs from the paper's.
    marks : tuple of Mark, optional
        What the paper reports of it, in its text.
    simulated : bool, optional
        Whether curves come from runs, and are therefore read from `curves.json`.
    """

    key: str
    paper: str
    place: str
    title: str
    panels: tuple[Panel, ...]
    draw: Callable[[bool], tuple[Curve, ...]]
    about: str
    marks: tuple[Mark, ...] = ()
    simulated: bool = False


#: Key of a picture -> what is said of it.
SAID = tables(FOLDER / "figures.toml")


def picture(key: str, **drawn: Any) -> Picture:
    """Return the picture of a key: what `sim/content/figures.toml` says of it, drawn so.

    Raises
    ------
    ContentError
        If nothing is said of it, or not just what is needed.
    """
    where = f"figures.toml: {key}"
    if key not in SAID:
        raise ContentError(f"{where}: a picture is drawn, and there is no table")
    return made(Picture, where, key=key, **SAID[key], **drawn)


def as_json(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """Return curves as a file keeps them: six digits, since their intervals are far wider.

    Examples
    --------
    >>> as_json([Curve("a", (1.0,), (Estimate(2.0, 1.5, 2.5),))])[0]["low"]
    [1.5]
    """

    def digits(value: float | None) -> float | None:
        return None if value is None else float(f"{value:.6g}")

    return [
        {
            "name": curve.name,
            "panel": curve.panel,
            "exact": curve.exact,
            "x": list(curve.x),
            "value": [digits(one.value) for one in curve.y],
            "low": [digits(one.low) for one in curve.y],
            "high": [digits(one.high) for one in curve.y],
        }
        for curve in curves
    ]


def from_json(kept: Sequence[dict[str, Any]]) -> tuple[Curve, ...]:
    """Return the curves of a file."""
    return tuple(
        Curve(
            one["name"],
            tuple(one["x"]),
            tuple(map(Estimate, one["value"], one["low"], one["high"])),
            one["panel"],
            one["exact"],
        )
        for one in kept
    )
