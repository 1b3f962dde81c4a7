"""AS Fig. 2: mean response time by the demand d up to which jobs get redundancy, at several loads."""

from __future__ import annotations

import math

import numpy as np

from sim.papers.aktas_soljanin.sweeps import RATE, read, scenario
from sim.papers.picture import Curve, Panel, Picture

LOADS = (0.3, 0.5, 0.6, 0.7, 0.9)
#: Where d infinite is drawn, and what is more than any demand of a run.
END = 10_000.0
GRID = np.geomspace(10, END, 90)


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return the simulated means where no queue grows, and Claim 1."""
    from sim.running.gang_sweep import claim1

    curves = []
    for load in LOADS:
        points = [one for one in read(3.0, load, True, "flowtime", "mean") if not one.unstable and one.demand]
        at = tuple(END if math.isinf(one.demand) else one.demand for one in points)
        name = f"offered load {load:g}"
        curves.append(Curve(name, at, tuple(one.estimate for one in points)))
        promised = claim1(scenario(3.0, load, True), GRID.tolist(), RATE)
        known = np.isfinite(promised)
        curves.append(Curve.of_theory(name, GRID[known].tolist(), promised[known].tolist()))
    return (*curves, _best())


def _best() -> Curve:
    """Return the best demands by Claim 1, as the paper marks them."""
    from theory.optimal_demand import optimal_demand
    from theory.response_time import response_time

    best = [(load, float(optimal_demand(load, RATE, 3.0, 3.0))) for load in LOADS]
    at = [(d, float(response_time(d, RATE, load, 3.0, 3.0))) for load, d in best if 0 < d < math.inf]
    at.sort()
    return Curve.of_theory("d* of Claim 1", [d for d, _ in at], [time for _, time in at])


PICTURE = Picture(
    key="as-fig2",
    paper="AS",
    place="Fig. 2",
    title="The mean response time by the demand d up to which jobs get redundancy",
    panels=(Panel("largest demand d that gets redundancy", "mean response time", log=True, ylim=(0, 120)),),
    draw=draw,
    simulated=True,
    about="Tail index 3 of sizes, as in the authors' published code; with the printed 1.5 Claim 1 is "
    "infinite. 8 runs of 20,000 jobs a point; points whose queue grows are left out; d = 10,000 stands for "
    "infinity.",
)
