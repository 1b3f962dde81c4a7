"""A figure, serialised once for all sessions that show it, in few bytes.

They show and tell the same on every screen: numbers have the digits that a reader is told, a band has the
points that a screen can show, and what Plotly takes anyway is left out.
"""

from __future__ import annotations

import json
import math
import re
import textwrap
from hashlib import blake2b
from typing import Any

import numpy as np
import orjson
import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure
from plotly.io.json import to_json_plotly

#: Points of a title, characters of it that have room in a line on a phone, pixels of a line.
TITLE, LONGEST, LINE = 15, 48, 22
#: Pixels above a title; Plotly leaves those of its first line's capitals only where there is one line.
ABOVE, CAPITALS = 4, 11
#: Bytes of a figure beside its JSON: what holds the parts of it.
WRAPPING = 8_000
#: Parts of a number, and of the span of all numbers of an array, that are told apart unless more is known.
PARTS = 1000
#: What tells a reader at most three digits of a number, and how many.
TOLD = re.compile(r"%\{(\w+):,?\.([123])~?[rg]\}")
#: Digits of a number that nobody is told, on an axis of which it is not known what can be seen.
SILENT = 3
#: How far a point may lie from its place, as a share of the chart: half a pixel.
UNSEEN = 1 / 1000
#: Numbers from which on a whole one is longer without a point than with an exponent.
WHOLE = 1e15
#: How an axis looks whose lines and labels are drawn.
DRAWN = frozenset(
    {
        "tickfont",
        "tickcolor",
        "gridcolor",
        "linecolor",
        "ticks",
        "showgrid",
        "showline",
        "zeroline",
        "automargin",
    }
)
#: Letters that are not ASCII.
OTHERS = re.compile(r"[^\x00-\x7f]+")
#: The font of the page, which a theme of Streamlit would name.
FAMILY = "Source Sans, sans-serif"


class SerializedFigure(BaseFigure):  # type: ignore[misc]
    """A figure that Streamlit only has to send: its arrays and dictionaries are JSON already.

    Streamlit hands each figure to Plotly twice, and Plotly draws it twice if anything may have changed. It
    knows that nothing has if arrays are lists and come with a revision, and if there is no template, which
    are the themes of both: so show it with ``theme=None``. A browser then draws in two thirds of the time.

    Parameters
    ----------
    figure : Figure
        Not to be changed any more; its fonts and colours do not depend on a theme.
    title : str
        Written above it, for which it gets higher. An element of the page for each title would be one
        message more for each visitor.

    Attributes
    ----------
    digest : str
        Equal for figures that are sent alike.
    """

    digest: str

    def __init__(self, figure: go.Figure, title: str = "") -> None:
        layout = plain(figure._layout)  # not a copy, a third of the time: nothing here changes it
        data = [_written(compact(trace, layout)) for trace in figure._data]
        layout |= _headed(layout, title) if title else {}
        layout["font"] = {"family": FAMILY} | layout.get("font", {})
        layout["datarevision"] = blake2b(orjson.dumps(data), digest_size=8).hexdigest()
        sent = {"data": data, "layout": _written(layout)}
        object.__setattr__(self, "_sent", sent)
        written = orjson.dumps(sent)
        object.__setattr__(self, "_size", WRAPPING + len(written))
        object.__setattr__(self, "digest", blake2b(written, digest_size=16).hexdigest())

    def __sizeof__(self) -> int:
        return self._size

    @property
    def figure(self) -> go.Figure:
        """The figure as it is sent, made anew from that: with its objects it would be five times as large."""
        return go.Figure(orjson.loads(orjson.dumps(self._sent)))

    def to_dict(self) -> Any:
        """Return the figure's data and layout, not to be changed."""
        return self._sent


def _headed(layout: dict[str, Any], title: str) -> dict[str, Any]:
    """Return what of a layout is different with a title above the chart, which keeps its size.

    A legend grows upwards on a narrow screen and pushes the chart down, but not its title: the title of the
    legend, which is as high and empty, keeps it from there.
    """
    lines = textwrap.wrap(title, LONGEST, break_on_hyphens=False)
    room, margin = LINE * len(lines), layout["margin"]
    above = ABOVE + (CAPITALS if len(lines) > 1 else 0)
    empty = {"text": "<br>".join("\u00a0" for _ in lines), "side": "top", "font": {"size": TITLE}}
    return {
        **(
            {}
            if layout.get("showlegend") is False
            else {"legend": layout.get("legend", {}) | {"title": empty}}
        ),
        "title": {
            "text": f"<b>{'<br>'.join(lines)}</b>",
            "font": {"size": TITLE},
            **{"x": 0, "xref": "container", "xanchor": "left"},
            **{"y": 1, "yref": "container", "yanchor": "top", "pad": {"t": above}},
        },
        "height": layout["height"] + room,
        "margin": margin | {"t": margin["t"] + room},
    }


def _written(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the properties: those with parts as JSON, plain ones as they are, since they are looked at."""
    return {
        name: orjson.Fragment(_in_ascii(to_json_plotly(_short(value))))
        if isinstance(value, (dict, list, tuple, np.ndarray))
        else value
        for name, value in properties.items()
    }


def _in_ascii(text: str) -> str:
    r"""Return JSON without other letters: Streamlit encodes a chart four times, which is free for ASCII.

    Examples
    --------
    >>> print(_in_ascii('"α ≤ 2"'))
    "\u03b1 \u2264 2"
    """
    return OTHERS.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _short(value: Any) -> Any:
    """Return a value whose arrays, also inside dictionaries, are lists of short numbers."""
    if isinstance(value, dict):
        return {name: _short(part) for name, part in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind != "f":
        return value.tolist()
    return listed(rounded(value)) if value.ndim == 1 else rounded(value).tolist()


def plain(layout: dict[str, Any]) -> dict[str, Any]:
    """Return a layout without a template, and without what says of a part what holds for all of them."""
    font = layout.get("font")
    found: dict[str, Any] = {
        name: _axis(part, font) if name[1:5] == "axis" else part for name, part in layout.items()
    }
    found.pop("template", None)
    if found.get("showlegend") is False:
        found.pop("legend", None)
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
    # only what is compared may not be an array, such as the places of ticks
    return {
        name: part
        for name, part in properties.items()
        if part is None or name not in usual or part != usual[name]
    }


def compact(trace: dict[str, Any], layout: dict[str, Any]) -> dict[str, Any]:
    """Return a trace with the points and the digits that a screen shows and a reader is told."""
    axes = {letter: _of(trace, letter, layout) for letter in "xy"}
    silent = trace.get("hoverinfo") == "skip"
    if silent and trace.get("showlegend") is False:  # nobody sees its name
        trace = {name: value for name, value in trace.items() if name != "name"}
    if silent and trace.get("fill") == "toself" and all("range" in axis for axis in axes.values()):
        ends = {letter: _shown(np.asarray(trace[letter], float), axis) for letter, axis in axes.items()}
        x, y = (_placed(ends[letter], axis) for letter, axis in axes.items())
        kept = needed(x + 1j * y)
        trace = trace | {letter: values[kept] for letter, values in ends.items()}
    told = {name: int(one) for name, one in sorted(TOLD.findall(trace.get("hovertemplate") or ""))}
    found: dict[str, Any] = {}
    for name, value in trace.items():
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or value.ndim > 1:
            found[name] = float(f"{value:.7g}") if isinstance(value, float) else value
        elif name in axes:
            step = _seen(value, axes[name])
            digits = (SILENT if step is None else 0) if silent else told.get(name)
            found[name] = listed(rounded(value, digits, step))
        elif name in told and not silent:
            found[name] = listed(rounded(value, told[name], np.array(math.inf)))  # it has no place
        else:
            found[name] = listed(rounded(value))
    return found


def _of(trace: dict[str, Any], letter: str, layout: dict[str, Any]) -> dict[str, Any]:
    """Return the axis of a trace that has this letter."""
    found: dict[str, Any] = layout.get(f"{letter}axis{trace.get(f'{letter}axis', letter)[1:]}", {})
    return found


def _seen(values: np.ndarray, axis: dict[str, Any]) -> np.ndarray | None:
    """Return the step from each value that a screen can show on an axis; none where that is not known."""
    if "range" not in axis:
        return None
    low, high = axis["range"]
    bottom, top = axis.get("domain", (0, 1))
    step = 2 * UNSEEN * abs(high - low) / (top - bottom)
    log = axis.get("type", "linear") == "log"
    return np.abs(values) * step * math.log(10) if log else np.full(values.shape, step)


def _shown(values: np.ndarray, axis: dict[str, Any]) -> np.ndarray:
    """Return the ends of a band; on a logarithmic axis one that is not above 0 lies a decade below it.

    Examples
    --------
    >>> _shown(np.array([-3.0, 20.0]), {"type": "log", "range": [1.0, 2.0]}).tolist()
    [1.0, 20.0]
    """
    return np.maximum(values, 10 ** (min(axis["range"]) - 1)) if axis.get("type") == "log" else values


def _placed(values: np.ndarray, axis: dict[str, Any]) -> np.ndarray:
    """Return where values lie on an axis, as shares of it."""
    low, high = axis["range"]
    return ((np.log10(values) if axis.get("type") == "log" else values) - low) / (high - low)


def needed(points: np.ndarray, most: float = UNSEEN) -> np.ndarray:
    """Return the places of the points without which the line through them would move by more than `most`.

    A line is drawn from a kept point as long as it passes all points on the way (sleeve fitting: Zhao and
    Saalfeld 1997).

    Parameters
    ----------
    points : ndarray of complex
    most : float, optional

    Examples
    --------
    >>> needed(np.array([0, 1, 2, 3 + 0.001j, 4, 4 + 4j]), 0.01)
    array([0, 4, 5])
    """
    if points.size < 3:
        return np.arange(points.size)
    kept = [0]
    anchor, *rest = points.tolist()
    previous, left, right, far = anchor, 1j, 1j, 0.0  # a line between left and right passes all points so far
    for place, point in enumerate(rest):
        along = point - anchor
        size = abs(along)
        if far and (size < far or (along * left).imag > 0 or (along * right).imag < 0):
            kept.append(place)
            anchor, along, far = previous, point - previous, 0.0
            size = abs(along)
        previous = point
        if size > most:
            reach = math.sqrt(size * size - most * most)
            leftmost, rightmost = along * complex(reach, most), along * complex(reach, -most)
            if not far or (leftmost * left).imag < 0:
                left = leftmost.conjugate()
            if not far or (rightmost * right).imag > 0:
                right = rightmost.conjugate()
            far = size
    return np.array([*kept, len(rest)])


def listed(numbers: np.ndarray) -> list[Any]:
    """Return numbers as a list, whole ones without a point.

    Examples
    --------
    >>> listed(np.array([0.0, 2.0, 0.5]))
    [0, 2, 0.5]
    """
    return [int(one) if one.is_integer() and abs(one) < WHOLE else one for one in numbers.tolist()]


def rounded(numbers: np.ndarray, digits: int | None = None, step: np.ndarray | None = None) -> np.ndarray:
    """Return numbers with so many significant digits, and more where these are more than a step apart.

    Parameters
    ----------
    numbers : ndarray
    digits : int, optional
        0: the step decides alone. Unless given, as many as tell a thousand parts of a number apart.
    step : ndarray of float, optional
        Unless given, a thousandth of the span of the numbers.

    Examples
    --------
    >>> rounded(np.array([1.23456789, 98765.4321])), rounded(np.array([98765.4321, 98766.5432]))
    (array([1.235e+00, 9.877e+04]), array([98765.432, 98766.543]))
    >>> rounded(np.array([0.123456, 1.23456, 34.5678]), 3, np.array(math.inf))
    array([ 0.123,  1.23 , 34.6  ])
    """
    isknown = np.isfinite(numbers) & (numbers != 0)
    if not isknown.any():
        return numbers
    span = np.ptp(numbers[isknown]) or np.abs(numbers[isknown]).max()
    size = np.abs(np.where(isknown, numbers, span))
    told = size / PARTS if digits is None else 10.0 ** (np.floor(np.log10(size)) + 1 - (digits or -math.inf))
    finest = np.minimum(told, span / PARTS if step is None else np.where(isknown, step, told))
    places = np.clip(-np.floor(np.log10(finest)), -300, 300)  # beyond, powers of ten are not numbers
    factor = 10.0 ** np.abs(places)
    return np.where(places >= 0, np.round(numbers * factor) / factor, np.round(numbers / factor) * factor)
