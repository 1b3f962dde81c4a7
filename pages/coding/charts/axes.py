"""Parts that the charts of the Coding page share: the logarithmic axis of demands, colours of loads."""

from __future__ import annotations

import math
from typing import Any

from pages.coding.question import DEMANDS, LANDMARKS
from pages.shared.charts.chart import titled
from sim.telling.palette import palette
from sim.telling.scales import few_ticks, ticked_log
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


def demand_axis(title: str, dark: bool) -> dict[str, Any]:
    """Return the axis of demands, from no job to all; every second finite one has its number."""
    named = (0.0, *DEMANDS[1:-1:2], math.inf)
    ticks = (0.0, *DEMANDS)
    return {
        "title": titled(title, dark),
        "type": "log",
        "range": [math.log10(end) for end in ENDS],
        "tickmode": "array",
        "tickvals": [place(demand) for demand in ticks],
        "ticktext": [spelled(demand) if demand in named else "" for demand in ticks],
        "fixedrange": True,
    }


def tight_log(low: float, high: float) -> dict[str, Any]:
    """Return a logarithmic axis over exactly [low, high], with at most seven round ticks.

    Examples
    --------
    >>> tight_log(14, 90)["ticktext"]
    ['15', '20', '30', '40', '50', '70']
    >>> tight_log(1, 500)["ticktext"]
    ['1', '3', '10', '30', '100', '300']
    """
    return ticked_log(low, high, few_ticks(low, high, STEPS)) | {"fixedrange": True}


def color_of(load: float, chosen: float, dark: bool) -> str:
    """Return the colour of an offered load: the first for the chosen one, its own for every landmark."""
    series = palette(dark).series
    return series[0] if load == chosen else series[1 + LANDMARKS.index(load)]
