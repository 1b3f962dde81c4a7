"""Results for the Coding page: of a few short real runs, and made to order."""

from __future__ import annotations

import math
from typing import Any

from pages.coding.question import DEMANDS, Request, Rule, Step, Sweep, see
from sim.engines.gang.scenario import GangScenario
from sim.model.statistics import Estimate
from sim.running.experiment import compare
from sim.running.gang_sweep import Best, Point
from sim.running.live import Snapshot


def asked(
    measure: str = "mean", claim: str = "two", demand: float = 120.0, learned: bool = False, **fields: Any
) -> Request:
    """Return a question about short runs at offered load 0.6."""
    scenario = GangScenario(**({"size_tail": 3, "jobs": 2000, "load": 0.6} | fields))
    return Request(scenario, 2.0, demand, measure, claim, learned)


def snapshots(question: Request, replications: int = 3) -> list[Snapshot]:
    """Return the answers to all requests of a question."""
    return [
        Snapshot(compare(request.experiment, replications=replications), False, replications, 6, True)
        for request in question.requests
    ]


def point(demand: float, value: float, gain: float, half: float = 0.5, unstable: bool = False) -> Point:
    """Return a point whose change from no redundancy is known to within `half`."""
    return Point(
        demand,
        Estimate(value, value - half, value + half),
        Estimate(gain, gain - half, gain + half),
        Estimate(0.7, 0.69, 0.71),
        unstable,
    )


def sweep(load: float, values: dict[float, float], best: Best | None, grows: float = math.inf) -> Sweep:
    """Return a sweep with these values at some demands, 30 elsewhere; from `grows` on the queue grows."""
    points = tuple(
        point(d, values.get(d, 30.0), values.get(d, 30.0) - 30.0, unstable=d > grows) for d in (0.0, *DEMANDS)
    )
    return Sweep(load, points, best, None)


def seen_of(question: Request, *sweeps: Sweep, rule: Rule | None = None) -> Step:
    """Return what is seen of sweeps made to order, the chosen one first."""
    base = see(question, snapshots(question, 1)[:1])
    return Step(question, sweeps, rule or base.rule, base.comparison)
