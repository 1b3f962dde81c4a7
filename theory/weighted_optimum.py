r"""The exact optimum of weighted service rates, by the price of a slot.

To maximise :math:`\sum_i \alpha_i \mu_i(S_i)` with :math:`\sum_i S_i = S`, where :math:`\alpha_i` is the
weight of a job (for a DAG: communication work downstream per remaining task), raise the price
:math:`\nu` of a slot from nothing: at each price a job holds as many slots as are worth it. Below its
threshold a slot of job i is worth :math:`\alpha_i \kappa`, so the job holds none at a higher price and
:math:`\theta T_i` or more at a lower one; from :math:`\alpha_i / ((\beta - 1) \theta^2)` down it grows.

Reference: Ren, Ananthanarayanan, Wierman & Yu, "Speculation-aware Cluster Scheduling", section 3.2,
which states the weighted objective; the optimum follows from equation (3) and its concavity.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from theory.allocation import serve, slots, smallest_first, virtual_sizes
from theory.domain import require, vector, within_floats
from theory.service_rate import rate_per_slot, threshold


@within_floats
def weighted_optimum(
    T: ArrayLike, weight: ArrayLike, S: float, beta: float, physical: bool = True
) -> np.ndarray:
    r"""Share slots for the largest weighted sum of service rates.

    .. math:: \max \sum_i \alpha_i \mu_i(S_i) \quad \text{subject to} \quad \sum_i S_i \le S

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    weight : array_like of float
        Weight :math:`\alpha_i` of each job, >= 0, in any common unit.
    S : float
        Slots, >= 0.
    beta : float
        Tail index of the task time, > 1, common to all jobs.
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    ndarray, shape of `T`
        Slots of each job; they add up to `S` unless no job has both tasks and weight (then all are 0).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    RAWY, section 3.2, which gives :math:`S_i \propto T_i \sqrt{\alpha_i}` (equation 6). Unless all weights
    are equal, that is the optimum only from :math:`S = \sum_i V_i / \sqrt{\alpha_{\min}}` on (and for
    :math:`\beta \le 2`), where :math:`V_i = \theta T_i \sqrt{\alpha_i}`. The rule for all S is to start
    jobs by decreasing weight. Equal weights are served by increasing `T`, then in the given order:
    with all weights equal this is Algorithm 1.

    Examples
    --------
    >>> weighted_optimum([12, 12], [4, 1], S=20, beta=1.5)  # the slots of job 1 are worth more up to 32
    array([20.,  0.])
    >>> weighted_optimum([12, 12], [4, 1], S=54, beta=1.5)  # above 48 in proportion to T sqrt(weight)
    array([36., 18.])
    """
    S = slots(S)
    market = _market(T, weight, beta, physical)
    price = _price(market, S)
    if price == 0:
        return np.zeros_like(market.virtual)
    held = market.held(price)
    waiting = np.where(market.start == price, market.virtual, 0.0)
    left = max(0.0, S - held.sum())
    given: np.ndarray = held + serve(waiting, smallest_first(market.virtual), left)
    return given


@within_floats
def slot_price(T: ArrayLike, weight: ArrayLike, S: float, beta: float, physical: bool = True) -> float:
    r"""Weighted service rate that one slot more adds at the optimum: the price :math:`\nu` of a slot.

    .. math:: \alpha_i\, \mu_i'(S_i) = \nu \text{ where } S_i > V_i, \qquad
              \alpha_i \kappa \ge \nu \text{ where } S_i > 0, \qquad \alpha_i \kappa \le \nu
              \text{ where } S_i < V_i

    with :math:`V_i = \theta T_i`.

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    weight : array_like of float
        Weight :math:`\alpha_i` of each job, >= 0, in any common unit.
    S : float
        Slots, >= 0.
    beta : float
        Tail index of the task time, > 1, common to all jobs.
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    float
        Price, in the unit of the weights; at a kink, what the last slot added; 0 if no job has both
        tasks and weight.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> slot_price([12, 12], [4, 1], S=10, beta=1.5)  # job 1 is below its threshold: 4 * 9/8
    4.5
    >>> slot_price([12, 12], [4, 1], S=54, beta=1.5)  # job 2 has 18: 1 / (1/2) * (12/18)^2
    0.8888888888888888
    """
    return _price(_market(T, weight, beta, physical), slots(S))


def weights(weight: ArrayLike, size: int) -> np.ndarray:
    """Return the weights of `size` jobs as a vector, each finite and not negative.

    Examples
    --------
    >>> weights([1, 2], 3)
    Traceback (most recent call last):
        ...
    ValueError: weight must be one number per job, 3 in all (got [1.0, 2.0])
    """
    values = vector("weight", weight)
    require(values.size == size, "weight", values, f"one number per job, {size} in all")
    require((values >= 0) & np.isfinite(values), "weight", values, "finite and not negative")
    return values


@dataclass(frozen=True, slots=True)
class _Market:
    """Jobs as buyers of slots."""

    virtual: np.ndarray  # slots up to which a slot has its full value; 0 for a job of no weight
    start: np.ndarray  # price below which a job holds its virtual size
    growth: np.ndarray  # price below which it holds more

    def held(self, price: float, eager: bool = False) -> np.ndarray:
        """Slots of each job at a price; jobs for whom it is the starting price buy if `eager`."""
        started = (self.start >= price) if eager else (self.start > price)
        bought = np.zeros_like(self.virtual)
        grown = np.sqrt(self.growth[started]) / np.sqrt(price)
        bought[started] = self.virtual[started] * np.maximum(1.0, grown)
        return bought


def _market(T: ArrayLike, weight: ArrayLike, beta: float, physical: bool) -> _Market:
    virtual = virtual_sizes(T, beta, physical)
    alpha = weights(weight, virtual.size)
    start = alpha * rate_per_slot(beta, physical)
    # The two agree for beta <= 2, where rounding must not put growth before start.
    growth = np.minimum(start, alpha / ((beta - 1) * threshold(beta, physical) ** 2))
    return _Market(np.where(alpha > 0, virtual, 0.0), start, growth)


def _price(market: _Market, S: float) -> float:
    """Highest price at which all of S is bought, some perhaps by jobs that are indifferent."""
    buyers = market.virtual > 0
    if not buyers.any():
        return 0.0
    steps = np.unique(np.concatenate([market.start[buyers], market.growth[buyers]]))[::-1]
    # Held slots grow as the price falls: find the first step at which S would be bought.
    first = bisect_left(steps, S, key=lambda price: market.held(price, eager=True).sum())
    if first < steps.size and market.held(steps[first]).sum() <= S:
        return float(steps[first])
    return _price_below(market, steps[first - 1], S)


def _price_below(market: _Market, step: float, S: float) -> float:
    """Price at which S is bought, in the stretch below `step` where no job starts to buy or to grow."""
    growing = market.growth >= step
    fixed = market.virtual[(market.start >= step) & ~growing].sum()
    root = (market.virtual[growing] * np.sqrt(market.growth[growing])).sum()
    # Not below the floats: a price of 0 would be that of slots which nobody wants.
    return max(float((root / (S - fixed)) ** 2), float(np.finfo(float).tiny))
