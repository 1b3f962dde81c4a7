"""The law of luck for the engine: observed quantiles, and a Pareto tail for the slowest.

Luck is the duration of a copy over the scale of its stage (`sim.advice.whatif.scales`). The body of its law
is the Kaplan-Meier estimate. For the slowest `FEWEST` copies a Pareto tail takes its place, with the index
that fits them best, killed copies counting as lower bounds. It begins earlier, at most at the slowest
twentieth, the more of that twentieth were killed: there the estimate has no values. Where nothing was
killed, values that were seen are better than a law: a Pareto tail from the slowest twentieth on promised 5 %
too much of the mean job time where durations have a limit (`tests.zoo`, Pareto luck cut off at 8 to 15). The
tail ends at twice the largest value that was seen: a tail without an end would let the mean rest on copies
slower than any in the history.

Kinds of stages are unequally noisy. Luck of a kind is luck of the law to a power up to a knee, `KNEE` times
the spread of the kind: that is its noise. Beyond it stand stragglers, which a fault of a machine makes, and a
fault does not ask how noisy a stage is: by how much they pass the knee is alike for all kinds, unless the
copies beyond it show that it grows with the spread (`knee_of`). As a power of the noise an 8-fold straggler
of a quiet kind let one of a usual kind take 44 times as long. No luck is longer than the longest of the law.
Where most of the slowest were killed, the largest value tells little of the end: other models
that the history allows have it farther out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.advice.diagnosis.survival import kaplan_meier

#: Steps of the table.
STEPS = 2000
#: Fewest finished copies that a tail is fitted to, and how much longer than all of them it goes on.
FEWEST, MOST = 10, 2.0
#: Factor by which the end may be farther out if all of the slowest were killed.
FARTHER = 7.0
#: Largest log of luck in units of the usual spread: in a kind without any noise a slow copy has no bound.
LARGEST = 500.0
#: Spreads of a kind up to which luck is its noise, and beyond which a copy is a straggler.
KNEE = 3.0
#: Kinds with stragglers, and log of the likelihood ratio, from which stragglers grow with the noise of kinds.
_KINDS, _GROWS = 5, 2.0


@dataclass(frozen=True)
class Law:
    """A law of luck.

    Parameters
    ----------
    samples : tuple of float
        Quantiles for equal steps of probability, from 0 to 1, of luck of the usual spread.
    longest : float, optional
        Longest luck of any copy, of whatever spread.
    knee : float, optional
        Log of the luck of the usual spread beyond which it is no power.
    """

    samples: tuple[float, ...]
    longest: float = math.inf
    knee: float = math.inf

    @property
    def usual(self) -> tuple[float, ...]:
        """Quantiles of the luck of copies of the usual spread.

        Examples
        --------
        >>> Law((1.0, 2.0, 5.0), longest=3.0).usual
        (1.0, 2.0, 3.0)
        """
        return tuple(min(value, self.longest) for value in self.samples)

    @property
    def mean(self) -> float:
        """Mean luck of copies of the usual spread.

        Examples
        --------
        >>> Law((1.0, 2.0, 5.0)).mean
        2.5
        """
        return float(np.trapezoid(self.usual, dx=1 / (len(self.samples) - 1)))

    def luck(self, share: np.ndarray, power: np.ndarray) -> np.ndarray:
        """Return the luck at these quantiles of copies; up to the knee it is that of the law to their power.

        Examples
        --------
        >>> share, power = np.array([0.5, 0.5, 1.0]), np.array([1.0, 2.0, 2.0])
        >>> Law((1.0, 2.0, 5.0), longest=8.0).luck(share, power)
        array([2., 4., 8.])
        >>> Law((1.0, 2.0, 5.0), knee=math.log(2.0)).luck(share, power)
        array([ 2.,  4., 10.])
        """
        log = of_kind(np.log(np.maximum(self.draw(share), 1e-300)), power, self.knee)
        return np.minimum(np.exp(np.minimum(log, LARGEST)), self.longest)

    def rank(self, luck: np.ndarray, power: np.ndarray) -> np.ndarray:
        """Return which share of copies has no longer luck; the inverse of `luck`.

        Examples
        --------
        >>> Law((1.0, 2.0, 5.0), knee=math.log(2.0)).rank(np.array([4.0, 10.0]), np.array([2.0, 2.0]))
        array([0.5, 1. ])
        """
        usual = np.exp(of_usual(np.log(np.maximum(luck, 1e-300)), power, self.knee))
        return np.interp(usual, self.samples, np.linspace(0, 1, len(self.samples)))

    def draw(self, share: np.ndarray) -> np.ndarray:
        """Return quantiles, elementwise."""
        return np.interp(share, np.linspace(0, 1, len(self.samples)), self.samples)


def of_kind(log: np.ndarray, power: np.ndarray, knee: float) -> np.ndarray:
    """Return the log of the luck of a kind, of the log of that of the usual spread.

    Up to the knee it is multiplied by the power; beyond it the difference stays.
    """
    return np.asarray(power * np.minimum(log, knee) + np.maximum(log - knee, 0.0))


def of_usual(log: np.ndarray, power: np.ndarray, knee: float) -> np.ndarray:
    """Return the log of the luck of the usual spread, of that of a kind: the inverse of `of_kind`.

    Examples
    --------
    >>> log, power = np.array([-0.2, 0.1, 2.0]), np.array([0.5, 0.5, 0.5])
    >>> of_usual(log, power, 0.6).tolist(), of_kind(of_usual(log, power, 0.6), power, 0.6).round(3).tolist()
    ([-0.4, 0.2, 2.3], [-0.2, 0.1, 2.0])
    """
    beyond = np.maximum(log - power * knee, 0.0) if math.isfinite(knee) else 0.0
    return np.asarray((log - beyond) / power + beyond)


def knee_of(luck: np.ndarray, complete: np.ndarray, power: np.ndarray, scale: float) -> float:
    r"""Return the log of the luck of the usual spread beyond which luck is alike in all kinds; else infinity.

    By how much luck passes the knee of its kind is taken for exponential with mean :math:`\mu p^b`, p the
    power of the kind, lower bounds counted as such. That it grows with the noise, b = 1, needs a likelihood
    of e² times that of b = 0: few kinds, or powers that are nearly alike, are no evidence.

    Parameters
    ----------
    luck : ndarray
        Log of the luck of copies, or lower bounds of it.
    complete : ndarray of bool
        Which are no bounds.
    power : ndarray
        Spread of the kind of each over the usual one.
    scale : float
        The usual spread.

    Examples
    --------
    >>> power = np.repeat([0.5, 0.7, 0.9, 1.1, 1.3, 1.5], 40)
    >>> faults = np.tile(np.r_[np.zeros(30), np.full(10, 2.0)], 6)  # the same in all kinds
    >>> round(knee_of(faults, np.ones(240, bool), power, 0.1), 3)
    0.3
    >>> knee_of(faults * power, np.ones(240, bool), power, 0.1)
    inf
    """
    knee = KNEE * scale
    beyond = luck - power * knee
    slow = beyond > 0
    done, own = slow & complete, power[slow]
    if np.unique(power[done]).size < _KINDS:
        return knee
    log = math.log(beyond[slow].sum()) - math.log((beyond[slow] / own).sum())
    grows = done.sum() * log - float(np.log(power[done]).sum())
    return math.inf if grows > _GROWS else knee


def law_of(values: np.ndarray, complete: np.ndarray, beyond: float = 0.0) -> Law:
    """Estimate the law from values, some of them lower bounds.

    Parameters
    ----------
    values : ndarray
    complete : ndarray of bool
        Which of them are no bounds.
    beyond : float, optional
        How far out the end of the tail is, from 0, at twice the largest value, to 1, at `FARTHER` times that
        where all of the slowest were killed.

    Examples
    --------
    >>> law = law_of(np.array([1.0, 2.0, 3.0]), np.array([True, True, True]))
    >>> law.samples[0], law.samples[-1]
    (1.0, 3.0)
    """
    x, survival = kaplan_meier(values, complete)
    wanted = np.linspace(0, 1, STEPS + 1)
    table = np.interp(wanted, np.concatenate([[0.0], 1 - survival]), np.concatenate([x[:1], x]))
    cut, index, killed = _tail(values, complete)
    end = MOST * float(values.max()) * (1 + (FARTHER - 1) * killed) ** beyond
    share = float(np.interp(cut, x, survival))
    if index > 0 and share > 0:
        kept = (cut / end) ** index  # of the tail, beyond its end
        slowest = wanted > 1 - share
        left = (1 - wanted[slowest]) / share * (1 - kept) + kept
        least = np.finfo(float).tiny  # of a light tail nothing is kept
        table[slowest] = cut * np.maximum(left, least) ** (-1 / index)
    return Law(tuple(np.maximum.accumulate(table).tolist()))


def _tail(values: np.ndarray, complete: np.ndarray) -> tuple[float, float, float]:
    """Return where the slowest copies begin, the index of their tail (0: too few), and the share killed."""
    finished = np.sort(values[complete])
    twentieth = max(FEWEST, finished.size // 20)
    if finished.size < 2 * twentieth:
        return float(finished[-1]), 0.0, 0.0
    slowest = values > finished[-twentieth]
    killed = float(np.mean(~complete[slowest])) if slowest.any() else 0.0
    some = FEWEST + round(killed * (twentieth - FEWEST))
    cut = float(finished[-some])
    logs = float(np.log(values[values > cut] / cut).sum())
    return cut, (some - 1) / logs if logs > 0 else 0.0, killed if logs > 0 else 0.0
