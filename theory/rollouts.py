r"""Over-sampled rollouts: the first N of the answers that are started end a step.

A training step awaits N answers and starts N + k at once. If their lengths :math:`X_1, \dots, X_{N+k}` are
independent and of one law, the step takes the order statistic :math:`T_k = X_{N:N+k}`. The k answers that are
not done then have run as long, and are discarded. For Pareto lengths :math:`E[T_k]` is
`order_statistic_moment`, times the shortest length.

If the k are carried over instead, they keep their age and run on beside N new ones. Nothing is discarded: per
step the machines work for :math:`N E[X]`, and an answer is :math:`k/N` steps old on average when it is used
(Little's law: each step has N + k answers, of which N are new). Exponential lengths have no memory, so that a
step takes as long as with discarding; for other laws no closed form is known.

Reference for order statistics: H. A. David and H. N. Nagaraja, "Order Statistics", sections 2.1 and 3.4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, betaln, digamma, gammaln, log_ndtr, ndtri, xlog1py, xlogy

from theory.domain import require, vector, whole, within_floats
from theory.shape import Numbers, numbers, plain, single

#: Points of the quadrature of lognormal lengths, and the probability that is left out at either end.
_POINTS, _LEFT_OUT = 4001, 1e-20


@within_floats
def exponential_step_time(awaited: ArrayLike, extra: ArrayLike, mean: ArrayLike = 1.0) -> Numbers:
    r"""Mean time of a step that awaits any N of N + k answers, if lengths are exponential.

    .. math:: E[T_k] = m \sum_{j=k+1}^{N+k} \frac{1}{j} = m\, (\psi(N + k + 1) - \psi(k + 1))

    Parameters
    ----------
    awaited : array_like of int
        Answers :math:`N` that are awaited, at least 1.
    extra : array_like of int
        Answers :math:`k` that are started beyond those, at least 0.
    mean : array_like of float, optional
        Mean length :math:`m > 0`.

    Returns
    -------
    float or ndarray, of the broadcast shape
        In the unit of `mean`; the same whether the k are discarded or carried over.

    Raises
    ------
    ValueError
        If `awaited` or `extra` is not whole, or an argument is outside its domain.

    Examples
    --------
    >>> round(exponential_step_time(3, 0), 4)  # 1 + 1/2 + 1/3
    1.8333
    >>> round(exponential_step_time(3, 1), 4)  # 1/2 + 1/3 + 1/4
    1.0833
    """
    awaited, extra, mean = _counted(awaited, extra, mean, "mean")
    require((mean > 0) & (mean < 1e100), "mean", mean, "above 0 (and below 1e100)")
    return plain(mean * (digamma(awaited + extra + 1) - digamma(extra + 1)))


@within_floats
def lognormal_step_time(awaited: ArrayLike, extra: ArrayLike, mu: float, sigma: float) -> Numbers:
    r"""Mean time of a step that awaits any N of N + k answers, if lengths are lognormal.

    .. math:: E[T_k] = \int_{-\infty}^{\infty} e^{\mu + \sigma z}
              \frac{\Phi(z)^{N-1} (1 - \Phi(z))^k}{\mathrm{B}(N, k + 1)}\, \varphi(z)\, dz

    Parameters
    ----------
    awaited, extra : array_like of int
        As in `exponential_step_time`; together at most 100,000.
    mu, sigma : float
        Mean, from -100 to 100, and standard deviation, above 0 and at most 5, of the logarithm of a length.

    Returns
    -------
    float or ndarray, of the broadcast shape
        In the unit of a length.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    By the trapezoidal rule, whose error vanishes exponentially for an integrand that is analytic and falls
    to nothing at both ends.

    Examples
    --------
    >>> round(lognormal_step_time(1, 0, mu=0.0, sigma=1.0), 4)  # the mean, exp(1/2)
    1.6487
    """
    awaited, extra, mean = _counted(awaited, extra, mu, "mu")
    sigma = single("sigma", sigma)
    require(np.abs(mean) <= 100, "mu", mu, "from -100 to 100")
    require(0 < sigma <= 5, "sigma", sigma, "above 0 and at most 5")
    require(awaited + extra <= 100_000, "extra", extra, "at most 100,000 with those awaited")
    low = ndtri(betaincinv(awaited, extra + 1, _LEFT_OUT))
    high = sigma - ndtri(betaincinv(extra + 1, awaited, _LEFT_OUT))  # the factor exp(sigma z) shifts it
    each, spare, low, high, mean = (one[..., None] for one in (awaited, extra, low, high, mean))
    z = low + (high - low) * np.linspace(0, 1, _POINTS)
    density = (each - 1) * log_ndtr(z) + spare * log_ndtr(-z) - betaln(each, spare + 1)
    integrand = np.exp(density + mean + sigma * z - z**2 / 2) / np.sqrt(2 * np.pi)
    return plain(integrand.sum(axis=-1) * (high - low)[..., 0] / (_POINTS - 1))


@within_floats
def step_weights(awaited: int, most: int, count: int) -> np.ndarray:
    r"""Weights of the lengths of a list, the shortest first, in the mean time of a step.

    Lengths are drawn with replacement from a list of L, :math:`x_1 \le \dots \le x_L`. Then

    .. math:: E[T_k] = \sum_{j=1}^{L} (F_{k,j} - F_{k,j-1})\, x_j, \qquad
              F_{k,j} = P(T_k \le x_j) = \sum_{i=0}^{k} \binom{N+i-1}{i} u^N (1 - u)^i, \quad
              u = \frac{j}{L} .

    Parameters
    ----------
    awaited : int
        Answers :math:`N` that are awaited, at least 1.
    most : int
        Most answers that are started beyond those, at least 0.
    count : int
        Lengths :math:`L` in the list, at least 1.

    Returns
    -------
    ndarray, shape (most + 1, count)
        Row :math:`k` for k more answers; each sums to 1.

    Raises
    ------
    ValueError
        If an argument is outside its domain, or the table has more than 30,000,000 weights.

    Notes
    -----
    The step ends by :math:`x_j` if, of answers looked at one by one, at most k are longer before N are not:
    the distribution function of a negative binomial law, which is also :math:`I_u(N, k + 1)`.

    Examples
    --------
    >>> step_weights(1, 1, 2)  # the shorter of two answers is the longer length once in four times
    array([[0.5 , 0.5 ],
           [0.75, 0.25]])
    """
    awaited, most, count = whole("awaited", awaited), whole("most", most, 0), whole("count", count)
    require((most + 1) * count <= 3e7, "most", most, "small enough for 30,000,000 weights")
    u, i = np.arange(count + 1) / count, np.arange(most + 1)[:, None]
    choices = gammaln(awaited + i) - gammaln(awaited) - gammaln(i + 1)
    by = np.cumsum(np.exp(choices + xlogy(awaited, u) + xlog1py(i, -u)), axis=0)
    return np.diff(by, axis=1)


@within_floats
def slot_times(step_times: ArrayLike, awaited: int, mean: ArrayLike) -> np.ndarray:
    r"""Machine time of a step, from its mean times: of the answers that are awaited, and of the others.

    .. math:: C_k = E\Big[ \sum_{i=1}^{N} X_{i:N+k} + k\, T_k \Big]
              = (N + k) \Big( m - \sum_{j=1}^{k} \frac{j\, (E[T_{j-1}] - E[T_j])}{N + j - 1} \Big)

    Parameters
    ----------
    step_times : array_like of float, shape (..., most + 1)
        :math:`E[T_k]` for k from 0 on, of any law.
    awaited : int
        Answers :math:`N` that are awaited, at least 1.
    mean : array_like of float, shape (...)
        Mean length :math:`m > 0`.

    Returns
    -------
    ndarray, shape of `step_times`
        Machine time :math:`C_k`, of which :math:`k\, E[T_k]` is of answers that are discarded.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Ours, from the recurrence :math:`n E[X_{i:n-1}] = (n - i) E[X_{i:n}] + i E[X_{i+1:n}]`: the mean times of
    steps say all. `coded_cost` is this one for Pareto lengths; for exponential ones it is :math:`N m` for
    every k.

    Examples
    --------
    >>> slot_times([1.5, 0.5], 1, 1.5)  # the sooner of two takes 0.5, and both run as long
    array([1.5, 1. ])
    """
    times, size = np.atleast_1d(numbers("step_times", step_times)), whole("awaited", awaited)
    means = vector("mean", mean)
    require(np.isfinite(times) & (times >= 0), "step_times", times, "finite and at least 0")
    require((means > 0) & np.isfinite(means), "mean", mean, "above 0 and finite")
    k = np.arange(times.shape[-1])
    saved = np.zeros_like(times)
    saved[..., 1:] = np.cumsum(-np.diff(times, axis=-1) * k[1:] / (size + k[1:] - 1), axis=-1)
    return np.asarray((size + k) * (means[..., None] - saved)).reshape(times.shape)


def _counted(awaited: ArrayLike, extra: ArrayLike, value: ArrayLike, name: str) -> tuple[np.ndarray, ...]:
    """Return whole numbers of answers and another number, as arrays of one shape."""
    arrays = np.broadcast_arrays(numbers("awaited", awaited), numbers("extra", extra), numbers(name, value))
    for said, count, least in (("awaited", arrays[0], 1), ("extra", arrays[1], 0)):
        accepted = f"a whole number of at least {least} (and below 1e9)"
        require((count == np.floor(count)) & (count >= least) & (count < 1e9), said, count, accepted)
    return arrays
