"""Figures in few bytes, which show and tell the same on every screen.

Numbers have the digits that a reader is told, a band has the points that a screen can show, and what Plotly
takes anyway is left out.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

#: Parts of a number, and of the span of all numbers of an array, that are told apart unless more is known.
PARTS = 1000
#: Parts of a number of which a reader is told at most three digits, and what tells no more of it.
FEW, TOLD = 250, re.compile(r"%\{(\w+):,?\.[123]~?[rg]\}")
#: How far a point may lie from its place, as a share of the chart: half a pixel.
UNSEEN = 1 / 1000
#: Numbers from which on a whole one is longer without a point than with an exponent.
WHOLE = 1e15
#: How an axis looks whose lines and labels are drawn.
DRAWN = frozenset({
    "tickfont", "tickcolor", "gridcolor", "linecolor", "ticks", "showgrid", "showline", "zeroline",
    "automargin",
})  # fmt: skip


def plain(layout: dict[str, Any]) -> dict[str, Any]:
    """Return a layout without a template, and without what says of a part what holds for all of them."""
    font = layout.get("font")
    found = {name: _axis(part, font) if name[1:5] == "axis" else part for name, part in layout.items()}
    found.pop("template", None)
    if "legend" in found:
        found["legend"] = _unlike(found["legend"], font=font)
    if found.get("annotations"):
        found["annotations"] = [_unlike(note, font=font) for note in found["annotations"]]
    return found


def _axis(axis: dict[str, Any], font: dict[str, Any] | None) -> dict[str, Any]:
    """Return an axis with its looks as far as they can be seen."""
    if axis.get("visible") is False:
        return {name: part for name, part in axis.items() if name not in DRAWN}
    colors = {"showgrid": "gridcolor", "showline": "linecolor"}
    unseen = {color for shown, color in colors.items() if axis.get(shown) is False}
    return _unlike({name: part for name, part in axis.items() if name not in unseen}, tickfont=font)


def _unlike(properties: dict[str, Any], **usual: Any) -> dict[str, Any]:
    """Return the properties that are not as usual."""
    return {name: part for name, part in properties.items() if part is None or part != usual.get(name)}


def compact(trace: dict[str, Any], layout: dict[str, Any]) -> dict[str, Any]:
    """Return a trace with the points and the digits that a screen shows and a reader is told."""
    axes = {letter: _of(trace, letter, layout) for letter in "xy"}
    silent = trace.get("hoverinfo") == "skip"
    if silent and trace.get("fill") == "toself" and all("range" in axis for axis in axes.values()):
        x, y = (_placed(np.asarray(trace[letter], float), axis) for letter, axis in axes.items())
        kept = needed(x + 1j * y)
        trace = trace | {letter: np.asarray(trace[letter])[kept] for letter in axes}
    briefly = set(axes if silent else TOLD.findall(trace.get("hovertemplate") or ""))
    found: dict[str, Any] = {}
    for name, value in trace.items():
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or value.ndim > 1:
            found[name] = value
        elif name in axes:
            found[name] = listed(rounded(value, FEW if name in briefly else PARTS, _finest(axes[name])))
        else:
            found[name] = listed(rounded(value, FEW, math.inf) if name in briefly else rounded(value))
    return found


def _of(trace: dict[str, Any], letter: str, layout: dict[str, Any]) -> dict[str, Any]:
    """Return the axis of a trace that has this letter."""
    found: dict[str, Any] = layout.get(f"{letter}axis{trace.get(f'{letter}axis', letter)[1:]}", {})
    return found


def _finest(axis: dict[str, Any]) -> float | None:
    """Return the step of numbers that a screen can show on an axis; none where that is not known."""
    if "range" not in axis or axis.get("type", "linear") != "linear":
        return None
    low, high = axis["range"]
    bottom, top = axis.get("domain", (0, 1))
    return 2 * UNSEEN * abs(high - low) / (top - bottom)


def _placed(values: np.ndarray, axis: dict[str, Any]) -> np.ndarray:
    """Return where values lie on an axis, as shares of it."""
    low, high = axis["range"]
    return ((np.log10(values) if axis.get("type") == "log" else values) - low) / (high - low)


def needed(points: np.ndarray, most: float = UNSEEN) -> np.ndarray:
    """Return the places of the points without which the line through them would move by more than `most`.

    Parameters
    ----------
    points : ndarray of complex
    most : float, optional

    Examples
    --------
    >>> needed(np.array([0, 1, 2, 3 + 0.001j, 4, 4 + 4j]), 0.01)
    array([0, 4, 5])
    """
    kept = np.arange(points.size)
    rounds = (1, 0, 1, 0)  # of two neighbours one stays
    for first in rounds:
        begin, middle, end = points[kept[:-2]], points[kept[1:-1]], points[kept[2:]]
        along = end - begin + 1e-300
        place = (middle - begin) / along
        spare = (np.abs(place.imag * along) <= most / len(rounds)) & (place.real >= 0) & (place.real <= 1)
        spare[first::2] = False
        kept = np.delete(kept, 1 + np.flatnonzero(spare))
    return kept


def listed(numbers: np.ndarray) -> list[Any]:
    """Return numbers as a list, whole ones without a point.

    Examples
    --------
    >>> listed(np.array([0.0, 2.0, 0.5]))
    [0, 2, 0.5]
    """
    return [int(one) if one.is_integer() and abs(one) < WHOLE else one for one in numbers.tolist()]


def rounded(numbers: np.ndarray, parts: float = PARTS, finest: float | None = None) -> np.ndarray:
    """Return numbers with as many digits as tell `parts` of each number apart, and steps of `finest`.

    Unless given, that is as fine a part of the span of the numbers.

    Examples
    --------
    >>> rounded(np.array([1.23456789, 98765.4321])), rounded(np.array([98765.4321, 98766.5432]))
    (array([1.235e+00, 9.877e+04]), array([98765.432, 98766.543]))
    >>> rounded(np.array([0.123456, 1.23456, 34.5678]), parts=250)
    array([ 0.1235,  1.235 , 34.57  ])
    """
    known = numbers[np.isfinite(numbers) & (numbers != 0)]
    if not known.size:
        return numbers
    span = np.ptp(known) or np.abs(known).max()
    size = np.abs(np.where(np.isfinite(numbers) & (numbers != 0), numbers, span))
    step = np.minimum(size / parts, span / PARTS if finest is None else finest)
    places = np.clip(-np.floor(np.log10(step)), -300, 300)  # beyond, powers of ten are not numbers
    factor = 10.0 ** np.abs(places)
    return np.where(places >= 0, np.round(numbers * factor) / factor, np.round(numbers / factor) * factor)
