r"""How many copies to give the tasks of each waiting job: problem P2 of Xu & Lau.

Duration and resource of a job are convex in its number of copies (see `theory.cloned_job`), so
that one price :math:`\nu` for a machine settles the real problem. The whole-number problem is a
knapsack, and solved as one.

Reference: H. Xu and W. C. Lau, "Optimization for Speculative Execution of Multiple Jobs in a
MapReduce-like Cluster", section IV-A.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from theory.cloned_job import Jobs, cost_curvature, cost_slope, job_cost, waiting_jobs
from theory.domain import whole, within_floats


@dataclass(frozen=True, slots=True)
class CloningPlan:
    """Copies for each job, the objective they attain, and the price of a machine."""

    copies: np.ndarray
    objective: float
    price: float


@within_floats
def optimal_cloning(
    m: ArrayLike,
    scale: ArrayLike,
    alpha: ArrayLike,
    machines: int,
    limit: int,
    gamma: float,
    integer: bool = False,
) -> CloningPlan:
    r"""Numbers of copies that minimise the jobs' durations plus the weighted resource.

    .. math:: \min_c\ \sum_i E[d_i](c_i) + \gamma \sum_i m_i c_i E[t_i](c_i)
              \quad \text{subject to} \quad \sum_i m_i c_i \le N,\ 1 \le c_i \le r

    At the optimum of the real problem there is a price :math:`\nu \ge 0` with, unless :math:`c_i`
    is at a bound,

    .. math:: -\frac{E[d_i]}{\alpha c_i^2} \sum_{j=1}^{m_i} \frac{1}{j - y_i}
              + \gamma m_i \mu_i \alpha \frac{\alpha c_i^2 - 2 c_i}{(\alpha c_i - 1)^2} + \nu m_i = 0 .

    Parameters
    ----------
    m : array_like of int, shape (n,)
        Tasks of each job, at least 1.
    scale : array_like of float, shape (n,) or one number
        Shortest task time :math:`\mu_i` of each job, > 0.
    alpha : array_like of float, shape (n,) or one number
        Tail index of each job's task times, > 1.
    machines : int
        Machines available :math:`N`, at least the number of tasks.
    limit : int
        Largest number of copies of a task :math:`r`, at least 1.
    gamma : float
        Weight :math:`\gamma \ge 0` of machine time against duration. The paper does not state it
        for its Fig. 1; it uses 0.01 in its simulations.
    integer : bool, optional
        Whether copies must be whole numbers.

    Returns
    -------
    CloningPlan
        Fields `copies` (shape (n,)), `objective` (in the unit of `scale`, the time already waited
        not counted) and `price` (what one more machine would take off the objective of the real
        problem; 0 if machines are left over). With ``integer=True`` the price is still that of
        the real problem.

    Raises
    ------
    ValueError
        If an argument is outside its domain, or the tasks outnumber the machines.

    Notes
    -----
    Xu & Lau, problem P2, with the utility :math:`-E[t]`. The real solution is exact up to rounding:
    a root search for the price around one for each job. The whole-number solution is exact by
    dynamic programming over the spare machines, about :math:`n\, r\, N` additions and :math:`n N`
    bytes; the paper gives no rounding rule, and rounding down wastes machines.

    Examples
    --------
    >>> plan = optimal_cloning([10, 20, 5, 10], [1, 2, 1, 2], 2.0, machines=100, limit=8, gamma=0.01)
    >>> round(float(plan.copies @ [10, 20, 5, 10]), 6)  # every machine is used
    100.0
    >>> optimal_cloning([10, 20, 5, 10], [1, 2, 1, 2], 2.0, 100, 8, 0.01, integer=True).copies
    array([2, 2, 2, 3])
    """
    jobs, limit = waiting_jobs(m, scale, alpha, gamma), whole("limit", limit)
    machines = whole("machines", machines, least=int(jobs.m.sum()))
    price = _price(jobs, machines, limit)
    copies = _best_whole(jobs, machines, limit) if integer else best_copies(jobs, price * jobs.m, limit)
    return CloningPlan(copies, float(job_cost(jobs, copies).sum()), price)


def best_copies(jobs: Jobs, slope: ArrayLike, high: float, low: ArrayLike = 1.0) -> np.ndarray:
    """Real number of copies from `low` to `high` that minimises cost plus `slope` times copies, job by job.

    Examples
    --------
    >>> best_copies(waiting_jobs([1, 1], 1.0, 1.25, gamma=1e9), 0.0, 8)  # only resource: 2 / alpha
    array([1.6, 1.6])
    """
    low, slope = (np.broadcast_to(np.asarray(x, dtype=float), jobs.m.shape) for x in (low, slope))
    copies = np.where(cost_slope(jobs, low) + slope < 0, float(high), low)
    inner = (copies > low) & (cost_slope(jobs, copies) + slope > 0)
    if inner.any():
        some = Jobs(jobs.m[inner], jobs.scale[inner], jobs.alpha[inner], jobs.gamma)
        copies[inner] = _stationary(some, slope[inner], low[inner])
    return copies


def _stationary(jobs: Jobs, slope: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """Point at which one more copy stops paying, from a number at which it still pays."""
    # the derivative of the cost increases and is concave, so Newton's steps from below never overshoot
    for _ in range(200):
        step = -(cost_slope(jobs, copies) + slope) / cost_curvature(jobs, copies)
        copies = copies + np.maximum(step, 0.0)
        if np.all(step <= 1e-14 * copies):
            break
    return copies


def _price(jobs: Jobs, machines: int, limit: int) -> float:
    """Smallest price of a machine at which no more machines are wanted than there are."""
    least = np.ones(jobs.m.shape)  # what every job wants at the highest price still in question

    def excess(price: float) -> float:
        nonlocal least
        copies = best_copies(jobs, price * jobs.m, limit, least)
        short = float(jobs.m @ copies) - machines
        least = copies if short <= 0 else least
        return short

    if excess(0.0) <= 0:
        return 0.0
    # every job is content with one copy at this price, whatever its last digit
    dearest = (1 + 1e-12) * float(np.max(-cost_slope(jobs, np.ones(jobs.m.shape)) / jobs.m))
    return float(brentq(excess, 0.0, dearest, xtol=1e-300, rtol=4 * np.finfo(float).eps))


def _best_whole(jobs: Jobs, machines: int, limit: int) -> np.ndarray:
    """Best whole numbers of copies: spare machines are offered to one job after the other.

    ``least[w]`` is the best objective of the jobs so far with at most `w` spare machines, counted
    in units of the greatest common divisor of the numbers of tasks.
    """
    tasks = jobs.m.astype(int)
    unit = int(np.gcd.reduce(tasks))
    weight, cost = tasks // unit, _worthwhile(jobs, min(limit, machines))
    wanted = int(weight @ [len(row) - 1 for row in cost])
    spare = min((machines - int(tasks.sum())) // unit, wanted)
    least, chosen = np.zeros(spare + 1), np.zeros((tasks.size, spare + 1), np.min_scalar_type(limit))
    for job, row in enumerate(cost):
        least, chosen[job] = _add_job(least, int(weight[job]), row)
    copies = np.ones(tasks.size, dtype=int)
    for job in reversed(range(tasks.size)):
        extra = int(chosen[job, spare])
        copies[job] += extra
        spare -= extra * int(weight[job])
    return copies


def _worthwhile(jobs: Jobs, limit: int) -> list[np.ndarray]:
    """Cost of each job for 1, 2, ... copies, up to the number it would take if machines were free."""
    copies = np.arange(1.0, limit + 1)
    table = [
        job_cost(Jobs(jobs.m[i : i + 1], jobs.scale[i : i + 1], jobs.alpha[i : i + 1], jobs.gamma), copies)
        for i in range(jobs.m.size)
    ]
    return [row[: int(np.argmin(row)) + 1] for row in table]


def _add_job(least: np.ndarray, weight: int, cost: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Best objective for each number of spare machines with one job more, and its extra copies."""
    best, chosen = least + cost[0], np.zeros(least.size, dtype=int)
    for extra in range(1, min(cost.size - 1, (least.size - 1) // weight) + 1):
        taken = extra * weight
        offer = least[: least.size - taken] + cost[extra]
        better = offer < best[taken:]
        best[taken:][better] = offer[better]
        chosen[taken:][better] = extra
    return best, chosen
