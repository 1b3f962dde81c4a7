"""The contents of a page as a value: cards, charts with their captions, what to notice.

A page makes a `Screen` from snapshots, by pure functions; a `Layout` puts it on the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Self

import plotly.graph_objects as go

from pages.shared.charts.on_page import Chart, Seen, said
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.live.cards import Card
from sim.model.result import Comparison
from sim.running.distribution import distribution, distribution_alt, ends_early, told_alike
from sim.telling.plot import WIDTH


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart with its title above it, what it says in words, and what stands below it."""

    title: str
    figure: SerializedFigure
    alt: str
    caption: str

    @classmethod
    def of(cls, title: str, figure: go.Figure, alt: str, *remarks: str) -> Self:
        """Make a drawing of a figure, with those remarks below it that are not empty."""
        return cls(title, SerializedFigure(figure, title), alt, " ".join(filter(None, remarks)))

    @classmethod
    def made(cls, chart: Chart[Seen], seen: Seen, dark: bool) -> Self:
        """Make the drawing of a chart of what is seen."""
        return cls.of(
            said(chart.title, seen), chart.draw(seen, dark), chart.words(seen), said(chart.about, seen)
        )

    @classmethod
    def by(cls, chart: ModuleType, part: Any, dark: bool) -> Self:
        """Make a drawing by a module that is a chart: it has `TITLE`, `draw`, `alt` and `about`."""
        return cls.of(chart.TITLE, chart.draw(part, dark), chart.alt(part), chart.about(part))


@dataclass(frozen=True, slots=True)
class Screen:
    """All that a layout shows at one time; `notices` and `answer` are in Markdown."""

    cards: Sequence[Card]
    drawings: Sequence[Drawing]
    notices: Sequence[str]
    answer: str = ""

    @property
    def figures(self) -> dict[str, SerializedFigure]:
        """The figures by their titles, for download."""
        return {drawing.title: drawing.figure for drawing in self.drawings}


def flowtimes(
    comparison: Comparison,
    dark: bool,
    *,
    tail: bool = False,
    note: str = "",
    height: float = 340,
    wide: float = WIDTH,
) -> Drawing:
    """Draw how flowtimes of jobs are distributed; `note` is added to the title, the size is of `Plot`."""
    return Drawing.of(
        f"Flowtime of jobs ({comparison.scenario.time_unit}){note}",
        distribution(comparison, dark, tail=tail, height=height, wide=wide),
        distribution_alt(comparison, tail=tail),
        ends_early(comparison),
        told_alike(comparison, tail=tail),
    )


def resources(comparison: Comparison, dark: bool, *, tail: bool = False, note: str = "") -> Drawing:
    """Draw how slot-times of jobs are distributed; `note` is added to the title."""
    return Drawing.of(
        f"Slot-time of jobs (slot·{comparison.scenario.time_unit}){note}",
        distribution(comparison, dark, measure="resource", tail=tail),
        distribution_alt(comparison, measure="resource", tail=tail),
        told_alike(comparison, measure="resource", tail=tail),
    )
