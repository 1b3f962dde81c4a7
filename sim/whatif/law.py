"""The law of luck for the engine: observed quantiles, and a Pareto tail for the slowest.

Luck is the duration of a copy over the scale of its stage (`sim.whatif.scales`). The body of its law is the
Kaplan-Meier estimate. For the slowest `FEWEST` copies a Pareto tail takes its place, with the index that fits
them best, killed copies counting as lower bounds. It begins earlier, at most at the slowest twentieth, the
more of that twentieth were killed: there the estimate has no values. Where nothing was killed, values that
were seen are better than a law: a Pareto tail from the slowest twentieth on promised 5 % too much of the mean
job time where durations have a limit (`tests.zoo`, Pareto luck cut off at 8 to 15). The tail ends at twice
the largest value that was seen: a tail without an end would let the mean rest on copies slower than any in
the history. Luck of an unequally noisy kind of stages is luck of the law to a power, and has the same end:
else a copy of a quiet kind that took three times as long would let one of a noisy kind take thousands of
times as long. Where most of the slowest were killed, the largest value tells little of the end: other models
that the history allows have it farther out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.traces.diagnosis.survival import kaplan_meier

#: Steps of the table.
STEPS = 2000
#: Fewest finished copies that a tail is fitted to, and how much longer than all of them it goes on.
FEWEST, MOST = 10, 2.0
#: Factor by which the end may be farther out if all of the slowest were killed.
FARTHER = 7.0
#: Largest log of luck in units of the usual spread: in a kind without any noise a slow copy has no bound.
LARGEST = 500.0


@dataclass(frozen=True)
class Law:
    """A law of luck.

    Parameters
    ----------
    samples : tuple of float
        Quantiles for equal steps of probability, from 0 to 1, of luck of the usual spread.
    longest : float, optional
        Longest luck of any copy, of whatever spread.
    """

    samples: tuple[float, ...]
    longest: float = math.inf

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
        """Return the luck at these quantiles of copies whose luck is that of the law to a power.

        Examples
        --------
        >>> Law((1.0, 2.0, 5.0), longest=8.0).luck(np.array([0.5, 0.5, 1.0]), np.array([1.0, 2.0, 2.0]))
        array([2., 4., 8.])
        """
        with np.errstate(over="ignore"):  # what is too large for a number is longer than the longest
            return np.minimum(self.draw(share) ** power, self.longest)

    def draw(self, share: np.ndarray) -> np.ndarray:
        """Return quantiles, elementwise."""
        return np.interp(share, np.linspace(0, 1, len(self.samples)), self.samples)


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
