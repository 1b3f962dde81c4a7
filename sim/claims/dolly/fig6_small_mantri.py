"""Dolly Fig. 6: small jobs, the only ones cloned, against Mantri."""

from __future__ import annotations

from sim.claims.claim import FAILED, Claim, Measured, Region
from sim.claims.dolly.settings import FACEBOOK, against, saved


def compute(quick: bool) -> Measured:
    """Return the share of the mean flowtime saved, and the same for each open choice."""
    return against("fair+mantri", "dolly-task:small=10", saved(small=True), quick)


CLAIM = Claim(
    key="dolly-fig6-small-mantri",
    paper="Dolly",
    place="Fig. 6",
    statement="Cloning of small jobs only reduces their mean flowtime by 39 % against Mantri.",
    setting=FACEBOOK,
    method="Paired replications of preset dolly-fig6, run to the end: share of the mean flowtime saved.",
    reported=0.39,
    unit="",
    compute=compute,
    region=Region(0.34, 0.44),
    shape=Region(0.02, 1.0),
    because={
        FAILED: (
            "Our Mantri knows the law of durations and sees each task at half its mean duration, "
            "before a healthy task ends; that of the paper learns from finished tasks of the job, of "
            "which small jobs have none in time."
        )
    },
)
