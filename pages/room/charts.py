"""The answers of a class: a bar for each, and in the end marks for the right one and the visitor's own.

After a second vote each bar has that of the first beside it, paler and hatched.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import plotly.graph_objects as go

from pages.lessons.prediction import Answer, Number, Order, Prediction
from pages.lessons.prediction.option import labels
from pages.room.question.amount import Amount
from pages.shared.charts.chart import chart, note, titled, upright
from pages.shared.charts.serialized import SerializedFigure
from sim.telling.palette import palette
from sim.telling.plot import in_chart
from sim.telling.scales import round_up

#: Votes that an axis has room for at least.
FEWEST = 5
#: Orders that are shown each by a bar.
MOST_ORDERS = 5
#: Characters of a line of a label.
LONGEST = 26
#: Pixels of a chart of numbers; of a line of a label, between two bars, and around all bars.
HEIGHT, LINE, GAP, AROUND = 340, 18, 20, 70
#: Pixels more of an answer that has a bar for each of two votes, and of the legend.
BESIDE, LEGEND = 14, 24
OTHERS = "other orders"
#: What the bars of two votes are called; opacity of the first, and how it is hatched.
FIRST, SECOND, PALE, HATCHED = "first vote", "second vote", 0.5, "/"

Posed: TypeAlias = Prediction | Amount
#: The answers of each vote, of one or of two.
Votes: TypeAlias = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """How many gave one answer, or one of a few, in each vote.

    Parameters
    ----------
    key : str
        As in a `Count`; empty for all other orders.
    label : str
    votes : tuple of int
    """

    key: str
    label: str
    votes: tuple[int, ...]


def bars(asked: Posed, votes: Votes, *named: Answer | None) -> tuple[Bar, ...]:
    """Return the bars of some votes: of orders the most frequent ones, the named ones, and one more."""
    if not isinstance(asked, Order):
        counts = [asked.counts(answers) for answers in votes]
        return tuple(
            Bar(same[0].key, same[0].label, tuple(one.votes for one in same))
            for same in zip(*counts, strict=True)
        )
    tallies = [Counter(map(asked.counted_as, answers)) for answers in votes]
    ranked = asked.counts(answer for answers in votes for answer in answers)
    wanted = {asked.counted_as(one): one for one in named if one is not None}
    kept = {
        one.key: one.label for place, one in enumerate(ranked) if place < MOST_ORDERS or one.key in wanted
    }
    kept |= {key: asked.shown(one) for key, one in wanted.items() if key not in kept}
    shown = [Bar(key, label, tuple(tally[key] for tally in tallies)) for key, label in kept.items()]
    others = tuple(sum(many for key, many in tally.items() if key not in kept) for tally in tallies)
    return (*shown, *([Bar("", OTHERS, others)] if any(others) else []))


@lru_cache(maxsize=256)  # a class sees the same ones, again and again
def sent(
    asked: Posed, votes: Votes, right: Answer | None, mine: Answer | None, dark: bool
) -> SerializedFigure:
    """Return the chart of `draw` as it is sent."""
    return SerializedFigure(draw(asked, votes, right, mine, dark))


def draw(asked: Posed, votes: Votes, right: Answer | None, mine: Answer | None, dark: bool) -> go.Figure:
    """Draw the answers of a class.

    Parameters
    ----------
    asked : Prediction or Amount
    votes : tuple of tuple
        The answers of each vote.
    right, mine : str, float or tuple, optional
        The right answer and one's own, where they are shown.
    dark : bool
    """
    drawn = bars(asked, votes, right, mine)
    most = round_up(max([FEWEST, *(many for one in drawn for many in one.votes)]))
    room = 1.15 if isinstance(asked, (Number, Amount)) else 1.5  # for what is written at the end of a bar
    axis = {"range": [0, room * most], "title": titled("answers", dark), "nticks": 6, "tickformat": ",d"}
    if isinstance(asked, (Number, Amount)):
        return _draw_numbers(asked, drawn, right, mine, axis, dark)
    return _draw_words(asked, drawn, right, mine, axis, dark)


def _draw_words(
    asked: Posed, drawn: Sequence[Bar], right: Any, mine: Any, votes: dict[str, Any], dark: bool
) -> go.Figure:
    """Draw a lying bar for each answer, or one for each vote."""
    colors = palette(dark)
    true, own = ("" if one is None else asked.counted_as(one) for one in (right, mine))
    notes = [
        " · ".join([*["right"] * (one.key == true != ""), *["yours"] * (one.key == own != "")])
        for one in drawn
    ]
    names = [_label(asked, one) for one in drawn]
    paint = [colors.series[0 if one.key == true != "" else 1] for one in drawn]
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "x": [one.votes[which] for one in drawn],
            "y": names,
            "text": [
                " · ".join(filter(None, [str(one.votes[which]), said if last else ""]))
                for one, said in zip(drawn, notes, strict=True)
            ],
            "marker": {"color": paint, **look},
            **_labelled(dark, 14),
            **name,
        }
        for which, last, look, name in _looks(drawn, dark)
    ]
    font = {"color": colors.ink, "size": 14}
    axis = {"type": "category", "autorange": "reversed", "tickfont": font, "showgrid": False}
    lines = sum(1 + label.count("<br>") for label in names)
    beside = len(traces) > 1
    height = LINE * lines + (GAP + BESIDE * beside) * len(drawn) + AROUND + LEGEND * beside
    return chart(
        traces,
        {"xaxis": votes | {"showgrid": True}, "yaxis": axis},
        dark,
        name="answers",
        height=height,
        bargap=0.3,
    )


def _looks(drawn: Sequence[Bar], dark: bool) -> list[tuple[int, bool, dict[str, Any], dict[str, Any]]]:
    """Return of each vote: its place, whether it is the last, how its bars look, and how it is called."""
    if not drawn or len(drawn[0].votes) == 1:
        return [(0, True, {}, {})]
    hatched = {"shape": HATCHED, "fillmode": "overlay", "fgcolor": palette(dark).paper, "size": 6}
    return [
        (0, False, {"opacity": PALE, "pattern": hatched}, {"name": FIRST}),
        (1, True, {}, {"name": SECOND}),
    ]


def _label(asked: Posed, bar: Bar) -> str:
    """Return the name of a bar in lines: an answer in words, or the items of an order, one a line."""
    if isinstance(asked, Order) and bar.key:
        names = _short(labels(asked.items))
        items = [f"{place}. {names[key]}" for place, key in enumerate(asked.read(bar.key), start=1)]
        return "<br>".join(map(in_chart, items))
    return "<br>".join(map(in_chart, textwrap.wrap(bar.label, LONGEST)))


def _short(names: dict[str, str]) -> dict[str, str]:
    """Return names without what follows a colon, so that bars have room; as they are if two become alike.

    Examples
    --------
    >>> _short({"a": "FIFO: first come, first served", "b": "Fair shares"})
    {'a': 'FIFO', 'b': 'Fair shares'}
    >>> _short({"a": "Rule: A", "b": "Rule: B"})
    {'a': 'Rule: A', 'b': 'Rule: B'}
    """
    short = {key: name.partition(": ")[0] for key, name in names.items()}
    return short if len(set(short.values())) == len(names) else names


def _draw_numbers(
    asked: Number | Amount, drawn: Sequence[Bar], right: Any, mine: Any, votes: dict[str, Any], dark: bool
) -> go.Figure:
    """Draw a standing bar for each few numbers and vote, a line at the right one and one at one's own."""
    colors = palette(dark)
    starts = [float(one.key) for one in drawn]
    width = starts[1] - starts[0]
    looks = _looks(drawn, dark)
    traces = [
        {
            "type": "bar",
            "x": starts,
            "y": [one.votes[which] for one in drawn],
            "width": width / len(looks),
            "offset": which * width / len(looks),
            "text": [str(one.votes[which]) if one.votes[which] else "" for one in drawn],
            "marker": {"color": colors.series[1], "line": {"color": colors.paper, "width": 1}, **look},
            **_labelled(dark, 12),
            **name,
        }
        for which, _, look, name in looks
    ]
    title = f"answer ({in_chart(asked.unit)})" if asked.unit else "answer"
    begin, end = starts[0], starts[-1] + width
    numbers = {"range": [begin, end], "title": titled(title, dark), "nticks": 7}
    lines, names = [], []
    for row, (what, value, color) in enumerate([("right", right, 0), ("yours", mine, 2)]):
        if value is not None:
            at = min(max(float(value), begin), end)
            left = at > (begin + end) / 2
            lines.append(
                upright(at, colors.series[color], dash="solid" if what == "right" else "dot", width=3)
            )
            where = {"x": at, "yref": "paper", "y": 1 - 0.1 * row, "xanchor": "right" if left else "left"}
            said = f"{what}: {in_chart(asked.shown(value))}"
            names.append(note(said, dark, **where, xshift=-5 if left else 5))
    axes = {"xaxis": numbers, "yaxis": votes}
    height = HEIGHT + LEGEND * (len(looks) > 1)
    return chart(traces, axes, dark, name="answers", height=height, shapes=lines, annotations=names)


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


def alt(drawn: Sequence[Bar]) -> str:
    """Say in words what the chart shows."""
    given = [f"{bar.label}: {' then '.join(map(str, bar.votes))}" for bar in drawn if any(bar.votes)]
    if not given:
        return "Bars of the answers; there are none yet."
    of = "the answers, in the first vote and in the second" if len(drawn[0].votes) > 1 else "the answers"
    return f"Bars of {of}. {'; '.join(given)}."
