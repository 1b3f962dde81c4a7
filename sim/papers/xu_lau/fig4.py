"""XL Fig. 4: the threshold that saves most under ESE, by the tail index of task times."""

from __future__ import annotations

from functools import partial

from sim.model.statistics import Estimate
from sim.papers.claim import Claim, Measured, Region


def exact(tail: float) -> Estimate:
    """Return the threshold at which the resource of a task by `theory.detection` is smallest."""
    from theory.detection import sigma_star

    best = float(sigma_star(tail))
    return Estimate(best, best, best)


def heavy(quick: bool) -> Measured:
    """Return the best threshold at tail index 2."""
    return Measured(exact(2.0))


def light(quick: bool) -> Measured:
    """Return the best threshold at tail index 3, and beside it those of 4 and 5."""
    best = {f"alpha = {tail:g}": exact(tail) for tail in (3.0, 4.0, 5.0)}
    return Measured(best["alpha = 3"], choices=best)


claim = partial(Claim, paper="XL", system="ESE", place="Fig. 4", unit="E[x]")

CLAIMS = (
    claim(
        key="xl-fig4-alpha2",
        statement="For alpha = 2 the resource of a task is smallest at sigma = 1.7.",
        setting="Pareto task times of tail index (alpha) 2, looked at at a uniform moment of their run",
        method="Exact: the root of 2 E[min(a, x)] = a, which minimises equations (30)-(33).",
        reported=1.7,
        compute=heavy,
        region=Region(1.65, 1.75),
    ),
    claim(
        key="xl-fig4-alpha3",
        statement="For alpha >= 3 the resource of a task is smallest at a sigma very close to 2.",
        setting="Pareto task times of tail index (alpha) 3, 4, 5, looked at at a uniform moment of their run",
        method="Exact: the root of 2 E[min(a, x)] = a, which minimises equations (30)-(33); judged at "
        "alpha = 3.",
        reported=2.0,
        compute=light,
        region=Region(1.9, 2.1),
    ),
)
