r"""Shares of the slots: equal shares, shortest job first, and Hopper's Algorithm 1.

S slots are shared among jobs of :math:`T_1, \dots, T_N` remaining tasks whose task times have one
common tail index :math:`\beta`. Slots are real numbers; results come in the order in which the
jobs were given; equal jobs are served in that order too.

Reference: Ren, Ananthanarayanan, Wierman & Yu, "Speculation-aware Cluster Scheduling", section 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.domain import require, vector, within_floats
from theory.service_rate import threshold
from theory.shape import single


@within_floats
def virtual_sizes(T: ArrayLike, beta: float, physical: bool = True) -> np.ndarray:
    r"""Slots that each job wants before any job gets more.

    .. math:: V_i = \theta T_i

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    beta : float
        Tail index of the task time, > 1.
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    ndarray, shape of `T`
        Virtual sizes, in slots.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    RAWY, equation (4).

    Examples
    --------
    >>> virtual_sizes([4, 8], beta=1.6)  # 2 / 1.6 = 5/4 slots per task
    array([ 5., 10.])
    """
    return tasks(T) * threshold(single("beta", beta), physical)


@within_floats
def fair_allocation(T: ArrayLike, S: float) -> np.ndarray:
    r"""Equal shares, whatever the jobs need.

    .. math:: S_i = S / N

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0; only their number matters.
    S : float
        Slots, >= 0.

    Returns
    -------
    ndarray, shape of `T`
        Slots of each job.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> fair_allocation([10, 40, 25], S=60)
    array([20., 20., 20.])
    """
    jobs = tasks(T)
    return np.full(jobs.size, slots(S) / jobs.size)


@within_floats
def srpt_allocation(T: ArrayLike, S: float, copies: float = 1.0) -> np.ndarray:
    r"""Shortest remaining processing time first, blind to speculation.

    .. math:: S_i = \min\Big( c\, T_i,\ S - \sum_{j \text{ before } i} S_j \Big)

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    S : float
        Slots, >= 0.
    copies : float, optional
        Slots :math:`c` a job may hold for each remaining task, > 0; 1 is plain SRPT.

    Returns
    -------
    ndarray, shape of `T`
        Slots of each job. Their sum is below `S` when every task has its `copies`: the rest idles.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> srpt_allocation([10, 40, 25], S=60)  # 10 to the first, 25 to the third, the last 25 to the second
    array([10., 25., 25.])
    """
    jobs, copies = tasks(T), single("copies", copies)
    require(0 < copies < np.inf, "copies", copies, "positive and finite")
    return serve(copies * jobs, smallest_first(jobs), slots(S))


@within_floats
def hopper_allocation(T: ArrayLike, S: float, beta: float, physical: bool = True) -> np.ndarray:
    r"""Share slots so that the jobs' service rates have the largest sum (Algorithm 1).

    If :math:`S \le \sum_j V_j`, jobs get their virtual size :math:`V_i = \theta T_i` in the order of
    :math:`T_i`, the last one served what is left; otherwise

    .. math:: S_i = S\, \frac{T_i}{\sum_j T_j} .

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    S : float
        Slots, >= 0.
    beta : float
        Tail index of the task time, > 1, common to all jobs.
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    ndarray, shape of `T`
        Slots of each job; they add up to `S` unless no job has a task (then all are 0).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    RAWY, Algorithm 1, Theorem 1 and equation (5). When slots are short the maximiser is not unique:
    any shares within the virtual sizes do as well, and smallest first is a way to choose. The
    partial share of the last job served is needed for the optimum.

    Examples
    --------
    >>> hopper_allocation([10, 40, 25], S=60, beta=1.6)  # V = 12.5, 50, 31.25
    array([12.5 , 16.25, 31.25])
    >>> hopper_allocation([10, 40, 25], S=150, beta=1.6)  # two slots per task
    array([20., 80., 50.])
    """
    jobs, S = tasks(T), slots(S)
    virtual = virtual_sizes(jobs, beta, physical)
    if virtual.sum() >= S or not jobs.any():
        return serve(virtual, smallest_first(jobs), S)
    share: np.ndarray = jobs / jobs.sum()
    return S * share


@within_floats
def next_job(target: ArrayLike, held: ArrayLike) -> int:
    r"""Choose the job that gets a freed slot: the one farthest below its target.

    .. math:: \arg\max_i\, (H_i - S_i)

    Parameters
    ----------
    target : array_like of float
        Slots :math:`H_i` that each job should have, >= 0; from `hopper_allocation`, for example.
    held : array_like of float
        Slots :math:`S_i` that each job has, >= 0.

    Returns
    -------
    int
        Index of the job, the smallest among equals.

    Raises
    ------
    ValueError
        If the two differ in length or a parameter is outside its domain.

    Notes
    -----
    RAWY, section 3, the text after Theorem 1. Ties are left open there.

    Examples
    --------
    >>> next_job([12.5, 16.25, 31.25], held=[12, 15, 30])  # short of 0.5, 1.25 and 1.25 slots
    1
    """
    wanted, given = vector("target", target), vector("held", held)
    require(wanted.size == given.size, "held", given, f"one number per job, {wanted.size} in all")
    for name, values in (("target", wanted), ("held", given)):
        require((values >= 0) & np.isfinite(values), name, values, "finite and not negative")
    return int(np.argmax(wanted - given))


def tasks(T: ArrayLike) -> np.ndarray:
    """Return the remaining tasks as a vector, each finite and not negative.

    Examples
    --------
    >>> tasks([3, -1])
    Traceback (most recent call last):
        ...
    ValueError: T must be finite and not negative (got [3.0, -1.0])
    """
    jobs = vector("T", T)
    require((jobs >= 0) & np.isfinite(jobs), "T", jobs, "finite and not negative")
    return jobs


def slots(S: float) -> float:
    """Return the number of slots as a float, finite and not negative.

    Examples
    --------
    >>> slots(float("inf"))
    Traceback (most recent call last):
        ...
    ValueError: S must be finite and not negative (got inf)
    """
    S = single("S", S)
    require(0 <= S < np.inf, "S", S, "finite and not negative")
    return S


def smallest_first(size: np.ndarray) -> np.ndarray:
    """Return the indices of jobs by increasing size, equal ones by increasing index.

    Examples
    --------
    >>> smallest_first(np.array([3.0, 1.0, 1.0]))
    array([1, 2, 0])
    """
    return np.argsort(size, kind="stable")


def serve(want: np.ndarray, order: np.ndarray, S: float) -> np.ndarray:
    """Give jobs what they want in the given order until no slot remains; the last may get a part.

    Jobs that are not in `order` get nothing.

    Examples
    --------
    >>> serve(np.array([5.0, 2.0, 4.0]), np.array([1, 2, 0]), 7.0)
    array([1., 2., 4.])
    """
    queue = want[order]
    ahead = np.concatenate([[0.0], np.cumsum(queue[:-1])])
    given = np.zeros_like(want)
    given[order] = np.clip(S - ahead, 0.0, queue)
    return given
