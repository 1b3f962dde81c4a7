"""Axes that several charts of the page share, and bars of intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pages.shared.charts.chart import titled
from sim.telling.plot import Part, in_chart
from sim.telling.words import BESIDE, clipped


def rows(names: Sequence[str]) -> Part:
    """Return an axis with a row for each name, from the top."""
    return {
        "range": [len(names) - 0.5, -0.5],
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": [in_chart(clipped(name, BESIDE)) for name in names],
        "showgrid": False,
        "fixedrange": True,
    }


def whole(title: str, dark: bool) -> Part:
    """Return an axis from 0 to 100 %."""
    return {
        "title": titled(title, dark),
        "range": [0, 1.02],
        "tickmode": "array",
        "tickvals": [0, 0.25, 0.5, 0.75, 1],
        "ticktext": ["0 %", "25 %", "50 %", "75 %", "100 %"],
        "fixedrange": True,
    }


def around(values: np.ndarray, low: np.ndarray, high: np.ndarray, color: str) -> Part:
    """Return bars from `low` to `high` of each value."""
    return {
        "type": "data",
        "symmetric": False,
        "array": high - values,
        "arrayminus": values - low,
        "color": color,
        "thickness": 1.5,
    }
