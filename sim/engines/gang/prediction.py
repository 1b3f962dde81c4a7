r"""Predictions of the theory for a scenario, shown beside its runs: d*, stable loads, expanded jobs.

:math:`\alpha` is the tail index of the straggle factors, :math:`\beta` that of the task sizes.

Reference: Aktas & Soljanin, "Learning Effective Straggler Mitigation from Experience and Modeling",
section 4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.engines.gang.scenario import GangScenario
from theory.optimal_demand import optimal_demand
from theory.response_time import Moments, redundant_load
from theory.small_jobs import small_job_probability


def claim1_demands(
    scenario: GangScenario,
    loads: Sequence[float],
    rate: float = 2,
    *,
    moments: Moments = "two",
    as_printed: bool = False,
) -> np.ndarray:
    r"""Return the best demand :math:`d^*` by Claim 1 at these offered loads.

    Parameters
    ----------
    scenario : GangScenario
        Of the family of the paper (`sim.running.gang_sweep.claim1`); its own load is not read.
    loads : sequence of float
        Each below 1, so that the queue is stable at least without redundancy.
    rate : float, optional
        Expansion rate r.
    moments, as_printed
        As in `theory.response_time.response_time`.

    Returns
    -------
    ndarray, shape of `loads`
        In the unit of the sizes; infinite where every job should be expanded. NaN where Claim 1 is
        infinite for every demand, so that no demand is best.

    Examples
    --------
    >>> claim1_demands(GangScenario(size_tail=3), [0.3, 0.95])
    array([inf,  0.])
    >>> claim1_demands(GangScenario(size_tail=1.5), [0.3])
    array([nan])
    """
    try:
        best = optimal_demand(
            list(loads),
            rate,
            scenario.straggle_tail,
            scenario.size_tail,
            scenario.tasks_max,
            scenario.size_min,
            scenario.size_max,
            scenario.slots,
            moments,
            as_printed,
        )
    except ValueError:  # loads below 1 leave one reason: the second moment of the latency is infinite
        return np.full(len(loads), np.nan)
    return np.asarray(best)


def brought_load(scenario: GangScenario, demands: Sequence[float], rate: float = 2) -> np.ndarray:
    """Return the load the jobs bring when those of demand up to each of these are expanded.

    Parameters
    ----------
    scenario : GangScenario
    demands : sequence of float
    rate : float, optional
        Expansion rate r.

    Returns
    -------
    ndarray, shape of `demands`
        The queue is unstable from 1 on, and before where jobs that do not fit hold up the others.

    Examples
    --------
    >>> brought_load(GangScenario(size_tail=3), [0, float("inf")]).round(2)
    array([0.5 , 0.79])
    """
    return np.asarray(
        redundant_load(
            list(demands),
            rate,
            scenario.load,
            scenario.straggle_tail,
            scenario.size_tail,
            scenario.tasks_max,
            scenario.size_min,
            scenario.size_max,
        )
    )


def stable_loads(scenario: GangScenario, demands: Sequence[float], rate: float = 2) -> np.ndarray:
    r"""Return the offered load from which the cluster gets more work than it can do, at each demand.

    .. math:: \rho_0^{\max}(d) = E[\mathrm{Cost}]_{d=0} / E[\mathrm{Cost}]_d

    Parameters
    ----------
    scenario : GangScenario
        Its own load is not read.
    demands : sequence of float
    rate : float, optional
        Expansion rate r.

    Returns
    -------
    ndarray, shape of `demands`
        Above 1 where redundancy saves work.

    Examples
    --------
    >>> stable_loads(GangScenario(size_tail=3), [0, float("inf")]).round(2)
    array([1.  , 0.63])
    """
    return np.asarray(1 / brought_load(scenario.replace(load=1.0), demands, rate))


def expanded_share(scenario: GangScenario, demands: Sequence[float]) -> np.ndarray:
    """Return the share of the jobs whose demand, tasks x size, is at most each of these.

    Examples
    --------
    >>> expanded_share(GangScenario(size_tail=3), [10, 120, float("inf")]).round(2)
    array([0.  , 0.92, 1.  ])
    """
    share = small_job_probability(
        list(demands), scenario.size_tail, scenario.tasks_max, scenario.size_min, scenario.size_max
    )
    return np.minimum(share, 1.0)  # rounding may pass it


def bounded_as_run(scenario: GangScenario) -> GangScenario:
    r"""Return the scenario with sizes bounded at about the largest of a run.

    .. math:: b_{\max} = b_\min\, m^{1/\beta}

    where m is the number of jobs, unless the sizes are bounded already. The moments that Claim 1 needs
    are finite then, but depend on the length of the run.

    Examples
    --------
    >>> bounded_as_run(GangScenario(size_tail=2, jobs=10_000)).size_max
    1000.0
    """
    if np.isfinite(scenario.size_max):
        return scenario
    return scenario.replace(size_max=scenario.size_min * scenario.jobs ** (1 / scenario.size_tail))
