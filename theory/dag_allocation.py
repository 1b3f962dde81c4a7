r"""Hopper's Algorithm 3: jobs whose next phase already reads the output of the present one.

Job i has :math:`T_i` tasks left in its present phase and :math:`T'_i` units of communication work
downstream. Its weight is :math:`\alpha_i = T'_i / T_i` (the DAG weight; tail indices are called
:math:`\beta` here), its virtual size :math:`V_i = \theta T_i \sqrt{\alpha_i}`. Jobs are taken in MaxSRPT
order, by increasing :math:`\max(T_i, T'_i)`, the larger weight first among equals, then by index.

Reference: Ren, Ananthanarayanan, Wierman & Yu, "Speculation-aware Cluster Scheduling", section 3.2.
The paper proves no optimality for Algorithm 3; `theory.weighted_optimum` is the exact optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from theory.allocation import serve, slots, virtual_sizes
from theory.domain import require, vector, within_floats
from theory.weighted_optimum import weights


@dataclass(frozen=True, slots=True)
class DagCase:
    """One case of Algorithm 3: its number, 1 to 4, and the number k of jobs that define it (0 if none)."""

    case: int
    k: int = 0


@within_floats
def dag_cases(
    T: ArrayLike,
    weight: ArrayLike,
    S: float,
    beta: float,
    downstream: ArrayLike | None = None,
    as_printed: bool = False,
    physical: bool = True,
) -> tuple[DagCase, ...]:
    r"""List the cases of Algorithm 3 that apply.

    With :math:`a_k = \min(\alpha_1, \dots, \alpha_k)` in MaxSRPT order and

    .. math:: A_k = \sum_{i \le k} \frac{V_i}{\sqrt{a_{k+1}}}, \qquad
              B_k = \sum_{i \le k+1} \frac{V_i}{\sqrt{a_{k+1}}}, \qquad k = 1, \dots, n - 1,

    the cases are 1: :math:`S \le A_1` (or :math:`n = 1`); 2: :math:`A_k < S \le B_k`;
    3: :math:`B_k < S \le A_{k+1}`; 4: :math:`S > B_{n-1}`.

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0. Jobs without tasks are left out.
    weight : array_like of float
        DAG weight :math:`\alpha_i` of each job, > 0.
    S : float
        Slots, >= 0.
    beta : float
        Tail index of the task time, > 1, common to all jobs.
    downstream : array_like of float, optional
        Downstream work :math:`T'_i` of each job, >= 0; :math:`\alpha_i T_i` unless given.
    as_printed : bool, optional
        Whether to test the conditions as the paper prints them.
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    tuple of DagCase
        Exactly one for the corrected conditions (none if no job has tasks); none, one or two as printed.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    RAWY, Algorithm 3. Erratum: case 3 is printed with sums over all n jobs, so that the cases neither
    cover every S nor exclude each other; and for :math:`n = 1` case 1 needs a second job.

    Examples
    --------
    >>> jobs, weight = [12, 60, 96], [4, 1, 0.25]  # V = 32, 80, 64, so A = 32, 224 and B = 112, 352
    >>> dag_cases(jobs, weight, S=50, beta=1.5), dag_cases(jobs, weight, S=140, beta=1.5)
    ((DagCase(case=2, k=1),), (DagCase(case=3, k=1),))
    >>> dag_cases(jobs, weight, S=140, beta=1.5, as_printed=True)  # case 3 begins at 176 / 1
    ()
    >>> dag_cases(jobs, weight, S=300, beta=1.5, as_printed=True)  # and runs to 176 / 0.5
    (DagCase(case=2, k=2), DagCase(case=3, k=1))
    """
    phase = _phase(T, weight, beta, downstream, physical)
    if phase.order.size == 0:
        return ()
    return _cases(phase, slots(S), as_printed)


@within_floats
def dag_allocation(
    T: ArrayLike,
    weight: ArrayLike,
    S: float,
    beta: float,
    downstream: ArrayLike | None = None,
    as_printed: bool = False,
    physical: bool = True,
) -> np.ndarray:
    r"""Share slots by Algorithm 3, Hopper's rule for pipelined phases.

    In the cases of `dag_cases`, jobs in MaxSRPT order and all others 0:

    1. :math:`S_1 = S`.
    2. With :math:`m` the job of least weight among the first :math:`k + 1`, give
       :math:`V_i / \sqrt{a_{k+1}}` to the others of them in order, then to :math:`m`, until no slot remains.
    3. :math:`S_i = S\, V_i / \sum_{j \le k+1} V_j` for :math:`i \le k + 1`.
    4. :math:`S_i = S\, V_i / \sum_j V_j` for all.

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0. Jobs without tasks get no slot.
    weight : array_like of float
        DAG weight :math:`\alpha_i` of each job, > 0.
    S : float
        Slots, >= 0.
    beta : float
        Tail index of the task time, > 1, common to all jobs.
    downstream : array_like of float, optional
        Downstream work :math:`T'_i` of each job, >= 0; :math:`\alpha_i T_i` unless given.
    as_printed : bool, optional
        Whether to follow the printed text.
    physical : bool, optional
        As in `theory.service_rate.threshold`.

    Returns
    -------
    ndarray, shape of `T`
        Slots of each job; they add up to `S` unless no job has a task (then all are 0).

    Raises
    ------
    ValueError
        If a parameter is outside its domain; with `as_printed` also if not exactly one case applies.

    Notes
    -----
    RAWY, Algorithm 3 and equation (6). Errata: case 2 is printed with the least weight among the
    first :math:`k` jobs, case 3 with sums over all jobs and a denominator without its :math:`V_j` (read
    here, as printed, as the sum over :math:`k + 1` jobs). Of several jobs of least weight :math:`m` is the
    last in order; so equal weights give Algorithm 1. The rule is a heuristic: it maximises
    :math:`\sum \alpha_i \mu_i` only if its order is that of decreasing weight (and :math:`\beta \le 2`).

    Examples
    --------
    >>> jobs, weight = [12, 60, 96], [4, 1, 0.25]  # V = 32, 80, 64
    >>> dag_allocation(jobs, weight, S=50, beta=1.5)  # 32 / 1 to the first, to the second what is left
    array([32., 18.,  0.])
    >>> dag_allocation(jobs, weight, S=140, beta=1.5)  # 140 in proportion to 32 and 80
    array([ 40., 100.,   0.])
    >>> dag_allocation(jobs, weight, S=140, beta=1.5, as_printed=True)
    Traceback (most recent call last):
        ...
    ValueError: S must fall under exactly one printed case of Algorithm 3; none applies (got 140.0)
    """
    S = slots(S)
    phase = _phase(T, weight, beta, downstream, physical)
    given = np.zeros(phase.jobs)
    if phase.order.size > 0:
        cases = _cases(phase, S, as_printed)
        given[phase.order] = _share(phase, S, _only(cases, S), as_printed)
    return given


@dataclass(frozen=True, slots=True)
class _Phase:
    """The jobs that have tasks, in MaxSRPT order."""

    jobs: int  # those without tasks included
    order: np.ndarray
    virtual: np.ndarray
    weight: np.ndarray
    root: np.ndarray  # square root of the least weight among the first 1, 2, ... jobs


def _phase(
    T: ArrayLike, weight: ArrayLike, beta: float, downstream: ArrayLike | None, physical: bool
) -> _Phase:
    jobs, desired = vector("T", T), virtual_sizes(T, beta, physical)
    alpha = weights(weight, jobs.size)
    require(alpha > 0, "weight", alpha, "positive (a last phase, without work downstream, has no DAG weight)")
    work = alpha * jobs if downstream is None else vector("downstream", downstream)
    require(work.size == jobs.size, "downstream", work, f"one number per job, {jobs.size} in all")
    require((work >= 0) & np.isfinite(work), "downstream", work, "finite and not negative")
    order = np.lexsort((-alpha, np.maximum(jobs, work)))  # stable: equal in both, by index
    order = order[jobs[order] > 0]
    least = np.minimum.accumulate(alpha[order])
    return _Phase(jobs.size, order, (desired * np.sqrt(alpha))[order], alpha[order], np.sqrt(least))


def _cases(phase: _Phase, S: float, as_printed: bool) -> tuple[DagCase, ...]:
    total = np.cumsum(phase.virtual)
    A, B = total[:-1] / phase.root[1:], total[1:] / phase.root[1:]
    first = (A[0] >= S) if A.size else not as_printed  # n = 1: printed with the weight of a second job
    low, high = (total[-1] / phase.root[1:],) * 2 if as_printed else (B, A)
    found = [DagCase(1)] if first else []
    found += [DagCase(2, int(k) + 1) for k in np.flatnonzero((A < S) & (S <= B))]
    found += [DagCase(3, int(k) + 1) for k in np.flatnonzero((low[:-1] < S) & (high[1:] >= S))]
    last = total[-1] / phase.root[-1]
    if last < S and (as_printed or A.size):
        found.append(DagCase(4))
    return tuple(found)


def _only(cases: tuple[DagCase, ...], S: float) -> DagCase:
    if len(cases) != 1:
        which = " and ".join(f"{case.case} (k = {case.k})" if case.k else str(case.case) for case in cases)
        applying = f"cases {which} apply" if cases else "none applies"
        raise ValueError(f"S must fall under exactly one printed case of Algorithm 3; {applying} (got {S})")
    return cases[0]


def _share(phase: _Phase, S: float, case: DagCase, as_printed: bool) -> np.ndarray:
    """Shares in MaxSRPT order."""
    n, k = phase.virtual.size, case.k
    if case.case == 2:
        among = k if as_printed else k + 1
        last = among - 1 - int(np.argmin(phase.weight[:among][::-1]))
        order = np.append(np.delete(np.arange(k + 1), last), last)
        return serve(phase.virtual / phase.root[k], order, S)
    taking = {1: 1, 3: k + 1, 4: n}[case.case]
    taken = np.where(np.arange(n) < taking, phase.virtual, 0.0)
    share: np.ndarray = taken / taken.sum()
    return S * share
