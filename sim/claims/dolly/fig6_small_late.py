"""Dolly Fig. 6: small jobs, the only ones cloned, against LATE."""

from __future__ import annotations

from sim.claims.claim import Claim, Measured, Region
from sim.claims.dolly.settings import FACEBOOK, against, saved


def compute(quick: bool) -> Measured:
    """Return the share of the mean flowtime saved, and the same for each open choice."""
    return against("fair+late", "dolly-task:small=10", saved(small=True), quick)


CLAIM = Claim(
    key="dolly-fig6-small-late",
    paper="Dolly",
    place="Fig. 6",
    statement="Cloning of small jobs only reduces their mean flowtime by 47 % against LATE.",
    setting=FACEBOOK,
    method="Paired replications of preset dolly-fig6, run to the end: share of the mean flowtime saved.",
    reported=0.47,
    unit="",
    compute=compute,
    region=Region(0.42, 0.52),
    shape=Region(0.02, 1.0),
)
