"""Axes with round ends and few round ticks: they stay while a control moves the data a little."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sim.formula import plain

MOST_TICKS = 7


def round_up(value: float, steps: tuple[float, ...] = (1, 2, 5)) -> float:
    """Return the smallest of these steps of a decade, ..., 1, 2, 5, 10, ..., that is at least `value` > 0.

    An axis that ends there stays where it is while a control moves the data a little.

    Examples
    --------
    >>> round_up(3.0), round_up(0.1), round_up(51.0)
    (5.0, 0.1, 100.0)
    """
    power = 10.0 ** math.floor(math.log10(value))
    ends = (step * power for step in (*steps, 10))
    return float(next(f"{end:.12g}" for end in ends if end >= value * (1 - 1e-9)))


def tidy(value: float) -> float:
    """Return the smallest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is at least `value` > 0.

    An axis that ends there stays where it is while a control moves the data a little.

    Examples
    --------
    >>> tidy(1.33), tidy(61), tidy(0.8)
    (1.5, 80.0, 0.8)
    """
    return round_up(value, (1, 1.5, 2, 3, 4, 5, 6, 8))


def round_down(value: float) -> float:
    """Return the largest of ..., 0.1, 0.2, 0.5, 1, 2, 5, 10, ... that is at most `value` > 0.

    Examples
    --------
    >>> round_down(3.0), round_down(0.1), round_down(51.0)
    (2.0, 0.1, 50.0)
    """
    return float(f"{1 / round_up(1 / value):.12g}")


def log_axis(low: float, high: float) -> dict[str, Any]:
    """Return a logarithmic axis over [low, high], both > 0, with few round ticks.

    Examples
    --------
    >>> log_axis(1.2, 80.0)["ticktext"], log_axis(1.2, 490.0)["ticktext"]
    (['1', '2', '5', '10', '20', '50', '100'], ['1', '3', '10', '30', '100', '300'])
    """
    low, high = round_down(low), round_up(high)
    if low == high:
        low, high = round_down(low / 2), round_up(high * 2)
    ticks = few_ticks(low, high, ((1, 2, 5), (1, 3), (1,)))
    return ticked_log(low, high, ticks[:: math.ceil(len(ticks) / MOST_TICKS)])


def few_ticks(low: float, high: float, choices: Iterable[Sequence[float]]) -> list[float]:
    """Return the ticks in [low, high] at the first of these steps of a decade that gives at most seven.

    If none does, the last one counts.
    """
    ticks: list[float] = []
    for steps in choices:
        ticks = list(_ticks(low, high, steps))
        if len(ticks) <= MOST_TICKS:
            break
    return ticks


def ticked_log(low: float, high: float, ticks: list[float]) -> dict[str, Any]:
    """Return a logarithmic axis over exactly [low, high], both > 0, with these ticks."""
    return {
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [plain(tick) for tick in ticks],
    }


def _ticks(low: float, high: float, steps: Sequence[float]) -> Iterator[float]:
    """Yield these steps of each decade, within [low, high]."""
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for step in steps:
            tick = float(f"{step}e{power}")
            if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9):
                yield tick


def linear_axis(high: float) -> dict[str, Any]:
    """Return a linear axis from 0 to a round number of at least `high`, which may be 0."""
    return {
        "type": "linear",
        "range": [0, round_up(high) if high > 0 else 1],
        "nticks": 6,
        "tickformat": ",~r",
    }


def span(low: float, high: float, **more: Any) -> dict[str, Any]:
    """Return a linear axis over exactly [low, high], with about six plain numbers."""
    return {"range": [low, high], "nticks": 6, "tickformat": ",~r"} | more


def named_ticks(places: Any, texts: Any) -> dict[str, Any]:
    """Return these ticks of an axis, with these labels."""
    return {"tickmode": "array", "tickvals": places, "ticktext": texts}


def shares() -> dict[str, Any]:
    """Return an axis from 0 to 100 %, a little longer."""
    ticks = (0, 0.25, 0.5, 0.75, 1)
    return {"range": [0, 1.02]} | named_ticks(list(ticks), [f"{100 * tick:g} %" for tick in ticks])
