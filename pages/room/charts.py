"""How a class has answered: a bar for each answer, the right one and one's own named."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import lru_cache

import plotly.graph_objects as go

from pages.lessons.prediction import Count
from pages.shared.charts.chart import chart, titled
from pages.shared.charts.palette import palette
from pages.shared.charts.scales import round_up

#: Votes that an axis has room for at least.
FEWEST = 5
#: Characters of a line of a label.
LONGEST = 24
#: Pixels of a bar with its label, and of what is around all bars.
ROW, AROUND = 52, 70


@lru_cache(maxsize=64)  # a class sees the same chart
def draw(counts: tuple[Count, ...], right: str, mine: str, upright: bool, dark: bool) -> go.Figure:
    """Draw counts as bars.

    Parameters
    ----------
    counts : tuple of Count
    right, mine : str
        Keys of the counts with the right answer and with one's own; empty if not shown.
    upright : bool
        Whether bars stand, which numbers do; words lie.
    dark : bool
    """
    colors = palette(dark)
    most = round_up(max([FEWEST, *(count.votes for count in counts)]))
    labels = [_label(count, upright) for count in counts]
    votes = [count.votes for count in counts]
    bars = {
        "type": "bar",
        "orientation": "v" if upright else "h",
        "x": labels if upright else votes,
        "y": votes if upright else labels,
        "text": [_note(count, right, mine, upright) for count in counts],
        "textposition": "outside",
        "textfont": {"color": colors.ink, "size": 14},
        "cliponaxis": False,
        "marker": {"color": [colors.series[2 if count.key == right else 0] for count in counts]},
        "hoverinfo": "skip",
    }
    number = {"range": [0, most * 1.15], "title": titled("Answers", dark), "nticks": 6, "tickformat": ",d"}
    name = {
        "type": "category",
        "tickfont": {"color": colors.ink, "size": 12 if upright else 14},
        "automargin": True,
    }
    axes = (
        {"xaxis": name, "yaxis": number}
        if upright
        else {"xaxis": number, "yaxis": name | {"autorange": "reversed"}}
    )
    return chart(
        [bars], axes, dark, name="answers", bargap=0.25, showlegend=False,
        height=340 if upright else max(ROW * len(counts) + AROUND, 200),
    )  # fmt: skip


def _label(count: Count, upright: bool) -> str:
    return count.label if upright else "<br>".join(textwrap.wrap(count.label, LONGEST))


def _note(count: Count, right: str, mine: str, upright: bool) -> str:
    """Return what is written at the end of a bar."""
    said = ["right"] * (count.key == right) + ["yours"] * (count.key == mine)
    votes = str(count.votes) if count.votes or said else ""
    return ("<br>" if upright else " · ").join([*said, votes] if upright else [votes, *said])


def alt(counts: Sequence[Count]) -> str:
    """Say in words what the chart shows."""
    given = [f"{count.label}: {count.votes}" for count in counts if count.votes]
    return (
        f"Bars of the answers. {'; '.join(given)}." if given else "Bars of the answers; there are none yet."
    )
