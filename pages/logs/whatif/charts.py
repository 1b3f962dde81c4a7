"""The charts of the What-if page; what its report draws, too, is in `sim.advice.whatif.charts`.

Each has a `TITLE`, `draw(part, dark)` for what it shows, `alt(part)`, which says the same in words, and
`about(part)`, which stands below it.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.shared.charts.on_page import Chart, figure
from pages.shared.words.foreign import literal
from sim.advice.whatif.charts import front, recorded, remedies
from sim.advice.whatif.check import ABOUT, COMPARED, Item, Pictures, Residual
from sim.advice.whatif.remedies.judged import Remedies
from sim.telling.document import typeset
from sim.telling.plot import Plot, around, in_chart, rows
from sim.telling.scales import linear_axis, log_axis, span
from sim.telling.words import begun, clipped, counted, listed, number

# Luck against a property that should not affect it: the usual luck of each group of copies.

#: Groups that are drawn: of more, half of them are the slowest and half the fastest.
MOST = 12
#: Characters of a group beside its row, and in the alt text of the chart.
BESIDE, IN_ALT = 32, 40
#: Pixels of a row, and of what is around the rows.
ROW, AROUND = 20, 110


def title_luck(one: Residual) -> str:
    """Return what stands above the chart."""
    return f"Luck by {one.name}"


def drawn(one: Residual) -> pd.DataFrame:
    """Return the groups that are drawn, in order."""
    groups = one.groups
    if len(groups) <= MOST:
        return groups
    order = np.argsort(groups["luck"].to_numpy(float), kind="stable")
    return groups.iloc[np.r_[order[::-1][: MOST // 2], order[: MOST // 2][::-1]]]


def draw_luck(one: Residual, dark: bool) -> go.Figure:
    """Draw a row for each group: its median luck over the usual one, with a 95 % interval."""
    groups = drawn(one)
    plot = Plot(f"luck by {one.name}", dark, AROUND + ROW * len(groups))
    luck, low, high = (groups[column].to_numpy(float) for column in ("luck", "low", "high"))
    away = (low > 1) | (high < 1)
    plot.dots(
        luck,
        list(range(len(groups))),
        "groups",
        "",
        [in_chart(text) for text in _told(groups, IN_ALT)],
        showlegend=False,
        marker={"color": [plot.colors.series[1 if one else 0] for one in away]},
        error_x=around(luck, low, high, plot.colors.ink),
    )
    plot.up(1.0, dash="dot")
    across = log_axis(min(0.8, float(low.min())), max(1.25, float(high.max())))
    plot.axis("x", "luck over the usual one (×)", across)
    plot.axis("y", scale=rows([name or "no name" for name in groups["group"]], BESIDE))
    return figure(plot)


def alt_luck(one: Residual) -> str:
    """Say in words what `draw` shows."""
    return f"Median luck by {ABOUT[one.name]}: {listed(list(_told(drawn(one), IN_ALT)))}."


def about_luck(one: Residual) -> str:
    """Return what stands below the chart."""
    some = ""
    if (of := len(one.groups)) > MOST:
        some = f" Drawn are the {MOST // 2} slowest and the {MOST // 2} fastest of {of:,} groups."
    said = one.about
    return f"{literal(begun(said))}. Rows: {ABOUT[one.name]}.{some}"


def _told(groups: pd.DataFrame, most: int) -> list[str]:
    return [
        f"{clipped(name, most) or 'no name'} {number(luck)} (95 %: {number(low)} to {number(high)}; "
        f"{counted(copies, 'copy', 'copies')})"
        for name, copies, luck, low, high in groups.itertuples(index=False)
    ]


# The check, stage by stage: where recorded stage times lie among the simulated ones.

#: Classes of ranks.
CLASSES = 10


def counts(pictures: Pictures) -> np.ndarray:
    """Return how many stages have a rank in each class."""
    places = np.floor(np.round(pictures.ranks * CLASSES, 9)).astype(int)
    return np.bincount(np.minimum(places, CLASSES - 1), minlength=CLASSES)


def band(stages: int) -> tuple[float, float]:
    """Return the least and the most that 95 % of the classes have where the model is right."""
    half = 1.96 * math.sqrt(stages * (1 / CLASSES) * (1 - 1 / CLASSES))
    return max(0.0, stages / CLASSES - half), stages / CLASSES + half


def draw_ranks(pictures: Pictures, dark: bool) -> go.Figure:
    """Draw the classes, and how many stages each has where the model is right."""
    plot, found = Plot("ranks", dark), counts(pictures)
    low, high = band(pictures.ranks.size)
    middles = np.arange(CLASSES) * 10 + 5
    plot.bars(middles, found, "stages", plot.colors.series[0], "%{y} stages", width=9)
    plot.across(low, dash="dot")
    plot.across(high, dash="dot")
    plot.axis("x", "rank of the recorded time, of 100", span(0, 100))
    plot.axis("y", "stages", linear_axis(max(float(found.max()), high)))
    return figure(plot)


def alt_ranks(pictures: Pictures) -> str:
    """Say in words what `draw` shows."""
    return (
        f"{counted(pictures.ranks.size, 'stage')} by the rank of their recorded time among the simulated "
        f"ones, in {CLASSES} classes: {', '.join(map(str, counts(pictures)))}."
    )


def about_ranks(pictures: Pictures) -> str:
    """Return what stands below the chart."""
    middle = number(100 * float(pictures.ranks.mean()), 2)
    return (
        "Ranks spread evenly where the model is right: classes then mostly lie between the dotted lines. Low "
        f"ranks: recorded stages were faster than the model’s; high ones: slower. Mean rank {middle} of 100."
    )


# The check of the whole: figures of the history over those of the model.

#: Labels beside the rows.
CALLED = {
    "p50": "median job time",
    "p95": "p95 of job time",
    "copies": "second copies",
    "won": "copies that won",
    "killed_time": "slot-time killed",
}


def compared(items: tuple[Item, ...], pictures: Pictures) -> list[tuple[str, float, float, float]]:
    """Return what each figure is called, recorded over simulated, and where 90 % of replications lie."""
    found = []
    for item in items:
        if (figure := COMPARED.get(item.name)) and item.expected > 0:
            low, high = np.quantile(pictures.figures[figure], (0.05, 0.95)) / item.expected
            found.append((CALLED.get(item.name, item.name), item.ratio, low, high))
    return found


def draw_ratios(parts: tuple[tuple[Item, ...], Pictures], dark: bool) -> go.Figure:
    """Draw a row for each figure."""
    plot, found = Plot("ratios", dark), compared(*parts)
    places, color = list(range(len(found))), plot.colors.series[0]
    ratio, low, high = (np.array([row[part] for row in found]) for part in (1, 2, 3))
    one = np.ones(ratio.size)
    bars = around(one, np.minimum(low, one), np.maximum(high, one), color, thickness=8, width=0)
    name, square = "model: 90 % of replications", {"symbol": "square", "size": 8}
    plot.dots(one, places, name, color, marker=square, error_x=bars)
    diamond = {"size": 10, "symbol": "diamond"}
    told = "recorded ÷ model: %{x:.3~r}"
    plot.dots(ratio, places, "recorded", plot.colors.ink, told, marker=diamond)
    plot.up(1.0, dash="dot")
    least = min(0.7, float(ratio.min()), float(low.min()))
    most = max(1.4, float(ratio.max()), float(high.max()))
    plot.axis("x", "recorded ÷ mean of the model", span(least - 0.05, most + 0.05))
    plot.axis("y", scale=rows([row[0] for row in found]))
    return figure(plot)


def alt_ratios(parts: tuple[tuple[Item, ...], Pictures]) -> str:
    """Say in words what `draw` shows."""
    told = [
        f"{name} {number(ratio)} (90 % of replications: {number(low)} to {number(high)})"
        for name, ratio, low, high in compared(*parts)
    ]
    return f"Recorded over model: {listed(told)}."


def about_ratios(parts: tuple[tuple[Item, ...], Pictures]) -> str:
    """Return what stands below the chart."""
    return (
        "Above 1 the history took longer, or had more, than the model. A ratio of times is good from 0.9 to "
        "1.1; copies are judged by the spread of the replications."
    )


# The charts that the report has, too.


def about_remedies(found: Remedies | None) -> str:
    """Return what stands below the chart: how to read it, and why remedies are not recommended."""
    if found is None:
        return "Remedies are played with the same luck as today’s setting."
    why = [f"*{one.remedy.title}*: {literal(typeset(one.reason))}." for one in found.judged if one.reason]
    return " ".join(
        [
            "Grey: the most there is to gain, with the cause mended entirely. Lines: paired 95 % intervals.",
            *why,
        ]
    )


FRONT = Chart[front.Front].of(front)
RECORDED = Chart[Pictures].of(recorded)
REMEDIES = Chart[Remedies | None].of(remedies, about_remedies)
RANKS = Chart("Ranks of recorded stage times", draw_ranks, alt_ranks, about_ranks)
RATIOS = Chart("Recorded figures against the model", draw_ratios, alt_ratios, about_ratios)
