"""XL Fig. 3: the threshold of SDA at which the mean resource is smallest."""

from __future__ import annotations

from sim.claims.claim import Claim, Measured, Region
from sim.claims.xu_lau.settings import LIGHT, best_sigma, mean_resource


def compute(quick: bool) -> Measured:
    """Return the threshold at which the mean resource is smallest, replication by replication."""
    return best_sigma("xu-lau-fig3", "sda", mean_resource, quick)


CLAIM = Claim(
    key="xl-fig3-resource",
    paper="XL",
    place="Fig. 3",
    statement="SDA has the smallest mean resource at sigma = 1 + sqrt(2)/2.",
    setting=LIGHT,
    method=(
        "Replications of preset xu-lau-fig3 over sigma from 0.5 to 4 on the same luck; the vertex "
        "of a parabola through the smallest mean and its neighbours."
    ),
    reported=1.707,
    unit="E[x]",
    compute=compute,
    region=Region(1.45, 1.95),
)
