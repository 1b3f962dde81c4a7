"""XL Fig. 4: the threshold that saves most under ESE at straggle tail 2."""

from __future__ import annotations

from sim.claims.claim import Claim, Measured, Region
from sim.statistics import Estimate


def compute(quick: bool) -> Measured:
    """Return the threshold at which `theory.ese` is smallest."""
    from theory.detection import sigma_star

    best = float(sigma_star(2.0))
    return Measured(Estimate(best, best, best))


CLAIM = Claim(
    key="xl-fig4-alpha2",
    paper="XL",
    place="Fig. 4",
    statement="For alpha = 2 the resource of a task is smallest at sigma = 1.7.",
    setting="Pareto task times of tail index (alpha) 2, looked at at a uniform moment of their run",
    method="Exact: the root of 2 E[min(a, x)] = a, which minimises equations (30)-(33).",
    reported=1.7,
    unit="E[x]",
    compute=compute,
    region=Region(1.65, 1.75),
)
