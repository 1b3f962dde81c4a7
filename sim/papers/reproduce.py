"""Computes claims and figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from sim.papers.claim import Claim
from sim.papers.digest import digest
from sim.papers.picture import Picture, as_json
from sim.papers.reasons import filled
from sim.papers.record import provenance


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
