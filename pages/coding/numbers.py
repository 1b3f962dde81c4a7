"""How the Coding page spells what was measured."""

from __future__ import annotations

from pages.shared.words.numbers import measured
from sim.statistics import Estimate


def number_of(estimate: Estimate, unit: str = "") -> str:
    """Return an estimate with its interval in words.

    Examples
    --------
    >>> number_of(Estimate(20.0, 19.0, 21.0), "s"), number_of(Estimate(None))
    ('20.0 ± 1.0 s', 'censored')
    """
    return measured(estimate, unit)


def change_of(gain: Estimate, before: float | None) -> str:
    """Return a paired difference as a share of what was before.

    Examples
    --------
    >>> change_of(Estimate(-5.0, -6.0, -4.0), 20.0), change_of(Estimate(None), 20.0)
    ('−25.0 ± 5.0 %', 'not known')
    """
    if gain.value is None or not before:
        return "not known"
    return measured(gain, "%", 100 / before)
