"""The claims in words: the answer, the table, and a number with its unit."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pages.reproductions.question import PAPERS, Row, counts
from pages.reproductions.words.marks import MARKED
from pages.shared.words.numbers import counted, listed, number, plain, spread
from sim.claims.claim import FAILED, REPRODUCED, SHAPE, UNDECIDED, Claim
from sim.claims.typeset import typeset
from sim.statistics import Estimate

#: Less than that is a rounding error.
LEAST = 1e-6
#: How a count of verdicts is said.
SAID = {
    REPRODUCED: "**{} reproduced**",
    SHAPE: "**{} in shape**",
    FAILED: "**{} not**, each with its reason",
    UNDECIDED: "**{} undecided**",
}


def answer(some: Sequence[Row]) -> str:
    """Return how many of some claims are reproduced."""
    if not some:
        return "No claim passes these filters."
    parts = [SAID[verdict].format(count) for verdict, count in counts(some).items() if count]
    return f"Of {counted(len(some), 'claim')} of the papers: {listed(parts)}."


def with_unit(value: str, unit: str) -> str:
    """Return a number with its unit; some units are multiples of something.

    Examples
    --------
    >>> with_unit("1.7", "E[x]"), with_unit("0.6", ""), with_unit("2", "x central")
    ('1.7 E[x]', '0.6', '2 × central')
    """
    return f"{value} {as_read(unit)}".strip()


def as_read(unit: str) -> str:
    """Return a unit with the sign of a multiple.

    Examples
    --------
    >>> as_read("x central"), as_read("x"), as_read("E[x]")
    ('× central', '×', 'E[x]')
    """
    return "×" + unit[1:] if unit == "x" or unit.startswith("x ") else unit


def reported(claim: Claim) -> str:
    """Return the paper's number, with the sign of a bound; what its words are taken for, if it has none.

    Examples
    --------
    >>> from sim.claims import CLAIMS
    >>> reported(CLAIMS["hopper-fig5a-four-probes"]), reported(CLAIMS["hopper-fig5a-sparrow"])
    ('≤ 1.15 × central', '≥ 2 × central')
    """
    number = f"{claim.bound} {plain(claim.reported)}" if claim.bound else plain(claim.reported)
    return ("taken for " if claim.taken else "") + with_unit(number, claim.unit)


def known(estimate: Estimate) -> str:
    """Return a number of ours with the half width of its 95 % interval; an uneven one with both ends.

    Examples
    --------
    >>> known(Estimate(0.93, 0.92, 0.94)), known(Estimate(1.0, 1.0, 1.0))
    ('0.930 ± 0.010', '1.00')
    >>> known(Estimate(-0.966, -0.969, -0.963)), known(Estimate(1.0, 0.5, 3.0))
    ('−0.9660 ± 0.0030', '1.00 (0.500 to 3.00)')
    """
    if estimate.value is None:
        return "unknown: some jobs unfinished"
    if 0 < abs(estimate.value) < LEAST:
        return f"less than {LEAST:.6f}"
    low, high = estimate.low, estimate.high
    if low is None or high is None:
        return number(estimate.value)
    halves = estimate.value - low, high - estimate.value
    if abs(halves[0] - halves[1]) > 0.1 * max(halves):
        return f"{number(estimate.value)} ({number(low)} to {number(high)})"
    return spread(estimate.value, sum(halves) / 2)


def table(some: Sequence[Row]) -> pd.DataFrame:
    """Return the claims, one a row."""
    return pd.DataFrame(
        {
            "Paper": [f"{PAPERS[row.claim.paper]}, {typeset(row.claim.place)}" for row in some],
            "What it says": [typeset(row.claim.statement) for row in some],
            "Reported": [reported(row.claim) for row in some],
            "Ours, 95 %": [known(row.ours) for row in some],
            "Verdict": [MARKED[row.found["verdict"]] for row in some],
            "Why": [typeset(row.found["reason"]) for row in some],
        }
    )
