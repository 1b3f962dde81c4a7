"""The runs behind AS Fig. 3: Redundant-RL beside Redundant-small with r = 2.

The learned policy is the one that is shipped; jobs and luck are not those it was trained with. It was
trained to make slowdowns small, so slowdown is what is compared. The runs are made once for each size tail.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from sim.engines.gang.scenario import GangScenario
from sim.model.result import Comparison
from sim.model.statistics import Estimate, student
from sim.papers.claim import Measured
from sim.papers.runs import largest
from sim.running.experiment import Experiment, compare
from sim.running.gang_sweep import BASELINE, LEARNED, best, redundant_small

LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
RATE = 2
#: Beside no redundancy; between two of them the mean slowdown of the best ones hardly changes.
DEMANDS = (20.0, 30.0, 45.0, 60.0, 90.0, 130.0, 200.0, 400.0, 1000.0, math.inf)
#: Demands whose queues are left out: at the offered loads above, more only grows.
STABLE = {0.6: 200.0, 0.7: 130.0, 0.8: 90.0, 0.9: 60.0}
#: The mean is judged, the other is shown beside it.
STATISTICS = ("mean", "p95")
#: Not that of the training.
SEED = 11


def demands(size_tail: float, load: float) -> tuple[float, ...]:
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
    scenario = GangScenario(size_tail=size_tail, load=load, jobs=jobs, seed=SEED)
    texts = (redundant_small(demand, RATE).text for demand in demands(size_tail, load))
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
    comparison, swept = played(size_tail, load, quick), demands(size_tail, load)
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
    return Measured(largest(excess["mean"].values()), 4 if quick else 8, SEED, named | beside)


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
