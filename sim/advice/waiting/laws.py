r"""Which laws of task times the siblings allow, and what each says of a task that is still running.

Below a threshold, the upper part of the siblings apart, the law is that of the siblings themselves: the
product-limit estimate (Kaplan and Meier) as a Bayesian bootstrap, in which the next task falls into each gap
between :math:`n` siblings with probability :math:`1/(n + 1)`. Above it the laws of `theory.remaining_time`
compete: generalised Pareto, which has the Pareto and the exponential law and bounded ones as cases, and
lognormal, each with and without a share of tasks that are apart. Running tasks count as lower bounds
everywhere. Laws are drawn with their posterior probability, so that few siblings give wide intervals.

Reference: S. Coles, *An Introduction to Statistical Modeling of Extreme Values* (2001), chapter 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy.special import log_ndtr

from theory.remaining_time import lognormal_remaining_tail, remaining_tail

#: Siblings above the threshold: a share of those that are done, at least and at most so many. With more of
#: them a second mode, or outliers, would be taken for a tail that goes on.
SHARE, LEAST, MOST = 0.03, 4, 100
#: Times below the threshold that are told apart: of very many siblings every so many.
KNOTS = 400
#: Digits of the longest time beyond which two times do not differ.
ALIKE = 12
#: Laws that are drawn.
DRAWS = 400
#: Tail indices, as likely as each other, of the durations of tasks apart: of another kind than their siblings
#: (stuck, far more work that no log tells, an executor that starts), several times as long or without an end.
APART = (0.3, 0.6, 1.2)
#: Shares of tasks apart, and how likely each is before anything is seen.
APART_SHARES = (0.0, 0.003, 0.01, 0.03, 0.1)
_APART_PRIOR = (0.78, 0.06, 0.06, 0.06, 0.04)
#: Share and tail index, and how likely both are.
_KINDS = np.array([*product(APART_SHARES, APART)])
_KINDS_PRIOR = np.repeat(_APART_PRIOR, len(APART)) / len(APART)
#: What is held likely of the shape of a tail before anything is seen: mean and spread.
_SHAPE, _SPREAD = 0.0, 0.35
_SHAPES = np.linspace(-0.7, 1.6, 24)
_SCALES = np.geomspace(0.1, 10, 31)
_SIGMAS = np.geomspace(0.04, 2.5, 24)
#: Where the threshold lies, in standard deviations of the logarithm above the median of a lognormal law.
_PLACES = np.linspace(-2.0, 3.5, 23)


@dataclass(frozen=True, eq=False)
class Laws:
    """Draws of the law of durations, of which each has a row.

    Parameters
    ----------
    knots : ndarray, shape (k,)
        Durations up to the threshold, from 0 or a little below the shortest sibling; the last one is the
        threshold.
    body : ndarray, shape (draws, k)
        Probability of more than each.
    scale, shape : ndarray, shape (draws,)
        Of the generalised Pareto law above the threshold; NaN where the law is lognormal.
    mu, sigma : ndarray, shape (draws,)
        Of the lognormal law; NaN where it is generalised Pareto.
    apart : ndarray, shape (draws,)
        Share of the tasks above the threshold that are apart.
    index : ndarray, shape (draws,)
        Tail index of the durations of these.
    """

    knots: np.ndarray
    body: np.ndarray
    scale: np.ndarray
    shape: np.ndarray
    mu: np.ndarray
    sigma: np.ndarray
    apart: np.ndarray
    index: np.ndarray

    def tail(self, x: np.ndarray) -> np.ndarray:
        """Return the probability of more than each of some durations, shape (draws, durations)."""
        x = np.asarray(x, float)
        u = self.knots[-1]
        place = np.clip(np.searchsorted(self.knots, x, side="right") - 1, 0, len(self.knots) - 2)
        width = self.knots[place + 1] - self.knots[place]
        part = np.clip((x - self.knots[place]) / width, 0.0, 1.0)
        body = self.body[:, place] * (1 - part) + self.body[:, place + 1] * part
        above = x > u
        if above.any():
            body[:, above] *= self._beyond(x[above] - u)
        return body

    def remaining(self, age: float, t: np.ndarray) -> np.ndarray:
        """Return the probability that a task of some age takes longer than each of some times more."""
        before = self.tail(np.array([age]))
        return np.asarray(np.minimum(self.tail(age + np.asarray(t, float)) / np.maximum(before, 1e-300), 1.0))

    def _beyond(self, y: np.ndarray) -> np.ndarray:
        """Return the tail above the threshold, for a task that has reached it."""
        heavy = np.isnan(self.mu)
        tail = np.empty((len(self.scale), y.size))
        tail[heavy] = remaining_tail(y, 0.0, self.scale[heavy, None], self.shape[heavy, None])
        tail[~heavy] = lognormal_remaining_tail(
            y, self.knots[-1], self.mu[~heavy, None], self.sigma[~heavy, None]
        )
        u = self.knots[-1]
        apart = (u / (u + y)) ** self.index[:, None]
        return np.asarray(self.apart[:, None] * apart + (1 - self.apart[:, None]) * tail)


def laws(done: np.ndarray, running: np.ndarray, seed: int = 1, draws: int = DRAWS) -> Laws:
    """Draw laws that the siblings allow.

    Parameters
    ----------
    done : ndarray, shape (n,)
        Durations of the siblings that are done, > 0, at least 2.
    running : ndarray
        Ages of the tasks that are not.
    seed, draws : int, optional

    Examples
    --------
    >>> allowed = laws(np.array([9.0, 10.0, 11.0, 12.0, 10.0, 9.5, 10.5, 11.5, 12.5, 13.0]), np.array([30.0]))
    >>> tail = allowed.remaining(30.0, np.array([0.0, 10.0, 100.0])).mean(axis=0)
    >>> bool(tail[0] == 1.0 > tail[1] > tail[2] > 0)
    True
    """
    random = np.random.default_rng([seed, 23])
    done, running = np.sort(np.asarray(done, float)), np.asarray(running, float)
    done = done[-1] * np.round(done / done[-1], ALIKE)  # times that rounding alone tells apart are equal
    many = int(np.clip(round(SHARE * done.size), min(LEAST, done.size - 1), MOST))
    u = float(done[-many - 1] + done[-many]) / 2
    above = done[-many:]
    if u >= above[0]:  # equal times: the threshold lies below all of them
        lower = done[done < above[0]]
        u = float(lower[-1] + above[0]) / 2 if lower.size else above[0] * (1 - 1e-6)
        above = done[done > u]
    knots, body = _body(done[done <= u], running, u, done.size, random, draws)
    tail = _tail(above - u, np.maximum(running - u, 0.0)[running > u], u, body[:, -1].mean(), random, draws)
    return Laws(knots, body, *tail)


def _body(
    done: np.ndarray, running: np.ndarray, u: float, count: int, random: np.random.Generator, draws: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the law up to the threshold: at each time the share of those at risk that end there is random."""
    times = np.unique(done)
    if times.size > KNOTS:
        times = times[np.linspace(0, times.size - 1, KNOTS, dtype=int)]
    ended = np.diff(np.searchsorted(done, times, side="right"), prepend=0)
    at_risk = count - np.cumsum(ended) + ended + np.count_nonzero(running[:, None] >= times, axis=0)
    hazard = random.beta(ended, at_risk - ended + 1.0, (draws, times.size))
    survival = np.cumprod(1 - hazard, axis=1)
    first = max(0.0, 2 * times[0] - (times[1] if times.size > 1 else u)) if times.size else 0.0
    knots = np.concatenate([[min(first, u * (1 - 1e-9))], times[times < u], [u]])
    at_u = survival[:, -1:] if times.size else np.ones((draws, 1))
    return knots, np.concatenate([np.ones((draws, 1)), survival[:, : knots.size - 2], at_u], axis=1)


def _tail(
    ended: np.ndarray, ages: np.ndarray, u: float, reached: float, random: np.random.Generator, draws: int
) -> tuple[np.ndarray, ...]:
    """Draw laws above the threshold with their posterior probability."""
    unit = float((ended.sum() + ages.sum()) / max(ended.size, 1)) or u * 1e-6
    scale, shape, place, sigma, prior = _grid()
    scale = scale * unit
    heavy = np.isnan(sigma)
    mu = np.log(u) - place * sigma
    apart = np.minimum(_KINDS[:, 0] / max(reached, 1e-9), 0.5)

    def pareto(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        b, xi = scale[heavy, None], shape[heavy, None]
        inside = 1 + xi * y / b
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log(np.maximum(inside, 0.0))
            flat = np.abs(xi) < 1e-9
            exponent = np.where(flat, y / b, log / np.where(flat, 1.0, xi))
            tail = np.where(inside > 0, -exponent, -np.inf)
            density = np.where(inside > 0, -exponent - log - np.log(b), -np.inf)
        return tail, density

    def lognormal(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        m, s = mu[~heavy, None], sigma[~heavy, None]
        z = (np.log(u + y) - m) / s
        before = log_ndtr((m - np.log(u)) / s)
        return log_ndtr(-z) - before, -(z**2) / 2 - np.log(s * np.sqrt(2 * np.pi) * (u + y)) - before

    likelihood = np.empty((prior.size, apart.size))
    for which, law in ((heavy, pareto), (~heavy, lognormal)):
        density, tail = np.exp(law(ended)[1]), np.exp(law(ages)[0])
        for kind, (share, index) in enumerate(zip(apart, _KINDS[:, 1], strict=True)):
            with np.errstate(divide="ignore"):
                of_ended = share * index / u * (u / (u + ended)) ** (1 + index) + (1 - share) * density
                of_ages = share * (u / (u + ages)) ** index + (1 - share) * tail
                likelihood[which, kind] = np.log(of_ended).sum(axis=1) + np.log(of_ages).sum(axis=1)
    weight = np.log(prior)[:, None] + np.log(_KINDS_PRIOR) + likelihood
    weight = np.exp(weight - weight.max()).ravel()
    # systematic sampling in the order of the grid: less noise than as many independent draws
    steps = (np.arange(draws) + random.random(draws)) / draws
    found = np.searchsorted(np.cumsum(weight) / weight.sum(), steps).clip(max=weight.size - 1)
    found = random.permutation(found)  # not in step with the draws of the body
    row, kinds = np.divmod(found, apart.size)
    return (
        scale[row],
        shape[row],
        np.where(heavy, np.nan, mu)[row],
        sigma[row],
        apart[kinds],
        _KINDS[kinds, 1],
    )


@cache
def _grid() -> tuple[np.ndarray, ...]:
    """Return scale, shape, place and sigma of all laws, and how likely each is before anything is seen."""
    shape, scale = (one.ravel() for one in np.meshgrid(_SHAPES, _SCALES, indexing="ij"))
    sigma, place = (one.ravel() for one in np.meshgrid(_SIGMAS, _PLACES, indexing="ij"))
    first = np.exp(-(((shape - _SHAPE) / _SPREAD) ** 2) / 2)
    nan = np.full(sigma.size, np.nan)
    prior = np.concatenate([first / first.sum(), np.full(sigma.size, 1 / sigma.size)]) / 2
    return (
        np.concatenate([scale, nan]),
        np.concatenate([shape, nan]),
        np.concatenate([np.full(shape.size, np.nan), place]),
        np.concatenate([np.full(shape.size, np.nan), sigma]),
        prior,
    )
