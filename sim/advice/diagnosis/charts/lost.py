"""Bars of recorded times, split into what remains without stragglers and what these cost."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from sim.telling.palette import faded
from sim.telling.plot import Plot, in_chart, rows
from sim.telling.unit import Unit


def split(plot: Plot, names: Sequence[str], without: ArrayLike, lost: ArrayLike, unit: Unit) -> None:
    """Draw a row for each name: its time with all tasks at the median, and what was lost."""
    first, second, *_ = plot.colors.series
    for part, values, color in (
        ("all tasks at the median", without, faded(first, 0.6)),
        ("lost to stragglers", lost, second),
    ):
        plot.bars(
            values,
            list(range(len(names))),
            part,
            color,
            f"%{{hovertext}}<br>{part}: %{{x:,.3~r}} {unit.sign}",
            across=True,
            hovertext=[in_chart(name) for name in names],
        )
    plot.axis("y", scale=rows(names))
