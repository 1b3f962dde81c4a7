r"""Hopper's service rate: the gain of a job from another slot.

A job of T remaining tasks holds S slots and runs k copies of every task. Task times are
:math:`\mathrm{Pareto}(x_m, \beta)`, so :math:`\beta` is the tail index of the task time; the unit of
time :math:`x_m` cancels. The rate :math:`\mu` counts work, in units of the mean time of a task
without speculation, finished per unit time: it is not a rate of finished *jobs*.

Reference: Ren, Ananthanarayanan, Wierman & Yu, "Speculation-aware Cluster Scheduling", section 2.
Copies may be fractional here, as in the paper; `theory.whole_copies` shows what whole copies do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.domain import require, within_floats
from theory.shape import Numbers, numbers, plain, quotient


@within_floats
def blow_up(k: ArrayLike, beta: ArrayLike) -> Numbers:
    r"""Work done per slot with k copies of every task, relative to one copy.

    .. math:: B(k) = \frac{E[\tau]}{k\, E[\min(\tau_1, \dots, \tau_k)]}
              = \frac{k \beta - 1}{k^2 (\beta - 1)}

    Parameters
    ----------
    k : array_like of float
        Copies of each task, > 1 / `beta`.
    beta : array_like of float
        Tail index of the task time, > 1.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Dimensionless; 1 at ``k = 1``.

    Raises
    ------
    ValueError
        If ``beta <= 1`` (a task has infinite mean) or ``k <= 1 / beta`` (so has the fastest copy).

    Notes
    -----
    RAWY, the second factor of equation (1). A fractional `k` is the analytic continuation; a mixture
    of whole copies does worse (`theory.whole_copies.mixed_blow_up`).

    Examples
    --------
    >>> blow_up(1, 1.5), blow_up(2, 1.5)  # the break-even tail of two copies: (2 * 3/2 - 1) / (4 / 2)
    (1.0, 1.0)
    >>> round(blow_up(2, 1.25), 6)  # (2 * 5/4 - 1) / (4 / 4)
    1.5
    """
    beta = tail_index(beta)
    k = numbers("k", k)
    require(np.isfinite(k) & (k * beta > 1), "k", k, "finite and above 1 / beta")
    return plain((k * beta - 1) / (k**2 * (beta - 1)))


@within_floats
def threshold(beta: ArrayLike, physical: bool = True) -> Numbers:
    r"""Slots per task at which another slot begins to be worth less.

    .. math:: \theta = \max(1, 2/\beta), \qquad \text{as printed } \theta = 2/\beta

    Parameters
    ----------
    beta : array_like of float
        Tail index of the task time, > 1.
    physical : bool, optional
        Whether a task in service has at least one copy; false gives the printed form.

    Returns
    -------
    float or ndarray, shape of `beta`
        Slots per remaining task; the virtual size of a job is :math:`V = \theta T`.

    Raises
    ------
    ValueError
        If ``beta <= 1``.

    Notes
    -----
    RAWY, equations (2) and (4). Erratum: for :math:`\beta > 2` the printed form asks for less than
    one copy of each task, and yields :math:`\mu > S`. The two agree for :math:`\beta \le 2`.

    Examples
    --------
    >>> threshold(1.6), threshold(4.0), threshold(4.0, physical=False)
    (1.25, 1.0, 0.5)
    """
    printed = 2 / tail_index(beta)
    return plain(np.maximum(1.0, printed) if physical else printed)


@within_floats
def rate_per_slot(beta: ArrayLike, physical: bool = True) -> Numbers:
    r"""Service rate per slot of a job below its threshold.

    .. math:: \kappa = B(\theta) = \frac{\beta^2}{4 (\beta - 1)} \text{ if } \theta = 2/\beta,
              \qquad \kappa = 1 \text{ if } \theta = 1

    Parameters
    ----------
    beta : array_like of float
        Tail index of the task time, > 1.
    physical : bool, optional
        As in `threshold`.

    Returns
    -------
    float or ndarray, shape of `beta`
        Dimensionless, at least 1.

    Raises
    ------
    ValueError
        If ``beta <= 1``.

    Notes
    -----
    RAWY, the first case of equation (3).

    Examples
    --------
    >>> rate_per_slot(1.5), rate_per_slot(2.0), rate_per_slot(3.0)  # 2.25 / (4 / 2), 4 / 4, 1
    (1.125, 1.0, 1.0)
    """
    beta = tail_index(beta)
    kappa = beta**2 / (4 * (beta - 1))
    return plain(np.where(beta > 2, 1.0, kappa) if physical else kappa)


@within_floats
def optimal_copies(S: ArrayLike, T: ArrayLike, beta: ArrayLike, physical: bool = True) -> Numbers:
    r"""Level of speculation (copies of each task) that maximises the service rate.

    .. math:: k^* = \theta \text{ if } S \le \theta T, \qquad k^* = S / T \text{ if } S > \theta T

    Parameters
    ----------
    S : array_like of float
        Slots of the job, >= 0.
    T : array_like of float
        Remaining tasks of the job, >= 0.
    beta : array_like of float
        Tail index of the task time, > 1.
    physical : bool, optional
        As in `threshold`.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Copies per task in service, fractions included; infinite for slots without a task.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    RAWY, equation (2); for :math:`\beta > 2` see the erratum in `threshold`.

    Examples
    --------
    >>> optimal_copies(S=10, T=20, beta=1.6), optimal_copies(S=60, T=20, beta=1.6)  # 2 / 1.6, 60 / 20
    (1.25, 3.0)
    """
    S, T, beta = checked_job(S, T, beta)
    theta = threshold(beta, physical)
    return plain(np.where(theta * T >= S, theta, quotient(S, T, T > 0, otherwise=np.inf)))


@within_floats
def service_rate(S: ArrayLike, T: ArrayLike, beta: ArrayLike, physical: bool = True) -> Numbers:
    r"""Work a job finishes per unit time at its optimal level of speculation.

    .. math:: \mu(S) = \kappa S \ \ (S \le \theta T), \qquad
              \mu(S) = \frac{\beta}{\beta - 1} T - \frac{1}{\beta - 1} \frac{T^2}{S} \ \ (S > \theta T)

    Parameters
    ----------
    S : array_like of float
        Slots of the job, >= 0.
    T : array_like of float
        Remaining tasks of the job, >= 0.
    beta : array_like of float
        Tail index of the task time, > 1.
    physical : bool, optional
        As in `threshold`.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Rate in task means per unit time; increasing and concave in `S`, below
        :math:`\beta T / (\beta - 1)`; 0 without slots or tasks.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    RAWY, equation (3).

    Examples
    --------
    >>> service_rate(S=8, T=9, beta=1.5)  # below 2 / 1.5 * 9 = 12 each slot gives 9 / 8
    9.0
    >>> service_rate(S=18, T=9, beta=1.5)  # two copies each: 9 tasks at (1.5 - 1/2) / 0.5 of one copy
    18.0
    """
    S, T, beta = checked_job(S, T, beta)
    above = threshold(beta, physical) * T < S
    many = (beta - quotient(T, S, above)) / (beta - 1) * T
    return plain(np.where(above, many, rate_per_slot(beta, physical) * S))


@within_floats
def marginal_rate(S: ArrayLike, T: ArrayLike, beta: ArrayLike, physical: bool = True) -> Numbers:
    r"""Value of the next slot to a job: the (right-hand) derivative of its service rate.

    .. math:: \mu'(S) = \kappa \ \ (S < \theta T), \qquad
              \mu'(S) = \frac{1}{\beta - 1} \Big( \frac{T}{S} \Big)^2 \ \ (S \ge \theta T)

    Parameters
    ----------
    S : array_like of float
        Slots of the job, >= 0.
    T : array_like of float
        Remaining tasks of the job, >= 0.
    beta : array_like of float
        Tail index of the task time, > 1.
    physical : bool, optional
        As in `threshold`.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Rate per slot; constant up to the threshold, then falling to 0; 0 without tasks.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    RAWY, the text after equation (3). Erratum: it speaks of a sharp threshold, "large below, small
    above". For :math:`\beta \le 2` the derivative is continuous: the threshold is where it *begins*
    to fall. It jumps, from 1 to :math:`1/(\beta - 1)`, only for :math:`\beta > 2` when `physical`.

    Examples
    --------
    >>> marginal_rate(S=[6, 12, 24], T=9, beta=1.5)  # the threshold is 12; double the slots, 1/4 the value
    array([1.125  , 1.125  , 0.28125])
    """
    S, T, beta = checked_job(S, T, beta)
    below = threshold(beta, physical) * T > S
    falling = quotient(T, S, ~below & (S > 0)) ** 2 / (beta - 1)
    return plain(np.where(below, rate_per_slot(beta, physical), falling))


def tail_index(beta: ArrayLike) -> np.ndarray:
    """Return `beta` as an array, refusing a tail index under which a task has no mean time.

    Examples
    --------
    >>> tail_index(1.0)
    Traceback (most recent call last):
        ...
    ValueError: beta must be finite and above 1, for a task to have a mean time (got 1.0)
    """
    beta = numbers("beta", beta)
    accepted = "finite and above 1, for a task to have a mean time"
    require((beta > 1) & np.isfinite(beta), "beta", beta, accepted)
    return beta


def checked_job(S: ArrayLike, T: ArrayLike, beta: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return slots, tasks and tail index as arrays, each within its domain.

    Examples
    --------
    >>> checked_job(-1, 2, 1.5)
    Traceback (most recent call last):
        ...
    ValueError: S must be finite and not negative (got -1.0)
    """
    S, T = numbers("S", S), numbers("T", T)
    require((S >= 0) & np.isfinite(S), "S", S, "finite and not negative")
    require((T >= 0) & np.isfinite(T), "T", T, "finite and not negative")
    return S, T, tail_index(beta)
