"""A chart as values that Plotly draws: its axes, lines, dots, bars, marks and notes, with shared looks.

Nothing here needs a screen, so a page, a report and a lesson draw one chart alike. Simulated curves are
solid with a 95 % band, theory is dashed.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sim.telling.palette import palette
from sim.telling.scales import named_ticks, round_up
from sim.telling.words import BESIDE, clipped
from theory.quoting import shortened

# Margins of a chart, large enough for its texts, computed before a browser draws it.
#
# Plotly can find it by itself: it draws a chart, measures every label and draws again. Four charts then
# take a quarter more of the browser's time at each move, so that is left to axes whose labels are not known
# here.

Axis = dict[str, Any]
#: Pixels at 12 points: of a digit, a slim letter, another one, a line, a tick mark and the gap to its label.
DIGIT, SLIM, LETTER, LINE_HEIGHT, TICK = 6.2, 4.2, 6.6, 16, 12
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
    below = [titled(axis) + 8 + LINE_HEIGHT * max(map(lines, ticks(axis)), default=0) for axis in across]
    right = [width(label) / 2 for axis in across for label in ticks(axis)[-1:]]
    legend = (above - 1) * HEIGHT + ROW * legend_rows(entries, wide) + TOP if entries else 0
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
    return TITLE + LINE_HEIGHT * (lines(text) - 1) if text else 0


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


def legend_rows(entries: list[str], wide: float = WIDTH) -> int:
    """Return how many rows a legend has: one if all fit, else columns as wide as the widest entry.

    Examples
    --------
    >>> long = ["offered load 0.3", "offered load 0.6", "offered load 0.9"]
    >>> legend_rows(long), legend_rows(["one", "another one"])
    (2, 1)
    """
    widths = [KEY + width(entry) for entry in entries]
    return 1 if sum(widths) <= wide else math.ceil(len(widths) / max(1, int(wide // max(widths))))


Part = dict[str, Any]
#: Places of points on an axis: numbers, names, or None of an entry of the legend that is nowhere.
Places = ArrayLike | Sequence[Any]
#: What a pointed-at mark tells: Plotly's template, a text for each mark, or nothing.
Hover = str | Sequence[str] | None
#: Points of text; nothing on a chart is smaller.
FONT = 12
LINE = 2
#: Pixels of the line above a panel that says what it shows.
NAME = 18
DASHED: Part = {"dash": "dash"}
DOTTED: Part = {"dash": "dot"}
CLEAR = "rgba(0, 0, 0, 0)"
#: Where a note stands: on top of the plot, in the middle of it.
ABOVE: Part = {"y": 1, "yref": "paper", "yanchor": "bottom"}
MIDDLE: Part = {"x": 0.5, "xref": "paper", "y": 0.5, "yref": "paper"}
#: Lines of curves that lie on each other, the first below: each leaves room for those before it.
DASHES = ("solid", "12px,12px", "5px,19px", "2px,22px", "1px,23px")
#: Curves nearer to each other than this share of the width lie on each other: two pixels of 400.
NEAR = 0.005


class Plot:
    """A chart that is being drawn.

    Parameters
    ----------
    name : str
        What the zoom of the reader belongs to: the same for every state of one chart.
    dark : bool
        Whether the reader's theme is the dark one.
    height : int, optional
        In pixels, 300 to 400.
    wide : float, optional
        Pixels that its legend has on a laptop.
    above : float, optional
        Where the legend begins, in heights of the plot; unless given, just above.
    **layout
        What this chart wants besides, as Plotly has it.

    Attributes
    ----------
    colors : Palette
    traces, shapes, notes : list of dict
    axes : dict of dict
        By Plotly's name of each.

    Examples
    --------
    >>> plot = Plot("copies needed", dark=False)
    >>> plot.axis("x", "tasks", {"range": [0, 2]})
    >>> plot.line([1, 2], [2, 3], "whole job", plot.colors.series[0], "%{x} tasks", line=DASHED)
    >>> plot.values()["data"][0]["line"]
    {'color': '#0072B2', 'width': 2, 'dash': 'dash'}
    """

    def __init__(
        self,
        name: str,
        dark: bool,
        height: float = 340,
        *,
        wide: float = WIDTH,
        above: float = 1.02,
        **layout: Any,
    ) -> None:
        self.colors = palette(dark)
        self.wide = wide
        self.layout: Part = {"uirevision": name, "height": height, "legend": self._legend(above)} | layout
        self.traces: list[Part] = []
        self.shapes: list[Part] = []
        self.notes: list[Part] = []
        self.axes: dict[str, Part] = {}

    @property
    def font(self) -> Part:
        """Text on the chart."""
        return {"color": self.colors.ink, "size": FONT}

    def axis(
        self,
        which: str,
        title: str | None = None,
        scale: Part | None = None,
        *,
        zoom: bool = False,
        **more: Any,
    ) -> None:
        """Set an axis.

        Parameters
        ----------
        which : str
            'x', 'y', 'x2', ...
        title : str, optional
            The quantity, its symbol and its unit.
        scale : dict, optional
            As of `sim.telling.scales`.
        zoom : bool, optional
            Whether a reader can move its ends.
        **more
            As Plotly has it.
        """
        named = {} if title is None else {"title": {"text": title, "standoff": 8, "font": self.font}}
        fixed = {} if zoom else {"fixedrange": True}
        self.axes[f"{which[0]}axis{which[1:]}"] = named | (scale or {}) | fixed | more

    def line(
        self, x: Places | None, y: Places, name: str, color: str, hover: Hover = None, **more: Any
    ) -> None:
        """Draw a line through points; a ``line`` given in `more` replaces only what it names.

        Without `x`, `more` has ``x0`` and ``dx``.
        """
        look = {"color": color, "width": LINE} | more.pop("line", {})
        self._scatter(x, y, name, hover, {"mode": "lines", "line": look} | more)

    def dots(self, x: Places, y: Places, name: str, color: str, hover: Hover = None, **more: Any) -> None:
        """Draw marks at points; a ``marker`` given in `more` replaces only what it names."""
        look = {"color": color, "size": 8} | more.pop("marker", {})
        self._scatter(x, y, name, hover, {"mode": "markers", "marker": look} | more)

    def crosses(self, x: Places, y: Places, name: str = "", size: float = 5, **more: Any) -> None:
        """Mark ends: a thin cross in ink, which nobody points at."""
        look = {"symbol": "x-thin", "size": size, "line": {"width": 1.5, "color": self.colors.ink}}
        named = {"name": name} if name else {"showlegend": False}
        cross = {"type": "scatter", "x": x, "y": y, "mode": "markers", "marker": look, "hoverinfo": "skip"}
        self.traces.append(cross | named | more)

    @property
    def hatch(self) -> Part:
        """The pattern of second copies, over the colour of a bar."""
        return {
            "shape": "/",
            "fillmode": "overlay",
            "fgcolor": self.colors.paper,
            "size": 5,
            "solidity": 0.35,
        }

    def area(self, x: Places, y: Places, name: str, color: str, **more: Any) -> None:
        """Fill what a line of this colour, opacity included, goes around; nobody points at it."""
        look = {"mode": "none", "fill": "toself", "fillcolor": color, "showlegend": False}
        self._scatter(x, y, name, None, look | more)

    def bars(
        self,
        x: Places,
        y: Places,
        name: str | None,
        color: Any,
        hover: Hover = None,
        *,
        across: bool = False,
        **more: Any,
    ) -> None:
        """Draw bars, standing or from left to right; a ``marker`` in `more` replaces only what it names."""
        look = {"color": color} | more.pop("marker", {})
        found = {"type": "bar", "x": x, "y": y, "marker": look} | told(hover) | more
        self.traces.append(
            found | ({} if name is None else {"name": name}) | ({"orientation": "h"} if across else {})
        )

    def _scatter(self, x: Places | None, y: Places, name: str, hover: Hover, look: Part) -> None:
        across = {} if x is None else {"x": x}
        self.traces.append({"type": "scatter", "y": y, "name": name} | across | told(hover) | look)

    def up(
        self,
        x: float,
        color: str = "",
        *,
        top: float | None = None,
        dash: str = "solid",
        width: float = 1,
        **more: Any,
    ) -> None:
        """Draw a line up, to `top` in the units of the axis or the whole panel; in ink unless told."""
        ends = {"yref": "paper", "y0": 0, "y1": 1} if top is None else {"y0": 0, "y1": top}
        self._shape(ends | {"x0": x, "x1": x}, color, dash, width, more)

    def across(
        self, y: float, color: str = "", *, dash: str = "solid", width: float = 1.5, **more: Any
    ) -> None:
        """Draw a line across the whole panel; in ink unless told."""
        self._shape({"xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y}, color, dash, width, more)

    def _shape(self, ends: Part, color: str, dash: str, width: float, more: Part) -> None:
        line = {"color": color or self.colors.ink, "width": width, "dash": dash}
        self.shapes.append({"type": "line", "line": line} | ends | more)

    def region(self, color: str, **ends: float) -> None:
        """Shade a rectangle below the data; a direction without ends is that of the whole panel."""
        whole = {
            letter + part: value
            for letter in "xy"
            if f"{letter}0" not in ends
            for part, value in (("ref", "paper"), ("0", 0), ("1", 1))
        }
        look = {"type": "rect", "fillcolor": color, "line": {"width": 0}, "layer": "below"}
        self.shapes.append(look | whole | ends)

    def read_across(self, before: str, unit: str, of: str = "", **more: Any) -> None:
        """Let a reader pull a line over the chart that says what each curve has there.

        It says `before`, the place with its `unit`, and values `of` that unit; `more` has what is said left
        of a curve (``first``) and whether its last value holds on to its right (``last``).
        """
        self._read({"before": before, "unit": unit, "of": of, "begin": 0.5} | more)

    def pulls(self, name: str, label: str, at: float, ends: tuple[float, float], step: float) -> None:
        """Let a reader pull a control of the page along the axis: its name in a link, its value and range."""
        control = {"sets": name, "label": label, "at": at, "low": ends[0], "high": ends[1], "step": step}
        self._read({"before": f"{label} =", "unit": ""} | control)

    def _read(self, reader: Part) -> None:
        """Say how the chart is read: as a text, since Plotly draws a chart again for each new object."""
        self.layout["meta"] = json.dumps({"reader": reader})

    def note(self, text: str, **where: Any) -> None:
        """Write a few words, on the colour of the paper so that lines do not cross them."""
        look = {"showarrow": False, "font": self.font, "bgcolor": self.colors.paper}
        self.notes.append({"text": text} | look | where)

    def panel(self, text: str, domain: Sequence[float]) -> None:
        """Write the line above the panel that has this domain."""
        where = {"x": 0, "xref": "paper", "xanchor": "left", "y": domain[1], "yref": "paper"}
        self.notes.append({"text": text, "font": self.font, "yanchor": "bottom", "showarrow": False} | where)

    def values(self) -> dict[str, Any]:
        """Return the data and the layout, as Plotly draws them."""
        paper, ink = self.colors.paper, self.colors.ink
        listed = [trace.get("name", "") for trace in self.traces if trace.get("showlegend", True)]
        entries = listed if self.layout.get("showlegend", len(self.traces) > 1) else []
        common = {
            "margin": margins(self.axes, entries, self.layout["legend"]["y"], self.wide),
            "font": self.font,
            "paper_bgcolor": paper,
            "plot_bgcolor": paper,
            "hoverlabel": {"bgcolor": paper, "bordercolor": ink, "font": self.font},
            "hovermode": "closest",
            "dragmode": False,  # a finger on a small screen scrolls the page, not the chart
        }
        axes = {
            key: self._looks(key) | {"automargin": not known(axis)} | axis for key, axis in self.axes.items()
        }
        drawn = {"shapes": self.shapes, "annotations": self.notes}
        return {
            "data": self.traces,
            "layout": common | axes | {key: parts for key, parts in drawn.items() if parts} | self.layout,
        }

    def _looks(self, key: str) -> Part:
        """Return what all axes share: thin, quiet, grid lines across only."""
        grid = self.colors.grid
        return {
            "tickfont": self.font,
            "gridcolor": grid,
            "linecolor": grid,
            "tickcolor": grid,
            "ticks": "outside",
            "zeroline": False,
            "showgrid": key.startswith("y"),
            "showline": key.startswith("x"),
        }

    def _legend(self, above: float) -> Part:
        """Return a legend above the chart, from the left, as many rows as it needs."""
        return {
            "orientation": "h",
            "traceorder": "normal",
            "x": 0,
            "xanchor": "left",
            "y": above,
            "yanchor": "bottom",
            "font": self.font,
            "title": {"text": ""},
            "bgcolor": CLEAR,
            "itemclick": "toggle",
            "itemdoubleclick": "toggleothers",
        }


def told(hover: Hover) -> Part:
    """Return what a pointed-at mark tells, as Plotly has it; an empty text leaves that to Plotly."""
    if hover is None:
        return {"hoverinfo": "skip"}
    if not isinstance(hover, str):
        return {"hovertext": list(hover), "hovertemplate": "%{hovertext}<extra></extra>"}
    return {"hovertemplate": hover if "<extra>" in hover else f"{hover}<extra></extra>"} if hover else {}


def in_chart(text: str) -> str:
    """Return a name for a chart, where Plotly would obey tags such as ``<a>``.

    Examples
    --------
    >>> in_chart("<b>job</b> 1")
    '&lt;b&gt;job&lt;/b&gt; 1'
    """
    return html.escape(shortened(text), quote=False)


def rows(names: Sequence[str], most: int = BESIDE) -> Part:
    """Return an axis with a row for each name, of at most so many characters, from the top."""
    places = list(range(len(names)))
    labels = named_ticks(places, [in_chart(clipped(name, most)) for name in names])
    return {"range": [len(names) - 0.5, -0.5], "showgrid": False} | labels


def ends(found: Iterable[Any], times: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values and the ends of their intervals, multiplied; the value where there is no end.

    Examples
    --------
    >>> from sim.model.statistics import Estimate
    >>> ends([Estimate(0.5, 0.25, 1.0), Estimate(2.0)], 100)
    (array([ 50., 200.]), array([ 25., 200.]), array([100., 200.]))
    """
    kept = [(one.value or 0.0, one) for one in found]
    parts = [(value, *(value if end is None else end for end in (one.low, one.high))) for value, one in kept]
    value, low, high = times * np.array(parts, float).reshape(-1, 3).T
    return value, low, high


def around(values: np.ndarray, low: np.ndarray, high: np.ndarray, color: str = "", **more: Any) -> Part:
    """Return bars of intervals, from `low` to `high`; of the colour of the marks unless told."""
    bars = {"type": "data", "symmetric": False, "array": high - values, "arrayminus": values - low}
    return bars | {"thickness": 1.5} | ({"color": color} if color else {}) | more


def panels(heights: list[float], inner: float) -> list[list[float]]:
    """Return the domains of panels from the top, each below a line of `NAME` pixels that says what it shows.

    Parameters
    ----------
    heights : list of float
        In pixels.
    inner : float
        Pixels of all of them with their lines.
    """
    found, top = [], inner
    for height in heights:
        top -= NAME
        found.append([round(max(top - height, 0.0) / inner, 5), round(top / inner, 5)])
        top -= height
    return found


def lying_on(places: Mapping[str, np.ndarray]) -> dict[str, list[str]]:
    """Return on which curves before it each lies; `places` are theirs on the axis, as shares of the width.

    Examples
    --------
    >>> low, high = np.array([0.1, 0.2]), np.array([0.3, 0.6])
    >>> lying_on({"fair": low, "srpt": high, "fifo": low + 0.001})
    {'fair': [], 'srpt': [], 'fifo': ['fair']}
    """
    found: dict[str, list[str]] = {}
    for name, mine in places.items():
        pairs = {other: (mine, places[other]) for other in found}
        cut = {other: [one[: min(map(len, pair))] for one in pair] for other, pair in pairs.items()}
        near = [other for other, (a, b) in cut.items() if a.size and np.abs(a - b).mean() < NEAR]
        found[name] = near
    return found
