"""The runs behind Aktas & Soljanin's Figs. 2 and 3.

Fig. 2: sweeps over the demand d at the offered loads, Redundant-small with r = 2 in the paper's system, 30
runs of 100,000 jobs a point. Claim 1 is finite for beta = 3 only. The sweeps of one run of ``reproduce`` are
made once.

Fig. 3: Redundant-RL beside Redundant-small with r = 2. The learned policy is the one that is shipped; jobs
and luck are not those it was trained with. It was trained to make slowdowns small, so slowdown is what is
compared. The runs are made once for each size tail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from sim.engines.gang.scenario import GangScenario
from sim.model.result import Comparison
from sim.model.statistics import Estimate, student
from sim.papers.claim import Measured
from sim.papers.runs import farthest, largest
from sim.running.experiment import Experiment, compare
from sim.running.gang_sweep import (
    BASELINE,
    LEARNED,
    Best,
    Point,
    best,
    claim1,
    default_demands,
    demand_sweep,
    points,
    redundant_small,
)

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


# --- Fig. 3: Redundant-RL beside Redundant-small

#: Beside no redundancy; between two of them the mean slowdown of the best ones hardly changes.
DEMANDS = (20.0, 30.0, 45.0, 60.0, 90.0, 130.0, 200.0, 400.0, 1000.0, math.inf)
#: Demands whose queues are left out: at the offered loads above, more only grows.
STABLE = {0.6: 200.0, 0.7: 130.0, 0.8: 90.0, 0.9: 60.0}
#: The mean is judged, the other is shown beside it.
STATISTICS = ("mean", "p95")
#: Not that of the training.
LEARNED_SEED = 11


def demands_beside(size_tail: float, load: float) -> tuple[float, ...]:
    """Return the demands of a sweep, the one that Claim 1 promises among them where there is one."""
    from theory.optimal_demand import optimal_demand

    spread = {demand for demand in DEMANDS if demand <= STABLE.get(load, math.inf)}
    if size_tail > 2:
        spread.add(float(optimal_demand(load, RATE, 3.0, size_tail)))
    return tuple(sorted(spread - {0.0}))


@lru_cache(maxsize=32)
def played(size_tail: float, load: float, quick: bool) -> Comparison:
    """Return no redundancy, the sweep and the learned policy on the same jobs."""
    jobs = 5_000 if quick else 60_000 if load == LOADS[-1] else 15_000  # the last, where the least is won
    scenario = GangScenario(size_tail=size_tail, load=load, jobs=jobs, seed=LEARNED_SEED)
    texts = (redundant_small(demand, RATE).text for demand in demands_beside(size_tail, load))
    experiment = Experiment.of_texts(scenario, (BASELINE, *texts, LEARNED))
    return compare(experiment, replications=4 if quick else 8).with_all_intervals()


def excess(comparison: Comparison, policy: str, over: str, statistic: str) -> Estimate:
    """Return by how much a policy's slowdown exceeds another's, relative to it, paired by replication."""
    mine, other = (comparison.policies[name].values("slowdown", statistic) for name in (policy, over))
    return student([None if a is None or b is None else a / b - 1 for a, b in zip(mine, other, strict=True)])


def against_best(size_tail: float, load: float, quick: bool, statistic: str) -> Estimate:
    """Return the excess of the learned policy over Redundant-small with the best demand of the sweep.

    The best is chosen by the same runs, which flatters it.
    """
    comparison, swept = played(size_tail, load, quick), demands_beside(size_tail, load)
    small = Comparison(
        comparison.scenario,
        {name: one for name, one in comparison.policies.items() if name != LEARNED},
        comparison.baseline,
    )
    chosen = best(small, swept, "slowdown", statistic)
    if chosen is None:
        raise ValueError(f"every queue grows at offered load {load}")
    name = BASELINE if chosen.demand == 0 else redundant_small(chosen.demand, RATE).text
    return excess(comparison, LEARNED, name, statistic)


def promised_over_learned(load: float, quick: bool, statistic: str) -> Estimate:
    """Return the excess of Redundant-small with the d* of Claim 1 over the learned policy; beta = 3."""
    from theory.optimal_demand import optimal_demand

    promised = float(optimal_demand(load, RATE, 3.0, 3.0))
    name = BASELINE if promised == 0 else redundant_small(promised, RATE).text
    return excess(played(3.0, load, quick), name, LEARNED, statistic)


def worst(excess: Mapping[str, dict[float, Estimate]], quick: bool) -> Measured:
    """Return the largest excess of the mean over the loads, with those of all loads and statistics."""
    named = {f"offered load {load}": one for load, one in excess["mean"].items()}
    beside = {f"p95, offered load {load}": one for load, one in excess["p95"].items()}
    return Measured(largest(excess["mean"].values()), 4 if quick else 8, LEARNED_SEED, named | beside)


def learns(size_tail: float, quick: bool) -> Measured:
    """Return the largest excess of the learned policy over the best of a sweep."""
    return worst(
        {
            statistic: {load: against_best(size_tail, load, quick, statistic) for load in LOADS}
            for statistic in STATISTICS
        },
        quick,
    )


def equals(quick: bool) -> Measured:
    """Return the largest excess of Redundant-small with the d* of Claim 1 over the learned policy."""
    return worst(
        {
            statistic: {load: promised_over_learned(load, quick, statistic) for load in LOADS}
            for statistic in STATISTICS
        },
        quick,
    )
