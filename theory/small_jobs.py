r"""Redundant-small: only jobs of small demand are coded; the mean time and cost of a job.

A job has :math:`K` tasks, Zipf on :math:`1, \dots, k_\max` (:math:`p_k \propto 1/k`), of one size
:math:`B \sim \mathrm{Pareto}(b_\min, \beta)`, independent of :math:`K`: :math:`\beta` is the tail
index of the task size. A finite largest size :math:`b_\max` conditions that law on
:math:`B \le b_\max`. The demand of the job is :math:`D = K B`; if :math:`D \le d` it starts
:math:`n = \lceil r k \rceil` tasks, of which any :math:`k` suffice, and otherwise its :math:`k`
tasks alone. Slowdowns are :math:`\mathrm{Pareto}(1, \alpha)`.

Latency is the time from the job's start to its end, cost the resource time it holds.

Reference: Aktas & Soljanin, "Learning Effective Straggler Mitigation from Experience and
Modeling", section 4, equation (1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma

from theory.coding import coded_cost, expanded_tasks
from theory.domain import require, whole, within_floats
from theory.order_statistics import order_statistic_moment
from theory.pareto import pareto_cdf, pareto_partial_moment, pareto_tail, pareto_tail_moment
from theory.shape import Numbers, numbers, plain, quotient, scaled, single

#: Bound on `k_max`: every average is a sum over all numbers of tasks.
MOST_TASKS = 10_000


@dataclass(frozen=True, slots=True)
class JobSizes:
    """The law of the demand: the numbers of tasks with their probabilities, and the size of a task."""

    tasks: np.ndarray  # 1 .. k_max
    probability: np.ndarray
    size_tail: float
    size_min: float
    size_max: float


@dataclass(frozen=True, slots=True)
class Branches:
    """A quantity of a job of each number of tasks, per unit of task size: with and without coding."""

    coded: np.ndarray
    plain: np.ndarray


@within_floats
def task_count_probability(k: ArrayLike, k_max: int = 10) -> Numbers:
    r"""Probability that a job has k tasks.

    .. math:: p_k = \frac{1/k}{\sum_{j=1}^{k_\max} 1/j}

    Parameters
    ----------
    k : array_like of int
        Number of tasks, at least 1.
    k_max : int, optional
        Largest number of tasks of a job, at least 1.

    Returns
    -------
    float or ndarray, shape of `k`
        Probability; 0 above `k_max`.

    Raises
    ------
    ValueError
        If `k` or `k_max` is not a whole number of at least 1.

    Examples
    --------
    >>> task_count_probability([1, 2, 3], k_max=2)  # 1 : 1/2
    array([0.66666667, 0.33333333, 0.        ])
    """
    k, k_max = numbers("k", k), whole("k_max", k_max)
    require(np.isfinite(k) & (k == np.floor(k)) & (k >= 1), "k", k, "a whole number of at least 1")
    return plain(np.where(k <= k_max, 1 / k, 0.0) / (digamma(k_max + 1.0) + np.euler_gamma))


@within_floats
def small_job_probability(
    d: ArrayLike, size_tail: float, k_max: int = 10, size_min: float = 10, size_max: float = np.inf
) -> Numbers:
    r"""Probability that a job is small enough to be coded.

    .. math:: P(D \le d) = \sum_k p_k\, P(B \le d / k)

    Parameters
    ----------
    d : array_like of float
        Largest demand that is coded, >= 0, perhaps infinite.
    size_tail : float
        Tail index :math:`\beta` of the task size, > 0.
    k_max : int, optional
        Largest number of tasks of a job, from 1 to 10000.
    size_min : float, optional
        Smallest task size :math:`b_\min`, > 0.
    size_max : float, optional
        Largest task size :math:`b_\max`, > `size_min`.

    Returns
    -------
    float or ndarray, shape of `d`
        Probability: 0 up to `size_min`, 1 from ``k_max * size_max`` on.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Aktas & Soljanin, below equation (1).

    Examples
    --------
    >>> round(small_job_probability(20, 1.0, k_max=2), 6)  # 2/3 * P(B <= 20) + 1/3 * P(B <= 10)
    0.333333
    """
    sizes = job_sizes(size_tail, k_max, size_min, size_max)
    return plain(_average(sizes, pareto_cdf(_share(sizes, d), *_law(sizes))))


@within_floats
def redundant_latency(
    d: ArrayLike,
    r: float,
    alpha: float,
    size_tail: float,
    power: float = 1,
    k_max: int = 10,
    size_min: float = 10,
    size_max: float = np.inf,
    as_printed: bool = False,
) -> Numbers:
    r"""Moment of the time a job runs, when jobs of demand up to d are coded.

    .. math:: E[\mathrm{Latency}^p] = \sum_k p_k \Big( E[S_{n:k}^p]\, E[B^p; B \le \tfrac dk]
              + E[S_{k:k}^p]\, E[B^p; B > \tfrac dk] \Big)

    Parameters
    ----------
    d : array_like of float
        Largest demand that is coded, >= 0, perhaps infinite.
    r : float
        Expansion rate, >= 1.
    alpha : float
        Tail index :math:`\alpha` of the slowdown, > 0.
    size_tail : float
        Tail index :math:`\beta` of the task size, > 0.
    power : float, optional
        Order :math:`p` of the moment, > 0.
    k_max : int, optional
        Largest number of tasks of a job, from 1 to 10000.
    size_min : float, optional
        Smallest task size :math:`b_\min`, > 0.
    size_max : float, optional
        Largest task size :math:`b_\max`, > `size_min`.
    as_printed : bool, optional
        Whether to average the conditional expectations as printed.

    Returns
    -------
    float or ndarray, shape of `d`
        Moment in the unit of `size_min` to the `power`; infinite if ``power >= size_tail`` and sizes
        are unbounded, or if a job that occurs has ``(n - k + 1) * alpha <= power``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Aktas & Soljanin, equation (1). Erratum: the expectations given :math:`D \le d` and
    :math:`D > d` are printed as averages over the numbers of tasks *before* conditioning, but a
    small job probably has few tasks. The two agree only for ``d <= size_min`` and once all jobs are
    coded. The printed form also needs :math:`E[B \mid B \le d/k]` where that event is null; its
    limit, `size_min` (or `size_max` for the opposite event), is taken.

    Examples
    --------
    >>> round(redundant_latency(0, 2, 3.0, 3.0, k_max=1), 6)  # mean size 15, times mean slowdown 3/2
    22.5
    >>> round(redundant_latency(float("inf"), 2, 3.0, 3.0, k_max=1), 6)  # the faster of two: 6/5
    18.0
    """
    sizes = job_sizes(size_tail, k_max, size_min, size_max)
    branches = latency_branches(sizes, r, alpha, _power(power))
    return plain(mix(sizes, d, power, branches, as_printed))


@within_floats
def redundant_cost(
    d: ArrayLike,
    r: float,
    alpha: float,
    size_tail: float,
    k_max: int = 10,
    size_min: float = 10,
    size_max: float = np.inf,
    as_printed: bool = False,
) -> Numbers:
    r"""Mean resource time a job holds, when jobs of demand up to d are coded.

    .. math:: E[\mathrm{Cost}] = \sum_k p_k \Big( E[C_{n,k}]\, E[B; B \le \tfrac dk]
              + \tfrac{k \alpha}{\alpha - 1} E[B; B > \tfrac dk] \Big)

    Parameters
    ----------
    d : array_like of float
        Largest demand that is coded, >= 0, perhaps infinite.
    r : float
        Expansion rate, >= 1.
    alpha : float
        Tail index :math:`\alpha` of the slowdown, > 0.
    size_tail : float
        Tail index :math:`\beta` of the task size, > 0.
    k_max : int, optional
        Largest number of tasks of a job, from 1 to 10000.
    size_min : float, optional
        Smallest task size :math:`b_\min`, > 0.
    size_max : float, optional
        Largest task size :math:`b_\max`, > `size_min`.
    as_printed : bool, optional
        As in `redundant_latency`.

    Returns
    -------
    float or ndarray, shape of `d`
        Units of capacity held times time, in the unit of `size_min`; infinite if ``size_tail <= 1``
        and sizes are unbounded, or if a job that occurs has ``(n - k + 1) * alpha <= 1``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Aktas & Soljanin, equation (1), with the erratum of `redundant_latency`: as printed the cost can
    even fall below that without any redundancy.

    Examples
    --------
    >>> round(redundant_cost(0, 2, 3.0, 3.0, k_max=1), 6)  # one task: its latency
    22.5
    >>> round(redundant_cost(float("inf"), 2, 3.0, 3.0, k_max=1), 6)  # two until the faster ends
    36.0
    """
    sizes = job_sizes(size_tail, k_max, size_min, size_max)
    return plain(mix(sizes, d, 1, cost_branches(sizes, r, alpha), as_printed))


@within_floats
def small_job_latency(
    d: ArrayLike,
    r: float,
    alpha: float,
    size_tail: float,
    power: float = 1,
    k_max: int = 10,
    size_min: float = 10,
    size_max: float = np.inf,
    as_printed: bool = False,
) -> Numbers:
    r"""Moment of the time a job runs, given that it is small enough to be coded.

    .. math:: E[\mathrm{Latency}^p \mid D \le d]
              = \frac{\sum_k p_k\, E[S_{n:k}^p]\, E[B^p; B \le d/k]}{\sum_k p_k\, P(B \le d/k)}

    Parameters
    ----------
    d : array_like of float
        Largest demand that is coded, > `size_min`, perhaps infinite.
    r : float
        Expansion rate, >= 1.
    alpha : float
        Tail index :math:`\alpha` of the slowdown, > 0.
    size_tail : float
        Tail index :math:`\beta` of the task size, > 0.
    power : float, optional
        Order :math:`p` of the moment, > 0.
    k_max : int, optional
        Largest number of tasks of a job, from 1 to 10000.
    size_min : float, optional
        Smallest task size :math:`b_\min`, > 0.
    size_max : float, optional
        Largest task size :math:`b_\max`, > `size_min`.
    as_printed : bool, optional
        As in `redundant_latency`.

    Returns
    -------
    float or ndarray, shape of `d`
        Moment in the unit of `size_min` to the `power`; finite for every finite `d` if the slowdown's is.

    Raises
    ------
    ValueError
        If an argument is outside its domain; in particular ``d <= size_min``, for then no job is small.

    Notes
    -----
    Aktas & Soljanin, below equation (1), with the erratum of `redundant_latency`.

    Examples
    --------
    >>> round(small_job_latency(float("inf"), 2, 3.0, 3.0, k_max=1), 6)  # every job: 15 * 6/5
    18.0
    """
    sizes = job_sizes(size_tail, k_max, size_min, size_max)
    branches = latency_branches(sizes, r, alpha, _power(power))
    return plain(_given_small(sizes, d, power, branches, as_printed))


@within_floats
def small_job_cost(
    d: ArrayLike,
    r: float,
    alpha: float,
    size_tail: float,
    k_max: int = 10,
    size_min: float = 10,
    size_max: float = np.inf,
    as_printed: bool = False,
) -> Numbers:
    r"""Mean resource time a job holds, given that it is small enough to be coded.

    .. math:: E[\mathrm{Cost} \mid D \le d]
              = \frac{\sum_k p_k\, E[C_{n,k}]\, E[B; B \le d/k]}{\sum_k p_k\, P(B \le d/k)}

    Parameters
    ----------
    d : array_like of float
        Largest demand that is coded, > `size_min`, perhaps infinite.
    r : float
        Expansion rate, >= 1.
    alpha : float
        Tail index :math:`\alpha` of the slowdown, > 0.
    size_tail : float
        Tail index :math:`\beta` of the task size, > 0.
    k_max : int, optional
        Largest number of tasks of a job, from 1 to 10000.
    size_min : float, optional
        Smallest task size :math:`b_\min`, > 0.
    size_max : float, optional
        Largest task size :math:`b_\max`, > `size_min`.
    as_printed : bool, optional
        As in `redundant_latency`.

    Returns
    -------
    float or ndarray, shape of `d`
        Units of capacity held times time, in the unit of `size_min`.

    Raises
    ------
    ValueError
        If an argument is outside its domain; in particular ``d <= size_min``, for then no job is small.

    Notes
    -----
    Aktas & Soljanin, below equation (1), with the erratum of `redundant_latency`.

    Examples
    --------
    >>> round(small_job_cost(float("inf"), 2, 3.0, 3.0, k_max=1), 6)  # every job: 15 * 2 * 6/5
    36.0
    """
    sizes = job_sizes(size_tail, k_max, size_min, size_max)
    return plain(_given_small(sizes, d, 1, cost_branches(sizes, r, alpha), as_printed))


def job_sizes(size_tail: float, k_max: int, size_min: float, size_max: float) -> JobSizes:
    """Return the law of the demand, each parameter within its domain.

    Examples
    --------
    >>> job_sizes(1.5, 10, 10, 10)
    Traceback (most recent call last):
        ...
    ValueError: size_max must be above size_min (got 10.0)
    """
    beta, least = single("size_tail", size_tail), single("size_min", size_min)
    most = single("size_max", size_max)
    require(0 < beta < np.inf, "size_tail", beta, "positive and finite")
    require(0 < least < np.inf, "size_min", least, "positive and finite")
    require(most > least, "size_max", most, "above size_min")
    largest = whole("k_max", single("k_max", k_max))
    require(largest <= MOST_TASKS, "k_max", k_max, f"at most {MOST_TASKS}")
    tasks = np.arange(1.0, largest + 1)
    return JobSizes(tasks, np.asarray(task_count_probability(tasks, k_max)), beta, least, most)


def latency_branches(sizes: JobSizes, r: float, alpha: float, power: float) -> Branches:
    """Moments of the slowdown of each job, coded and not.

    Examples
    --------
    >>> latency_branches(job_sizes(1.5, 1, 10, float("inf")), 2, 3.0, 1)
    Branches(coded=array([1.2]), plain=array([1.5]))
    """
    k, alpha = sizes.tasks, single("alpha", alpha)
    started = expanded_tasks(k, r)
    coded, uncoded = (order_statistic_moment(n, k, alpha, power) for n in (started, k))
    return Branches(np.asarray(coded), np.asarray(uncoded))


def cost_branches(sizes: JobSizes, r: float, alpha: float) -> Branches:
    """Mean costs of each job per unit of task size, coded and not.

    Examples
    --------
    >>> cost_branches(job_sizes(1.5, 1, 10, float("inf")), 2, 3.0)
    Branches(coded=array([2.4]), plain=array([1.5]))
    """
    k, alpha = sizes.tasks, single("alpha", alpha)
    started = expanded_tasks(k, r)
    coded, uncoded = (coded_cost(n, k, alpha) for n in (started, k))
    return Branches(np.asarray(coded), np.asarray(uncoded))


def mix(
    sizes: JobSizes, d: ArrayLike, power: float, branches: Branches, as_printed: bool = False
) -> np.ndarray:
    """Average over all jobs what each has in its branch, times its task size to the `power`.

    Examples
    --------
    >>> sizes = job_sizes(2.0, 1, 1.0, float("inf"))  # E[B; B <= 2] = E[B; B > 2] = 1
    >>> mix(sizes, 2.0, 1, Branches(np.array([3.0]), np.array([5.0])))
    array(8.)
    """
    limit = _share(sizes, d)
    if as_printed:
        return _printed_mix(sizes, limit, power, branches)
    small, large = _small(sizes, limit, power, branches.coded), _large(sizes, limit, power, branches.plain)
    return _average(sizes, small + large)


def _small(sizes: JobSizes, limit: np.ndarray, power: float, coded: np.ndarray) -> np.ndarray:
    """Contribution of the jobs of each number of tasks that are coded."""
    part = pareto_partial_moment(sizes.size_min, sizes.size_tail, limit, power, sizes.size_max)
    return np.where(limit > sizes.size_min, _times(coded, part), 0.0)


def _large(sizes: JobSizes, limit: np.ndarray, power: float, uncoded: np.ndarray) -> np.ndarray:
    """Contribution of the jobs of each number of tasks that are not coded."""
    part = pareto_tail_moment(sizes.size_min, sizes.size_tail, limit, power, sizes.size_max)
    return np.where(limit < sizes.size_max, _times(uncoded, part), 0.0)


def _given_small(
    sizes: JobSizes, d: ArrayLike, power: float, branches: Branches, as_printed: bool
) -> np.ndarray:
    limit = _share(sizes, d)
    require(limit[..., 0] > sizes.size_min, "d", d, "above size_min, for some job to be small")
    if as_printed:
        return _average(sizes, _printed_small(sizes, limit, power, branches.coded))
    probability = _average(sizes, pareto_cdf(limit, *_law(sizes)))
    return np.asarray(_average(sizes, _small(sizes, limit, power, branches.coded)) / probability)


def _printed_mix(sizes: JobSizes, limit: np.ndarray, power: float, branches: Branches) -> np.ndarray:
    small = _average(sizes, pareto_cdf(limit, *_law(sizes)))
    large = _average(sizes, pareto_tail(limit, *_law(sizes)))
    given_small = _average(sizes, _printed_small(sizes, limit, power, branches.coded))
    given_large = _average(sizes, _printed_large(sizes, limit, power, branches.plain))
    return np.asarray(scaled(given_small, small) + scaled(given_large, large))


def _printed_small(sizes: JobSizes, limit: np.ndarray, power: float, coded: np.ndarray) -> np.ndarray:
    part = np.asarray(pareto_partial_moment(sizes.size_min, sizes.size_tail, limit, power, sizes.size_max))
    probability = np.asarray(pareto_cdf(limit, *_law(sizes)))
    return _times(coded, quotient(part, probability, probability > 0, _raised(sizes.size_min, power)))


def _printed_large(sizes: JobSizes, limit: np.ndarray, power: float, uncoded: np.ndarray) -> np.ndarray:
    part = np.asarray(pareto_tail_moment(sizes.size_min, sizes.size_tail, limit, power, sizes.size_max))
    probability = np.asarray(pareto_tail(limit, *_law(sizes)))
    return _times(uncoded, quotient(part, probability, probability > 0, _raised(sizes.size_max, power)))


def _times(moment: np.ndarray, part: ArrayLike) -> np.ndarray:
    """Product of two positive numbers; a part too small for the floats does not tame an infinite moment."""
    return np.where(np.isinf(moment), np.inf, scaled(moment, part))


def _raised(size: float, power: float) -> float:
    with np.errstate(over="ignore"):  # beyond the floats is infinite
        return float(np.power(size, power))


def _average(sizes: JobSizes, values: ArrayLike) -> np.ndarray:
    return np.asarray(np.sum(sizes.probability * values, axis=-1))


def _share(sizes: JobSizes, d: ArrayLike) -> np.ndarray:
    """Largest task size that is coded, for each number of tasks along a last axis."""
    d = numbers("d", d)
    require(d >= 0, "d", d, "at least 0")
    return np.asarray(d[..., None] / sizes.tasks)


def _law(sizes: JobSizes) -> tuple[float, float, float]:
    return sizes.size_min, sizes.size_tail, sizes.size_max


def _power(power: float) -> float:
    power = single("power", power)
    require(0 < power < np.inf, "power", power, "positive and finite")
    return power
