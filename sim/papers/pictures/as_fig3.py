"""AS Fig. 3: the learned policy beside Redundant-small with the d* of Claim 1, by the offered load."""

from __future__ import annotations

from sim.model.statistics import Estimate
from sim.papers.aktas_soljanin.learned import LOADS, RATE, played
from sim.papers.picture import Curve, Panel, Picture
from sim.running.gang_sweep import BASELINE, LEARNED, redundant_small


def promised(load: float) -> str:
    """Return Redundant-small with the best demand by Claim 1."""
    from theory.optimal_demand import optimal_demand

    demand = float(optimal_demand(load, RATE, 3.0, 3.0))
    return BASELINE if demand == 0 else redundant_small(demand, RATE).text


def draw(quick: bool) -> tuple[Curve, ...]:
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


PICTURE = Picture(
    key="as-fig3",
    paper="AS",
    place="Fig. 3",
    title="The mean slowdown of the learned policy and of Redundant-small, by the offered load",
    panels=(Panel("offered load ρ₀", "mean slowdown", xlim=(0.05, 0.95), ylim=(0, 8)),),
    draw=draw,
    simulated=True,
    about="Tail index 3 of sizes, r = 2, 4 runs of 5,000 jobs a point. The paper reports that the first two "
    "are as good as each other, and prints no number.",
)
