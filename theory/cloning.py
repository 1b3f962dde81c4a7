r"""How many clones keep a job free of outliers: Dolly.

A task is an outlier with probability :math:`p`, independently of the others. *Copies* count the
original. With job-level cloning the whole job runs :math:`c` times, and one run without outliers is
enough; with task-level cloning every task runs :math:`c` times, and needs one good copy.

Reference: G. Ananthanarayanan, A. Ghodsi, S. Shenker and I. Stoica, "Why let resources idle?
Aggressive cloning of jobs with Dolly", HotCloud 2012.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.domain import require, within_floats
from theory.shape import Numbers, numbers, plain


@within_floats
def job_outlier_probability(p: ArrayLike, n: ArrayLike, c: ArrayLike) -> Numbers:
    r"""Probability that a job with job-level clones has an outlier in every clone.

    .. math:: \big( 1 - (1 - p)^n \big)^c

    Parameters
    ----------
    p : array_like of float
        Probability that a task is an outlier, in [0, 1].
    n : array_like of int
        Tasks of the job, at least 1.
    c : array_like of float
        Copies of the job, the original included, at least 1.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Dolly, Fig. 5.

    Examples
    --------
    >>> round(job_outlier_probability(0.5, 2, 2), 6)  # (1 - 1/4)^2
    0.5625
    """
    p, n, c = _probability("p", p), _tasks(n), _copies(c)
    return plain(np.exp(c * _log_some(p, n)))


@within_floats
def task_outlier_probability(p: ArrayLike, n: ArrayLike, c: ArrayLike) -> Numbers:
    r"""Probability that a job with task-level clones has a task whose copies are all outliers.

    .. math:: 1 - (1 - p^c)^n

    Parameters
    ----------
    p : array_like of float
        Probability that a task is an outlier, in [0, 1].
    n : array_like of int
        Tasks of the job, at least 1.
    c : array_like of float
        Copies of each task, the original included, at least 1.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability: at most that of job-level cloning, and equal if ``c == 1`` or ``n == 1``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Dolly, Fig. 5.

    Examples
    --------
    >>> round(task_outlier_probability(0.5, 2, 2), 6)  # 1 - (1 - 1/4)^2
    0.4375
    """
    p, n, c = _probability("p", p), _tasks(n), _copies(c)
    return plain(-np.expm1(n * _log_1m(p**c)))


@within_floats
def job_level_copies(p: ArrayLike, n: ArrayLike, epsilon: ArrayLike) -> Numbers:
    r"""Fewest copies of a job that meet the target `epsilon`.

    .. math:: c = \max\Big( 1, \Big\lceil \frac{\ln \epsilon}{\ln(1 - (1-p)^n)} \Big\rceil \Big)

    Parameters
    ----------
    p : array_like of float
        Probability that a task is an outlier, in [0, 1].
    n : array_like of int
        Tasks of the job, at least 1.
    epsilon : array_like of float
        Acceptable probability that the job has an outlier, in (0, 1).

    Returns
    -------
    int, inf, or ndarray of the broadcast shape
        Copies, the original included; 1 for ``p == 0``, infinite for ``p == 1`` (and where the
        number is beyond the floats).

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Dolly, where the fraction is the number of clones to have "at least".

    Examples
    --------
    >>> job_level_copies(0.1, 1, 0.01)  # 0.1^2
    2
    """
    p, n, epsilon = _probability("p", p), _tasks(n), _target(epsilon)
    return _count(np.maximum(1.0, _whole(_ratio(np.log(epsilon), _log_some(p, n)), np.ceil)))


@within_floats
def task_level_copies(p: ArrayLike, n: ArrayLike, epsilon: ArrayLike) -> Numbers:
    r"""Fewest copies of each task that meet the target `epsilon` for the job.

    .. math:: c = \max(1, \lceil c_o \rceil), \qquad
              c_o = \frac{\ln\big( 1 - (1 - \epsilon)^{1/n} \big)}{\ln p}

    Parameters
    ----------
    p : array_like of float
        Probability that a task is an outlier, in [0, 1].
    n : array_like of int
        Tasks of the job, at least 1.
    epsilon : array_like of float
        Acceptable probability that the job has an outlier, in (0, 1).

    Returns
    -------
    int, inf, or ndarray of the broadcast shape
        Copies, the original included; 1 for ``p == 0``, infinite for ``p == 1``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Dolly, Pseudocode 1. Erratum: the parentheses of the printed
    :math:`\log 1 - \epsilon^{(1/t)} / \log p` are lost and its exponent has :math:`t` for
    :math:`n`; `misread_task_level_copies` is the other way to put them back.

    Examples
    --------
    >>> task_level_copies(0.1, 10, 0.05)  # 10 * 0.1^2 is too much, 10 * 0.1^3 is not
    3
    """
    p, n, epsilon = _probability("p", p), _tasks(n), _target(epsilon)
    return _count(np.maximum(1.0, _whole(_ratio(_log_1m_exp(np.log1p(-epsilon) / n), _log(p)), np.ceil)))


@within_floats
def misread_task_level_copies(p: ArrayLike, n: ArrayLike, epsilon: ArrayLike) -> Numbers:
    r"""Wrong reading of `task_level_copies` in Dolly's Pseudocode 1, which misses the target.

    .. math:: c = \max\Big( 1, \Big\lceil \frac{\ln(1 - \epsilon^{1/n})}{\ln p} \Big\rceil \Big)

    Parameters
    ----------
    p : array_like of float
        Probability that a task is an outlier, in [0, 1].
    n : array_like of int
        Tasks of the job, at least 1.
    epsilon : array_like of float
        Acceptable probability that the job has an outlier, in (0, 1).

    Returns
    -------
    int, inf, or ndarray of the broadcast shape
        Copies, the original included; 1 for ``p == 0``, infinite for ``p == 1``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    It makes :math:`\epsilon` the probability that no task has an outlier, rather than that any has.

    Examples
    --------
    >>> c = misread_task_level_copies(0.1, 10, 0.05)
    >>> c, round(task_outlier_probability(0.1, 10, c), 2)  # 1 - 0.9^10, far above 0.05
    (1, 0.65)
    """
    p, n, epsilon = _probability("p", p), _tasks(n), _target(epsilon)
    return _count(np.maximum(1.0, _whole(_ratio(_log_1m_exp(np.log(epsilon) / n), _log(p)), np.ceil)))


@within_floats
def job_level_tasks(p: ArrayLike, c: ArrayLike, epsilon: ArrayLike) -> Numbers:
    r"""Largest job that meets the target with `c` copies of the job.

    .. math:: n = \Big\lfloor \frac{\ln(1 - \epsilon^{1/c})}{\ln(1 - p)} \Big\rfloor

    Parameters
    ----------
    p : array_like of float
        Probability that a task is an outlier, in [0, 1].
    c : array_like of float
        Copies of the job, the original included, at least 1.
    epsilon : array_like of float
        Acceptable probability that the job has an outlier, in (0, 1).

    Returns
    -------
    int, inf, or ndarray of the broadcast shape
        Tasks; 0 if not even a job of one task meets the target, infinite for ``p == 0``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Inverse of `job_outlier_probability` in :math:`n`.

    Examples
    --------
    >>> job_level_tasks(0.5, 2, 0.5625)  # (1 - 1/4)^2
    2
    """
    p, c, epsilon = _probability("p", p), _copies(c), _target(epsilon)
    return _count(_whole(_ratio(_log_1m_exp(np.log(epsilon) / c), _log_1m(p)), np.floor))


@within_floats
def task_level_tasks(p: ArrayLike, c: ArrayLike, epsilon: ArrayLike) -> Numbers:
    r"""Largest job that meets the target with `c` copies of each task.

    .. math:: n = \Big\lfloor \frac{\ln(1 - \epsilon)}{\ln(1 - p^c)} \Big\rfloor

    Parameters
    ----------
    p : array_like of float
        Probability that a task is an outlier, in [0, 1].
    c : array_like of float
        Copies of each task, the original included, at least 1.
    epsilon : array_like of float
        Acceptable probability that the job has an outlier, in (0, 1).

    Returns
    -------
    int, inf, or ndarray of the broadcast shape
        Tasks; 0 if not even a job of one task meets the target, infinite for ``p == 0``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Dolly's "with three replicas, 96% of jobs have an outlier with at most 5%" says that 96% of
    the jobs in its trace have no more tasks than this; the paper does not give :math:`p`.

    Examples
    --------
    >>> task_level_tasks(0.5, 2, 0.4375)  # 1 - (1 - 1/4)^2
    2
    """
    p, c, epsilon = _probability("p", p), _copies(c), _target(epsilon)
    return _count(_whole(_ratio(np.log1p(-epsilon), _log_1m(p**c)), np.floor))


@within_floats
def job_level_limit(n: ArrayLike, c: ArrayLike, epsilon: ArrayLike) -> Numbers:
    r"""Largest outlier probability of a task that `c` copies of the job can bear.

    .. math:: p = 1 - \big( 1 - \epsilon^{1/c} \big)^{1/n}

    Parameters
    ----------
    n : array_like of int
        Tasks of the job, at least 1.
    c : array_like of float
        Copies of the job, the original included, at least 1.
    epsilon : array_like of float
        Acceptable probability that the job has an outlier, in (0, 1).

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability :math:`p`.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Inverse of `job_outlier_probability` in :math:`p`.

    Examples
    --------
    >>> round(job_level_limit(2, 2, 0.5625), 6)  # (1 - 1/4)^2
    0.5
    """
    n, c, epsilon = _tasks(n), _copies(c), _target(epsilon)
    return plain(-np.expm1(_log_1m_exp(np.log(epsilon) / c) / n))


@within_floats
def task_level_limit(n: ArrayLike, c: ArrayLike, epsilon: ArrayLike) -> Numbers:
    r"""Largest outlier probability of a task that `c` copies of each task can bear.

    .. math:: p = \big( 1 - (1 - \epsilon)^{1/n} \big)^{1/c}

    Parameters
    ----------
    n : array_like of int
        Tasks of the job, at least 1.
    c : array_like of float
        Copies of each task, the original included, at least 1.
    epsilon : array_like of float
        Acceptable probability that the job has an outlier, in (0, 1).

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability :math:`p`.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Inverse of `task_outlier_probability` in :math:`p`; with ``c=1`` the target per task of
    Pseudocode 1.

    Examples
    --------
    >>> round(task_level_limit(2, 2, 0.4375), 6)  # 1 - (1 - 1/4)^2
    0.5
    """
    n, c, epsilon = _tasks(n), _copies(c), _target(epsilon)
    return plain(np.exp(_log_1m_exp(np.log1p(-epsilon) / n) / c))


@within_floats
def capped_copies(
    copies: ArrayLike,
    n: ArrayLike,
    running: ArrayLike,
    slots: ArrayLike,
    ceiling: ArrayLike,
    as_printed: bool = False,
) -> Numbers:
    r"""Job-level copies for which the ceiling on utilisation leaves room.

    .. math:: \max\Big( 1, \min\Big\{ c, \Big\lfloor \frac{\tau S - U}{n} \Big\rfloor \Big\} \Big),
              \qquad \text{printed: } \min\Big\{ c, \frac{\tau - U + c\, n}{n} \Big\}

    Parameters
    ----------
    copies : array_like of float
        Copies wanted :math:`c`, the original included, at least 1; infinity included.
    n : array_like of int
        Tasks of the job, at least 1.
    running : array_like of float
        Tasks running :math:`U \ge 0`, those of this job not counted.
    slots : array_like of float
        Slots of the cluster :math:`S`, > 0.
    ceiling : array_like of float
        Share of the slots :math:`\tau` up to which clones may fill the cluster, in [0, 1]; 0.7 in
        the paper.
    as_printed : bool, optional
        Whether to compute the printed formula, with its :math:`\tau` read as :math:`\tau S`.

    Returns
    -------
    int, inf, or ndarray of the broadcast shape
        Copies, at least 1: the original always runs. As printed, a real number.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Erratum: the printed bound exceeds :math:`c` as long as :math:`U \le \tau`, so it never binds
    while there is room. (It also subtracts a number of tasks from a share of slots.)

    Examples
    --------
    >>> capped_copies(4, 10, running=45, slots=100, ceiling=0.7)  # room for 25 tasks
    2
    >>> capped_copies(4, 10, running=45, slots=100, ceiling=0.7, as_printed=True)
    4.0
    """
    copies, n, running = numbers("copies", copies), _tasks(n), numbers("running", running)
    require(copies >= 1, "copies", copies, "at least 1")
    require((running >= 0) & np.isfinite(running), "running", running, "at least 0 and finite")
    slots, ceiling = numbers("slots", slots), _probability("ceiling", ceiling)
    require((slots > 0) & np.isfinite(slots), "slots", slots, "positive and finite")
    room = (ceiling * slots - running) / n
    if as_printed:
        return plain(np.minimum(copies, room + copies))
    return _count(np.maximum(1.0, np.minimum(copies, _whole(room, np.floor))))


def _log_some(p: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Logarithm of the probability that some of `n` tasks is an outlier."""
    return _log_1m_exp(n * _log_1m(p))


def _log_1m_exp(x: np.ndarray) -> np.ndarray:
    """ln(1 - e^x) for x <= 0, accurate at both ends."""
    with np.errstate(divide="ignore"):  # minus infinity at x = 0
        return np.asarray(np.where(x > -np.log(2), np.log(-np.expm1(x)), np.log1p(-np.exp(x))))


def _log_1m(p: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):  # minus infinity at p = 1
        return np.asarray(np.log1p(-p))


def _log(p: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):  # minus infinity at p = 0
        return np.asarray(np.log(p))


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Quotient of two logarithms of probabilities, the lower one from minus infinity to 0."""
    with np.errstate(divide="ignore", over="ignore"):  # infinite over 0, and beyond the floats
        return np.asarray(above / -np.abs(below))


def _whole(value: np.ndarray, rounding: np.ufunc) -> np.ndarray:
    """Round up or down, except across a rounding error: ln(0.01) / ln(0.1) is 2."""
    nearest = np.rint(value)
    close = np.isclose(value, nearest, rtol=1e-15, atol=1e-9)
    return np.asarray(np.where(close, nearest, rounding(value)))


def _count(value: np.ndarray) -> Numbers:
    """Return a whole number as an `int` if it is one number and finite."""
    return int(value) if value.ndim == 0 and np.isfinite(value) else plain(value)


def _probability(name: str, value: ArrayLike) -> np.ndarray:
    value = numbers(name, value)
    require((value >= 0) & (value <= 1), name, value, "from 0 to 1")
    return value


def _target(epsilon: ArrayLike) -> np.ndarray:
    epsilon = numbers("epsilon", epsilon)
    require((epsilon > 0) & (epsilon < 1), "epsilon", epsilon, "strictly between 0 and 1")
    return epsilon


def _tasks(n: ArrayLike) -> np.ndarray:
    n = numbers("n", n)
    require((n >= 1) & (n == np.floor(n)) & np.isfinite(n), "n", n, "a whole number of at least 1")
    return n


def _copies(c: ArrayLike) -> np.ndarray:
    c = numbers("c", c)
    require((c >= 1) & np.isfinite(c), "c", c, "at least 1 and finite")
    return c
