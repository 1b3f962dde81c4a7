"""Round tick labels on an axis that counts cells, whose values need not be round."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pages.shared.charts.scales import few_ticks, round_up
from pages.shared.words.numbers import plain

#: Labels of an axis, at most.
MOST = 7
#: Spread of the steps between values, as a share of their mean, up to which they count as even.
EVEN = 0.25


def ticks(values: Sequence[float]) -> tuple[list[float], list[str]]:
    """Return where labels stand, in cells from 0, and what they say.

    Few values, or uneven ones, are said as they are; else round numbers stand where they lie between the
    middles of two cells, by even steps or even ratios as the values have.

    Examples
    --------
    >>> ticks([0.3, 0.5, 0.8])
    ([0.0, 1.0, 2.0], ['0.3', '0.5', '0.8'])
    >>> places, told = ticks(np.linspace(0.3, 0.9, 12).round(4).tolist())
    >>> told, [round(place, 2) for place in places]
    (['0.3', '0.4', '0.5', '0.6', '0.7', '0.8', '0.9'], [0.0, 1.83, 3.67, 5.5, 7.33, 9.17, 11.0])
    >>> ticks([20, 39, 75, 144, 278, 536, 1036, 2000])[1]
    ['20', '50', '100', '200', '500', '1,000', '2,000']
    """
    if len(values) > MOST:
        if _uneven(values) < EVEN:
            return _at(_steps(values[0], values[-1]), values)
        if values[0] > 0 and _uneven(logs := [math.log(value) for value in values]) < EVEN:
            found = few_ticks(values[0], values[-1], ((1, 2, 5), (1, 3), (1,)))
            places, _ = _at([math.log(one) for one in found], logs)
            return places, [plain(one) for one in found]
    chosen = range(0, len(values), math.ceil(len(values) / MOST))
    return [float(place) for place in chosen], [plain(float(f"{values[place]:.3g}")) for place in chosen]


def _uneven(values: Sequence[float]) -> float:
    steps = np.diff(values)
    return float(steps.std() / steps.mean())


def _steps(low: float, high: float) -> list[float]:
    """Return the multiples of a round step between two ends."""
    step = round_up((high - low) / (MOST - 1))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{step * place:.12g}") for place in range(first, last + 1)]


def _at(wanted: Sequence[float], values: Sequence[float]) -> tuple[list[float], list[str]]:
    places: list[float] = np.interp(wanted, values, np.arange(len(values))).tolist()
    return places, [plain(one) for one in wanted]
