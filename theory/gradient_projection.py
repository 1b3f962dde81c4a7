r"""The gradient projection of Xu & Lau for problem P2, as printed and with steps that converge.

Multipliers for the machines (:math:`\nu`), for the limit of copies (:math:`\xi_i`) and for the one
copy that every task must have (:math:`h_i`) climb the dual of P2 by fixed steps. The paper proves
that they converge for every positive step; its Lyapunov argument is one of continuous time, and the
iteration needs steps that are short enough.

Reference: H. Xu and W. C. Lau, "Optimization for Speculative Execution of Multiple Jobs in a
MapReduce-like Cluster", section IV-A, equations (14)-(17), Lemma 2 and Theorem 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from theory.cloned_job import Jobs, cost_curvature, waiting_jobs
from theory.domain import require, whole, within_floats
from theory.optimal_cloning import best_copies, optimal_cloning
from theory.shape import single


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The iterates, the starting values first, and how the iteration ended."""

    copies: np.ndarray  # (iterations + 1, n)
    price: np.ndarray  # (iterations + 1,), nu
    limit_price: np.ndarray  # (iterations + 1, n), xi
    floor_price: np.ndarray  # (iterations + 1, n), h
    stopped: int | None
    unbounded: int | None


@within_floats
def gradient_projection(
    m: ArrayLike,
    scale: ArrayLike,
    alpha: ArrayLike,
    machines: int,
    limit: int,
    gamma: float,
    steps: Sequence[float] = (0.2, 0.3, 0.4),
    decay: float = 0.0,
    iterations: int = 100,
    box: bool = True,
    tolerance: float = 1e-3,
) -> Trajectory:
    r"""Path of the gradient projection on the dual of P2.

    .. math:: c_i^{k+1} = \arg\max_{c_i} f(\nu^k, \xi_i^k, h_i^k, c_i), \qquad
              \nu^{k+1} = \Big[ \nu^k + \eta_1 \big( \textstyle\sum_i m_i c_i^{k+1} - N \big) \Big]^+

    .. math:: \xi_i^{k+1} = \Big[ \xi_i^k + \eta_2 (c_i^{k+1} - r) \Big]^+, \qquad
              h_i^{k+1} = \Big[ h_i^k + \eta_3 (1 - c_i^{k+1}) \Big]^+

    from :math:`c = 1` and :math:`\nu = \xi_i = h_i = 0.1`.

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
        Weight :math:`\gamma \ge 0` of machine time against duration.
    steps : sequence of three floats, optional
        :math:`\eta_1, \eta_2, \eta_3 > 0`; those of the paper's Fig. 1 unless given.
    decay : float, optional
        The steps of iteration :math:`k = 0, 1, \dots` are divided by ``1 + decay * k``. With 0 they
        are constant, as printed; with any positive number the iteration converges.
    iterations : int, optional
        Number of iterations, at least 1.
    box : bool, optional
        Whether the maximum over :math:`c_i` is taken within [1, limit]. As printed it is not, and
        need not exist.
    tolerance : float, optional
        :math:`\epsilon > 0` of the stopping test.

    Returns
    -------
    Trajectory
        Fields `copies` (iterations + 1, n), `price`, `limit_price`, `floor_price`; `stopped`, the
        first iteration at which the printed test :math:`|c^{k+1} - c^k| < \epsilon` holds; and
        `unbounded`, the iteration at which a maximum did not exist, where the iterates end; each
        None if it did not happen. The iteration does not stop at `stopped`, which may be false.

    Raises
    ------
    ValueError
        If an argument is outside its domain, or the tasks outnumber the machines.

    Notes
    -----
    Errata: Theorem 2 claims convergence for every positive step, but near the optimum the price
    needs :math:`\eta_1` below `largest_stable_step`. The printed test compares
    :math:`c^{k+1}` with itself. In Lemma 2, :math:`\tilde c` maximises :math:`f`. Without a box the
    dual is infinite where :math:`h_i > \gamma m_i \mu_i + \nu m_i + \xi_i`.

    Examples
    --------
    >>> fig1 = dict(m=[10, 20, 5, 10], scale=[1, 2, 1, 2], alpha=2, machines=100, limit=8, gamma=0.01)
    >>> gradient_projection(**fig1).copies[-4:].round(1)  # it goes round in threes
    array([[1. , 1. , 1. , 1. ],
           [4.7, 3.9, 5.5, 4.7],
           [1. , 1. , 1. , 1. ],
           [1. , 1. , 1. , 1. ]])
    >>> gradient_projection(**fig1, decay=1.0, iterations=1000).copies[-1].round(3)
    array([2.019, 2.19 , 2.253, 2.475])
    """
    jobs, limit = waiting_jobs(m, scale, alpha, gamma), whole("limit", limit)
    machines = whole("machines", machines, least=int(jobs.m.sum()))
    _check(steps, decay, tolerance)
    path = [(np.ones(jobs.m.size), 0.1, np.full(jobs.m.size, 0.1), np.full(jobs.m.size, 0.1))]
    unbounded = None
    for k in range(whole("iterations", iterations)):
        _, nu, xi, h = path[-1]
        slope = nu * jobs.m + xi - h
        if not box and np.any(jobs.gamma * jobs.m * jobs.scale + slope <= 0):
            unbounded = k + 1
            break
        copies = best_copies(jobs, slope, limit) if box else _anywhere(jobs, slope)
        eta = np.asarray(steps) / (1 + decay * k)
        nu = max(0.0, nu + eta[0] * (float(jobs.m @ copies) - machines))
        path.append((copies, nu, _climb(xi, eta[1], copies - limit), _climb(h, eta[2], 1 - copies)))
    copies, price, xi, h = (np.array(column) for column in zip(*path, strict=True))
    return Trajectory(copies, price, xi, h, _stopped(copies, tolerance), unbounded)


@within_floats
def largest_stable_step(
    m: ArrayLike, scale: ArrayLike, alpha: ArrayLike, machines: int, limit: int, gamma: float
) -> float:
    r"""Step of the price from which the gradient projection cannot settle at the optimum.

    .. math:: \eta_1 < 2 \Big/ \Big| \frac{d}{d\nu} \sum_i m_i c_i \Big|
              = 2 \Big/ \sum_{1 < c_i < r} \frac{m_i^2}{g_i''(c_i)}

    where :math:`g_i` is the cost of job :math:`i`, duration plus weighted resource.

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
        Weight :math:`\gamma \ge 0` of machine time against duration.

    Returns
    -------
    float
        Bound on :math:`\eta_1` in the unit of `scale`; infinite if machines are left over, because
        the price then rests at 0, or if no job is between its bounds.

    Raises
    ------
    ValueError
        If an argument is outside its domain, or the tasks outnumber the machines.

    Notes
    -----
    Counterexample to Theorem 2 of Xu & Lau: on the example of Fig. 1 it is far below the 0.2 used
    there whenever the machines are all in use.

    Examples
    --------
    >>> fig1 = dict(m=[10, 20, 5, 10], scale=[1, 2, 1, 2], alpha=2, machines=100, limit=8)
    >>> largest_stable_step(**fig1, gamma=0.01) < 0.01, largest_stable_step(**fig1, gamma=0.1)
    (True, inf)
    """
    plan = optimal_cloning(m, scale, alpha, machines, limit, gamma)
    jobs = waiting_jobs(m, scale, alpha, gamma)
    between = (plan.copies > 1) & (plan.copies < limit)
    if plan.price == 0 or not between.any():
        return float("inf")
    return float(2 / np.sum(jobs.m[between] ** 2 / cost_curvature(jobs, plan.copies)[between]))


def _anywhere(jobs: Jobs, slope: np.ndarray) -> np.ndarray:
    """Maximum over all numbers of copies for which the job ends, those below 1 included."""
    return best_copies(jobs, slope, high=1e50, low=(1 + 1e-9) / jobs.alpha)


def _climb(multiplier: np.ndarray, step: float, gradient: np.ndarray) -> np.ndarray:
    return np.maximum(0.0, multiplier + step * gradient)


def _stopped(copies: np.ndarray, tolerance: float) -> int | None:
    still = np.max(np.abs(np.diff(copies, axis=0)), axis=1, initial=0.0) < tolerance
    return int(np.argmax(still)) + 1 if still.any() else None


def _check(steps: Sequence[float], decay: float, tolerance: float) -> None:
    array = np.asarray(steps, dtype=float)
    require(
        array.shape == (3,) and np.all((array > 0) & np.isfinite(array)),
        "steps",
        steps,
        "three positive numbers",
    )
    require(0 <= single("decay", decay) < np.inf, "decay", decay, "at least 0 and finite")
    require(0 < single("tolerance", tolerance) < np.inf, "tolerance", tolerance, "positive and finite")
