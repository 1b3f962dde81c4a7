r"""The value of an allocation, and its distance from the best one.

Reference: Ren, Ananthanarayanan, Wierman & Yu, "Speculation-aware Cluster Scheduling", section 3:
allocations are judged by :math:`\sum_i \mu_i`, for DAGs by :math:`\sum_i \alpha_i \mu_i`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from theory.allocation import slots, tasks
from theory.domain import require, vector, within_floats
from theory.service_rate import service_rate
from theory.shape import single
from theory.weighted_optimum import weighted_optimum, weights


@dataclass(frozen=True, slots=True)
class Distance:
    """How far an allocation is from the best one of the same slots.

    Attributes
    ----------
    value : float
        Weighted sum of the service rates under the allocation.
    optimum : float
        The largest such sum.
    shortfall : float
        Share of the optimum that is lost, from 0 to 1.
    """

    value: float
    optimum: float
    shortfall: float


@within_floats
def total_rate(
    T: ArrayLike,
    allocation: ArrayLike,
    beta: float,
    weight: ArrayLike | None = None,
    physical: bool = True,
) -> float:
    r"""Sum of the jobs' service rates under an allocation.

    .. math:: \sum_i \mu_i(S_i), \qquad \text{or } \sum_i \alpha_i\, \mu_i(S_i) \text{ with weights}

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    allocation : array_like of float
        Slots :math:`S_i` of each job, >= 0.
    beta : float
        Tail index of the task time, > 1, common to all jobs.
    weight : array_like of float, optional
        Weight :math:`\alpha_i` of each job, >= 0; all 1 unless given.
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    float
        Work finished per unit time, in task means (times the unit of the weights).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> total_rate([9, 9], [8, 18], beta=1.5)  # 9 below the threshold, 18 with two copies each
    27.0
    >>> total_rate([9, 9], [8, 18], beta=1.5, weight=[3, 1])
    45.0
    """
    jobs = tasks(T)
    alpha = _weight(weight, jobs.size)
    given = vector("allocation", allocation)
    require(given.size == jobs.size, "allocation", given, f"one number per job, {jobs.size} in all")
    require((given >= 0) & np.isfinite(given), "allocation", given, "finite and not negative")
    return float(np.dot(alpha, service_rate(given, jobs, single("beta", beta), physical)))


@within_floats
def distance_from_optimum(
    T: ArrayLike,
    allocation: ArrayLike,
    beta: float,
    weight: ArrayLike | None = None,
    S: float | None = None,
    physical: bool = True,
) -> Distance:
    r"""Compare an allocation with the best one of as many slots.

    .. math:: 1 - \frac{\sum_i \alpha_i \mu_i(S_i)}{\max \sum_i \alpha_i \mu_i}

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    allocation : array_like of float
        Slots :math:`S_i` of each job, >= 0.
    beta : float
        Tail index of the task time, > 1, common to all jobs.
    weight : array_like of float, optional
        Weight :math:`\alpha_i` of each job, >= 0; all 1 unless given.
    S : float, optional
        Slots that the best allocation may use, at least those of `allocation`; the same unless given.
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    Distance
        The two sums and the share lost; nothing is lost where there is nothing to gain.

    Raises
    ------
    ValueError
        If a parameter is outside its domain, or `allocation` takes more than `S` slots.

    Examples
    --------
    >>> distance_from_optimum([12, 12], [32, 0], beta=1.5)  # 36 - 9 of one job; 18 + 18 of both
    Distance(value=27.0, optimum=36.0, shortfall=0.25)
    """
    jobs = tasks(T)
    value = total_rate(jobs, allocation, beta, weight, physical)
    used = float(vector("allocation", allocation).sum())
    limit = used if S is None else slots(S)
    require(used <= limit * (1 + 1e-9), "S", limit, f"at least the {used:g} slots of the allocation")
    best = weighted_optimum(jobs, _weight(weight, jobs.size), max(used, limit), beta, physical)
    # The best found may lie below an equally good allocation in the last digit.
    optimum = max(value, total_rate(jobs, best, beta, weight, physical))
    return Distance(value, optimum, 1 - value / optimum if optimum > 0 else 0.0)


def _weight(weight: ArrayLike | None, size: int) -> np.ndarray:
    return np.ones(size) if weight is None else weights(weight, size)
