r"""Copies launched when a straggler is detected (SDA): what they cost, and the best threshold.

A task of :math:`\mathrm{Pareto}(\mu, \alpha)` duration (mean :math:`\bar x`, :math:`\alpha` the
tail index of task times) is looked at once, after the share :math:`s` of its work. If what remains
exceeds the threshold :math:`a = \sigma \bar x`, it gets :math:`c - 1` new copies, and the first to
finish ends them all. Resource is machine time, here in units of :math:`\bar x`.

Reference: H. Xu and W. C. Lau, "Optimization for Speculative Execution of Multiple Jobs in a
MapReduce-like Cluster", section V.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, elementwise
from scipy.special import boxcox

from theory.domain import MOST_COPIES, require, whole, within_floats
from theory.shape import Numbers, numbers, plain, single

#: Products of three arguments must stay within the floats.
_LARGEST = 1e100


@dataclass(frozen=True, slots=True)
class DetectionOptimum:
    """The best number of copies (original included), their threshold, and the resource then used."""

    copies: int
    sigma: float
    resource: float


@within_floats
def tau(c: ArrayLike, sigma: ArrayLike, alpha: ArrayLike, s: ArrayLike = 0.0) -> Numbers:
    r"""Mean resource used from the detection of a straggler to the end of its task.

    .. math:: \tau(c, \sigma) = c \int_0^a (1 - F)^{c-1}\, dt
              + \frac{c}{1 - F(\frac{a}{1-s})} \int_a^\infty
                (1 - F(t))^{c-1} \Big( 1 - F\big(\tfrac{t}{1-s}\big) \Big)\, dt

    With :math:`u = \mu/a \le 1` and :math:`q = \alpha (c - 1)` this is, in units of :math:`\mu`,

    .. math:: c \Big[ 1 + \frac{1 - u^{q-1}}{q - 1} + \frac{u^{q-1}}{\alpha c - 1} \Big] .

    Parameters
    ----------
    c : array_like of float
        Copies running after detection, the original included, at least 1.
    sigma : array_like of float
        Threshold :math:`\sigma \ge 0` on the remaining time, in units of :math:`\bar x`.
    alpha : array_like of float
        Tail index of task times, > 1.
    s : array_like of float, optional
        Share of the work done when the task is looked at, in [0, 1).

    Returns
    -------
    float or ndarray, of the broadcast shape
        Resource given that the task is a straggler, in units of :math:`\bar x`; what it used
        before is not counted.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equations (24)-(26). As printed the second integrand of (26) is :math:`1 - G`, which
    diverges; it must be :math:`G`. The result does not depend on `s` unless the threshold is
    below the shortest task, :math:`\sigma < (\alpha - 1)/\alpha`: then the integrals are
    elementary too, with corners at :math:`(1 - s)\mu` and :math:`\mu`.

    Examples
    --------
    >>> tau(1, 3.0, 2.0)  # what remains beyond 3 has mean 2 * 3
    6.0
    >>> round(tau(2, 1.0, 2.0), 4)  # 2 (1 - (1/2) / 3)
    1.6667
    """
    c, sigma, alpha, s = _checked(c, sigma, alpha, s)
    return plain(_tau(c, sigma / _shortest(alpha), alpha, s) * _shortest(alpha))


@within_floats
def detection_probability(sigma: ArrayLike, alpha: ArrayLike, s: ArrayLike = 0.0) -> Numbers:
    r"""Probability that a task is found to be a straggler.

    .. math:: P\big( (1 - s) x > \sigma \bar x \big)
              = \min \Big( 1, \frac{(1 - s)(\alpha - 1)}{\alpha \sigma} \Big)^{\alpha}

    Parameters
    ----------
    sigma : array_like of float
        Threshold :math:`\sigma \ge 0` on the remaining time, in units of :math:`\bar x`.
    alpha : array_like of float
        Tail index of task times, > 1.
    s : array_like of float, optional
        Share of the work done when the task is looked at, in [0, 1).

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Examples
    --------
    >>> detection_probability(1.0, 2.0)  # longer than the mean, twice the shortest: (1/2)^2
    0.25
    """
    _, sigma, alpha, s = _checked(1, sigma, alpha, s)
    return plain(_tail(sigma / _shortest(alpha), alpha, s))


@within_floats
def detection_resource(c: ArrayLike, sigma: ArrayLike, alpha: ArrayLike, s: ArrayLike) -> Numbers:
    r"""Mean resource used by a task that gets copies when detected.

    .. math:: 1 + P(\text{detected}) \big( \tau(c, \sigma) - \tau(1, \sigma) \big), \qquad
              P(\text{detected}) = \big( (1 - s)\, u \big)^\alpha \quad (u \le 1)

    Parameters
    ----------
    c : array_like of float
        Copies running after detection, the original included, at least 1.
    sigma : array_like of float
        Threshold :math:`\sigma \ge 0` on the remaining time, in units of :math:`\bar x`.
    alpha : array_like of float
        Tail index of task times, > 1.
    s : array_like of float
        Share of the work done when the task is looked at, in [0, 1).

    Returns
    -------
    float or ndarray, of the broadcast shape
        Resource in units of :math:`\bar x`: 1 without copies, less if they pay.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equation (28) with :math:`\gamma = 1`. A later look, larger `s`, only scales the
    saving, so the best threshold does not depend on it.

    Examples
    --------
    >>> round(detection_resource(2, 1.0, 2.0, 0.0), 4)  # 1 + (5/3 - 2) / 4
    0.9167
    """
    c, sigma, alpha, s = _checked(c, sigma, alpha, s)
    a = sigma / _shortest(alpha)
    saving = _tau(np.ones(()), a, alpha, s) - _tau(c, a, alpha, s)
    return plain(1 - _tail(a, alpha, s) * saving * _shortest(alpha))


@within_floats
def sigma_star(alpha: ArrayLike, copies: ArrayLike = 2) -> Numbers:
    r"""Threshold at which detected stragglers, given `copies`, use least resource.

    .. math:: c\, E[\min(a, y_{c-1})] = a = \sigma^* \bar x, \qquad
              \text{for } c = 2: \quad 2 \alpha u - 2 u^\alpha = \alpha - 1,\;
              u = \frac{\alpha - 1}{\alpha \sigma^*}

    where :math:`y_{c-1}` is the shortest of the new copies: a copy more is worth it exactly if
    what remains of the original is more than what all of them would use up to that time.

    Parameters
    ----------
    alpha : array_like of float
        Tail index of task times, > 1.
    copies : array_like of int, optional
        Copies running after detection, the original included, at least 2.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Threshold :math:`\sigma^*` in units of the mean task time. For two copies it increases in
        `alpha` from 0 to 2, and is below 1 near ``alpha=1``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equation (28). The same threshold is optimal for ESE, whatever the distribution of
    the time at which the task is looked at.

    Examples
    --------
    >>> round(sigma_star(2.0), 6)  # 1 + sqrt(2) / 2
    1.707107
    """
    alpha, copies = _alpha(alpha), numbers("copies", copies)
    require(
        (copies >= 2) & (copies <= _LARGEST) & (copies == np.floor(copies)),
        "copies",
        copies,
        f"a whole number of at least 2 (and at most {_LARGEST:g})",
    )
    return plain(_threshold(alpha, copies) * _shortest(alpha))


@within_floats
def detection_optimum(alpha: float, limit: int = 8) -> DetectionOptimum:
    r"""Joint optimum over the number of copies and the threshold.

    .. math:: \min_{2 \le c \le r} \; \min_\sigma \; 1 + u^\alpha
              \big( \tau(c, \sigma) - \tau(1, \sigma) \big)

    Parameters
    ----------
    alpha : float
        Tail index of task times, > 1.
    limit : int, optional
        Largest number of copies :math:`r`, from 2 to 100,000.

    Returns
    -------
    DetectionOptimum
        Fields `copies` (original included), `sigma` (in units of the mean task time) and
        `resource` (in the same unit, for a look at the very start, :math:`s = 0`).

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, Theorem 3, says that two copies are always optimal. That holds above
    `critical_tail_index` only: below it three copies are better.

    Examples
    --------
    >>> detection_optimum(2.0).copies, detection_optimum(1.5).copies
    (2, 3)
    """
    alpha = single("alpha", alpha)
    copies = np.arange(2, whole("limit", limit, 2, MOST_COPIES) + 1)
    sigma = np.asarray(sigma_star(alpha, copies))
    resource = np.asarray(detection_resource(copies, sigma, alpha, 0.0))
    best = int(np.argmin(resource))
    return DetectionOptimum(int(copies[best]), float(sigma[best]), float(resource[best]))


@within_floats
def critical_tail_index() -> float:
    r"""Tail index of task times below which three copies beat two on detection.

    Each number of copies is given its own best threshold; :math:`\alpha_c` solves

    .. math:: \min_\sigma R(2, \sigma) = \min_\sigma R(3, \sigma) .

    Returns
    -------
    float
        The critical index :math:`\alpha_c`.

    Notes
    -----
    Counterexample to Theorem 3 of Xu & Lau, whose proof takes :math:`\tau(\cdot, \sigma)` to
    increase from two copies on.

    Examples
    --------
    >>> 1.5 < critical_tail_index() < 1.6
    True
    """

    def advantage(alpha: float) -> float:
        resource = np.asarray(detection_resource([2, 3], sigma_star(alpha, [2, 3]), alpha, 0.0))
        return float(resource[0] - resource[1])

    return float(brentq(advantage, 1.2, 2.0))


def _tau(c: np.ndarray, a: np.ndarray, alpha: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Mean resource after detection; threshold and result in units of the shortest task."""
    return np.asarray(c * (_until(c, a, alpha) + _after(c, a, alpha, s)))


def _until(c: np.ndarray, a: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Mean of min(a, shortest of c - 1 new copies): the time up to the threshold."""
    return np.asarray(np.minimum(a, 1.0) + boxcox(np.maximum(a, 1.0), 1 - alpha * (c - 1)))


def _after(c: np.ndarray, a: np.ndarray, alpha: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Mean time beyond the threshold, 0 if a new copy ended before.

    Three pieces: all copies sure to run; the original may have ended, new copies not; all may have.
    """
    original = np.maximum(a, 1 - s)  # shortest remaining time of a straggler
    early, late = np.minimum(original, 1.0), np.maximum(a, 1.0)
    both = early**alpha * late ** (1 - alpha * (c - 1)) / (alpha * c - 1)
    return np.asarray(original - a + (early - early**alpha) / (alpha - 1) + both)


def _tail(a: np.ndarray, alpha: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Probability that more than `a` remains, in units of the shortest task."""
    return np.asarray(((1 - s) / np.maximum(a, 1 - s)) ** alpha)


def _threshold(alpha: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """Best threshold in units of the shortest task, by its logarithm."""
    # what is to be zero is copies - 1 > 0 at 1, concave, and negative at `high`, because
    # the mean of min(a, y) is at most 1 + ln(a) for a tail index above 1
    high = 4 * copies * (1 + np.log(copies))

    def surplus(log_a: np.ndarray, alpha: np.ndarray, copies: np.ndarray) -> np.ndarray:
        return np.asarray(copies * _until(copies, np.exp(log_a), alpha) - np.exp(log_a))

    root = elementwise.find_root(surplus, (np.zeros_like(high), np.log(high)), args=(alpha, copies))
    return np.asarray(np.exp(root.x))


def _shortest(alpha: np.ndarray) -> np.ndarray:
    """Shortest task in units of the mean."""
    return np.asarray((alpha - 1) / alpha)


def _alpha(alpha: ArrayLike) -> np.ndarray:
    alpha = numbers("alpha", alpha)
    require((alpha > 1) & (alpha <= _LARGEST), "alpha", alpha, f"above 1 (and at most {_LARGEST:g})")
    return alpha


def _checked(c: ArrayLike, sigma: ArrayLike, alpha: ArrayLike, s: ArrayLike) -> tuple[np.ndarray, ...]:
    c, sigma, alpha, s = numbers("c", c), numbers("sigma", sigma), _alpha(alpha), numbers("s", s)
    require((c >= 1) & (c <= _LARGEST), "c", c, f"at least 1 (and at most {_LARGEST:g})")
    require((sigma >= 0) & (sigma <= _LARGEST), "sigma", sigma, f"at least 0 (and at most {_LARGEST:g})")
    require((s >= 0) & (s < 1), "s", s, "in [0, 1)")
    return c, sigma, alpha, s
