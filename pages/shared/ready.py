"""A figure as it is sent, made once for all who see it."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

import numpy as np
import orjson
import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure
from plotly.io.json import to_json_plotly


class Ready(BaseFigure):  # type: ignore[misc]
    """A figure that Streamlit only has to send: its arrays and dictionaries are JSON already.

    Parameters
    ----------
    figure : Figure
        Not to be changed any more.
    """

    def __init__(self, figure: go.Figure) -> None:
        whole = figure.to_dict()
        sent = {"data": [_written(trace) for trace in whole["data"]], "layout": _written(whole["layout"])}
        object.__setattr__(self, "_sent", sent)
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
        name: orjson.Fragment(to_json_plotly(_single(value))) if isinstance(value, (dict, list)) else value
        for name, value in properties.items()
    }


def _single(value: Any) -> Any:
    """Return an array of numbers in single precision: more than a screen shows, and half as much to send."""
    if not isinstance(value, dict) or value.get("dtype") != "f8":
        return value
    numbers = np.frombuffer(b64decode(value["bdata"])).astype(np.float32)
    return value | {"dtype": "f4", "bdata": b64encode(numbers.tobytes()).decode()}
