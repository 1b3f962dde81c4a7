"""Pictures of the figures of Aktas & Soljanin."""

from __future__ import annotations

import math

import numpy as np

from sim.model.statistics import Estimate
from sim.papers.picture import Curve, Panel, picture
from sim.papers.sweeps import LOADS, RATE, played, read, scenario
from sim.running.gang_sweep import BASELINE, LEARNED, redundant_small

TAIL_OF_SKETCH = 3.0
TIMES = np.linspace(1, 6, 201)


def fig1(quick: bool) -> tuple[Curve, ...]:
    """Return the probability that the job still runs, with two tasks and with three."""
    from theory.order_statistics import order_statistic_tail

    return tuple(
        Curve.of_theory(name, TIMES, order_statistic_tail(TIMES, n, 2, TAIL_OF_SKETCH))
        for name, n in (("both of two tasks", 2), ("any two of three tasks", 3))
    )


#: Tasks that must finish, and tail indices of the slowdowns.
NEEDED, TAILS = 10, (1.5, 2.0, 3.0)
STARTED = np.arange(NEEDED, 3 * NEEDED + 1)


def cost(quick: bool) -> tuple[Curve, ...]:
    """Return the closed form for each tail index."""
    from theory.coding import coded_cost

    return tuple(
        Curve.of_theory(f"α = {tail:g}", STARTED, coded_cost(STARTED, NEEDED, tail)) for tail in TAILS
    )


SOME_LOADS = (0.3, 0.5, 0.6, 0.7, 0.9)
#: Where d infinite is drawn, and what is more than any demand of a run.
END = 10_000.0
GRID = np.geomspace(10, END, 90)


def fig2(quick: bool) -> tuple[Curve, ...]:
    """Return the simulated means where no queue grows, and Claim 1."""
    from sim.running.gang_sweep import claim1

    curves = []
    for load in SOME_LOADS:
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

    best = [(load, float(optimal_demand(load, RATE, 3.0, 3.0))) for load in SOME_LOADS]
    at = [(d, float(response_time(d, RATE, load, 3.0, 3.0))) for load, d in best if 0 < d < math.inf]
    at.sort()
    return Curve.of_theory("d* of Claim 1", [d for d, _ in at], [time for _, time in at])


def promised(load: float) -> str:
    """Return Redundant-small with the best demand by Claim 1."""
    from theory.optimal_demand import optimal_demand

    demand = float(optimal_demand(load, RATE, 3.0, 3.0))
    return BASELINE if demand == 0 else redundant_small(demand, RATE).text


def fig3(quick: bool) -> tuple[Curve, ...]:
    """Return the mean slowdown under each policy."""
    names: dict[str, dict[float, str]] = {
        "Redundant-RL": dict.fromkeys(LOADS, LEARNED),
        "Redundant-small, d*": {load: promised(load) for load in LOADS},
        "no redundancy": dict.fromkeys(LOADS, BASELINE),
    }
    return tuple(
        Curve(name, LOADS, tuple(_mean(load, of[load]) for load in LOADS)) for name, of in names.items()
    )


def _mean(load: float, policy: str) -> Estimate:
    return played(3.0, load, True).policies[policy].estimate("slowdown", "mean")


PICTURES = (
    picture(
        "as-fig1",
        panels=(
            Panel("time (task sizes)", "probability that the job still runs", xlim=(1, 6), ylim=(0, 1.02)),
        ),
        draw=fig1,
    ),
    picture(
        "as-cost",
        panels=(Panel("tasks started, n", "mean cost E[C] (task sizes)", xlim=(NEEDED, 3 * NEEDED)),),
        draw=cost,
    ),
    picture(
        "as-fig2",
        panels=(
            Panel("largest demand d that gets redundancy", "mean response time", log=True, ylim=(0, 120)),
        ),
        draw=fig2,
        simulated=True,
    ),
    picture(
        "as-fig3",
        panels=(Panel("offered load ρ₀", "mean slowdown", xlim=(0.05, 0.95), ylim=(0, 8)),),
        draw=fig3,
        simulated=True,
    ),
)
