"""The runs behind AS Fig. 2: sweeps over the demand d at the offered loads.

Redundant-small with r = 2 in the paper's system, 30 runs of 100,000 jobs a point. Claim 1 is finite for
beta = 3 only. The sweeps of one run of ``reproduce`` are made once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from sim.engines.gang.scenario import GangScenario
from sim.model.result import Comparison
from sim.model.statistics import Estimate, student
from sim.papers.claim import Measured
from sim.papers.runs import farthest
from sim.running.experiment import Experiment, compare
from sim.running.gang_sweep import Best, Point, best, claim1, default_demands, demand_sweep, points

LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
#: The offered load at which the paper sees a threshold.
THRESHOLD_LOAD = 0.6
RATE = 2
#: What performance may mean: measure and statistic.
READINGS = (
    ("flowtime", "mean"),
    ("flowtime", "p50"),
    ("flowtime", "p95"),
    ("slowdown", "mean"),
    ("slowdown", "p95"),
)
#: Tells for each of some cases whether a statement holds: (size tail, quick, measure, statistic).
Rule = Callable[[float, bool, str, str], list[bool]]


def scenario(size_tail: float, load: float, quick: bool) -> GangScenario:
    """Return the paper's system, in a fifth of its size for a quick answer."""
    return GangScenario(size_tail=size_tail, load=load, jobs=20_000 if quick else 100_000)


def replications(quick: bool) -> int:
    """Return how many runs a point is made of."""
    return 8 if quick else 30


def demands(size_tail: float, load: float) -> tuple[float, ...]:
    """Return the demands of a sweep: spread evenly, the best by Claim 1 where there is one, and infinity.

    For beta = 1.5 the claims ask for a sweep at one offered load only, for infinity at the others.
    """
    from theory.optimal_demand import optimal_demand

    spread = default_demands(GangScenario(), 6)
    if size_tail <= 2:
        return spread if load == THRESHOLD_LOAD else spread[-1:]
    promised = float(optimal_demand(load, RATE, 3.0, size_tail))
    return tuple(sorted({*spread, promised} - {0.0}))


@lru_cache(maxsize=32)
def swept(size_tail: float, load: float, quick: bool) -> Comparison:
    """Return the sweep at one offered load."""
    experiment = demand_sweep(scenario(size_tail, load, quick), demands(size_tail, load), RATE)
    return compare(experiment, replications=replications(quick)).with_all_intervals()


def read(size_tail: float, load: float, quick: bool, measure: str, statistic: str) -> tuple[Point, ...]:
    """Return the points of a sweep; the last is d infinite."""
    return points(swept(size_tail, load, quick), demands(size_tail, load), measure, statistic)


def best_of(size_tail: float, load: float, quick: bool, measure: str, statistic: str) -> Best | None:
    """Return the best demand of a sweep."""
    return best(swept(size_tail, load, quick), demands(size_tail, load), measure, statistic)


def found(estimate: Estimate, quick: bool, choices: Mapping[str, Estimate] | None = None) -> Measured:
    """Return what a claim's `compute` returns."""
    return Measured(estimate, replications(quick), GangScenario().seed, choices or {})


def share(answers: list[bool]) -> Estimate:
    """Return the share of yes among answers that are each beyond doubt at 95 %."""
    value = sum(answers) / len(answers)
    return Estimate(value, value, value)


def judged(rule: Rule, size_tail: float, quick: bool, reading: tuple[str, str]) -> Measured:
    """Return the share of yes by one reading of performance, and by the others as choices."""
    others = {f"{m} {s}": share(rule(size_tail, quick, m, s)) for m, s in READINGS if (m, s) != reading}
    return found(share(rule(size_tail, quick, *reading)), quick, others)


def helped(size_tail: float, quick: bool, measure: str, statistic: str) -> list[bool]:
    """Tell at which offered loads up to 0.5 redundancy for every job helps, its interval below 0."""
    gains = [read(size_tail, load, quick, measure, statistic)[-1].gain for load in LOADS[:5]]
    return [gain.high is not None and gain.high < 0 for gain in gains]


def thresholds(size_tail: float, quick: bool, measure: str, statistic: str) -> list[bool]:
    """Tell whether at offered load 0.6 neither no job nor every job is as good as some threshold."""
    optimum = best_of(size_tail, THRESHOLD_LOAD, quick, measure, statistic)
    return [optimum is not None and not {0.0, float("inf")} & set(optimum.as_good)]


def grown(size_tail: float, quick: bool) -> list[bool]:
    """Tell at which offered loads from 0.7 on redundancy for every job lets the queue grow."""
    return [read(size_tail, load, quick, "flowtime", "mean")[-1].unstable for load in LOADS[6:]]


def largest_gap(quick: bool, loads: tuple[float, ...] = LOADS) -> Estimate:
    """Return the largest relative gap of Claim 1 from the simulation at beta = 3, where no queue grows."""
    gaps = []
    for load in loads:
        simulated = read(3.0, load, quick, "flowtime", "mean")
        promised = claim1(scenario(3.0, load, quick), [point.demand for point in simulated], RATE)
        for promise, point in zip(promised.tolist(), simulated, strict=True):
            mean = point.estimate
            if np.isfinite(promise) and not point.unstable and mean.value and mean.low and mean.high:
                gaps.append(Estimate(*(promise / x - 1 for x in (mean.value, mean.high, mean.low))))
    return farthest(gaps)


def losses(quick: bool) -> list[Estimate]:
    """Return what going by the d* of Claim 1 loses of the best mean at each offered load; beta = 3."""
    from theory.optimal_demand import optimal_demand

    lost = []
    for load in LOADS:
        comparison, ds = swept(3.0, load, quick), demands(3.0, load)
        names = dict(zip((0.0, *ds), comparison.policies, strict=True))
        chosen = best(comparison, ds)
        if chosen is None:
            raise ValueError(f"every queue grows at offered load {load}")
        promised = names[float(optimal_demand(load, RATE, 3.0, 3.0))]
        loss = replace(comparison, baseline=names[chosen.demand]).difference(promised, "flowtime", "mean")
        scale = comparison.policies[names[chosen.demand]].estimate("flowtime", "mean").value
        bounds = (
            None if x is None or scale is None else x / scale for x in (loss.value, loss.low, loss.high)
        )
        lost.append(Estimate(*bounds))
    return lost


def limit(placement: str, quick: bool) -> Estimate:
    r"""Return the largest offered load at which redundancy for every job is stable, beta = 3.

    A cluster offered more than it can do is as busy as it gets; the share of its slots that is busy
    then, times :math:`\rho_0 / \rho` of equation (2), is the offered load that fills it.
    """
    from theory.response_time import redundancy_load_limit

    overloaded = scenario(3.0, 1.5, quick).replace(placement=placement, drain=0)
    runs = compare(
        Experiment.of_texts(overloaded, [f"all:r={RATE}"]), replications=replications(quick)
    ).policies
    (result,) = runs.values()
    busy = [float(one.series[100:, 0].mean()) / overloaded.slots for one in result.samples]
    return student([share * redundancy_load_limit(RATE, 3.0) for share in busy])
