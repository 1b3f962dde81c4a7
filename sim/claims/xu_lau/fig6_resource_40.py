"""XL Fig. 6b: the resource of ESE against Mantri's, 40 jobs a unit of time."""

from __future__ import annotations

from sim.claims.claim import Claim, Measured, Region
from sim.claims.xu_lau.settings import BUSY, busy_resource


def compute(quick: bool) -> Measured:
    """Return the mean resource under ESE over that under Mantri."""
    return busy_resource(40, quick)


CLAIM = Claim(
    key="xl-fig6-resource-40",
    paper="XL",
    place="Fig. 6",
    statement="At 40 jobs a unit of time the resource under ESE and Mantri is roughly the same.",
    setting=BUSY,
    method=(
        "Paired replications of preset xu-lau-fig6-40, cut after 1500 units: slot-time of a "
        "finished task, ESE over Mantri."
    ),
    reported=1.0,
    unit="",
    compute=compute,
    region=Region(0.95, 1.05),
)
