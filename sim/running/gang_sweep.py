"""Redundant-small at many demands d at once: points with intervals, the best of them, and Claim 1 beside.

All demands of one offered load are one experiment, so they meet the same jobs with the same luck and
their differences are paired; `sim.running.live.Pool` shows it while it becomes precise,
`sim.running.experiment.compare` runs it to the end.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.engines.gang.run import GangPolicy
from sim.engines.gang.scenario import GangScenario
from sim.model.fields import BadInput
from sim.model.result import Comparison
from sim.model.statistics import Estimate
from sim.running.experiment import Experiment
from theory.quoting import quoted
from theory.response_time import Moments, response_time

#: The policy every demand is compared with.
BASELINE = "none"
#: The policy that a network has learned (`sim.engines.gang.redundancy.rl`).
LEARNED = "redundant-rl"


@dataclass(frozen=True, slots=True)
class Point:
    """One demand d of a sweep.

    Attributes
    ----------
    demand : float
        Largest demand that is expanded; 0 is no redundancy.
    estimate : Estimate
        The measure, with its interval over replications.
    gain : Estimate
        By what share it lies above no redundancy, paired; below 0 redundancy helps.
    load : Estimate
        Load the jobs brought, redundancy included.
    unstable : bool
        Whether the queue grew through the run.
    """

    demand: float
    estimate: Estimate
    gain: Estimate
    load: Estimate
    unstable: bool


@dataclass(frozen=True, slots=True)
class Best:
    """The demand with the smallest estimate, and those that cannot be told from it.

    Attributes
    ----------
    demand : float
        Among the demands whose queue does not grow.
    as_good : tuple of float
        Those, itself included, whose paired difference from it has an interval that holds 0.
    """

    demand: float
    as_good: tuple[float, ...]


def default_demands(scenario: GangScenario, count: int = 8) -> tuple[float, ...]:
    """Return demands that show the whole curve: evenly spaced in the logarithm, and infinity.

    Parameters
    ----------
    scenario : GangScenario
        With a smallest task size.
    count : int, optional
        Finite demands, at least 2: from 1.5 times the smallest size, which expands few jobs, to what
        nearly all stay below: the most tasks, of 30 times the smallest size.

    Examples
    --------
    >>> [round(d) for d in default_demands(GangScenario(), 3)[:-1]]
    [15, 212, 3000]
    """
    ends = 1.5 * scenario.size_min, 30 * scenario.size_min * scenario.tasks_max
    return (*np.geomspace(*ends, count).round(6).tolist(), math.inf)


def redundant_small(demand: float, rate: float) -> GangPolicy:
    """Return Redundant-small(r, d).

    Examples
    --------
    >>> redundant_small(float("inf"), 2).text
    'redundant-small:d=inf'
    """
    return GangPolicy.of("redundant-small").with_(r=rate, d=demand)


def demand_sweep(scenario: GangScenario, demands: Sequence[float], rate: float = 2) -> Experiment:
    """Return the experiment that compares these demands with no redundancy.

    Parameters
    ----------
    scenario : GangScenario
    demands : sequence of float
        Each at least 0, or infinite; each once.
    rate : float, optional
        Expansion rate r.

    Examples
    --------
    >>> [policy.text for policy in demand_sweep(GangScenario(load=0.6), (50, 100)).policies]
    ['none', 'redundant-small:d=50', 'redundant-small:d=100']
    """
    swept = (redundant_small(demand, rate) for demand in demands)
    return Experiment(scenario, (GangPolicy.of(BASELINE), *swept))


def points(
    comparison: Comparison, demands: Sequence[float], measure: str = "flowtime", statistic: str = "mean"
) -> tuple[Point, ...]:
    """Read a sweep: no redundancy (d = 0) first, then its demands in their order.

    Parameters
    ----------
    comparison : Comparison
        Of an experiment made by `demand_sweep`, over any number of replications.
    demands : sequence of float
        The same as there.
    measure, statistic : str, optional
        What is read of each; see `sim.model.result.PolicyResult.estimate`.
    """
    names = list(comparison.policies)
    return tuple(
        Point(
            demand,
            comparison.policies[name].estimate(measure, statistic),
            comparison.share(name, measure, statistic),
            comparison.policies[name].estimate("load"),
            comparison.policies[name].unstable(comparison.scenario.slots),
        )
        for demand, name in zip((0.0, *demands), names, strict=True)
    )


def best(
    comparison: Comparison, demands: Sequence[float], measure: str = "flowtime", statistic: str = "mean"
) -> Best | None:
    """Return the demand with the smallest estimate; None if every queue grows or nothing is known.

    Parameters
    ----------
    comparison, demands, measure, statistic
        As in `points`.
    """
    names = dict(zip((0.0, *demands), comparison.policies, strict=True))
    stable = {
        point.demand: point.estimate.value
        for point in points(comparison, demands, measure, statistic)
        if not point.unstable and point.estimate.value is not None
    }
    if not stable:
        return None
    smallest = min(stable, key=lambda demand: stable[demand])
    against = dataclasses.replace(comparison, baseline=names[smallest])
    as_good = []
    for demand in stable:
        if against.share(names[demand], measure, statistic).sign <= 0:
            as_good.append(demand)
    return Best(smallest, tuple(as_good))


def claim1(
    scenario: GangScenario,
    demands: Sequence[float],
    rate: float = 2,
    *,
    moments: Moments = "two",
    as_printed: bool = False,
) -> np.ndarray:
    """Return the mean response time by Claim 1 at these demands (`theory.response_time.response_time`).

    Parameters
    ----------
    scenario : GangScenario
        Of the family of the paper: Poisson arrivals, Zipf tasks of exponent 1, Pareto sizes (perhaps
        bounded) and slowdowns, coded tasks that start together.
    demands : sequence of float
    rate : float, optional
        Expansion rate r.
    moments, as_printed
        As in `theory.response_time.response_time`.

    Returns
    -------
    ndarray, shape of `demands`
        Infinite where the approximation is.

    Raises
    ------
    BadInput
        If the approximation says nothing of the scenario, naming the field.

    Examples
    --------
    >>> claim1(GangScenario(size_tail=3), [0, float("inf")]).round(2)
    array([29.96, 18.72])
    """
    needed = {
        "arrivals": "poisson",
        "tasks": "zipf",
        "tasks_tail": 1.0,
        "size": "pareto",
        "straggle": "pareto",
        "redundancy": "mds",
        "delay": 0.0,
    }
    for name, value in needed.items():
        if getattr(scenario, name) != value:
            raise BadInput(
                f"{name}: {quoted(getattr(scenario, name))} is not accepted by Claim 1; "
                f"it is about {quoted(value)}"
            )
    return np.asarray(
        response_time(
            list(demands),
            rate,
            scenario.load,
            scenario.straggle_tail,
            scenario.size_tail,
            scenario.tasks_max,
            scenario.size_min,
            scenario.size_max,
            scenario.slots,
            moments,
            as_printed,
        )
    )
