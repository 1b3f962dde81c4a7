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

from pages.lessons.prediction import Answer, Number, Order, Prediction, labels
from pages.room.question import Amount
from pages.shared.charts.on_page import figure
from pages.shared.charts.serialized import SerializedFigure
from sim.telling.plot import Plot, in_chart
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
#: What the bars of two votes are called; opacity of the first.
FIRST, SECOND, PALE = "first vote", "second vote", 0.5

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
    if isinstance(asked, (Number, Amount)):
        plot = _draw_numbers(asked, drawn, right, mine, dark)
        room = 1.15  # for what is written at the end of a bar
    else:
        plot = _draw_words(asked, drawn, right, mine, dark)
        room = 1.5
    which, grid = ("y", {}) if isinstance(asked, (Number, Amount)) else ("x", {"showgrid": True})
    votes_axis = {"range": [0, room * most], "nticks": 6, "tickformat": ",d"}
    plot.axis(which, "answers", votes_axis | grid, zoom=True)
    return figure(plot)


def _draw_words(asked: Posed, drawn: Sequence[Bar], right: Any, mine: Any, dark: bool) -> Plot:
    """Draw a lying bar for each answer, or one for each vote."""
    true, own = ("" if one is None else asked.counted_as(one) for one in (right, mine))
    notes = [
        " · ".join([*["right"] * (one.key == true != ""), *["yours"] * (one.key == own != "")])
        for one in drawn
    ]
    names = [_label(asked, one) for one in drawn]
    lines = sum(1 + label.count("<br>") for label in names)
    beside = _votes(drawn) > 1
    height = LINE * lines + (GAP + BESIDE * beside) * len(drawn) + AROUND + LEGEND * beside
    plot = Plot("answers", dark, height, bargap=0.3)
    paint = [plot.colors.series[0 if one.key == true != "" else 1] for one in drawn]
    for which, last, name, look in _looks(plot, drawn):
        text = [
            " · ".join(filter(None, [str(one.votes[which]), said if last else ""]))
            for one, said in zip(drawn, notes, strict=True)
        ]
        many = [one.votes[which] for one in drawn]
        plot.bars(many, names, name, paint, across=True, text=text, marker=look, **_labelled(plot, 14))
    plot.axis(
        "y",
        scale={"type": "category", "autorange": "reversed", "tickfont": plot.font | {"size": 14}},
        showgrid=False,
        zoom=True,
    )
    return plot


def _votes(drawn: Sequence[Bar]) -> int:
    """Return how many votes there were."""
    return len(drawn[0].votes) if drawn else 1


def _looks(plot: Plot, drawn: Sequence[Bar]) -> list[tuple[int, bool, str | None, dict[str, Any]]]:
    """Return of each vote: its place, whether it is the last, how it is called, and how its bars look."""
    if _votes(drawn) == 1:
        return [(0, True, None, {})]
    hatched = {key: part for key, part in plot.hatch.items() if key != "solidity"} | {"size": 6}
    return [(0, False, FIRST, {"opacity": PALE, "pattern": hatched}), (1, True, SECOND, {})]


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


def _draw_numbers(asked: Number | Amount, drawn: Sequence[Bar], right: Any, mine: Any, dark: bool) -> Plot:
    """Draw a standing bar for each few numbers and vote, a line at the right one and one at one's own."""
    plot = Plot("answers", dark, HEIGHT + LEGEND * (_votes(drawn) > 1))
    starts = [float(one.key) for one in drawn]
    width = starts[1] - starts[0]
    looks = _looks(plot, drawn)
    edge = {"line": {"color": plot.colors.paper, "width": 1}}
    for which, _, name, look in looks:
        many = [one.votes[which] for one in drawn]
        plot.bars(
            starts,
            many,
            name,
            plot.colors.series[1],
            width=width / len(looks),
            offset=which * width / len(looks),
            text=[str(votes) if votes else "" for votes in many],
            marker=edge | look,
            **_labelled(plot, 12),
        )
    begin, end = starts[0], starts[-1] + width
    for row, (what, value, color) in enumerate([("right", right, 0), ("yours", mine, 2)]):
        if value is not None:
            at = min(max(float(value), begin), end)
            left = at > (begin + end) / 2
            plot.up(at, plot.colors.series[color], dash="solid" if what == "right" else "dot", width=3)
            where = {"x": at, "yref": "paper", "y": 1 - 0.1 * row, "xanchor": "right" if left else "left"}
            plot.note(f"{what}: {in_chart(asked.shown(value))}", xshift=-5 if left else 5, **where)
    title = f"answer ({in_chart(asked.unit)})" if asked.unit else "answer"
    plot.axis("x", title, {"range": [begin, end], "nticks": 7}, zoom=True)
    return plot


def _labelled(plot: Plot, size: int) -> dict[str, Any]:
    """Return how bars have their numbers at their ends, in letters that do not shrink."""
    free = {"textangle": 0, "constraintext": "none", "cliponaxis": False}
    return free | {"textposition": "outside", "textfont": plot.font | {"size": size}}


def alt(drawn: Sequence[Bar]) -> str:
    """Say in words what the chart shows."""
    given = [f"{bar.label}: {' then '.join(map(str, bar.votes))}" for bar in drawn if any(bar.votes)]
    if not given:
        return "Bars of the answers; there are none yet."
    of = "the answers, in the first vote and in the second" if len(drawn[0].votes) > 1 else "the answers"
    return f"Bars of {of}. {'; '.join(given)}."
