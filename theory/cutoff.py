r"""The load up to which cloning every task shortens its delay: Xu & Lau, section III.

Each of :math:`M` machines is an M/G/1 queue of tasks. Task times are :math:`\mathrm{Pareto}(\mu,
\alpha)` of mean :math:`E[s]`, here the unit of time; :math:`\alpha` is the tail index of task
times. The load without copies is :math:`\omega = \lambda E[m] E[s] / M`. If jobs differ in their
mean task time :math:`X`, every second moment grows by the size variability
:math:`\kappa = E[X^2] / E[X]^2`, which is 1 in the paper's equations and 1.12 in its simulations
(:math:`X` uniform on [1, 4]).

Reference: H. Xu and W. C. Lau, "Optimization for Speculative Execution of Multiple Jobs in a
MapReduce-like Cluster".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.domain import require, within_floats
from theory.shape import Numbers, numbers, plain


@within_floats
def offered_load(rate: ArrayLike, machines: ArrayLike, tasks: ArrayLike, mean: ArrayLike) -> Numbers:
    r"""Load of the cluster when no task is copied.

    .. math:: \omega = \frac{\lambda\, E[m]\, E[s]}{M}

    Parameters
    ----------
    rate : array_like of float
        Jobs arriving per unit time, :math:`\lambda \ge 0`.
    machines : array_like of float
        Number of machines :math:`M`, > 0.
    tasks : array_like of float
        Mean number of tasks of a job :math:`E[m]`, > 0.
    mean : array_like of float
        Mean task time :math:`E[s]`, > 0.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Load, without unit; from 1 on the queue is unstable without any copy.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    The paper's cluster (3000 machines, 50.5 tasks of mean 2.5) is overloaded at both arrival
    rates of its "heavily loaded" experiments, 30 and 40: there is no steady state to speak of.

    Examples
    --------
    >>> offered_load([6, 30], 3000, 50.5, 2.5)  # 6 and 30 times 126.25 / 3000
    array([0.2525, 1.2625])
    """
    rate = numbers("rate", rate)
    require((rate >= 0) & np.isfinite(rate), "rate", rate, "at least 0 and finite")
    machines, tasks, mean = _positive(machines=machines, tasks=tasks, mean=mean)
    return plain(rate * tasks * mean / machines)


@within_floats
def single_copy_delay(omega: ArrayLike, alpha: ArrayLike, size_variability: ArrayLike = 1) -> Numbers:
    r"""Mean time a task spends in the system when each has one copy.

    .. math:: \frac{W_t}{E[s]} = 1 + \frac{\omega\, \kappa}{2 (1 - \omega)}
              \cdot \frac{(\alpha - 1)^2}{\alpha (\alpha - 2)}

    Parameters
    ----------
    omega : array_like of float
        Load :math:`\omega \ge 0`.
    alpha : array_like of float
        Tail index of task times, > 1.
    size_variability : array_like of float, optional
        :math:`\kappa \ge 1`, second moment of the jobs' mean task times over their squared mean.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Delay in units of the mean task time: 1 at ``omega=0``; infinite for ``omega >= 1``, and
        for ``alpha <= 2`` under any load, since the second moment of the task time is.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equation (1): Pollaczek-Khinchine. As printed it takes :math:`\kappa = 1`.

    Examples
    --------
    >>> round(single_copy_delay(0.5, 3.0), 4)  # 1 + 1/2 * 4/3
    1.6667
    >>> single_copy_delay(0.5, 2.0), single_copy_delay(0.0, 2.0)
    (inf, 1.0)
    """
    omega, alpha, kappa = _queue(omega, alpha, size_variability)
    stable = (alpha > 2) & (omega < 1)
    spare = np.where(stable, 2 * (1 - omega) * (1 - 2 / alpha), 1.0)
    wait = np.where(stable, omega * ((alpha - 1) / alpha) ** 2 / spare, np.inf)
    return plain(1 + _times(kappa, np.where(omega == 0, 0.0, wait)))


@within_floats
def cloned_delay(omega: ArrayLike, alpha: ArrayLike, size_variability: ArrayLike = 1) -> Numbers:
    r"""Mean time a task spends in the system when each has two copies.

    .. math:: \frac{W_t^c}{E[s]} = \frac{2 (\alpha - 1)}{2 \alpha - 1}
              + \frac{\omega\, \kappa\, (\alpha - 1) / \alpha}
                     {1 - \frac{4 (\alpha - 1)}{2 \alpha - 1}\, \omega}

    Parameters
    ----------
    omega : array_like of float
        Load before cloning, :math:`\omega \ge 0`.
    alpha : array_like of float
        Tail index of task times, > 1.
    size_variability : array_like of float, optional
        :math:`\kappa \ge 1`, second moment of the jobs' mean task times over their squared mean.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Delay in units of the mean time of a task without copies; infinite from
        ``cloning_load_limit(alpha)`` on.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equation (3), in the form that shows service and waiting. The model takes the two
    copies for independent arrivals of a doubled rate, each serving the minimum of two times.

    Examples
    --------
    >>> round(cloned_delay(0.5, 2.0), 4)  # 2/3 + (1/4) / (1 - 2/3)
    1.4167
    >>> cloned_delay(0.75, 2.0)
    inf
    """
    omega, alpha, kappa = _queue(omega, alpha, size_variability)
    idle = 1 - _load_factor(alpha, 2) * omega
    stable = (idle > 0) & (omega < 1 / _load_factor(alpha, 2))  # they may differ in the last digit
    wait = np.where(stable, omega * ((alpha - 1) / alpha) / np.where(stable, idle, 1.0), np.inf)
    return plain(1 / _speed_up(alpha, 2) + _times(kappa, wait))


@within_floats
def cloning_speed_up(alpha: ArrayLike, copies: ArrayLike = 2) -> Numbers:
    r"""Factor by which copies shorten the mean time of a task, waiting aside.

    .. math:: \frac{E[s]}{E[s']} = \frac{\alpha - 1/r}{\alpha - 1} < \frac{\alpha}{\alpha - 1}

    Parameters
    ----------
    alpha : array_like of float
        Tail index of task times, > 1.
    copies : array_like of float, optional
        Copies :math:`r \ge 1` of each task, the original included.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Speed-up, from 1 (one copy) to below :math:`\alpha / (\alpha - 1)`.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, section III-B, call :math:`E[s'] / E[s] > (\alpha - 1)/\alpha` "a lower bound of the
    performance improvement"; it bounds the remaining time from below, hence the improvement from
    above.

    Examples
    --------
    >>> cloning_speed_up(2.0)  # mean 2 of one copy, 4/3 of the faster of two
    1.5
    """
    alpha, copies = _tail(alpha), _copies(copies)
    return plain(_speed_up(alpha, copies))


@within_floats
def cloning_load_limit(alpha: ArrayLike, copies: ArrayLike = 2) -> Numbers:
    r"""Load from which a cluster that clones every task is overloaded.

    .. math:: \omega < \frac{r \alpha - 1}{r^2 (\alpha - 1)}

    Parameters
    ----------
    alpha : array_like of float
        Tail index of task times, > 1.
    copies : array_like of float, optional
        Copies :math:`r \ge 1` of each task, the original included.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Limit of the load before cloning. It exceeds 1 where cloning enlarges the stable region
        (two copies: ``alpha < 3/2``).

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, condition (2) and Theorem 1 (the case of two copies). For two copies and more the
    limit decreases in their number.

    Examples
    --------
    >>> cloning_load_limit(2.0), cloning_load_limit(1.25), cloning_load_limit(2.0, copies=1)
    (0.75, 1.5, 1.0)
    """
    alpha, copies = _tail(alpha), _copies(copies)
    return plain(1 / _load_factor(alpha, copies))


@within_floats
def cutoff_load(alpha: ArrayLike, size_variability: ArrayLike = 1) -> Numbers:
    r"""Load below which two copies of every task mean less delay than one.

    For :math:`\alpha \le 2` a single copy waits for ever on average, so the cutoff is the limit of
    stability :math:`(2\alpha - 1) / (4 (\alpha - 1))`. Otherwise it is the root below that limit of

    .. math:: \frac{\kappa K \omega}{2 (1 - \omega)} + \frac{1}{2 \alpha - 1}
              = \frac{\kappa b\, \omega}{1 - a \omega},
              \qquad K = \frac{(\alpha - 1)^2}{\alpha (\alpha - 2)},\;
              a = \frac{4 (\alpha - 1)}{2 \alpha - 1},\; b = \frac{\alpha - 1}{\alpha} .

    Parameters
    ----------
    alpha : array_like of float
        Tail index of task times, > 1.
    size_variability : array_like of float, optional
        :math:`\kappa \ge 1`, second moment of the jobs' mean task times over their squared mean.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Cutoff :math:`\omega^U`: continuous and decreasing in `alpha`, tending to 0.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equations (1), (3) and (4); the paper works out only :math:`\alpha = 2`. Cleared of
    denominators and multiplied by :math:`(\alpha - 2)/\alpha`, which keeps it finite at
    :math:`\alpha = 2`, the equation is quadratic: positive at :math:`\omega = 0` and negative at
    :math:`1/a`, so it has exactly one root between them.

    Examples
    --------
    >>> cutoff_load(2.0)  # the paper's case: (4 - 1) / 4
    0.75
    >>> omega = cutoff_load(3.0)
    >>> abs(single_copy_delay(omega, 3.0) - cloned_delay(omega, 3.0)) < 1e-12
    True
    """
    alpha = _tail(alpha)
    kappa = _variability(size_variability)
    crossing = _crossing(np.maximum(alpha, 2), kappa)
    return plain(np.where(alpha <= 2, 1 / _load_factor(alpha, 2), crossing))


@within_floats
def cutoff_rate(
    alpha: ArrayLike,
    machines: ArrayLike,
    tasks: ArrayLike,
    mean: ArrayLike,
    size_variability: ArrayLike = 1,
) -> Numbers:
    r"""Rate of job arrivals below which two copies of every task mean less delay than one.

    .. math:: \lambda^U = \frac{\omega^U M}{E[m]\, E[s]}

    Parameters
    ----------
    alpha : array_like of float
        Tail index of task times, > 1.
    machines : array_like of float
        Number of machines :math:`M`, > 0.
    tasks : array_like of float
        Mean number of tasks of a job :math:`E[m]`, > 0.
    mean : array_like of float
        Mean task time :math:`E[s]`, > 0.
    size_variability : array_like of float, optional
        :math:`\kappa \ge 1`, as in `cutoff_load`.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Jobs per unit of `mean`.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equation (5).

    Examples
    --------
    >>> cutoff_rate(2.0, 3000, 50, 2.5)  # 0.75 * 3000 / 125
    18.0
    """
    machines, tasks, mean = _positive(machines=machines, tasks=tasks, mean=mean)
    return plain(cutoff_load(alpha, size_variability) * machines / (tasks * mean))


def _times(kappa: np.ndarray, wait: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # a wait beyond the floats is infinite
        return np.asarray(kappa * wait)


def _load_factor(alpha: np.ndarray, copies: ArrayLike) -> np.ndarray:
    """Load with `copies` of every task over load with one."""
    return copies / _speed_up(alpha, copies)


def _speed_up(alpha: np.ndarray, copies: ArrayLike) -> np.ndarray:
    return np.asarray((alpha - 1 / np.asarray(copies)) / (alpha - 1))


def _crossing(alpha: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """Root in (0, 1/a] of the quadratic ``p w^2 + q w + r`` that equates the two delays, alpha >= 2."""
    a, b, g = _load_factor(alpha, 2), (alpha - 1) / alpha, 1 - 2 / alpha
    k, d = b**2, 1 / (2 * alpha - 1) / kappa  # everything divided by kappa, which may be large
    p, q, r = g * (d * a + b) - k * a / 2, k / 2 - g * (d * (1 + a) + b), g * d
    # the sum of two numbers of one sign, so that neither form cancels
    half = -(q + np.copysign(np.sqrt(q * q - 4 * p * r), q)) / 2
    with np.errstate(divide="ignore", invalid="ignore"):  # the form not taken may divide by zero
        return np.asarray(np.where(q >= 0, half / p, r / half))


def _queue(
    omega: ArrayLike, alpha: ArrayLike, size_variability: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    omega = numbers("omega", omega)
    require((omega >= 0) & np.isfinite(omega), "omega", omega, "at least 0 and finite")
    return omega, _tail(alpha), _variability(size_variability)


def _tail(alpha: ArrayLike) -> np.ndarray:
    alpha = numbers("alpha", alpha)
    require((alpha > 1) & np.isfinite(alpha), "alpha", alpha, "above 1 and finite")
    return alpha


def _copies(copies: ArrayLike) -> np.ndarray:
    copies = numbers("copies", copies)
    require((copies >= 1) & np.isfinite(copies), "copies", copies, "at least 1 and finite")
    return copies


def _variability(size_variability: ArrayLike) -> np.ndarray:
    kappa = numbers("size_variability", size_variability)
    require((kappa >= 1) & np.isfinite(kappa), "size_variability", kappa, "at least 1 and finite")
    return kappa


def _positive(**values: ArrayLike) -> tuple[np.ndarray, ...]:
    arrays = {name: numbers(name, value) for name, value in values.items()}
    for name, array in arrays.items():
        require((array > 0) & np.isfinite(array), name, array, "positive and finite")
    return tuple(arrays.values())
