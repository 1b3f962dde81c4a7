"""Reasons of verdicts: templates whose numbers are filled in from the results.

A place such as ``{against no backup|%}`` is filled with the number of that choice, ``{|%}`` with the claim's
own. What is typed are numbers of the paper, of the setting and of the method.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from sim.model.statistics import Estimate
from sim.telling.words import UNKNOWN, spread

#: The name of a choice, and how its number is told.
PLACE = re.compile(r"\{([^{}|]*)\|([^{}|]+)\}")
#: How a number is told -> what is told of it, and its unit.
HOW: dict[str, tuple[Callable[[float], float], str]] = {
    "%": (lambda value: 100 * value, " %"),
    "more %": (lambda value: -100 * value, " %"),
    "less %": (lambda value: 100 * (1 - value), " %"),
    "plain": (lambda value: value, ""),
    "count": (round, ""),
}


def filled(reason: str, own: Estimate, choices: Mapping[str, Estimate]) -> str:
    """Return a reason with its numbers.

    Parameters
    ----------
    reason : str
    own : Estimate
        The number that is judged.
    choices : mapping of str to Estimate
        What each other choice gives.

    Examples
    --------
    >>> small = {"small jobs": Estimate(0.36, 0.264, 0.456)}
    >>> filled("It is {|plain} times as much, {small jobs|%} of it.", Estimate(1.5, 1.5, 1.5), small)
    'It is 1.50 times as much, 36 ± 10 % of it.'
    """

    def number(place: re.Match[str]) -> str:
        return told(choices[place[1]] if place[1] else own, place[2])

    return PLACE.sub(number, reason)


def told(estimate: Estimate, how: str) -> str:
    """Return a number with the half width of its interval, rounded to one digit.

    Examples
    --------
    >>> told(Estimate(-0.0385, -0.054, -0.023), "more %"), told(Estimate(19.43, 19.24, 19.62), "plain")
    ('4 ± 2 %', '19.4 ± 0.2')
    >>> told(Estimate(None), "%"), told(Estimate(0.5), "%")
    ('unknown', '50.0 %')
    """
    of, unit = HOW[how]
    if estimate.value is None:
        return UNKNOWN
    value = of(estimate.value)
    half = math.nan
    if estimate.low is not None and estimate.high is not None:
        half = abs(of(estimate.high) - of(estimate.low)) / 2
    if how == "count":
        return f"{value}"
    return spread(value, half, 1) + unit
