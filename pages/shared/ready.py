"""A figure as it is sent, made once for all who see it."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
import orjson
import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure
from plotly.io.json import to_json_plotly

#: Digits that are sent of a number, and of the span of all numbers of an array: more than a screen shows.
DIGITS = 5
#: The font of the page, which a theme of Streamlit would name.
FAMILY = "Source Sans, sans-serif"


class Ready(BaseFigure):  # type: ignore[misc]
    """A figure that Streamlit only has to send: its arrays and dictionaries are JSON already.

    Streamlit hands each figure to Plotly twice, and Plotly draws it twice if anything may have changed. It
    knows that nothing has if arrays are lists and come with a revision, and if there is no template, which
    are the themes of both: so show it with ``theme=None``. A browser then draws in two thirds of the time.

    Parameters
    ----------
    figure : Figure
        Not to be changed any more; its fonts and colours do not depend on a theme.
    """

    def __init__(self, figure: go.Figure) -> None:
        data = [_written(trace.to_plotly_json()) for trace in figure.data]
        layout = figure.layout.to_plotly_json()
        layout.pop("template", None)
        layout["font"] = {"family": FAMILY} | layout.get("font", {})
        layout["datarevision"] = blake2b(orjson.dumps(data), digest_size=8).hexdigest()
        object.__setattr__(self, "_sent", {"data": data, "layout": _written(layout)})
        object.__setattr__(self, "_figure", figure)

    @property
    def figure(self) -> go.Figure:
        """The figure itself."""
        return self._figure

    def to_dict(self) -> Any:
        """Return the figure's data and layout, not to be changed."""
        return self._sent


def _written(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the properties: those with parts as JSON, plain ones as they are, since they are looked at."""
    return {
        name: orjson.Fragment(to_json_plotly(_short(value)))
        if isinstance(value, (dict, list, tuple, np.ndarray))
        else value
        for name, value in properties.items()
    }


def _short(value: Any) -> Any:
    """Return a value whose arrays, also inside dictionaries, are lists of short numbers."""
    if isinstance(value, dict):
        return {name: _short(part) for name, part in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    return rounded(value).tolist() if value.dtype.kind == "f" else value.tolist()


def rounded(numbers: np.ndarray) -> np.ndarray:
    """Return numbers with `DIGITS` significant digits, or as many as tell `DIGITS` digits of their span.

    Examples
    --------
    >>> rounded(np.array([1.23456789, 98765.4321])), rounded(np.array([98765.4321, 98766.5432]))
    (array([1.2346e+00, 9.8765e+04]), array([98765.4321, 98766.5432]))
    """
    known = numbers[np.isfinite(numbers) & (numbers != 0)]
    if not known.size:
        return numbers
    span = np.ptp(known) or np.abs(known).max()
    size = np.abs(np.where(np.isfinite(numbers) & (numbers != 0), numbers, span))
    finest = np.minimum(np.log10(size), np.log10(span))
    places = np.clip(DIGITS - 1 - np.floor(finest), -300, 300)  # beyond, powers of ten are not numbers
    factor = 10.0 ** np.abs(places)
    return np.where(places >= 0, np.round(numbers * factor) / factor, np.round(numbers / factor) * factor)
