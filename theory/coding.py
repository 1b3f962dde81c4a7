r"""One coded job: k tasks expanded to n; any k are enough.

Redundancy is maximum distance separable: the job ends with its k-th task to finish, and the others
are removed at that moment. Slowdowns (straggle factors) are independent :math:`\mathrm{Pareto}(1,
\alpha)`, so :math:`\alpha` is here the tail index of the slowdown; times are in units of the size of
a task, its smallest possible time. When the job ends: `theory.order_statistics`.

Reference: Aktas & Soljanin, "Learning Effective Straggler Mitigation from Experience and
Modeling", section 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma, exprel

from theory.domain import guarded_ceil, require, within_floats
from theory.shape import Numbers, numbers, plain, single

#: Gauss-Legendre quadrature on [0, 1].
NODES, WEIGHTS = (np.polynomial.legendre.leggauss(32) + np.array([[1.0], [0.0]])) / 2


@within_floats
def expanded_tasks(k: ArrayLike, r: float) -> Numbers:
    r"""Return the number of tasks started for a job of k tasks that is expanded by the factor r.

    .. math:: n = \lceil r k \rceil

    Parameters
    ----------
    k : array_like of int
        Number of tasks that must finish, at least 1.
    r : float
        Expansion rate, >= 1.

    Returns
    -------
    float or ndarray, shape of `k`
        Number of tasks :math:`n`, at least :math:`k`; whole.

    Raises
    ------
    ValueError
        If `k` is not whole or ``r < 1``.

    Notes
    -----
    The ceiling forgives the last rounding error of the product.

    Examples
    --------
    >>> expanded_tasks([1, 3, 10], 1.1)  # in binary 1.1 * 10 is a little above 11
    array([ 2.,  4., 11.])
    """
    k, rate = numbers("k", k), single("r", r)
    require(_counts(k), "k", k, "a whole number of at least 1")
    require(1 <= rate < np.inf, "r", r, "at least 1 and finite")
    with np.errstate(over="ignore"):  # refused below
        product = rate * k
    require(np.isfinite(product), "k", k, "small enough for r k to be finite")
    return plain(np.vectorize(guarded_ceil, otypes=[float])(product))


@within_floats
def coded_cost(n: ArrayLike, k: ArrayLike, alpha: ArrayLike) -> Numbers:
    r"""Mean resource time of a job that starts n tasks and ends with the k-th to finish.

    .. math:: E[C_{n,k}] = E\Big[ \sum_{i=1}^{k} S_{n:i} + (n - k) S_{n:k} \Big]
              = \frac{n}{\alpha - 1} \Big( \alpha - \big( 1 - \tfrac{k}{n} \big) E[S_{n:k}] \Big)

    Parameters
    ----------
    n : array_like of int
        Number of tasks started, at least `k`.
    k : array_like of int
        Number of tasks that must finish, at least 1.
    alpha : array_like of float
        Tail index of the slowdown, > 0.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Time summed over the units of capacity held, in units of the task size; infinite unless
        :math:`n - k + 1 > 1/\alpha`.

    Raises
    ------
    ValueError
        If `n` or `k` is not whole, ``1 <= k <= n`` fails or `alpha` is not positive and finite.

    Notes
    -----
    Aktas & Soljanin, between equations (1) and (2). Erratum: the sum in the running text, under
    "Latency and Cost", stops at :math:`k - 1` and so forgets the task that ends the job; this form,
    printed further down, is right.

    Computed as :math:`n + \frac{1}{\alpha} \sum_{i \le k} E[S_{n:i}]`, which has no quotient that vanishes
    at :math:`\alpha = 1` and holds below, where the mean slowdown is infinite and that of a job with
    spare tasks need not be.

    Examples
    --------
    >>> coded_cost(4, 4, 3.0)  # without redundancy, 4 mean slowdowns of 3/2
    6.0
    >>> round(coded_cost(2, 1, 3.0), 6)  # two copies until the first ends: 2 * 6/5
    2.4
    """
    n, k, alpha = np.broadcast_arrays(numbers("n", n), numbers("k", k), numbers("alpha", alpha))
    require(_counts(k), "k", k, "a whole number of at least 1")
    require(_counts(n) & (n >= k), "n", n, "a whole number of at least k")
    require((alpha > 0) & np.isfinite(alpha), "alpha", alpha, "positive and finite")
    with np.errstate(over="ignore"):  # beyond the floats it is infinite
        spare, epsilon = n - k, 1 - 1 / alpha
        finite = spare + epsilon > 0
        times = _finish_times(n, np.where(finite, spare, 1.0), np.where(finite, epsilon, 0.0))
        return plain(np.where(finite, n + times / alpha, np.inf))


def _counts(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.isfinite(values) & (values == np.floor(values)) & (values >= 1))


def _finish_times(n: np.ndarray, spare: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    r"""Sum of the mean times of the finishes of a job, up to the one that leaves only spare tasks.

    That is n (1 - exp(-epsilon x)) / epsilon, where epsilon = 1 - 1 / alpha and epsilon x is the
    logarithm of Gamma(n + epsilon) / Gamma(n) over the same of the spare tasks. As an integral of the
    digamma function x neither cancels for many tasks nor for epsilon near 0.
    """
    shift = epsilon[..., None] * NODES
    m = np.maximum(spare, 1.0)
    # one step of the recurrence keeps the integrand off its pole
    first = 1 / (m * exprel(np.log1p(epsilon / m)))
    x = first + (digamma(n[..., None] + shift) - digamma(m[..., None] + 1 + shift)) @ WEIGHTS
    alone = 1 / np.where(spare == 0, epsilon, 1.0)
    return np.asarray(n * np.where(spare == 0, alone, x * exprel(-epsilon * x)))
