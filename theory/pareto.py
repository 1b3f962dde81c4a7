r"""The Pareto law, whole and bounded: tail, quantile, moments, truncated moments, minimum of copies.

:math:`\mathrm{Pareto}(x_m, a)` has :math:`P(B > t) = (x_m / t)^a` for :math:`t \ge x_m`. The tail
index :math:`a` is RAWY's :math:`\beta`, the :math:`\alpha` of Xu & Lau, and both the :math:`\alpha`
(slowdown) and the :math:`\beta` (task size) of Aktas & Soljanin. With a finite `x_max` the law is
the same one conditioned on :math:`B \le x_\max`.

Every moment here is one integral, :math:`\int_1^z y^{p-a-1} dy = (z^{p-a} - 1) / (p - a)`, which
`scipy.special.boxcox` evaluates without loss for all :math:`p`, the logarithm at :math:`p = a`
included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import boxcox

from theory.domain import require, within_floats
from theory.shape import Numbers, numbers, plain, scaled


@dataclass(frozen=True, slots=True)
class Pareto:
    """The parameters of a Pareto law: the smallest value, and the tail index."""

    x_m: Numbers
    a: Numbers


@within_floats
def pareto_tail(t: ArrayLike, x_m: ArrayLike, a: ArrayLike, x_max: ArrayLike = np.inf) -> Numbers:
    r"""Probability that a Pareto variable exceeds `t`.

    .. math:: P(B > t) = \frac{(x_m/t)^a - (x_m/x_\max)^a}{1 - (x_m/x_\max)^a},
              \qquad x_m \le t \le x_\max .

    Parameters
    ----------
    t : array_like of float
        Value, in the unit of `x_m`; any number, infinity included.
    x_m : array_like of float
        Smallest value, > 0.
    a : array_like of float
        Tail index, > 0.
    x_max : array_like of float, optional
        Largest value, > `x_m`; infinite unless given.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability, 1 below `x_m` and 0 from `x_max` on.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> pareto_tail(4.0, 2.0, 3.0)  # (2 / 4)^3
    0.125
    >>> round(pareto_tail(2.0, 1.0, 1.0, x_max=4.0), 6)  # (1/2 - 1/4) / (1 - 1/4)
    0.333333
    """
    x_m, a, x_max = _checked(x_m, a, x_max)
    z, z_max = _position(numbers("t", t), x_m, x_max)
    with np.errstate(under="ignore"):  # a probability below the smallest float is 0
        return plain(z**-a * _mass(_room(z, z_max), a) / _mass(z_max, a))


@within_floats
def pareto_cdf(t: ArrayLike, x_m: ArrayLike, a: ArrayLike, x_max: ArrayLike = np.inf) -> Numbers:
    r"""Probability that a Pareto variable is at most `t`.

    .. math:: P(B \le t) = \frac{1 - (x_m/t)^a}{1 - (x_m/x_\max)^a}, \qquad x_m \le t \le x_\max .

    Parameters
    ----------
    t : array_like of float
        Value, in the unit of `x_m`; any number, infinity included.
    x_m : array_like of float
        Smallest value, > 0.
    a : array_like of float
        Tail index, > 0.
    x_max : array_like of float, optional
        Largest value, > `x_m`; infinite unless given.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability, 0 up to `x_m` and 1 from `x_max` on.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> pareto_cdf(4.0, 2.0, 3.0)  # 1 - (2 / 4)^3
    0.875
    """
    x_m, a, x_max = _checked(x_m, a, x_max)
    z, z_max = _position(numbers("t", t), x_m, x_max)
    return plain(_mass(z, a) / _mass(z_max, a))


@within_floats
def pareto_quantile(u: ArrayLike, x_m: ArrayLike, a: ArrayLike, x_max: ArrayLike = np.inf) -> Numbers:
    r"""Value which a Pareto variable does not exceed with probability `u`.

    .. math:: q(u) = x_m \Big( 1 - u \big[ 1 - (x_m/x_\max)^a \big] \Big)^{-1/a}

    Parameters
    ----------
    u : array_like of float
        Probability, in [0, 1].
    x_m : array_like of float
        Smallest value, > 0.
    a : array_like of float
        Tail index, > 0.
    x_max : array_like of float, optional
        Largest value, > `x_m`; infinite unless given.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Value in the unit of `x_m`; `x_m` at 0, `x_max` at 1.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> round(pareto_quantile(0.75, 1.0, 2.0), 6)  # P(B > 2) = 1 / 2^2
    2.0
    """
    x_m, a, x_max = _checked(x_m, a, x_max)
    u = numbers("u", u)
    require((u >= 0) & (u <= 1), "u", u, "a probability, from 0 to 1")
    with np.errstate(divide="ignore", over="ignore"):  # u = 1 is at infinity; so may be a value near it
        value = x_m * np.exp(-np.log1p(-u * _mass(x_max / x_m, a)) / a)
    return plain(np.minimum(np.where(u == 1, x_max, value), x_max))


@within_floats
def pareto_moment(x_m: ArrayLike, a: ArrayLike, power: ArrayLike = 1, x_max: ArrayLike = np.inf) -> Numbers:
    r"""Moment of a Pareto variable; with ``power=1`` its mean.

    .. math:: E[B^p] = \frac{a\, x_m^p}{a - p} \quad (p < a), \qquad
              E[B^p \mid B \le x_\max]
              = \frac{a\, x_m^p}{p - a} \cdot \frac{(x_\max/x_m)^{p-a} - 1}{1 - (x_m/x_\max)^a} .

    Parameters
    ----------
    x_m : array_like of float
        Smallest value, > 0.
    a : array_like of float
        Tail index, > 0.
    power : array_like of float, optional
        Order :math:`p` of the moment, any finite number.
    x_max : array_like of float, optional
        Largest value, > `x_m`; infinite unless given.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Moment in the unit of `x_m` to the `power`; infinite if `x_max` is and ``power >= a``.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> round(pareto_moment(2.0, 3.0), 6), pareto_moment(2.0, 3.0, power=3)  # 3 * 2 / (3 - 1)
    (3.0, inf)
    """
    return pareto_partial_moment(x_m, a, np.inf, power, x_max)


@within_floats
def pareto_partial_moment(
    x_m: ArrayLike, a: ArrayLike, limit: ArrayLike, power: ArrayLike = 1, x_max: ArrayLike = np.inf
) -> Numbers:
    r"""Part of a Pareto moment that lies at or below `limit`.

    .. math:: E[B^p; B \le x] = \frac{a\, x_m^a}{a - p} \left( x_m^{p-a} - x^{p-a} \right),
              \qquad \text{and } a\, x_m^a \ln(x / x_m) \text{ if } p = a,

    divided by :math:`1 - (x_m/x_\max)^a` if the law is bounded.

    Parameters
    ----------
    x_m : array_like of float
        Smallest value, > 0.
    a : array_like of float
        Tail index, > 0.
    limit : array_like of float
        Limit :math:`x`, in the unit of `x_m`; any number, infinity included.
    power : array_like of float, optional
        Order :math:`p` of the moment, any finite number; 0 gives :math:`P(B \le x)`.
    x_max : array_like of float, optional
        Largest value, > `x_m`; infinite unless given.

    Returns
    -------
    float or ndarray, of the broadcast shape
        :math:`E[B^p 1\{B \le x\}]` in the unit of `x_m` to the `power`; 0 for ``limit <= x_m``.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Aktas & Soljanin, equation (1), needs these: conditioning the demand on being small weighs
    the number of tasks too, so the event may not be split off as a conditional expectation.

    Examples
    --------
    >>> round(pareto_partial_moment(1.0, 2.0, 4.0), 6)  # integral of t * 2 t^-3 over [1, 4]
    1.5
    >>> round(pareto_partial_moment(1.0, 1.0, np.e), 6)  # integral of 1 / t over [1, e]
    1.0
    """
    x_m, a, x_max = _checked(x_m, a, x_max)
    power = _power(power)
    z, z_max = _position(numbers("limit", limit), x_m, x_max)
    return plain(scaled(_unit(x_m, power), a * _integral(z, power - a) / _mass(z_max, a)))


@within_floats
def pareto_tail_moment(
    x_m: ArrayLike, a: ArrayLike, limit: ArrayLike, power: ArrayLike = 1, x_max: ArrayLike = np.inf
) -> Numbers:
    r"""Part of a Pareto moment that lies above `limit`.

    .. math:: E[B^p; B > x] = \frac{a\, x_m^a}{a - p} \left( x^{p-a} - x_\max^{p-a} \right),
              \qquad x_m \le x \le x_\max ,

    divided by :math:`1 - (x_m/x_\max)^a` if the law is bounded.

    Parameters
    ----------
    x_m : array_like of float
        Smallest value, > 0.
    a : array_like of float
        Tail index, > 0.
    limit : array_like of float
        Limit :math:`x`, in the unit of `x_m`; any number, infinity included.
    power : array_like of float, optional
        Order :math:`p` of the moment, any finite number; 0 gives :math:`P(B > x)`.
    x_max : array_like of float, optional
        Largest value, > `x_m`; infinite unless given.

    Returns
    -------
    float or ndarray, of the broadcast shape
        :math:`E[B^p 1\{B > x\}]` in the unit of `x_m` to the `power`; the whole moment for
        ``limit < x_m``; infinite for every finite `limit` if `x_max` is infinite and ``power >= a``.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Computed as such, not as a difference from the whole moment, which would lose the far tail.

    Examples
    --------
    >>> round(pareto_tail_moment(1.0, 2.0, 4.0), 6)  # integral of t * 2 t^-3 from 4 on
    0.5
    """
    x_m, a, x_max = _checked(x_m, a, x_max)
    power = _power(power)
    z, z_max = _position(numbers("limit", limit), x_m, x_max)
    beyond = scaled(_unit(z, power - a), _integral(_room(z, z_max), power - a))
    return plain(scaled(_unit(x_m, power), a * beyond / _mass(z_max, a)))


@within_floats
def minimum_of_copies(x_m: ArrayLike, a: ArrayLike, copies: ArrayLike) -> Pareto:
    r"""Law of the fastest of several independent copies: again Pareto, with a lighter tail.

    .. math:: \min(B_1, \dots, B_c) \sim \mathrm{Pareto}(x_m, c\, a)

    Parameters
    ----------
    x_m : array_like of float
        Smallest value, > 0.
    a : array_like of float
        Tail index of one copy, > 0.
    copies : array_like of float
        Number of copies :math:`c`, > 0. A fraction is the analytic continuation.

    Returns
    -------
    Pareto
        Fields `x_m` (unchanged) and `a` (the tail index of the minimum).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Only for the unbounded law: the minimum of bounded Pareto variables is not bounded Pareto.

    Examples
    --------
    >>> fastest = minimum_of_copies(1.0, 1.5, 2)
    >>> fastest
    Pareto(x_m=1.0, a=3.0)
    >>> round(pareto_moment(fastest.x_m, fastest.a), 6)  # 3 / (3 - 1), where one copy has 1.5 / 0.5
    1.5
    """
    x_m, a, _ = _checked(x_m, a, np.inf)
    copies = numbers("copies", copies)
    require((copies > 0) & np.isfinite(copies), "copies", copies, "positive and finite")
    return Pareto(plain(x_m), plain(copies * a))


def _checked(x_m: ArrayLike, a: ArrayLike, x_max: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x_m, a, x_max = numbers("x_m", x_m), numbers("a", a), numbers("x_max", x_max)
    require((x_m > 0) & np.isfinite(x_m), "x_m", x_m, "positive and finite")
    require((a > 0) & np.isfinite(a), "a", a, "positive and finite")
    require(x_max > x_m, "x_max", x_max, "above x_m")
    return x_m, a, x_max


def _power(power: ArrayLike) -> np.ndarray:
    power = numbers("power", power)
    require(np.isfinite(power), "power", power, "finite")
    return power


def _position(t: np.ndarray, x_m: np.ndarray, x_max: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Value and bound as multiples of the smallest value, the value brought within the support."""
    with np.errstate(over="ignore", under="ignore"):  # farther off than the floats reach is 0 or inf
        z_max = x_max / x_m
        return np.clip(t / x_m, 1.0, z_max), z_max


def _room(z: np.ndarray, z_max: np.ndarray) -> np.ndarray:
    """How many times larger than `z` the bound is; 1 at the bound, also at infinity."""
    at_bound = z >= z_max
    return np.where(at_bound, 1.0, z_max / np.where(at_bound, 1.0, z))


def _mass(z: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Probability of [1, z] under the unbounded law of smallest value 1."""
    mass: np.ndarray = -np.expm1(-a * np.log(z))
    return mass


def _unit(scale: np.ndarray, power: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore", divide="ignore"):  # `scaled` copes
        value: np.ndarray = np.power(scale, power)
        return value


def _integral(z: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Integral of y^(exponent - 1) over [1, z]."""
    with np.errstate(over="ignore"):
        area: np.ndarray = boxcox(z, exponent)
        return area
