"""A figure, serialised once for all sessions that show it."""

from __future__ import annotations

import json
import re
import textwrap
from hashlib import blake2b
from typing import Any

import numpy as np
import orjson
import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure
from plotly.io.json import to_json_plotly

from pages.shared.charts.compact import compact, listed, plain, rounded

#: Points of a title, characters of it that have room in a line on a phone, pixels of a line.
TITLE, LONGEST, LINE = 15, 48, 22
#: Pixels above a title; Plotly leaves those of its first line's capitals only where there is one line.
ABOVE, CAPITALS = 4, 11
#: Bytes of a figure beside its JSON: what holds the parts of it.
WRAPPING = 8_000
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
    room, margin, legend = LINE * len(lines), layout["margin"], layout.get("legend", {})
    above = ABOVE + (CAPITALS if len(lines) > 1 else 0)
    empty = {"text": "<br>".join("\u00a0" for _ in lines), "side": "top", "font": {"size": TITLE}}
    return {
        "legend": legend | {"title": empty},
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
