r"""Hopper's service rate when a task has a whole number of copies, as on a real cluster.

With c whole copies a task proceeds at :math:`r(c) = E[\tau] / E[\min(\tau_1, \dots, \tau_c)]
= c\,B(c)`, and with :math:`c = 0` it waits: :math:`r(0) = 0`. T tasks share S slots by running a
fraction :math:`f_c` of them with c copies, so the best rate per task is the least concave function
above the points :math:`(c, r(c))`. From c = 1 on these rise by :math:`1 / (c (c+1) (\beta - 1))`,
less at each step; hence between whole numbers the best mixture is that of the two neighbours, and
only the first step (to one copy, or straight to two) depends on :math:`\beta`, the tail index of
the task time.

Reference: Ren, Ananthanarayanan, Wierman & Yu, "Speculation-aware Cluster Scheduling", equation (1).
The paper does not say what a fractional number of copies is; this module takes it at its word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.domain import require, within_floats
from theory.service_rate import blow_up, checked_job, tail_index
from theory.shape import Numbers, numbers, plain, quotient


@within_floats
def mixed_blow_up(k: ArrayLike, beta: ArrayLike) -> Numbers:
    r"""Work done per slot when some tasks have one copy more than the others, k on average.

    .. math:: \frac{(1 - f)\, r(c) + f\, r(c + 1)}{k}, \qquad c = \lfloor k \rfloor,\ f = k - c

    Parameters
    ----------
    k : array_like of float
        Mean copies of a task in service, >= 1.
    beta : array_like of float
        Tail index of the task time, > 1.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Dimensionless; equal to `blow_up` at whole `k` and below it between.

    Raises
    ------
    ValueError
        If ``k < 1`` or ``beta <= 1``.

    Notes
    -----
    Erratum to RAWY (1)-(3): the gain :math:`B(4/3) = 9/8` at :math:`\beta = 3/2` exists only for
    fractional copies; any mixture of one and two has exactly 1 there.

    Examples
    --------
    >>> mixed_blow_up([1, 4 / 3, 2], 1.5)
    array([1., 1., 1.])
    """
    beta = tail_index(beta)
    k = numbers("k", k)
    require((k >= 1) & np.isfinite(k), "k", k, "finite and at least 1")
    return plain(_mixed_rate(k, beta) / k)


@within_floats
def whole_threshold(beta: ArrayLike) -> Numbers:
    r"""Whole number of copies that does most work per slot.

    .. math:: 2 \text{ if } \beta < 3/2, \qquad 1 \text{ otherwise}

    Parameters
    ----------
    beta : array_like of float
        Tail index of the task time, > 1.

    Returns
    -------
    float or ndarray, shape of `beta`
        Copies of each task; also the slots per task at which another slot begins to be worth less.

    Raises
    ------
    ValueError
        If ``beta <= 1``.

    Notes
    -----
    :math:`B(2) = (2\beta - 1) / (4\beta - 4)` exceeds :math:`B(1) = 1` for :math:`\beta < 3/2`, equals it
    at 3/2 (where the fewer copies are returned), and exceeds :math:`B(3)` throughout.

    Examples
    --------
    >>> whole_threshold([1.2, 1.5, 1.8])
    array([2., 1., 1.])
    """
    return plain(np.where(tail_index(beta) < 1.5, 2.0, 1.0))


@within_floats
def whole_service_rate(S: ArrayLike, T: ArrayLike, beta: ArrayLike) -> Numbers:
    r"""Work a job finishes per unit time with the best mixture of whole copies.

    .. math:: \mu(S) = T\, r^*(S/T), \qquad r^* \text{ the concave envelope of } (c, r(c)),\ c = 0, 1, \dots

    Parameters
    ----------
    S : array_like of float
        Slots of the job, >= 0.
    T : array_like of float
        Remaining tasks of the job, >= 0.
    beta : array_like of float
        Tail index of the task time, > 1.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Rate in task means per unit time; never above `service_rate`, and equal to it where
        :math:`S/T` is a whole number beyond the threshold; 0 without slots or tasks.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> whole_service_rate(S=[10, 15, 20], T=10, beta=2.0)  # 10 tasks: at 1, half at 1.5, all at 1.5
    array([10. , 12.5, 15. ])
    """
    S, T, beta = checked_job(S, T, beta)
    copies = quotient(S, T, T > 0)
    first = whole_threshold(beta)
    straight = np.minimum(copies, first) * blow_up(first, beta)
    return plain(T * np.where(copies <= first, straight, _mixed_rate(np.maximum(copies, 1.0), beta)))


@within_floats
def whole_marginal_rate(S: ArrayLike, T: ArrayLike, beta: ArrayLike) -> Numbers:
    r"""Value of the next slot to a job that runs the best mixture of whole copies.

    .. math:: \mu'(S) = B(c_1) \ \ (S < c_1 T), \qquad
              \mu'(S) = \frac{1}{c (c + 1) (\beta - 1)} \ \ (S \ge c_1 T,\ c = \lfloor S/T \rfloor)

    where :math:`c_1` is `whole_threshold`.

    Parameters
    ----------
    S : array_like of float
        Slots of the job, >= 0.
    T : array_like of float
        Remaining tasks of the job, >= 0.
    beta : array_like of float
        Tail index of the task time, > 1.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Rate per slot: a staircase, falling at whole numbers of slots per task; 0 without tasks.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    With whole copies there is a jump at the threshold, as RAWY's text has it: at :math:`c_1 T` the
    value of a slot falls from :math:`B(c_1)` to the next step (at :math:`\beta = 3/2`, where one and
    two copies do equally well, only at :math:`2 T`).

    Examples
    --------
    >>> whole_marginal_rate(S=[5, 15, 25], T=10, beta=2.0)  # 1, then 1 / (1 * 2), then 1 / (2 * 3)
    array([1.        , 0.5       , 0.16666667])
    """
    S, T, beta = checked_job(S, T, beta)
    copies = quotient(S, T, T > 0)
    first = whole_threshold(beta)
    step = np.maximum(_whole_part(copies), 1.0)
    value = np.where(copies < first, blow_up(first, beta), 1 / step / (step + 1) / (beta - 1))
    return plain(np.where(T > 0, value, 0.0))


def _mixed_rate(k: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Rate of a task whose copies, `k` >= 1 on average, are k rounded down or up."""
    k = np.minimum(k, 1e15)  # where the rate has long reached its limit, and k + 1 is still above k
    c = np.floor(k)
    rate: np.ndarray = (beta - 1 / c + (k - c) / (c * (c + 1))) / (beta - 1)
    return rate


def _whole_part(k: np.ndarray) -> np.ndarray:
    """Whole part, forgiving the last rounding error of a quotient such as 0.3 / 0.1."""
    return np.floor(k * (1 + 1e-12))
