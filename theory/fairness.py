r"""Hopper with a guarantee: every job gets at least a share of its fair share.

An allocation is :math:`\epsilon`-fair if every job has at least
:math:`F = (1 - \epsilon)\, S / N` slots: :math:`\epsilon = 0` is perfect fairness,
:math:`\epsilon = 1` is Algorithm 1.

Reference: Ren, Ananthanarayanan, Wierman & Yu, "Speculation-aware Cluster Scheduling", section 3.1
(Algorithm 2, Theorem 2); Ren et al., "Hopper", SIGCOMM 2015, section 4.3 (the projection).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from theory.allocation import hopper_allocation, serve, slots, smallest_first, tasks, virtual_sizes
from theory.domain import require, within_floats
from theory.service_rate import threshold
from theory.shape import single


@dataclass(frozen=True, slots=True)
class FairRegime:
    r"""What decides an epsilon-fair allocation: the guarantee, and how the rest is shared.

    Attributes
    ----------
    guarantee : float
        Slots :math:`F` that every job gets.
    constrained : bool
        Whether slots are too few for every job to have the larger of its guarantee and its virtual size.
    level : float
        Slots per remaining task: the threshold if constrained (no job rises above it, except by its
        guarantee), otherwise the common level :math:`c` in :math:`S_i = \max(F, c\, T_i)`.
    """

    guarantee: float
    constrained: bool
    level: float


@within_floats
def fair_regime(T: ArrayLike, S: float, beta: float, epsilon: float, physical: bool = True) -> FairRegime:
    r"""Name the case of Algorithm 2 and its water level.

    Constrained if :math:`S \le \sum_i \max(F, V_i)`; otherwise, with jobs sorted by :math:`T_i`,

    .. math:: c = c_{m_2}, \qquad c_m = \frac{S - m F}{\sum_{i>m} T_i}, \qquad
              m_2 = \min\{m \ge 0 : c_m T_{m+1} \ge F\} .

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    S : float
        Slots, >= 0.
    beta : float
        Tail index of the task time, > 1.
    epsilon : float
        Unfairness allowed, in [0, 1].
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    FairRegime
        Guarantee in slots, whether slots are short, and level in slots per task.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    RAWY, Algorithm 2; with ``epsilon = 1`` the two cases of Algorithm 1. Without a task anywhere no
    job can use a slot beyond its guarantee, and slots count as short.

    Examples
    --------
    >>> fair_regime([30, 52.5], S=100, beta=1.5, epsilon=0.5)  # V = 40, 70
    FairRegime(guarantee=25.0, constrained=True, level=1.3333333333333333)
    >>> fair_regime([3, 45], S=128, beta=1.5, epsilon=0.5)  # 32 for the first, so 96 for the 45
    FairRegime(guarantee=32.0, constrained=False, level=2.1333333333333333)
    """
    jobs, S = tasks(T), slots(S)
    F = _guarantee(jobs, S, epsilon)
    wanted = np.maximum(virtual_sizes(jobs, beta, physical), F)
    # With epsilon = 0 the sum is S, but for the rounding of S / N.
    if wanted.sum() * (1 + 1e-12) >= S or not jobs.any():
        return FairRegime(F, True, float(threshold(beta, physical)))
    ordered = np.sort(jobs)
    levels = _levels(ordered, S, F)
    reached = levels * ordered >= F
    return FairRegime(F, False, float(levels[np.argmax(reached)]))  # the last always is: S > N F


@within_floats
def fair_hopper_allocation(
    T: ArrayLike, S: float, beta: float, epsilon: float, as_printed: bool = False, physical: bool = True
) -> np.ndarray:
    r"""Share slots for the largest sum of service rates among epsilon-fair allocations (Algorithm 2).

    Let :math:`F = (1 - \epsilon) S / N`. If :math:`S \le \sum_i \max(F, V_i)`, every job gets :math:`F`
    and then, by increasing :math:`T_i`, up to :math:`V_i - F` more until no slot remains; otherwise

    .. math:: S_i = \max(F, c\, T_i), \qquad \sum_i S_i = S .

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    S : float
        Slots, >= 0.
    beta : float
        Tail index of the task time, > 1, common to all jobs.
    epsilon : float
        Unfairness allowed, in [0, 1].
    as_printed : bool, optional
        Whether to count the jobs that need no more than their guarantee as the paper prints it.
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    ndarray, shape of `T`
        Slots of each job; they add up to `S` unless no job has a task (then each has :math:`F`).

    Raises
    ------
    ValueError
        If a parameter is outside its domain; with `as_printed`, also if no :math:`m_2` satisfies the
        printed condition, which can happen when slots are fewer than jobs.

    Notes
    -----
    RAWY, Algorithm 2 and Theorem 2. Erratum: :math:`m_1` must count the jobs with
    :math:`V_i \le F`. Printed is :math:`\frac{2}{\alpha} T_i \le \frac{S}{N} - \epsilon`; even with
    :math:`\beta` for :math:`\alpha`, as here with `as_printed`, the result is not always optimal.
    The last maximum in the printed condition on :math:`m_2` is redundant in the corrected algorithm.

    Examples
    --------
    >>> fair_hopper_allocation([30, 52.5], S=100, beta=1.5, epsilon=0.5)  # V = 40, 70; F = 25
    array([40., 60.])
    >>> fair_hopper_allocation([30, 52.5], S=100, beta=1.5, epsilon=0.5, as_printed=True)
    array([25., 75.])
    """
    if as_printed:
        return _printed_allocation(tasks(T), slots(S), beta, epsilon, physical)
    jobs, S = tasks(T), slots(S)
    regime = fair_regime(jobs, S, beta, epsilon, physical)
    F = regime.guarantee
    if regime.constrained:
        return _top_up(jobs, virtual_sizes(jobs, beta, physical), S, F)
    return np.maximum(F, regime.level * jobs)


@within_floats
def projected_fair_allocation(
    T: ArrayLike, S: float, beta: float, epsilon: float, as_printed: bool = False, physical: bool = True
) -> np.ndarray:
    r"""Raise jobs to their guarantee and let Algorithm 1 share what is left among the others.

    Jobs below :math:`F = (1 - \epsilon) S / N` are given :math:`F` and set aside; Algorithm 1 is run
    on the others with the remaining slots; and again, until no job is below :math:`F`.

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    S : float
        Slots, >= 0.
    beta : float
        Tail index of the task time, > 1, common to all jobs.
    epsilon : float
        Unfairness allowed, in [0, 1].
    as_printed : bool, optional
        Whether to stop after one projection, as the text has it, fair or not.
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    ndarray, shape of `T`
        Slots of each job; they add up to `S` unless no job has a task (then each has :math:`F`).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Hopper (SIGCOMM 2015), section 4.3. Erratum: one projection can push another job below the
    guarantee. Repeated, it attains the objective of Algorithm 2, though not always the same shares.

    Examples
    --------
    >>> projected_fair_allocation([36, 36, 36], S=100, beta=1.6, epsilon=0.1)  # V = 45, F = 30
    array([40., 30., 30.])
    >>> projected_fair_allocation([36, 36, 36], S=100, beta=1.6, epsilon=0.1, as_printed=True)
    array([45., 25., 30.])
    """
    jobs, S = tasks(T), slots(S)
    F = _guarantee(jobs, S, epsilon)
    given = hopper_allocation(jobs, S, beta, physical)
    raised = np.zeros(jobs.size, dtype=bool)
    while np.any(given[~raised] < F):
        raised |= given < F
        given = np.full(jobs.size, F)
        if not raised.all():
            left = max(0.0, S - F * raised.sum())
            given[~raised] = hopper_allocation(jobs[~raised], left, beta, physical)
        if as_printed:
            break
    return given


def _guarantee(jobs: np.ndarray, S: float, epsilon: float) -> float:
    epsilon = single("epsilon", epsilon)
    require(0 <= epsilon <= 1, "epsilon", epsilon, "from 0 to 1")
    return (1 - epsilon) * S / jobs.size


def _levels(ordered: np.ndarray, S: float, F: float) -> np.ndarray:
    """Slots per task of the other jobs if the first 0, 1, ..., N - 1 have no more than F."""
    remaining = np.cumsum(ordered[::-1])[::-1]
    levels: np.ndarray = (S - F * np.arange(ordered.size)) / remaining
    return levels


def _top_up(jobs: np.ndarray, virtual: np.ndarray, S: float, F: float) -> np.ndarray:
    """Give everyone F, then by increasing size what is missing of the virtual size."""
    want = np.maximum(virtual - F, 0.0)
    return F + serve(want, smallest_first(jobs), max(0.0, S - F * jobs.size))


def _printed_allocation(
    jobs: np.ndarray, S: float, beta: float, epsilon: float, physical: bool
) -> np.ndarray:
    """Algorithm 2 with the printed m_1 and m_2, but beta for the printed alpha."""
    F = _guarantee(jobs, S, epsilon)
    virtual = virtual_sizes(jobs, beta, physical)
    small = virtual <= S / jobs.size - epsilon
    if virtual[~small].sum() + small.sum() * F >= S or not jobs.any():
        return _top_up(jobs, np.where(small, 0.0, virtual), S, F)
    order = smallest_first(jobs)
    levels = _levels(jobs[order], S, F)
    reached = levels * jobs[order] >= np.maximum(F, virtual[order])
    if not reached.any():
        raise ValueError(f"S must leave a job at its virtual size for the printed m_2 to exist (got {S})")
    m_2 = int(np.argmax(reached))
    given = np.full(jobs.size, F)
    given[order[m_2:]] = levels[m_2] * jobs[order[m_2:]]
    return given
