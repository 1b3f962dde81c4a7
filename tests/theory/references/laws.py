"""Pareto laws, their order statistics, and what remains of a task: SciPy's laws, integrated."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq

from tests.theory.references import reference

INF = math.inf


def integral(function: Callable[[float], float], low: float, high: float) -> float:
    return float(quad(function, low, high, epsabs=0, epsrel=1e-10, limit=400)[0])


def law(x_m: float, a: float, x_max: float = INF):
    return stats.pareto(a, scale=x_m) if x_max == INF else stats.truncpareto(a, x_max / x_m, scale=x_m)


def survival(x_m: float, a: float) -> Callable[[float], float]:
    """Return P(B > t), which defines the law; SciPy's takes its time, and integrals ask often."""
    return lambda t: (x_m / t) ** a if t > x_m else 1.0


def beyond(function: Callable[[float], float], low: float, thinning: float) -> float:
    """Integrate from `low` to infinity, by the logarithm, what falls like a power, `thinning` + 1."""
    return integral(lambda x: low * math.exp(x) * function(low * math.exp(x)), 0, 45 / thinning)


@cache
def part(x_m: float, a: float, low: float, high: float, power: float, x_max: float) -> float:
    """E[B^p; low < B <= high], by the logarithm of B, in which heavy tails are light."""
    low, high = max(low, x_m), min(high, x_max)
    if low >= high:
        return 0.0
    if high == INF and power >= a:
        return INF
    mass = 1 - (x_m / x_max) ** a

    def density(t):
        return t**power * a * x_m**a / t ** (a + 1) / mass

    return beyond(density, low, a - power) if high == INF else integral(density, low, high)


@reference((3.0, 2.0, 1.5), (3.0, 2.0, 1.5, 8.0), (1.0, 2.0, 1.5), (9.0, 2.0, 1.5, 8.0))
def pareto_tail(t, x_m, a, x_max=INF):
    return law(x_m, a, x_max).sf(t)


@reference((3.0, 2.0, 1.5), (3.0, 2.0, 1.5, 8.0), (1.0, 2.0, 1.5), (9.0, 2.0, 1.5, 8.0))
def pareto_cdf(t, x_m, a, x_max=INF):
    return law(x_m, a, x_max).cdf(t)


@reference((0.3, 2.0, 1.5), (0.9, 2.0, 1.5, 8.0), (0.0, 2.0, 1.5))
def pareto_quantile(u, x_m, a, x_max=INF):
    return law(x_m, a, x_max).ppf(u)


@reference((2.0, 2.5), (2.0, 2.5, 2.0), (2.0, 2.5, 3.0), (2.0, 1.0, 1.0, 9.0), (2.0, 0.5, 2.0, 9.0))
def pareto_moment(x_m, a, power=1, x_max=INF):
    return part(x_m, a, x_m, INF, power, x_max)


@reference((2.0, 2.5, 5.0), (2.0, 1.0, 5.0), (2.0, 0.5, 5.0, 2.0, 9.0), (2.0, 1.5, 1.0))
def pareto_partial_moment(x_m, a, limit, power=1, x_max=INF):
    return part(x_m, a, x_m, limit, power, x_max)


@reference((2.0, 2.5, 5.0), (2.0, 1.0, 5.0), (2.0, 0.5, 5.0, 2.0, 9.0), (2.0, 1.5, 10.0, 1.0, 9.0))
def pareto_tail_moment(x_m, a, limit, power=1, x_max=INF):
    return part(x_m, a, limit, INF, power, x_max)


@reference((2.0, 1.5, 3), (1.0, 1.2, 2))
def minimum_of_copies(x_m, a, copies):
    """All copies are above twice the least value: what a Pareto law would say of that gives its index."""
    return {"x_m": x_m, "a": -math.log2(law(x_m, a).sf(2 * x_m) ** copies)}


@reference((1.5, 4, 3, 1.5), (3.0, 2, 1, 0.8), (1.0, 4, 3, 1.5))
def order_statistic_tail(t, n, k, alpha):
    """Fewer than k of n tasks, each finished or not, have finished."""
    return stats.binom.cdf(k - 1, n, law(1.0, alpha).cdf(t))


@reference((0.3, 4, 3, 1.5), (0.95, 2, 1, 0.8))
def order_statistic_quantile(u, n, k, alpha):
    return brentq(lambda t: 1 - order_statistic_tail(t, n, k, alpha) - u, 1, 1e6, xtol=1e-12, rtol=1e-12)


@cache
@reference((4, 3, 1.5), (4, 4, 2.5, 2.0), (3, 3, 1.5, 2.0), (5, 2, 0.8))
def order_statistic_moment(n, k, alpha, power=1):
    """Integrate the tail."""
    thinning = alpha * (n - k + 1) - power
    if thinning <= 0:
        return INF

    def fewer(t: float) -> float:  # than k of n have finished
        late = t**-alpha
        return sum(math.comb(n, i) * (1 - late) ** i * late ** (n - i) for i in range(k))

    return 1 + beyond(lambda t: power * t ** (power - 1) * fewer(t), 1.0, thinning)


@reference((3, 1.5), (3, 2.5, 2.0), (2, 1.5, 2.0))
def maximum_moment(n, alpha, power=1):
    return order_statistic_moment(n, n, alpha, power)


@reference((3, 1.5), (3, 2.5, 2.0), (2, 0.5, 2.0))
def minimum_moment(n, alpha, power=1):
    return order_statistic_moment(n, 1, alpha, power)


# --- what remains of a task of some age ---


def ended_by(tail: Callable[[float], float], horizon: float) -> float:
    """Mean of what has this tail, at most the horizon of it: the tail integrated, by powers of ten."""
    ends = [0.0, *(10.0**k for k in range(-6, 12) if 10.0**k < horizon), min(horizon, 1e12)]
    return sum(integral(tail, low, high) for low, high in pairwise(ends))


def aged(whole, age: float) -> Callable[[float], float]:
    """Return the tail of what remains at an age, of SciPy's law of the whole."""
    return lambda t: whole.sf(age + t) / whole.sf(age)


@reference((2.0, 1.0, 0.5, 0.5), (1.0, 9.0, 2.0, 0.0), (0.3, 1.0, 1.0, -0.5), (4.0, 2.0, 1.0, 2.0))
def remaining_tail(t, age, scale, shape):
    return aged(stats.genpareto(shape, scale=scale), age)(t)


@reference(
    *((1.0, 0.5, 0.25), (7.0, 3.0, 0.0, 3.0), (1.0, 1.0, -0.5), (1.0, 1.0, -0.5, 0.2)),
    *((2.0, 1.0, 1.0, 5.0), (2.0, 1.0, 1.6, 50.0)),
)
def remaining_mean(age, scale, shape, horizon=INF):
    return ended_by(aged(stats.genpareto(shape, scale=scale), age), horizon)


@reference((1.0, 0.0, 0.0, 1.0), (2.0, 5.0, 1.0, 0.5), (3.0, 40.0, 0.0, 1.0))
def lognormal_remaining_tail(t, age, mu, sigma):
    return aged(stats.lognorm(sigma, scale=math.exp(mu)), age)(t)


@reference((0.0, 0.0, 1.0), (5.0, 1.0, 0.5), (5.0, 1.0, 0.5, 2.0), (40.0, 0.0, 1.0, 9.0))
def lognormal_remaining_mean(age, mu, sigma, horizon=INF):
    return ended_by(aged(stats.lognorm(sigma, scale=math.exp(mu)), age), horizon)


@reference((0.01, 0.01), (0.5, 0.2), (0.0, 0.3), (1.0, 0.1))
def stuck_probability(tail, share):
    """Count 10,000 tasks, of each kind those that reach the age."""
    stuck, others = 10_000 * share, 10_000 * (1 - share) * tail
    return stuck / (stuck + others)


@reference((1.0, 2.0), (4.0, 1.5), (3.0, 2.5, 1.0), (20.0, 3.0, 0.5))
def copied_mean(age, alpha, start=0.0):
    """What remains ends when it does, or when the copy does."""
    rest, copy = aged(law(1.0, alpha), age), law(1.0, alpha)
    sure = integral(rest, 0, start + 1)
    return sure + beyond(lambda u: rest(start + u) * copy.sf(u), 1.0, 2 * alpha - 1)


@reference((2.0,), (3.0,), (2.0, 0.5), (4.0, 3.0))
def copy_age(alpha, start=0.0):
    def saved(age: float) -> float:
        rest = aged(law(1.0, alpha), age)
        alone = integral(rest, 0, 1) + beyond(rest, 1.0, alpha - 1)
        return alone - 2 * copied_mean(age, alpha, start)

    return brentq(saved, 1, 50 * alpha) * (alpha - 1) / alpha
