"""Which traces of a chart its words leave out: those of which they have no number that is drawn."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

NUMBER = re.compile(r"(less than |over |more than )?([-−+]?\d[\d,]*(?:\.(\d+))?)")
#: What a number in words may be of what is drawn: a percentage of a share, another unit of time.
SCALES = (1.0, 100.0, 0.01, 60.0, 1 / 60, 3600.0, 1 / 3600)
#: Share of a number that is not sent to a browser, since no screen can show it.
UNSENT = 2e-3
Figure = Mapping[str, Any]
Trace = Mapping[str, Any]
#: What is told of a trace instead of its ends: numbers that are worked out of it, and of its figure.
Summary = Callable[[Trace, Figure], Any]


def numbers(value: Any) -> np.ndarray:
    """Return an array of a figure, as Plotly packs it or as a list; what is no number is left out."""
    if isinstance(value, dict) and "bdata" in value:
        return np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).astype(float)
    known = [one for one in np.ravel(np.asarray(value, dtype=object)) if isinstance(one, (int, float))]
    return np.array(known, dtype=float)


def is_told(value: float, words: str) -> bool:
    """Return whether a number is among those in words, to the digits that they have.

    Examples
    --------
    >>> is_told(0.0123, "1.2 % of them"), is_told(0.0123, "1.3 % of them"), is_told(90.0, "after 1.50 min")
    (True, False, True)
    >>> is_told(0.0002, "less than 0.1 %"), is_told(0.02, "less than 0.1 %"), is_told(1.0, "10 jobs")
    (True, False, False)
    """
    return any(_tells(about, number, decimals, value) for about, number, decimals in NUMBER.findall(words))


def _tells(about: str, number: str, decimals: str, value: float) -> bool:
    told = float(number.replace(",", "").replace("−", "-"))
    if about == "less than ":
        return 0 < 100 * value < told
    if not told:
        return value == 0
    digit = 0.5 * 10.0 ** -len(decimals)
    return any(abs(told - scale * value) <= digit + UNSENT * abs(told) for scale in SCALES)


def x_and_y(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of a trace."""
    y = numbers(trace["y"])
    if "x0" in trace:
        return trace["x0"] + trace["dx"] * np.arange(y.size), y
    return numbers(trace.get("x")), y


def values(trace: Trace, figure: Figure) -> np.ndarray:
    """Return the values of a trace: those across where it lies in rows."""
    axis = figure["layout"].get(f"yaxis{str(trace.get('yaxis', 'y'))[1:]}", {})
    first, last = axis.get("range", (0, 1))
    rows = trace.get("orientation") == "h" or ("ticktext" in axis and first > last)
    found = numbers(trace.get("x" if rows else "z" if "z" in trace else "y"))
    return found[np.isfinite(found)]


def untold(figure: Figure, words: str, summaries: Mapping[str, Summary]) -> Iterator[str]:
    """Yield the names of traces of which words have no first, last, least or largest value, nor a summary.

    Bands and other marks that tell nobody anything need no words.

    Parameters
    ----------
    figure : mapping
        As a browser gets it.
    words : str
    summaries : mapping of str to callable
        By how the name of a trace begins.
    """
    for trace in figure["data"]:
        name, drawn = trace.get("name", ""), values(trace, figure)
        if trace.get("hoverinfo") == "skip" or trace.get("mode") == "none" or not drawn.size:
            continue
        wanted = [drawn[0], drawn[-1], drawn.min(), drawn.max()]
        for begin, of in summaries.items():
            if name.startswith(begin):
                wanted += np.ravel(of(trace, figure)).tolist()
        if not any(is_told(float(one), words) for one in wanted):
            yield f"{name}: {', '.join(f'{one:.4g}' for one in wanted)}"
