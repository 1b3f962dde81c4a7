"""XL Fig. 5: the threshold of ESE at which one large job has the smallest resource."""

from __future__ import annotations

from sim.claims.claim import Claim, Measured, Region
from sim.claims.xu_lau.settings import SINGLE, best_sigma, mean_resource


def compute(quick: bool) -> Measured:
    """Return the threshold at which the job's mean resource is smallest, over blocks of runs."""
    return best_sigma("xu-lau-fig5", "ese", mean_resource, quick, replications=50)


CLAIM = Claim(
    key="xl-fig5-resource",
    paper="XL",
    place="Fig. 5",
    statement="One job of 10,000 tasks on 100 machines has its smallest resource close to sigma = 1.7.",
    setting=SINGLE,
    method=(
        "50 runs of preset xu-lau-fig5 for each sigma from 0.5 to 4 on the same luck, in ten blocks"
        " of five; the vertex of a parabola through the smallest mean and its neighbours."
    ),
    reported=1.7,
    unit="E[x]",
    compute=compute,
    region=Region(1.45, 1.95),
)
