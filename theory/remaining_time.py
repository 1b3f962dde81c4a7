r"""Remaining time of a running task whose age is known, and the copy or restart that may end it earlier.

Of a task with duration :math:`X`, tail :math:`S(x) = P(X > x)` and age :math:`a` what remains is
:math:`R = X - a` given :math:`X > a`, so that

.. math:: P(R > t) = \frac{S(a + t)}{S(a)}, \qquad
          E[\min(R, H)] = \frac{1}{S(a)} \int_a^{a + H} S(x)\, dx .

With a finite horizon :math:`H` the mean is finite for every law, also if the task is stuck and never ends.
A copy that needs :math:`s` to start draws its own duration :math:`X'`, and the first to finish ends both:
:math:`E[\min(R, s + X')]`. A restart takes :math:`s + X'`.

Reference for what a copy saves: H. Xu and W. C. Lau, "Optimization for Speculative Execution of Multiple
Jobs in a MapReduce-like Cluster", section V, where the remaining time is known and not only the age.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import boxcox1p, hyp2f1, log_ndtr, ndtr

from theory.domain import require, within_floats
from theory.shape import Numbers, numbers, plain, single

_LEAST_SHAPE = 1e-9


@within_floats
def remaining_tail(t: ArrayLike, age: ArrayLike, scale: ArrayLike, shape: ArrayLike) -> Numbers:
    r"""Probability that a task runs longer than `t` more, if its law is generalised Pareto.

    .. math:: S(x) = \Big(1 + \xi \frac{x}{b}\Big)_+^{-1/\xi}, \qquad
              P(R > t) = \Big(1 + \xi \frac{t}{b + \xi a}\Big)_+^{-1/\xi}

    Parameters
    ----------
    t : array_like of float
        Time from now, >= 0.
    age : array_like of float
        Age :math:`a \ge 0`, counted from where the law begins.
    scale : array_like of float
        Scale :math:`b > 0`.
    shape : array_like of float
        Shape :math:`\xi`: 0 is the exponential law of mean `scale`; a law with :math:`\xi < 0` is bounded
        by :math:`-b/\xi`. :math:`\mathrm{Pareto}(x_m, \alpha)` (tail index of task times) is
        ``scale=x_m/alpha, shape=1/alpha`` with ages counted from :math:`x_m`.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability; 0 for an age that no task reaches.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    The family is closed under ageing: what remains has scale :math:`b + \xi a` and the same shape.
    Pickands (1975), "Statistical inference using extreme order statistics".

    Examples
    --------
    >>> remaining_tail(2.0, age=1.0, scale=0.5, shape=0.5)  # Pareto(1, 2) of age 2: (2 / 4)^2
    0.25
    >>> remaining_tail(1.0, age=[0.0, 9.0], scale=1.0, shape=0.0).round(4)  # no memory
    array([0.3679, 0.3679])
    """
    t, age, scale, shape = _checked(t, age, scale, shape)
    left = scale + shape * age
    with np.errstate(all="ignore"):
        exponent = _exponent(np.where(left > 0, t / np.where(left > 0, left, 1.0), np.inf), shape)
        return plain(np.where(left > 0, np.exp(-exponent), 0.0))


@within_floats
def remaining_mean(
    age: ArrayLike, scale: ArrayLike, shape: ArrayLike, horizon: ArrayLike = np.inf
) -> Numbers:
    r"""Mean remaining time, of which at most a horizon is counted, if the law is generalised Pareto.

    .. math:: E[\min(R, H)] = \frac{b'}{1 - \xi}
              \Big[ 1 - \Big(1 + \xi \frac{H}{b'}\Big)_+^{1 - 1/\xi} \Big], \qquad b' = b + \xi a

    Parameters
    ----------
    age, scale, shape : array_like of float
        As in `remaining_tail`.
    horizon : array_like of float, optional
        :math:`H > 0`.

    Returns
    -------
    float or ndarray, of the broadcast shape
        In the unit of `age`; infinite without a horizon for a shape of 1 or more.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    The older a task with a heavy tail, the longer it still takes; an exponential one does not age.

    Examples
    --------
    >>> remaining_mean(1.0, scale=0.5, shape=0.5)  # Pareto(1, 2) of age 2: age / (alpha - 1)
    2.0
    >>> round(remaining_mean(7.0, scale=3.0, shape=0.0, horizon=3.0), 4)  # 3 (1 - 1/e)
    1.8964
    """
    horizon, age, scale, shape = _checked(horizon, age, scale, shape, "horizon")
    left = np.maximum(scale + shape * age, 0.0)
    sure = np.where(left > 0, left, 1.0)
    with np.errstate(all="ignore"):
        # with y = log(S) the integral is a Box-Cox transform of 1 + xi H / b', which knows the limits
        ratio = np.where(
            shape < 0, np.minimum(horizon / sure, -1 / np.minimum(shape, -1e-300)), horizon / sure
        )
        small = np.abs(shape) < _LEAST_SHAPE
        power = np.where(small, 1.0, 1 - 1 / np.where(small, 1.0, shape))
        whole = boxcox1p(shape * ratio, power) / np.where(small, 1.0, shape)
        return plain(np.where(left > 0, sure * np.where(small, -np.expm1(-ratio), whole), 0.0))


@within_floats
def lognormal_remaining_tail(t: ArrayLike, age: ArrayLike, mu: ArrayLike, sigma: ArrayLike) -> Numbers:
    r"""Probability that a task runs longer than `t` more, if its law is lognormal.

    .. math:: P(R > t) = \frac{\Phi\big((\mu - \ln(a + t))/\sigma\big)}{\Phi\big((\mu - \ln a)/\sigma\big)}

    Parameters
    ----------
    t, age : array_like of float
        Time from now, and age :math:`a`, both >= 0.
    mu, sigma : array_like of float
        Mean and standard deviation (> 0) of the logarithm of a duration.

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
    >>> round(lognormal_remaining_tail(0.0, age=5.0, mu=0.0, sigma=1.0), 6)
    1.0
    >>> round(lognormal_remaining_tail(1.0, age=0.0, mu=0.0, sigma=1.0), 6)  # the median is 1
    0.5
    """
    t, age, mu, sigma = _checked_lognormal(t, age, mu, sigma, "t")
    with np.errstate(divide="ignore", under="ignore", invalid="ignore"):
        before, after = (log_ndtr((mu - np.log(x)) / sigma) for x in (age, age + t))
        return plain(np.where(t > 0, np.exp(after - before), 1.0))


@within_floats
def lognormal_remaining_mean(
    age: ArrayLike, mu: ArrayLike, sigma: ArrayLike, horizon: ArrayLike = np.inf
) -> Numbers:
    r"""Mean remaining time, of which at most a horizon is counted, if the law is lognormal.

    .. math:: \int_a^c S = \big[ x S(x) \big]_a^c + e^{\mu + \sigma^2/2}
              \Big[ \Phi\Big(\frac{\ln x - \mu - \sigma^2}{\sigma}\Big) \Big]_a^c, \qquad c = a + H

    Parameters
    ----------
    age, mu, sigma : array_like of float
        As in `lognormal_remaining_tail`.
    horizon : array_like of float, optional
        :math:`H > 0`.

    Returns
    -------
    float or ndarray, of the broadcast shape
        In the unit of `age`.

    Raises
    ------
    ValueError
        If an argument is outside its domain, or so far in the tail that floats cannot tell.

    Examples
    --------
    >>> round(lognormal_remaining_mean(0.0, mu=0.0, sigma=1.0), 4)  # the mean, exp(1/2)
    1.6487
    """
    horizon, age, mu, sigma = _checked_lognormal(horizon, age, mu, sigma, "horizon")
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        ends = (age, age + horizon)
        tails = [np.exp(log_ndtr((mu - np.log(x)) / sigma)) for x in ends]
        kept = [
            np.where(np.isfinite(x) & (tail > 0), x, 0.0) * tail for x, tail in zip(ends, tails, strict=True)
        ]
        # of two numbers near 1 the difference is lost: those below 1/2 are subtracted instead
        low, high = ((np.log(x) - mu - sigma**2) / sigma for x in ends)
        between = np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
        whole = kept[1] - kept[0] + np.exp(mu + sigma**2 / 2) * between
    require(tails[0] > 1e-100, "age", age, "an age that a task reaches")
    return plain(np.maximum(whole, 0.0) / tails[0])


@within_floats
def stuck_probability(tail: ArrayLike, share: ArrayLike) -> Numbers:
    r"""Probability that a task of some age is stuck, and never ends.

    .. math:: P(\text{stuck} \mid X > a) = \frac{\pi}{\pi + (1 - \pi) S(a)}

    Parameters
    ----------
    tail : array_like of float
        Probability :math:`S(a)` that a task which is not stuck is older, in [0, 1].
    share : array_like of float
        Share :math:`\pi` of the tasks that get stuck, in [0, 1].

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability; 0 if no task is, and none reaches the age.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Examples
    --------
    >>> round(stuck_probability(0.01, 0.01), 4)  # as old as one in 100: as likely as not
    0.5025
    """
    tail, share = numbers("tail", tail), numbers("share", share)
    require((tail >= 0) & (tail <= 1), "tail", tail, "in [0, 1]")
    require((share >= 0) & (share <= 1), "share", share, "in [0, 1]")
    running = share + (1 - share) * tail
    return plain(np.where(running > 0, share / np.where(running > 0, running, 1.0), 0.0))


@within_floats
def copied_mean(age: ArrayLike, alpha: ArrayLike, start: ArrayLike = 0.0) -> Numbers:
    r"""Mean time to the end of a task of known age that gets one copy now, under a Pareto law.

    .. math:: E[\min(R, s + X')] = \int_0^{s + 1} \Big(\frac{a}{a + t}\Big)^{\alpha} dt
              + \int_1^\infty \Big(\frac{a}{a + s + u}\Big)^{\alpha} u^{-\alpha}\, du ,

    in units of the shortest task. The second integral is
    :math:`\big(\frac{a}{a + s}\big)^\alpha \frac{1}{2 \alpha - 1}
    \big(\frac{a + s}{a + s + 1}\big)^{\alpha} {}_2F_1\big(\alpha, 1; 2 \alpha; \frac{a + s}{a + s + 1}\big)`.

    Parameters
    ----------
    age : array_like of float
        Age :math:`a`, in units of the shortest task, >= 1.
    alpha : array_like of float
        Tail index of task times, > 1.
    start : array_like of float, optional
        Time :math:`s \ge 0` that the copy needs to start, in the same unit.

    Returns
    -------
    float or ndarray, of the broadcast shape
        In the same unit; never above the mean remaining time :math:`a/(\alpha - 1)`, and with a growing
        age towards :math:`s + \alpha/(\alpha - 1)`.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Ours. Xu & Lau know at detection that more than a threshold remains (`tau`); here only the age is known,
    and the task may end at once. So at equal age and threshold, with two copies, `tau` is never below twice
    this mean, and both have the same limit.

    Examples
    --------
    >>> round(copied_mean(1.0, 2.0), 4)  # 2 - 2 ln 2
    0.6137
    >>> round(copied_mean(1e6, 3.0, start=1.0), 3)  # the copy ends it: 1 + 3 / 2
    2.5
    """
    age, alpha, start = numbers("age", age), numbers("alpha", alpha), numbers("start", start)
    require((age >= 1) & (age < 1e100), "age", age, "at least 1, the shortest task")
    require((alpha > 1) & (alpha < 1e6), "alpha", alpha, "above 1 (and below 1e6)")
    require((start >= 0) & (start < 1e100), "start", start, "at least 0")
    old = age + start
    alone = age * -np.expm1((1 - alpha) * np.log1p((start + 1) / age)) / (alpha - 1)
    z = old / (old + 1)
    with np.errstate(under="ignore"):
        both = np.exp(alpha * (np.log(age) - np.log(old + 1))) * hyp2f1(alpha, 1.0, 2 * alpha, z)
    return plain(alone + both / (2 * alpha - 1))


@within_floats
def copy_age(alpha: float, start: float = 0.0) -> float:
    r"""Age from which a copy saves machine time, if nothing but the age is known, under a Pareto law.

    .. math:: 2\, E[\min(R, s + X')] = E[R] = \frac{a}{\alpha - 1}

    Parameters
    ----------
    alpha : float
        Tail index of task times, > 1.
    start : float, optional
        Time that the copy needs to start, in units of the shortest task; it takes machine time, too.

    Returns
    -------
    float
        Age, in units of the mean task time.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Ours. It is the rule of `sigma_star` for a task whose remaining time is not known.

    Examples
    --------
    >>> round(copy_age(2.0), 3)  # before the mean task is over
    0.812
    >>> round(copy_age(1.5), 3)  # as soon as all tasks run: the shortest takes a third of the mean
    0.333
    """
    alpha, start = single("alpha", alpha), single("start", start)
    copied_mean(1.0, alpha, start)  # which refuses what is not accepted

    def saving(log_age: float) -> float:
        age = float(np.exp(log_age))
        return age / (alpha - 1) - 2 * float(copied_mean(age, alpha, start))

    if saving(0.0) >= 0:
        return (alpha - 1) / alpha
    high = np.log(4 * alpha + 4 * (alpha - 1) * (start + 1) + 4)
    return float(np.exp(brentq(saving, 0.0, high, xtol=1e-13)) * (alpha - 1) / alpha)


def _exponent(ratio: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """Return minus the logarithm of a generalised Pareto tail."""
    small = np.abs(shape) < _LEAST_SHAPE
    sure = np.where(small, 1.0, shape)
    inside = np.maximum(sure * ratio, -1.0)
    return np.asarray(np.where(small, ratio, np.log1p(inside) / sure))


def _checked(
    t: ArrayLike, age: ArrayLike, scale: ArrayLike, shape: ArrayLike, name: str = "t"
) -> tuple[np.ndarray, ...]:
    t, age, scale, shape = (
        numbers(name, t),
        numbers("age", age),
        numbers("scale", scale),
        numbers("shape", shape),
    )
    require(t >= 0 if name == "t" else t > 0, name, t, "at least 0" if name == "t" else "above 0")
    require((age >= 0) & (age < 1e100), "age", age, "at least 0 (and below 1e100)")
    require((scale > 0) & (scale < 1e100), "scale", scale, "above 0 (and below 1e100)")
    require(np.abs(shape) <= 1e3, "shape", shape, "from -1,000 to 1,000")
    return t, age, scale, shape


def _checked_lognormal(
    t: ArrayLike, age: ArrayLike, mu: ArrayLike, sigma: ArrayLike, name: str
) -> tuple[np.ndarray, ...]:
    t, age, mu, sigma = numbers(name, t), numbers("age", age), numbers("mu", mu), numbers("sigma", sigma)
    require(t >= 0 if name == "t" else t > 0, name, t, "at least 0" if name == "t" else "above 0")
    require((age >= 0) & (age < 1e100), "age", age, "at least 0 (and below 1e100)")
    require(np.abs(mu) < 1e2, "mu", mu, "from -100 to 100")
    require((sigma > 0) & (sigma < 25), "sigma", sigma, "above 0 (and below 25)")
    return t, age, mu, sigma
