r"""One cloned job: its duration, its resource, and the balance of the two.

The :math:`m` tasks of a job start together, each in :math:`c` copies; the fastest copy counts, and
the job ends with its last task. Task times are :math:`\mathrm{Pareto}(\mu, \alpha)`, :math:`\alpha`
the tail index of task times and :math:`\mu`, the `scale`, the shortest time of the job's tasks.

Reference: H. Xu and W. C. Lau, "Optimization for Speculative Execution of Multiple Jobs in a
MapReduce-like Cluster", sections IV-A and VI-A.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import beta, digamma, zeta

from theory.domain import MOST_COPIES, require, vector, whole, within_floats
from theory.shape import Numbers, numbers, plain, single

#: Costs that differ by less than this share are equal: what rounding may make of equal ones.
EQUAL = 1e-9
#: Products of arguments, and cubes of two, must stay within the floats.
_LARGEST = 1e50


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs to be cloned, checked: arrays of one length, and the weight of their resource."""

    m: np.ndarray
    scale: np.ndarray
    alpha: np.ndarray
    gamma: float


@within_floats
def cloned_job_duration(m: ArrayLike, c: ArrayLike, scale: ArrayLike, alpha: ArrayLike) -> Numbers:
    r"""Mean time from the start of a job to the end of its last task.

    .. math:: E[d] = \int_0^\infty \Big( 1 - \big( 1 - (1 - F)^c \big)^m \Big) dt
              = \mu \prod_{j=1}^m \frac{j}{j - y} = \mu\, m\, B(m, 1 - y),
              \qquad y = \frac{1}{c \alpha}

    Parameters
    ----------
    m : array_like of int
        Tasks of the job, at least 1.
    c : array_like of float
        Copies of each task, the original included, > 0. A fraction is the analytic continuation.
    scale : array_like of float
        Shortest task time :math:`\mu`, > 0.
    alpha : array_like of float
        Tail index of task times, > 1.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Duration in the unit of `scale`; infinite if ``c * alpha <= 1``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equations (10)-(12).

    Examples
    --------
    >>> round(cloned_job_duration(2, 1, 1.0, 2.0), 6)  # 1/(1 - 1/2) * 2/(2 - 1/2)
    2.666667
    """
    m, c, scale, alpha = _checked(m, c, scale, alpha)
    finite = c * alpha > 1
    c = np.where(finite, c, 1.0)
    return plain(np.where(finite, scale * _latest(m, c, alpha), np.inf))


@within_floats
def cloned_job_resource(m: ArrayLike, c: ArrayLike, scale: ArrayLike, alpha: ArrayLike) -> Numbers:
    r"""Mean machine time used by all copies of all tasks of a job.

    .. math:: m\, c\, E[t] = m\, c \int_0^\infty (1 - F)^c\, dt = \frac{m\, \mu\, \alpha c^2}{c \alpha - 1}

    Parameters
    ----------
    m : array_like of int
        Tasks of the job, at least 1.
    c : array_like of float
        Copies of each task, the original included, > 0. A fraction is the analytic continuation.
    scale : array_like of float
        Shortest task time :math:`\mu`, > 0.
    alpha : array_like of float
        Tail index of task times, > 1.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Machine time in the unit of `scale`; infinite if ``c * alpha <= 1``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equation (13). Convex in `c`, least at :math:`c = 2/\alpha`. The hypothesis of Lemma 1,
    that :math:`\ln(1 - F)` be convex, fails for the Pareto law (it has a concave corner at
    :math:`\mu`); convexity on the support is enough, and given.

    Examples
    --------
    >>> cloned_job_resource(10, 2, 1.0, 1.5)  # 20 copies for the mean 3/2 of Pareto(1, 3)
    30.0
    """
    m, c, scale, alpha = _checked(m, c, scale, alpha)
    finite = c * alpha > 1
    c = np.where(finite, c, 1.0)
    return plain(np.where(finite, m * scale * _machine_time(c, alpha), np.inf))


@within_floats
def optimal_job_clones(m: int, scale: float, alpha: float, limit: int, gamma: float) -> int:
    r"""Best number of copies for one small job, machines being to spare.

    .. math:: c^* = \arg\max_{1 \le c \le r} \; -E[d](c) - \gamma\, m\, c\, E[t](c)

    Parameters
    ----------
    m : int
        Tasks of the job, at least 1.
    scale : float
        Shortest task time :math:`\mu`, > 0.
    alpha : float
        Tail index of task times, > 1.
    limit : int
        Largest number of copies :math:`r`, from 1 to 100,000.
    gamma : float
        Weight :math:`\gamma \ge 0` of machine time against duration.

    Returns
    -------
    int
        Copies of each task, the original included; the smaller number if two are equally good.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equation (29), of the ESE algorithm, which clones only small jobs.

    Examples
    --------
    >>> optimal_job_clones(10, 1.0, 2.0, limit=8, gamma=0.01), optimal_job_clones(10, 1.0, 2.0, 8, 1.0)
    (5, 1)
    """
    jobs, limit = waiting_jobs([m], scale, alpha, gamma), whole("limit", limit, 1, MOST_COPIES)
    costs = job_cost(jobs, np.arange(1.0, limit + 1))
    return 1 + int(np.argmax(costs <= costs.min() * (1 + EQUAL)))


def waiting_jobs(m: ArrayLike, scale: ArrayLike, alpha: ArrayLike, gamma: float) -> Jobs:
    """Return the checked jobs, as arrays of one length.

    Parameters
    ----------
    m : array_like of int, shape (n,)
        Tasks of each job, at least 1.
    scale, alpha : array_like of float, shape (n,) or one number
        Shortest task time, > 0, and tail index of task times, > 1, of each job.
    gamma : float
        Weight of machine time against duration, at least 0.

    Returns
    -------
    Jobs
        Fields `m`, `scale`, `alpha` (shape (n,)) and `gamma`.

    Raises
    ------
    ValueError
        If an argument is outside its domain, or lengths differ.

    Examples
    --------
    >>> waiting_jobs([10, 20], 1.0, 2.0, gamma=0.01).scale
    array([1., 1.])
    """
    m, scale, alpha = vector("m", m), vector("scale", scale), vector("alpha", alpha)
    for name, values in (("scale", scale), ("alpha", alpha)):
        require(values.size in (1, m.size), name, values, f"one number, or one for each of {m.size} jobs")
    m, _, scale, alpha = np.broadcast_arrays(*_checked(m, 1.0, scale, alpha))
    gamma = single("gamma", gamma)
    require(0 <= gamma <= _LARGEST, "gamma", gamma, f"at least 0 (and at most {_LARGEST:g})")
    return Jobs(m, scale, alpha, gamma)


def job_cost(jobs: Jobs, copies: np.ndarray) -> np.ndarray:
    """Objective of each job, duration plus weighted resource, at its number of `copies`.

    Examples
    --------
    >>> job_cost(waiting_jobs([1], 1.0, 2.0, gamma=1.0), 1)  # mean 2, of duration and of resource
    array([4.])
    """
    resource = jobs.m * _machine_time(copies, jobs.alpha)
    return np.asarray(jobs.scale * (_latest(jobs.m, copies, jobs.alpha) + jobs.gamma * resource))


def cost_slope(jobs: Jobs, c: np.ndarray) -> np.ndarray:
    """Slope of `job_cost` in the number of copies: increasing, and concave.

    Examples
    --------
    >>> cost_slope(waiting_jobs([1], 1.0, 2.0, gamma=1.0), np.array([1.0]))  # -2 + 0
    array([-2.])
    """
    ca = c * jobs.alpha
    y = 1 / ca
    later = digamma(jobs.m + 1 - y) - digamma(1 - y)  # sum of 1 / (j - y)
    duration = -_latest(jobs.m, c, jobs.alpha) * later * y / c
    resource = jobs.m * (1 - 1 / (ca - 1) ** 2)
    return np.asarray(jobs.scale * (duration + jobs.gamma * resource))


def cost_curvature(jobs: Jobs, c: np.ndarray) -> np.ndarray:
    """Curvature of `job_cost` in the number of copies: positive, and decreasing.

    Examples
    --------
    >>> cost_curvature(waiting_jobs([1], 1.0, 2.0, gamma=1.0), np.array([1.0]))  # 8 + 4
    array([12.])
    """
    ca = c * jobs.alpha
    y = 1 / ca
    later = digamma(jobs.m + 1 - y) - digamma(1 - y)
    spread = zeta(2, 1 - y) - zeta(2, jobs.m + 1 - y)  # sum of 1 / (j - y)^2
    duration = _latest(jobs.m, c, jobs.alpha) * (y / c) * ((later**2 + spread) * (y / c) + 2 * later / c)
    resource = 2 * jobs.m * jobs.alpha / (ca - 1) ** 3
    return np.asarray(jobs.scale * (duration + jobs.gamma * resource))


def _latest(m: np.ndarray, c: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Mean of the longest of `m` tasks, each the fastest of `c` copies, in units of the shortest."""
    return np.asarray(m * beta(m, 1 - 1 / (c * alpha)))


def _machine_time(c: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Mean machine time of the copies of one task, in units of the shortest."""
    return np.asarray(c * (c * alpha) / (c * alpha - 1))


def _checked(m: ArrayLike, c: ArrayLike, scale: ArrayLike, alpha: ArrayLike) -> tuple[np.ndarray, ...]:
    m, c, scale, alpha = numbers("m", m), numbers("c", c), numbers("scale", scale), numbers("alpha", alpha)
    require((m >= 1) & (m == np.floor(m)) & (m <= 2**53), "m", m, "a whole number of at least 1")
    require((c > 0) & (c <= _LARGEST), "c", c, f"positive (and at most {_LARGEST:g})")
    require((scale > 0) & (scale <= _LARGEST), "scale", scale, f"positive (and at most {_LARGEST:g})")
    require((alpha > 1) & (alpha <= _LARGEST), "alpha", alpha, f"above 1 (and at most {_LARGEST:g})")
    return m, c, scale, alpha
