"""Margins of a chart, large enough for its texts, computed before a browser draws it.

Plotly can find it by itself: it draws a chart, measures every label and draws again. Four charts then take
a quarter more of the browser's time at each move, so that is left to axes whose labels are not known here.
"""

from __future__ import annotations

import math
from typing import Any

from sim.telling.scales import round_up

Axis = dict[str, Any]
#: Pixels at 12 points: of a digit, a slim letter, another one, a line, a tick mark and the gap to its label.
DIGIT, SLIM, LETTER, LINE, TICK = 6.2, 4.2, 6.6, 16, 12
SLIM_ONES = frozenset("fijlrtI .,:;'’·()[]|/-")
#: Pixels at the edge, above a legend, of an axis title and the gap before it, of a legend entry beside its
#: name, of its row.
EDGE, TOP, TITLE, KEY, ROW = 4, 15, 26, 46, 19
#: Pixels that a plot is wide at least on a screen that shows two side by side.
WIDTH = 400
#: Pixels from the foot to the head of most plots.
HEIGHT = 250


def margins(
    axes: dict[str, Axis], entries: list[str], above: float = 1.02, wide: float = WIDTH
) -> dict[str, float]:
    """Return the margins of a chart with these axes and a legend above it of these `entries`.

    A legend that needs more room on a narrow screen takes it.

    Parameters
    ----------
    axes : dict of dict
        By Plotly's name of each.
    entries : list of str
        Empty without a legend.
    above : float
        Where the legend begins, in heights of the plot from its foot.
    wide : float
        Pixels that a row of the legend has.

    Examples
    --------
    >>> axes = {"xaxis": {"range": [0, 5]}, "yaxis": {"range": [0, 1200], "title": {"text": "tasks"}}}
    >>> margins(axes, ["all"])
    {'l': 71, 'r': 12, 't': 47, 'b': 28, 'pad': 0}
    """
    across = [axis for name, axis in axes.items() if name.startswith("x") and known(axis)]
    upwards = [axis for name, axis in axes.items() if name.startswith("y") and known(axis)]
    labels = [max(map(width, ticks(axis)), default=0.0) for axis in upwards]
    left = [
        titled(axis) + (TICK + label if label else 0) for axis, label in zip(upwards, labels, strict=True)
    ]
    below = [titled(axis) + 8 + LINE * max(map(lines, ticks(axis)), default=0) for axis in across]
    right = [width(label) / 2 for axis in across for label in ticks(axis)[-1:]]
    legend = (above - 1) * HEIGHT + ROW * rows(entries, wide) + TOP if entries else 0
    return {
        "l": EDGE + math.ceil(max(left, default=0)),
        "r": max(12, *map(math.ceil, right), 0),
        "t": 8 + math.ceil(legend),
        "b": EDGE + max(below, default=0),
        "pad": 0,  # else Streamlit's theme moves ticks and labels away from the plot, onto the title
    }


def known(axis: Axis) -> bool:
    """Return whether the labels of an axis are known before it is drawn: told, or plain numbers."""
    plain = axis.get("type", "linear") == "linear" and axis.get("tickformat", ",~r") in (",~r", ",")
    return "ticktext" in axis or (plain and "range" in axis)


def titled(axis: Axis) -> int:
    """Return the room of an axis title, none where there is none."""
    text = (axis.get("title") or {}).get("text")
    return TITLE + LINE * (lines(text) - 1) if text else 0


def ticks(axis: Axis) -> list[str]:
    """Return the labels of an axis, or, where Plotly chooses round numbers, those that may be the widest."""
    if axis.get("visible") is False or axis.get("showticklabels") is False:
        return []
    if "ticktext" in axis:
        return list(axis["ticktext"])
    low, high = sorted(axis["range"])
    step = axis.get("dtick") or round_up((high - low) / axis.get("nticks", 6))
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{end:,.{places}f}" for end in (low, high)]


def width(label: str) -> float:
    """Return about how many pixels wide a label is, rather more than less.

    Examples
    --------
    >>> width("100 %") == width("20<br>100 %")
    True
    """
    return max(sum(map(_pixels, line)) for line in label.split("<br>"))


def _pixels(letter: str) -> float:
    if letter.isdigit():
        return DIGIT
    return SLIM if letter in SLIM_ONES else LETTER


def lines(label: str) -> int:
    """Return how many lines a label has."""
    return label.count("<br>") + 1


def rows(entries: list[str], wide: float = WIDTH) -> int:
    """Return how many rows a legend has: one if all fit, else columns as wide as the widest entry.

    Examples
    --------
    >>> rows(["offered load 0.3", "offered load 0.6", "offered load 0.9"]), rows(["one", "another one"])
    (2, 1)
    """
    widths = [KEY + width(entry) for entry in entries]
    return 1 if sum(widths) <= wide else math.ceil(len(widths) / max(1, int(wide // max(widths))))
