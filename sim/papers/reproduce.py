"""Computes claims and figures."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sim.model.statistics import Estimate
from sim.papers.claim import Claim
from sim.papers.digest import digest
from sim.papers.picture import Picture, as_json
from sim.papers.record import provenance
from sim.telling.words import UNKNOWN, spread

# Reasons of verdicts: templates whose numbers are filled in from the results.
#
# A place such as ``{against no backup|%}`` is filled with the number of that choice, ``{|%}`` with the
# claim's own. What is typed are numbers of the paper, of the setting and of the method.

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


def outcome(claim: Claim, *, quick: bool = False) -> dict[str, Any]:
    """Compute one claim and judge it.

    Parameters
    ----------
    claim : Claim
    quick : bool, optional
        Whether fewer and smaller runs will do.

    Returns
    -------
    dict
        `reported`, `value`, `low`, `high`, `unit`, `verdict`, `reason`, `seed`, `version`, `commit`,
        `replications`, `seconds`, `digest`, and `choices`: what each reasonable other choice gives. A bound
        is null where there is one replication, a value where unfinished jobs censor it; never NaN.
    """
    begun = time.perf_counter()
    measured = claim.compute(quick)
    seconds = time.perf_counter() - begun
    verdict = claim.judge(measured.estimate)
    return {
        "reported": claim.reported,
        **measured.estimate.as_dict(),
        "unit": claim.unit,
        "verdict": verdict.word,
        "reason": filled(verdict.reason, measured.estimate, measured.choices),
        "seed": measured.seed,
        **provenance(),
        "replications": measured.replications,
        "seconds": round(seconds, 3),
        "digest": digest(claim),
        "choices": {name: estimate.as_dict() for name, estimate in measured.choices.items()},
    }


def quickly(found: dict[str, Any]) -> dict[str, Any]:
    """Return what is recorded of a quick outcome: what a later one is compared with."""
    return {"quick": {name: found[name] for name in ("value", "low", "high", "verdict", "seconds")}}


def again(key: str, *, progress: Callable[[int], object] = lambda done: None) -> dict[str, Any]:
    """Return the quick outcome of a claim by its key; for another process."""
    from sim.papers import CLAIMS

    return outcome(CLAIMS[key], quick=True)


def reproduce(
    claims: Iterable[Claim], *, quick: bool = False, tell: Callable[[str], object] = print
) -> dict[str, dict[str, Any]]:
    """Compute claims one after the other, telling of each as it is done."""
    found = {}
    for claim in claims:
        found[claim.key] = outcome(claim, quick=quick)
        tell(as_line(claim, found[claim.key]))
    return found


def drawn(picture: Picture, *, quick: bool = False) -> dict[str, Any]:
    """Compute the curves of a picture, with what they were made by."""
    begun = time.perf_counter()
    curves = as_json(picture.draw(quick))
    seconds = round(time.perf_counter() - begun, 3)
    return {**provenance(), "seconds": seconds, "digest": digest(picture), "curves": curves}


def as_line(claim: Claim, found: dict[str, Any]) -> str:
    """Return a claim and its outcome for a terminal.

    Examples
    --------
    >>> from sim.papers import CLAIMS
    >>> claim = CLAIMS["xl-fig4-alpha2"]
    >>> print(as_line(claim, outcome(claim)))  # doctest: +NORMALIZE_WHITESPACE
    xl-fig4-alpha2   XL Fig. 4: reported 1.7 E[x], ours 1.707. reproduced.
                     Ours is 0.4 % too high; counted as reproduced up to 2.9 %.
    """
    low, high = found["low"], found["high"]
    interval = f" ({low:.4g} to {high:.4g})" if low is not None and low < high else ""
    ours = "censored" if found["value"] is None else f"{found['value']:.4g}{interval}"
    unit = f" {claim.unit}" if claim.unit else ""
    bound = f"{claim.bound} " if claim.bound else ""
    head = (
        f"{claim.key:16} {claim.paper} {claim.place}: reported {bound}{claim.reported:g}{unit}, ours {ours}. "
    )
    return f"{head}{found['verdict']}.\n{'':17}{found['reason']}"
