"""Checks that the code of today computes what is recorded: a quick run beside the record.

A quick run repeats its own numbers to the bit, up to what processors do to the last digits; and where it
measures the same as the runs of the papers' scale, only less precisely, it must hold their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sim.papers.claim import Claim
from sim.papers.digest import digest

#: A recorded value may lie this many half widths from a quick one; seeds are fixed, nothing is left to luck.
REACH = 2.0
#: Digits of logarithms and powers are the processor's own from here on.
ROUNDING = 1e-6


def differences(claim: Claim, kept: Mapping[str, Any], quick: Mapping[str, Any]) -> Iterator[str]:
    """Yield in what the record of a claim and a quick run of today differ.

    Parameters
    ----------
    claim : Claim
    kept : mapping
        What is recorded of it.
    quick : mapping
        Its `outcome` of today.
    """
    if kept.get("digest") != digest(claim):
        yield "its rule or its computation has changed since it was recorded"
    before = kept.get("quick", {})
    if quick["verdict"] != before.get("verdict"):
        yield f"its verdict was {before.get('verdict')!r} and is now {quick['verdict']!r}"
    for name in ("value", "low", "high"):
        if not _same(before.get(name), quick[name]):
            yield f"its quick {name} was {before.get(name)} and is now {quick[name]}"
    if claim.alike and not _holds(quick, kept.get("value")):
        yield f"the recorded value {kept.get('value')} is not within {REACH:g} half widths of a quick run"


def _same(before: float | None, now: float | None) -> bool:
    if before is None or now is None:
        return before is now
    return math.isclose(before, now, rel_tol=ROUNDING, abs_tol=1e-9)


def _holds(quick: Mapping[str, Any], value: float | None) -> bool:
    low, middle, high = (quick[name] for name in ("low", "value", "high"))
    if value is None or low is None or high is None:
        return True
    reach = [REACH * (end - middle) for end in (low, high)]
    least = ROUNDING * abs(value) + 1e-9
    return bool(middle + reach[0] - least <= value <= middle + reach[1] + least)
