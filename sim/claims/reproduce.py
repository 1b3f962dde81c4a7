"""Computing claims, and the file that keeps what came out at the scale of the papers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import sim
from sim.claims.claim import Claim

#: Key -> outcome of the last run at the scale of the papers; the app shows it.
RESULTS = Path(__file__).with_name("results.json")


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
        `reported`, `value`, `low`, `high`, `unit`, `verdict`, `reason`, `seed`, `version`,
        `replications`, `seconds`, and `choices`: what each reasonable other choice gives. A bound
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
        "reason": verdict.reason,
        "seed": measured.seed,
        "version": sim.__version__,
        "replications": measured.replications,
        "seconds": round(seconds, 3),
        "choices": {name: estimate.as_dict() for name, estimate in measured.choices.items()},
    }


def reproduce(
    claims: Iterable[Claim], *, quick: bool = False, tell: Callable[[str], object] = print
) -> dict[str, dict[str, Any]]:
    """Compute claims one after the other, telling of each as it is done."""
    found = {}
    for claim in claims:
        found[claim.key] = outcome(claim, quick=quick)
        tell(as_line(claim, found[claim.key]))
    return found


def as_line(claim: Claim, found: dict[str, Any]) -> str:
    """Return a claim and its outcome for a terminal.

    Examples
    --------
    >>> from sim.claims import CLAIMS
    >>> claim = CLAIMS["xl-fig4-alpha2"]
    >>> print(as_line(claim, outcome(claim)))  # doctest: +NORMALIZE_WHITESPACE
    xl-fig4-alpha2   XL Fig. 4: reported 1.7 E[x], ours 1.707. reproduced.
                     Ours agrees with the reported number.
    """
    low, high = found["low"], found["high"]
    interval = f" ({low:.4g} to {high:.4g})" if low is not None and low < high else ""
    ours = "censored" if found["value"] is None else f"{found['value']:.4g}{interval}"
    unit = f" {claim.unit}" if claim.unit else ""
    head = f"{claim.key:16} {claim.paper} {claim.place}: reported {claim.reported:g}{unit}, ours {ours}. "
    return f"{head}{found['verdict']}.\n{'':17}{found['reason']}"


def recorded(path: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """Return the recorded outcomes, by key."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def merged(found: dict[str, dict[str, Any]], path: Path = RESULTS) -> str:
    """Return the file with these outcomes, in the order of the claims; the others stay as they are."""
    from sim.claims import CLAIMS

    all_found = recorded(path) | found
    return json.dumps({key: all_found[key] for key in CLAIMS if key in all_found}, indent=1, allow_nan=False)
