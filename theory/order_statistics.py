r"""Order statistics of the slowdowns of a job's tasks: when k of n have finished.

:math:`S_{n:k}` is the k-th smallest of n independent slowdowns, each
:math:`\mathrm{Pareto}(1, \alpha)`, so :math:`\alpha` is here the tail index of the slowdown
(straggle factor). For another smallest value multiply by it, to the power of the moment.

Since :math:`P(S > t) = t^{-\alpha}`, :math:`S_{n:k} = U^{-1/\alpha}` where :math:`U`, the k-th
largest of n uniform numbers, is :math:`\mathrm{Beta}(n - k + 1, k)`; all below follows.

Reference: Aktas & Soljanin, "Learning Effective Straggler Mitigation from Experience and
Modeling", section 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betainccinv, betaln

from theory.domain import require, within_floats
from theory.shape import Numbers, numbers, plain


@within_floats
def order_statistic_moment(n: ArrayLike, k: ArrayLike, alpha: ArrayLike, power: ArrayLike = 1) -> Numbers:
    r"""Moment of the k-th smallest of n Pareto(1, alpha) slowdowns.

    .. math:: E[S_{n:k}^p] = \frac{\Gamma(n+1)}{\Gamma(n-k+1)}
              \frac{\Gamma(n-k+1-p/\alpha)}{\Gamma(n+1-p/\alpha)}
              = \frac{\mathrm{B}(n-k+1-p/\alpha,\, k)}{\mathrm{B}(n-k+1,\, k)}

    Parameters
    ----------
    n : array_like of int
        Number of tasks started, at least `k`.
    k : array_like of int
        Number of tasks that must finish, at least 1.
    alpha : array_like of float
        Tail index of the slowdown, > 0.
    power : array_like of float, optional
        Order :math:`p` of the moment, any finite number.

    Returns
    -------
    float or ndarray, of the broadcast shape
        The moment (slowdowns have no unit); infinite unless :math:`n - k + 1 > p/\alpha`.

    Raises
    ------
    ValueError
        If `n` or `k` is not whole, ``1 <= k <= n`` fails, `alpha` is not positive or `power` not finite.

    Notes
    -----
    Aktas & Soljanin, the formulas between equations (1) and (2). In particular a job without spare tasks has
    :math:`E[S_{k:k}^2] = \infty` if and only if :math:`\alpha \le 2`.

    Examples
    --------
    >>> round(order_statistic_moment(2, 2, 2.0), 6)  # (2 / (2 - 1/2)) * (1 / (1 - 1/2))
    2.666667
    >>> order_statistic_moment(5, 5, 2.0, power=2)
    inf
    """
    n, k, alpha = _counts(n, k, alpha)
    power = numbers("power", power)
    require(np.isfinite(power), "power", power, "finite")
    spare = n - k + 1
    finite = spare > power / alpha
    with np.errstate(over="ignore", under="ignore"):  # beyond the floats: inf or 0 is the answer
        beta = betaln(np.where(finite, spare - power / alpha, 1.0), k)
        return plain(np.where(finite, np.exp(beta - betaln(spare, k)), np.inf))


@within_floats
def maximum_moment(n: ArrayLike, alpha: ArrayLike, power: ArrayLike = 1) -> Numbers:
    r"""Moment of the largest of n Pareto(1, alpha) slowdowns: of a job that waits for all its tasks.

    .. math:: E[S_{n:n}^p] = \prod_{j=1}^{n} \frac{j}{j - p/\alpha}
              = \frac{\Gamma(n+1)\, \Gamma(1-p/\alpha)}{\Gamma(n+1-p/\alpha)}

    Parameters
    ----------
    n : array_like of int
        Number of tasks, at least 1.
    alpha : array_like of float
        Tail index of the slowdown, > 0.
    power : array_like of float, optional
        Order :math:`p` of the moment, any finite number.

    Returns
    -------
    float or ndarray, of the broadcast shape
        The moment; infinite if ``power >= alpha``.

    Raises
    ------
    ValueError
        As `order_statistic_moment`.

    Examples
    --------
    >>> round(maximum_moment(3, 3.0), 6)  # 1 / (1 - 1/3) * 2 / (2 - 1/3) * 3 / (3 - 1/3)
    2.025
    """
    return order_statistic_moment(n, n, alpha, power)


@within_floats
def minimum_moment(n: ArrayLike, alpha: ArrayLike, power: ArrayLike = 1) -> Numbers:
    r"""Moment of the smallest of n Pareto(1, alpha) slowdowns: of a task with n copies.

    .. math:: E[S_{n:1}^p] = \frac{n}{n - p/\alpha}

    Parameters
    ----------
    n : array_like of int
        Number of copies, at least 1.
    alpha : array_like of float
        Tail index of the slowdown, > 0.
    power : array_like of float, optional
        Order :math:`p` of the moment, any finite number.

    Returns
    -------
    float or ndarray, of the broadcast shape
        The moment; infinite if ``power >= n * alpha``.

    Raises
    ------
    ValueError
        As `order_statistic_moment`.

    Examples
    --------
    >>> round(minimum_moment(2, 1.0), 6)  # Pareto(1, 2) has mean 2 / (2 - 1)
    2.0
    """
    return order_statistic_moment(n, 1, alpha, power)


@within_floats
def order_statistic_tail(t: ArrayLike, n: ArrayLike, k: ArrayLike, alpha: ArrayLike) -> Numbers:
    r"""Probability that fewer than k of n tasks have finished by `t`.

    .. math:: P(S_{n:k} > t) = \sum_{i<k} \binom{n}{i} (1 - t^{-\alpha})^i t^{-\alpha (n-i)}
              = I_{t^{-\alpha}}(n - k + 1, k)

    Parameters
    ----------
    t : array_like of float
        Time, in units of the smallest slowdown.
    n : array_like of int
        Number of tasks started, at least `k`.
    k : array_like of int
        Number of tasks that must finish, at least 1.
    alpha : array_like of float
        Tail index of the slowdown, > 0.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability; 1 for ``t <= 1``.

    Raises
    ------
    ValueError
        If `n` or `k` is not whole, ``1 <= k <= n`` fails, `alpha` is not positive or `t` is NaN.

    Examples
    --------
    >>> round(order_statistic_tail(2.0, 2, 2, 1.0), 6)  # both are below 2 with probability 1/4
    0.75
    """
    n, k, alpha = _counts(n, k, alpha)
    t = numbers("t", t)
    with np.errstate(under="ignore"):  # a probability below the smallest float is 0
        return plain(betainc(n - k + 1, k, np.maximum(t, 1.0) ** -alpha))


@within_floats
def order_statistic_quantile(u: ArrayLike, n: ArrayLike, k: ArrayLike, alpha: ArrayLike) -> Numbers:
    r"""Time by which k of n tasks have finished with probability `u`.

    .. math:: q(u) = v^{-1/\alpha}, \qquad I_v(n - k + 1, k) = 1 - u

    Parameters
    ----------
    u : array_like of float
        Probability, in [0, 1].
    n : array_like of int
        Number of tasks started, at least `k`.
    k : array_like of int
        Number of tasks that must finish, at least 1.
    alpha : array_like of float
        Tail index of the slowdown, > 0.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Time, in units of the smallest slowdown; 1 at 0, infinite at 1.

    Raises
    ------
    ValueError
        If `n` or `k` is not whole, ``1 <= k <= n`` fails, or `alpha` or `u` is outside its domain.

    Examples
    --------
    >>> round(order_statistic_quantile(0.25, 2, 2, 1.0), 6)  # both are below 2 with probability 1/4
    2.0
    """
    n, k, alpha = _counts(n, k, alpha)
    u = numbers("u", u)
    require((u >= 0) & (u <= 1), "u", u, "a probability, from 0 to 1")
    with np.errstate(divide="ignore", over="ignore"):  # u = 1 is at infinity; so may be a value near it
        left = betainccinv(n - k + 1, k, u)
        left = np.where(np.isnan(left), 1.0, left)  # SciPy gives up where the answer rounds to 1
        return plain(left ** (-1 / alpha))


def _counts(n: ArrayLike, k: ArrayLike, alpha: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n, k, alpha = numbers("n", n), numbers("k", k), numbers("alpha", alpha)
    require(np.isfinite(k) & (k == np.floor(k)) & (k >= 1), "k", k, "a whole number of at least 1")
    require(np.isfinite(n) & (n == np.floor(n)) & (n >= k), "n", n, "a whole number of at least k")
    require((alpha > 0) & np.isfinite(alpha), "alpha", alpha, "positive and finite")
    return n, k, alpha
