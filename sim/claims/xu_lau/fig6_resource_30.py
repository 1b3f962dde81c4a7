"""XL Fig. 6b: the resource of ESE against Mantri's, 30 jobs a unit of time."""

from __future__ import annotations

from sim.claims.claim import FAILED, Claim, Measured, Region
from sim.claims.xu_lau.settings import BUSY, busy_resource


def compute(quick: bool) -> Measured:
    """Return the mean resource under ESE over that under Mantri."""
    return busy_resource(30, quick)


CLAIM = Claim(
    key="xl-fig6-resource-30",
    paper="XL",
    place="Fig. 6",
    statement="At 30 jobs a unit of time ESE consumes a lot less resource than Mantri.",
    setting=BUSY,
    method=(
        "Paired replications of preset xu-lau-fig6-30, cut after 1500 units: slot-time of a "
        "finished task, ESE over Mantri; the paper prints no number, a fifth less is taken for a "
        "lot."
    ),
    reported=0.8,
    unit="",
    compute=compute,
    region=Region(0.6, 0.9),
    shape=Region(0.0, 0.98),
    because={
        FAILED: (
            "ESE uses 0.8 % less slot-time than Mantri, as the theory of one task says: both "
            "thresholds lie near the flat minimum of equation (30)."
        )
    },
)
