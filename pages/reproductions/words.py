"""Texts of the Reproductions page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from pages.reproductions.question import PAPERS, Row, counts
from sim.model.statistics import Estimate
from sim.papers.claim import FAILED, REPRODUCED, SHAPE, UNDECIDED, Claim, typeset
from sim.papers.hopper import READINGS
from sim.telling.words import counted, listed, number, plain, spread

#: Beginning of a claim's key -> the errata page's name of the paper, and titles of findings there.
TOUCHING: dict[str, tuple[str, tuple[str, ...]]] = {
    "hopper-theorems-one": ("hopper", ("Light tails: less than one copy of each task",)),
    "hopper-theorems-two": (
        "hopper",
        (
            "Fairness counts the wrong jobs",
            "Fairness with fewer slots than jobs",
            "One projection is not enough",
        ),
    ),
    "hopper-theorems-three": (
        "hopper",
        (
            "The cases of Algorithm 3 leave gaps and overlap",
            "A new least weight is served too early",
            "Algorithm 3 is a heuristic",
        ),
    ),
    "hopper-section42": (
        "hopper",
        ("When shares in proportion to V are best", "The last phase has no weight"),
    ),
    "hopper-section43": ("hopper", ("One projection is not enough",)),
    "as-theorems-cost": ("aktas-soljanin", ("The task that ends the job costs, too",)),
    "as-theorems-claim1": (
        "aktas-soljanin",
        ("Small jobs have few tasks", "In a large cluster hardly any job waits"),
    ),
    "as-fig2": ("aktas-soljanin", ("With β = 1.5 Claim 1 is infinite", "Small jobs have few tasks")),
    "as-fig2-optimum": ("aktas-soljanin", ("With β = 1.5 Claim 1 is infinite", "Looking for d*")),
    "as-fig3-learns": ("aktas-soljanin", ("With β = 1.5 Claim 1 is infinite",)),
    "as-fig3-equal": ("aktas-soljanin", ("With β = 1.5 Claim 1 is infinite",)),
    "xl-theorems-one": ("xu-lau", ("Cloning may stabilise an overloaded cluster",)),
    "xl-theorems-two": ("xu-lau", ("The gradient projection does not converge for every step",)),
    "xl-theorems-three": ("xu-lau", ("Two copies are not always best", "The second integrand of (26)")),
    "xl-fig2": ("xu-lau", ("Copies come in whole numbers", "What Mantri's rule does")),
    "xl-fig3": ("xu-lau", ("One threshold for SDA and ESE, from 0 to 2",)),
    "xl-fig4": (
        "xu-lau",
        ("One threshold for SDA and ESE, from 0 to 2", "How much the best threshold saves"),
    ),
    "xl-fig5": ("xu-lau", ("How much the best threshold saves",)),
    "xl-fig6": ("xu-lau", ("The heavy loads are overloads", "What Mantri's rule does")),
    "dolly-formulas-copies": ("dolly", ("Where the parentheses go",)),
    "dolly-fig6": ("dolly", ("The loop stops one clone short", "Best machines first")),
    "dolly-fig6-job": ("dolly", ("A cap that never binds",)),
}


def touching(key: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the findings that touch a claim: the errata page's name of the paper, and their titles.

    Examples
    --------
    >>> touching("xl-fig6-mean")[1][0]
    'The heavy loads are overloads'
    """
    fitting = [one for one in TOUCHING if key == one or key.startswith(f"{one}-")]
    return TOUCHING[max(fitting, key=len)] if fitting else None


@dataclass(frozen=True, slots=True)
class Live:
    """A page in a setting: its name, what its link has, and what differs from the paper's, if anything."""

    page: str
    query: dict[str, str]
    but: str = ""


_PROBES = {
    "load": "0.7",
    "workers": "2000",
    "schedulers": "50",
    "tasks_max": "100",
    "benefit": "1",
    "length": "20",
}
_SMALL = "2,000 of the 10,000 workers: the shell runs all"
_WEIGHT = {"preset": "aktas-beta3", "load": "0.6"}
_HEAVY = {"preset": "aktas", "load": "0.6"}
#: Beginning of a claim's key, the longest that fits counts -> where its setting is live.
LIVE = {
    "hopper-theorems": Live("allocation", {}),
    "hopper-section42": Live("compare", {"preset": "hopper-dag"}),
    "hopper-section43": Live("compare", {"preset": "hopper-fair"}),
    "hopper-section44": Live("compare", {"preset": "hopper-locality"}),
    "hopper-section51": Live(
        "decentralised", _PROBES | {"latency": "0.03", "rivals": "hopper+budget"}, _SMALL
    ),
    "hopper-section53": Live("decentralised", _PROBES | {"rivals": "hopper+budget"}, _SMALL),
    "hopper-fig5a": Live("decentralised", _PROBES | {"rivals": "hopper+budget;sparrow+late"}, _SMALL),
    "hopper-fig5b": Live("decentralised", _PROBES | {"refusals": "2", "rivals": "hopper+budget"}, _SMALL),
    "as": Live("coding", _WEIGHT),
    "as-fig2-helps-beta1-5": Live("coding", _HEAVY | {"load": "0.5", "d": "inf"}),
    "as-fig2-threshold-beta1-5": Live("coding", _HEAVY),
    "as-fig2-unstable-beta1-5": Live("coding", _HEAVY | {"load": "0.7", "d": "inf"}),
    "as-fig2-helps-beta3": Live("coding", _WEIGHT | {"load": "0.5", "d": "inf"}),
    "as-fig2-unstable-beta3": Live("coding", _WEIGHT | {"load": "0.7", "d": "inf"}),
    "as-fig3": Live("coding", _WEIGHT | {"learned": "1"}),
    "as-fig3-learns-beta1-5": Live("coding", _HEAVY | {"learned": "1"}),
    "xl-fig1": Live("detection", {}),
    "xl-theorems": Live("detection", {}),
    "xl-fig2": Live("compare", {"preset": "xu-lau-fig2"}),
    "xl-fig3": Live("compare", {"preset": "xu-lau-fig3"}),
    "xl-fig4": Live("detection", {}),
    "xl-fig4-alpha3": Live("detection", {"beta": "3.0"}),
    "xl-fig5": Live("compare", {"preset": "xu-lau-fig5"}),
    "xl-fig6": Live("compare", {"preset": "xu-lau-fig6-40"}),
    "xl-fig6-resource-30": Live("compare", {"preset": "xu-lau-fig6-30"}),
    "dolly": Live("cloning", {}),
    "dolly-fig6": Live("compare", {"preset": "dolly-fig6"}),
}


def live(key: str) -> Live:
    """Return where a claim's setting is live.

    Examples
    --------
    >>> live("xl-fig6-resource-30").query
    {'preset': 'xu-lau-fig6-30'}
    """
    fitting = [one for one in LIVE if key == one or key.startswith(f"{one}-")]
    return LIVE[max(fitting, key=len)]


MARKS = {REPRODUCED: "✓", SHAPE: "≈", FAILED: "✗", UNDECIDED: "?"}
#: Verdict -> how it is shown.
MARKED = {verdict: f"{mark} {verdict}" for verdict, mark in MARKS.items()}


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
    return f"{counted(len(some), 'claim')} of the papers: {listed(parts)}."


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
    """Return the paper's number, with the sign of a bound; how its words are read, if it has none.

    Examples
    --------
    >>> from sim.papers import CLAIMS
    >>> reported(CLAIMS["hopper-fig5a-four-probes"]), reported(CLAIMS["hopper-fig5a-sparrow"])
    ('≤ 1.15 × central', '≥ 2 × central')
    """
    number = f"{claim.bound} {plain(claim.reported)}" if claim.bound else plain(claim.reported)
    return ("no number; read as " if claim.taken else "") + with_unit(number, claim.unit)


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


#: Claims that are read under every reading begin so.
KEY = "hopper-fig5a-"
#: Claim -> the head of its column.
HEADS = {
    "four-probes": "Hopper, d = 4 (at most 1.15)",
    "plateau": "its fall to d = 10 (none)",
    "sparrow": "Sparrow at 70 % (2 or more)",
    "sparrow-further": "Sparrow's rise to 90 % (up)",
}


def of_figure(some: Sequence[Row]) -> dict[str, Row]:
    """Return the claims of the figure by the last part of their keys."""
    return {row.claim.key.removeprefix(KEY): row for row in some if row.claim.key.startswith(KEY)}


def readings(some: Sequence[Row]) -> pd.DataFrame:
    """Return each claim's number and verdict under each reading, the judged one first."""
    found = of_figure(some)
    columns = {
        HEADS[name]: [
            f"{MARKS[row.claim.judge(row.choices[reading]).word]} {known(row.choices[reading])}"
            for reading in READINGS
        ]
        for name, row in found.items()
    }
    return pd.DataFrame(columns, index=pd.Index(list(READINGS), name="reading"))


def summary(some: Sequence[Row]) -> str:
    """Return which readings reproduce most of the figure's claims, and whether any reproduces all."""
    found = of_figure(some)
    held = {
        reading: [
            name for name, row in found.items() if row.claim.judge(row.choices[reading]).word == REPRODUCED
        ]
        for reading in READINGS
    }
    most = max(map(len, held.values()))
    total = counted(len(found), "claim")
    alike: dict[str, list[str]] = {}  # what is missed -> the readings that miss it
    for reading in READINGS:
        if len(held[reading]) == most:
            missed = ", ".join(HEADS[name] for name in found if name not in held[reading])
            alike.setdefault(missed, []).append(f"“{reading}”")
    if most == len(found):
        return f"All {total} of the figure are reproduced by {listed(alike[''])}."
    told = [
        f"{listed(best)}, which {'miss' if len(best) > 1 else 'misses'}: {missed}"
        for missed, best in alike.items()
    ]
    return (
        f"**No single reading gives all {total} of the figure.** Most, {most}, are reproduced by "
        f"{'; by '.join(told)}."
    )
