"""The claims of the papers with their recorded results, and those that the visitor asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sim.model.statistics import Estimate
from sim.papers import CLAIMS
from sim.papers.claim import VERDICTS, Claim
from sim.papers.digest import digest
from sim.papers.picture import Picture
from sim.papers.pictures import PICTURES
from sim.papers.record import CURVES, recorded

#: Papers as the claims call them -> as people do.
PAPERS = {"Hopper": "Hopper", "XL": "Xu & Lau", "AS": "Aktas & Soljanin", "Dolly": "Dolly"}
#: No filter.
ALL = "all"
#: Suffix of the records for the figure of a claim: they do not measure what is judged.
SWEPT = ": mean"
#: Beginning of a theorem's key -> the figure that shows what it is about.
SHOWN_BY = {
    "hopper-theorems": "hopper-note",
    "as-theorems-latency": "as-fig1",
    "as-theorems-cost": "as-cost",
    "as-theorems-claim1": "as-fig2",
    "xl-theorems-two": "xl-fig1",
    "dolly-formulas-job": "dolly-fig5",
    "dolly-formulas-task": "dolly-fig5",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A claim and its recorded outcome."""

    claim: Claim
    found: dict[str, Any]

    @property
    def ours(self) -> Estimate:
        """Our number."""
        return estimate(self.found)

    @property
    def choices(self) -> dict[str, Estimate]:
        """Our number under each choice that the paper leaves open; what the figure is drawn from is none."""
        kept = self.found["choices"].items()
        return {name: estimate(one) for name, one in kept if not name.endswith(SWEPT)}

    @property
    def picture(self) -> Picture | None:
        """The figure it is read from, if it is drawn here."""
        keys = [key for key in (*PICTURES, *SHOWN_BY) if self.claim.key.startswith(key)]
        return next((one for key in keys if is_there(one := PICTURES[SHOWN_BY.get(key, key)])), None)


@cache
def is_there(picture: Picture) -> bool:
    """Tell whether a figure can be drawn: its curves need no runs, or are recorded and not stale."""
    if not picture.simulated:
        return True
    return recorded(CURVES).get(picture.key, {}).get("digest") == digest(picture)


def estimate(found: dict[str, Any]) -> Estimate:
    """Return the number of an outcome."""
    return Estimate(found["value"], found["low"], found["high"])


@cache
def rows() -> tuple[Row, ...]:
    """Return the claims in their order; those with a stale record are left out."""
    kept = recorded()
    return tuple(
        Row(claim, kept[key])
        for key, claim in CLAIMS.items()
        if key in kept and kept[key].get("digest") == digest(claim)
    )


def asked(paper: str, system: str, verdict: str) -> tuple[Row, ...]:
    """Return the claims that pass the filters."""
    return tuple(
        row
        for row in rows()
        if paper in (ALL, row.claim.paper)
        and system in (ALL, row.claim.system)
        and verdict in (ALL, row.found["verdict"])
    )


def counts(some: Sequence[Row]) -> dict[str, int]:
    """Return how many have each verdict, those that none has included."""
    found = Counter(row.found["verdict"] for row in some)
    return {verdict: found[verdict] for verdict in VERDICTS}
