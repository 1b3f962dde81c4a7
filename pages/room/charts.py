"""The answers of a class: a bar for each, and in the end marks for the right one and the visitor's own."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go

from pages.lessons.prediction import Answer, Count, Number, Order, Prediction
from pages.lessons.prediction.option import labels
from pages.shared.charts.chart import chart, titled
from pages.shared.charts.marks import note, upright
from pages.shared.charts.palette import palette
from pages.shared.charts.scales import round_up
from pages.shared.charts.serialized import SerializedFigure

#: Votes that an axis has room for at least.
FEWEST = 5
#: Orders that are shown each by a bar.
MOST_ORDERS = 5
#: Characters of a line of a label.
LONGEST = 26
#: Pixels of a chart of numbers; of a line of a label, between two bars, and around all bars.
HEIGHT, LINE, GAP, AROUND = 340, 18, 20, 70
OTHERS = "other orders"


def counted(asked: Prediction, answers: Sequence[Answer], *named: Answer | None) -> tuple[Count, ...]:
    """Return how many gave each answer, a bar each: of orders the most frequent ones and the named ones."""
    counts = asked.counts(answers)
    if not isinstance(asked, Order):
        return counts
    wanted = {asked.counted_as(one): one for one in named if one is not None}
    kept = [one for place, one in enumerate(counts) if place < MOST_ORDERS or one.key in wanted]
    there = {one.key for one in kept}
    kept += [Count(key, asked.shown(one), 0) for key, one in wanted.items() if key not in there]
    others = len(answers) - sum(one.votes for one in kept)
    return (*kept, *([Count("", OTHERS, others)] if others else []))


@lru_cache(maxsize=256)  # a class sees the same ones, again and again
def sent(
    asked: Prediction, answers: tuple[Answer, ...], right: Answer | None, mine: Answer | None, dark: bool
) -> SerializedFigure:
    """Return the chart of `draw` as it is sent."""
    return SerializedFigure(draw(asked, answers, right, mine, dark))


def draw(
    asked: Prediction, answers: tuple[Answer, ...], right: Answer | None, mine: Answer | None, dark: bool
) -> go.Figure:
    """Draw the answers of a class.

    Parameters
    ----------
    asked : Prediction
    answers : tuple of str, float or tuple
    right, mine : str, float or tuple, optional
        The right answer and one's own, where they are shown.
    dark : bool
    """
    counts = counted(asked, answers, right, mine)
    most = round_up(max([FEWEST, *(count.votes for count in counts)]))
    room = 1.15 if isinstance(asked, Number) else 1.5  # for what is written at the end of a bar
    votes = {"range": [0, room * most], "title": titled("answers", dark), "nticks": 6, "tickformat": ",d"}
    if isinstance(asked, Number):
        return _draw_numbers(asked, counts, right, mine, votes, dark)
    return _draw_words(asked, counts, right, mine, votes, dark)


def _draw_words(
    asked: Prediction, counts: Sequence[Count], right: Any, mine: Any, votes: dict[str, Any], dark: bool
) -> go.Figure:
    """Draw a lying bar for each answer."""
    colors = palette(dark)
    true, own = ("" if one is None else asked.counted_as(one) for one in (right, mine))
    notes = [
        " · ".join(
            [str(one.votes), *["right"] * (one.key == true != ""), *["yours"] * (one.key == own != "")]
        )
        for one in counts
    ]
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": [one.votes for one in counts],
        "y": [_label(asked, one) for one in counts],
        "text": notes,
        "marker": {"color": [colors.series[0 if one.key == true != "" else 1] for one in counts]},
        **_labelled(dark, 14),
    }
    font = {"color": colors.ink, "size": 14}
    names = {"type": "category", "autorange": "reversed", "tickfont": font, "showgrid": False}
    lines = sum(1 + label.count("<br>") for label in bars["y"])
    height = LINE * lines + GAP * len(counts) + AROUND
    return chart(
        [bars],
        {"xaxis": votes | {"showgrid": True}, "yaxis": names},
        dark,
        name="answers",
        height=height,
        bargap=0.3,
    )


def _label(asked: Prediction, count: Count) -> str:
    """Return the name of a bar in lines: an answer in words, or the items of an order, one a line."""
    if isinstance(asked, Order) and count.key:
        names = labels(asked.items)
        return "<br>".join(
            f"{place}. {names[key]}" for place, key in enumerate(asked.read(count.key), start=1)
        )
    return "<br>".join(textwrap.wrap(count.label, LONGEST))


def _draw_numbers(
    asked: Number, counts: Sequence[Count], right: Any, mine: Any, votes: dict[str, Any], dark: bool
) -> go.Figure:
    """Draw a standing bar for each few numbers, a line at the right one and one at one's own."""
    colors = palette(dark)
    starts = [float(one.key) for one in counts]
    width = starts[1] - starts[0]
    bars = {
        "type": "bar",
        "x": starts,
        "y": [one.votes for one in counts],
        "width": width,
        "offset": 0,
        "text": [str(one.votes) if one.votes else "" for one in counts],
        "marker": {"color": colors.series[1], "line": {"color": colors.paper, "width": 1}},
        **_labelled(dark, 12),
    }
    title = f"answer ({asked.unit})" if asked.unit else "answer"
    end = starts[-1] + width
    numbers = {"range": [asked.low, end], "title": titled(title, dark), "nticks": 7}
    lines, names = [], []
    for row, (what, value, color) in enumerate([("right", right, 0), ("yours", mine, 2)]):
        if value is not None:
            at = min(max(float(value), asked.low), end)
            left = at > (asked.low + end) / 2
            lines.append(
                upright(at, colors.series[color], dash="solid" if what == "right" else "dot", width=3)
            )
            where = {"x": at, "yref": "paper", "y": 1 - 0.1 * row, "xanchor": "right" if left else "left"}
            names.append(note(f"{what}: {asked.shown(value)}", dark, **where, xshift=-5 if left else 5))
    axes = {"xaxis": numbers, "yaxis": votes}
    return chart([bars], axes, dark, name="answers", height=HEIGHT, shapes=lines, annotations=names)


def _labelled(dark: bool, size: int) -> dict[str, Any]:
    """Return how bars have their numbers at their ends, in letters that do not shrink."""
    return {
        "textposition": "outside",
        "textfont": {"color": palette(dark).ink, "size": size},
        "textangle": 0,
        "constraintext": "none",
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def alt(counts: Sequence[Count]) -> str:
    """Say in words what the chart shows."""
    given = [f"{count.label}: {count.votes}" for count in counts if count.votes]
    return (
        f"Bars of the answers. {'; '.join(given)}." if given else "Bars of the answers; there are none yet."
    )
