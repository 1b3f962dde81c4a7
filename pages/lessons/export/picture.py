"""A figure as SVG: bars, curves, points, lines and notes, in colours that follow the reader's theme.

The charts of the app need a script of several megabytes. Lessons draw a few kinds of mark; a figure with any
other is refused, so that no part of it is left out without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from pages.lessons.export.axes import Axis
from pages.lessons.export.parts import named
from sim.telling.palette import palette
from sim.telling.plot import LINE_HEIGHT, ROW, width

#: Pixels that a picture is wide on a laptop and on a phone.
WIDE, NARROW = 560, 340
#: Pixels from the foot of a text to its middle; of a tick; of a key of the legend; between its entries.
MIDDLE, TICK, KEY, GAP = 4, 5, 22, 14
#: Dashes of lines.
DASHES = {"solid": "", "dash": "9 9", "dot": "3 3"}
ANCHORS = {"left": "start", "center": "middle", "right": "end"}
#: Colours of the light theme, in which figures are handed over, -> their names.
COLORS = {color.lower(): name for name, color in reversed(named(palette(False)).items())}
RGBA = re.compile(r"rgba\((\d+), ?(\d+), ?(\d+), ?([\d.]+)\)")


@dataclass
class Drawn:
    """A picture of one width: its height, shaded areas, what is around the plot, and its marks in order."""

    wide: int
    high: int = 0
    below: list[str] = field(default_factory=list)
    behind: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)

    @property
    def content(self) -> str:
        """All of it."""
        return "".join([*self.below, *self.behind, *self.marks])


def drawn(figure: go.Figure, wide: int) -> Drawn:
    """Return a figure of the light theme as SVG elements, so many pixels wide.

    Raises
    ------
    ValueError
        If it has a mark, an axis or a colour that is not drawn here.
    """
    traces = [trace.to_plotly_json() for trace in figure.data]
    return _Pen(traces, figure.layout.to_plotly_json(), wide).draw()


class _Pen:
    def __init__(self, traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], wide: int) -> None:
        self.traces, self.layout = traces, layout
        self.entries = self._entries()
        self.rows = self._rows(wide)
        margin, height = self.layout["margin"], self.layout["height"]
        above = margin["t"] if not self.rows else 8 + ROW * len(self.rows) + 6
        self.left, self.right = margin["l"], wide - margin["r"]
        self.top, self.foot = above, above + height - margin["t"] - margin["b"]
        self.drawn = Drawn(wide, self.foot + margin["b"])
        unknown = {name for name in self.layout if re.fullmatch(r"[xy]axis\d+", name)}
        if unknown:
            raise ValueError(f"not drawn: {unknown}")
        self.x = Axis(self.layout["xaxis"], self.left, self.right)
        self.y = Axis(self.layout["yaxis"], self.foot, self.top)

    def draw(self) -> Drawn:
        """Draw all parts, from the back to the front."""
        behind, marks = self.drawn.behind, self.drawn.marks
        behind += [*self._grid(), *self._titles(), *self._legend()]
        shapes = self.layout.get("shapes") or ()
        self.drawn.below += [self._shape(one) for one in shapes if one.get("layer") == "below"]
        for trace in self.traces:
            marks += self._trace(trace)
        marks += [self._shape(one) for one in shapes if one.get("layer") != "below"]
        for one in self.layout.get("annotations") or ():
            marks += self._note(one)
        return self.drawn

    # Around the plot

    def _grid(self) -> Iterator[str]:
        if self.x.is_shown:
            yield _line(self.left, self.foot, self.right, self.foot, "ink", 1, opacity=0.15)
        for at, text in self.x.labels():
            yield _line(at, self.foot, at, self.foot + TICK, "ink", 1, opacity=0.15)
            for place, line in enumerate(text.split("<br>")):
                yield _text(line, at, self.foot + TICK + 13 + LINE_HEIGHT * place, "middle")
        for at, text in self.y.labels():
            if self.y.given.get("showgrid", True):
                yield _line(self.left, at, self.right, at, "ink", 1, opacity=0.15)
            yield _text(text, self.left - TICK - 3, at + MIDDLE, "end")

    def _titles(self) -> Iterator[str]:
        if self.x.title:
            yield _text(self.x.title, (self.left + self.right) / 2, self.drawn.high - 6, "middle")
        if self.y.title:
            middle = (self.top + self.foot) / 2
            yield _text(self.y.title, 0, 0, "middle", f' transform="translate(14 {_n(middle)}) rotate(-90)"')

    def _entries(self) -> list[Mapping[str, Any]]:
        """Return the traces that the legend lists."""
        listed = [one for one in self.traces if one.get("name") and one.get("showlegend", True)]
        return listed if self.layout.get("showlegend", len(self.traces) > 1) else []

    def _rows(self, wide: int) -> list[list[Mapping[str, Any]]]:
        """Return the entries of each row of the legend."""
        rows: list[list[Mapping[str, Any]]] = []
        room = 0.0
        for entry in self.entries:
            needed = KEY + width(entry["name"]) + GAP
            if not rows or needed > room:
                rows.append([])
                room = wide
            rows[-1].append(entry)
            room -= needed
        return rows

    def _legend(self) -> Iterator[str]:
        for place, row in enumerate(self.rows):
            at, middle = 2.0, 8 + ROW * (place + 0.5)
            for entry in row:
                yield from self._key(entry, at, middle)
                yield _text(entry["name"], at + KEY, middle + MIDDLE, "start")
                at += KEY + width(entry["name"]) + GAP

    def _key(self, entry: Mapping[str, Any], at: float, middle: float) -> Iterator[str]:
        if entry["type"] == "bar":
            yield _box(at, middle - 5, 14, 10, entry["marker"]["color"])
            return
        if "lines" in entry["mode"]:
            yield _path(f"M{_n(at)} {_n(middle)}h16", entry["line"])
        if "markers" in entry["mode"]:
            yield _mark(at + 8, middle, entry["marker"], entry["marker"]["color"])

    # In the plot

    def _trace(self, trace: Mapping[str, Any]) -> Iterator[str]:
        if trace["type"] == "bar" and trace.get("orientation") == "h":
            yield from self._bars(trace)
        elif trace["type"] == "scatter" and {*trace["mode"].split("+")} <= {"lines", "markers"}:
            x, y = ([*map(float, _numbers(trace[one]))] for one in "xy")
            at = [(self.x.of(a), self.y.of(b)) for a, b in zip(x, y, strict=True)]
            if "lines" in trace["mode"]:
                yield _path("M" + "L".join(f"{_n(a)} {_n(b)}" for a, b in at), trace["line"])
            yield from self._whiskers(trace, x, y)
            if "markers" in trace["mode"]:
                yield from (_mark(*one, trace["marker"], trace["marker"]["color"]) for one in at)
        else:
            raise ValueError(f"not drawn: {trace['type']} {trace.get('mode', '')}")

    def _bars(self, trace: Mapping[str, Any]) -> Iterator[str]:
        rows, length = _numbers(trace["y"]), _numbers(trace["x"])
        begin, thick = _numbers(trace.get("base", np.zeros(rows.size))), float(trace.get("width", 0.8))
        colors = trace["marker"]["color"]
        each = [colors] * rows.size if isinstance(colors, str) else colors
        for row, start, long, color in zip(rows, begin, length, each, strict=True):
            left, right = sorted((self.x.of(start), self.x.of(start + long)))
            high = abs(self.y.at(thick) - self.y.at(0))
            right = min(right, self.right)
            yield _box(left, self.y.of(row) - high / 2, max(0.0, right - left), high, color)
        yield from self._whiskers(trace, begin + length, rows)

    def _whiskers(self, trace: Mapping[str, Any], x: Any, y: Any) -> Iterator[str]:
        """Draw intervals around values."""
        for letter in "xy":
            error = trace.get(f"error_{letter}")
            if not error:
                continue
            color, thick = _name(error["color"]), float(error.get("thickness", 2))
            for a, b, half in zip(x, y, _numbers(error["array"]), strict=True):
                if not half:
                    continue
                ends = {"x": (half, 0.0), "y": (0.0, half)}[letter]
                low = self.x.within(a - ends[0]), self.y.within(b - ends[1])
                high = self.x.within(a + ends[0]), self.y.within(b + ends[1])
                yield _line(low[0], low[1], high[0], high[1], color, thick)

    def _shape(self, one: Mapping[str, Any]) -> str:
        ends = [self._end(letter, one[f"{letter}{end}"], one) for end in "01" for letter in "xy"]
        if one["type"] == "line":
            look = one["line"]
            x0, y0, x1, y1 = ends
            return _line(x0, y0, x1, y1, _name(look["color"]), look["width"], look.get("dash", "solid"))
        if one["type"] == "rect":
            (left, right), (top, foot) = sorted(ends[::2]), sorted(ends[1::2])
            return _box(left, top, right - left, foot - top, one["fillcolor"])
        raise ValueError(f"not drawn: a shape {one['type']}")

    def _end(self, letter: str, value: float, one: Mapping[str, Any]) -> float:
        """Return the pixel of an end of a shape, which Plotly has as a value."""
        axis: Axis = getattr(self, letter)
        return axis.share(value) if one.get(f"{letter}ref", letter) == "paper" else axis.of(value)

    def _place(self, letter: str, value: float, one: Mapping[str, Any]) -> float:
        """Return the pixel of a note, which Plotly has as a place: of a logarithmic axis, the logarithm."""
        axis: Axis = getattr(self, letter)
        return axis.share(value) if one.get(f"{letter}ref", letter) == "paper" else axis.at(value)

    def _note(self, one: Mapping[str, Any]) -> Iterator[str]:
        """Draw a few words, on the colour of the paper where lines would cross them."""
        if one.get("showarrow", True):
            raise ValueError("not drawn: an arrow")
        x = self._place("x", one["x"], one) + one.get("xshift", 0)
        y = self._place("y", one["y"], one) - one.get("yshift", 0)
        lines, wide = one["text"].split("<br>"), width(one["text"])
        anchor = one.get("xanchor", "center")
        left = x - {"left": 0.0, "center": wide / 2, "right": wide}[anchor]
        inside = min(max(left, 0), max(0, self.drawn.wide - wide - 2))
        x += inside - left
        high = LINE_HEIGHT * len(lines)
        top = y - {"top": 0.0, "middle": high / 2, "bottom": float(high)}[one.get("yanchor", "middle")]
        if one.get("bgcolor") and lines != [""]:
            yield _box(inside - 1, top, wide + 2, high, one["bgcolor"])
        for place, line in enumerate(lines):
            yield _text(line, x, top + LINE_HEIGHT * (place + 0.5) + MIDDLE, ANCHORS[anchor])


def _numbers(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=float)


def _n(value: float) -> str:
    """Write a pixel with a decimal."""
    return f"{round(float(value), 1):g}"


def _name(color: str) -> str:
    """Return the name of a colour.

    Examples
    --------
    >>> _name("#0072B2"), _name("#FFFFFF")
    ('s0', 'paper')
    """
    if color.lower() not in COLORS:
        raise ValueError(f"not drawn: the colour {color}")
    return COLORS[color.lower()]


def _fill(color: str) -> str:
    """Return the attributes of a filled shape.

    Examples
    --------
    >>> _fill("rgba(0, 114, 178, 0.25)")
    ' fill="var(--s0)" fill-opacity="0.25"'
    """
    if found := RGBA.fullmatch(color):
        red, green, blue, opacity = found.groups()
        name = _name(f"#{int(red):02x}{int(green):02x}{int(blue):02x}")
        return f' fill="var(--{name})" fill-opacity="{opacity}"'
    return f' fill="var(--{_name(color)})"'


def _line(
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    color: str,
    thick: float,
    dash: str = "solid",
    *,
    opacity: float = 1,
) -> str:
    look = f' stroke-dasharray="{DASHES[dash]}"' if DASHES[dash] else ""
    look += f' stroke-opacity="{opacity}"' if opacity < 1 else ""
    ends = f'x1="{_n(x0)}" y1="{_n(y0)}" x2="{_n(x1)}" y2="{_n(y1)}"'
    return f'<line {ends} stroke="var(--{color})" stroke-width="{thick:g}"{look}/>'


def _box(left: float, top: float, wide: float, high: float, color: str) -> str:
    box = f'x="{_n(left)}" y="{_n(top)}" width="{_n(wide)}" height="{_n(high)}"'
    return f"<rect {box}{_fill(color)}/>"


def _path(path: str, line: Mapping[str, Any]) -> str:
    dash = line.get("dash", "solid")
    pattern = DASHES[dash] if dash in DASHES else dash.replace("px", "").replace(",", " ")
    look = f' stroke-dasharray="{pattern}"' if pattern else ""
    color = _name(line["color"])
    thick = f"{line.get('width', 2):g}"
    return f'<path d="{path}" fill="none" stroke="var(--{color})" stroke-width="{thick}"{look}/>'


def _mark(x: float, y: float, marker: Mapping[str, Any], color: str) -> str:
    size, symbol = float(marker.get("size", 8)) / 2, marker.get("symbol", "circle")
    if symbol == "circle-open":
        thick = (marker.get("line") or {}).get("width", 1)
        return (
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(size)}" fill="none" stroke="var(--{_name(color)})" '
            f'stroke-width="{thick:g}"/>'
        )
    if symbol == "diamond":
        wide = _n(1.3 * size)
        around = f"l{wide} {wide} -{wide} {wide} -{wide} -{wide}z"
        return f'<path d="M{_n(x)} {_n(y - 1.3 * size)}{around}"{_fill(color)}/>'
    if symbol != "circle":
        raise ValueError(f"not drawn: a mark {symbol}")
    return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(size)}"{_fill(color)}/>'


def _text(text: str, x: float, y: float, anchor: str, more: str = "") -> str:
    if not text:
        return ""
    bold = re.fullmatch(r"<b>(.*)</b>", text)
    weight = ' font-weight="700"' if bold else ""
    at = f'x="{_n(x)}" y="{_n(y)}" ' if not more else ""
    return f'<text {at}text-anchor="{anchor}"{weight}{more}>{escape(bold[1] if bold else text)}</text>'
