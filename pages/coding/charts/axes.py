"""Parts that the charts of the Coding page share: axes of demands, colours of loads, looks of curves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pages.coding.question import DEMANDS, LANDMARKS
from sim.model.statistics import Estimate
from sim.telling.plot import DASHED, LINE, Part, Plot
from sim.telling.scales import few_ticks, named_ticks, ticked_log
from sim.telling.words import plain

#: Where "none" (d = 0) and "all" (d infinite) stand on the logarithmic axis of demands.
NONE, ALL = 7.5, 6500.0
ENDS = (6.3, 7800.0)
#: Steps of a decade that a logarithmic axis may name, from many to few.
STEPS = ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,))


def place(demand: float) -> float:
    """Return where a demand stands on its axis.

    Examples
    --------
    >>> place(0), place(120), place(float("inf"))
    (7.5, 120, 6500.0)
    """
    return ALL if demand == math.inf else NONE if demand == 0 else demand


def spelled(demand: float) -> str:
    """Return a demand as the axis and sentences have it.

    Examples
    --------
    >>> spelled(0), spelled(1000.0), spelled(float("inf"))
    ('none', '1,000', 'all')
    """
    return "none" if demand == 0 else "all" if demand == math.inf else plain(demand)


def demand_axis(ends: tuple[float, float] = ENDS) -> Part:
    """Return the axis of demands, from no job to all; every second finite one has its number."""
    named = (0.0, *DEMANDS[1:-1:2], math.inf)
    ticks = (0.0, *DEMANDS)
    labels = [spelled(demand) if demand in named else "" for demand in ticks]
    log = {"type": "log", "range": [math.log10(end) for end in ends]}
    return log | named_ticks([place(demand) for demand in ticks], labels)


def tight_log(low: float, high: float) -> Part:
    """Return a logarithmic axis over exactly [low, high], with at most seven round ticks.

    Examples
    --------
    >>> tight_log(14, 90)["ticktext"]
    ['15', '20', '30', '40', '50', '70']
    >>> tight_log(1, 500)["ticktext"]
    ['1', '3', '10', '30', '100', '300']
    """
    return ticked_log(low, high, few_ticks(low, high, STEPS))


def color_of(load: float, chosen: float, series: Sequence[str]) -> str:
    """Return the colour of an offered load: the first for the chosen one, its own for every landmark."""
    return series[0] if load == chosen else series[1 + LANDMARKS.index(load)]


def pointed(color: str, strong: bool) -> Part:
    """Return the looks of a curve through simulated points."""
    marks = {"color": color, "size": 8 if strong else 6}
    return {"mode": "lines+markers", "line": {"width": LINE + 1 if strong else 1.5}, "marker": marks}


def halves(found: Sequence[Estimate], color: str) -> Part:
    """Return the half widths of intervals as bars, of none where there is none."""
    known = [one.half if math.isfinite(one.half) else 0.0 for one in found]
    return {"type": "data", "array": known, "color": color, "thickness": 1.5, "width": 3}


def star(plot: Plot, loads: np.ndarray, demands: np.ndarray, color: str) -> None:
    """Draw d* of the theory against the offered load."""
    told = "ρ₀ = %{x:.2f}: d* = %{y:.3~r} s by Claim 1"
    plot.line(loads, demands, "d*, theory", color, told, line=DASHED)
