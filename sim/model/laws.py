"""Laws of the straggle factor as frozen values: mean, survival and quantile.

A straggle factor is a copy's duration divided by its task's size, 1 on a healthy slot. The compiled
inverse used inside the engines is `sim.kernel.streams.factor`; it is tested equal to `quantile` here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from sim.model.fields import BadInput
from theory.pareto import pareto_moment, pareto_quantile, pareto_tail

# Laws of the size of jobs: how many tasks a job has, and how long a task takes on a healthy slot.
#
# A law is drawn from by its quantile, so that a job keeps its luck when a law or a parameter changes.
# Nothing here needs a compiled kernel.

TASK_LAWS = ("constant", "uniform", "zipf", "pareto", "trace")
SIZE_LAWS = ("constant", "uniform", "exponential", "pareto", "trace")


@dataclass(frozen=True, slots=True)
class TaskLaw:
    """Law of the number of tasks in a job.

    Parameters
    ----------
    kind : str
        One of `TASK_LAWS`.
    low, high : int
        Fewest tasks (uniform, pareto); most tasks, the number itself if constant.
    tail : float
        Exponent of zipf, tail index of pareto.
    """

    kind: str
    low: int
    high: int
    tail: float

    @property
    def mean(self) -> float:
        r"""Mean number of tasks, from the closed form or the exact sum; at least 1.

        .. math:: E[K] = \sum_{k \ge 1} \Pr(K \ge k)

        Raises
        ------
        BadInput
            If the tasks come from a trace, whose mean is known only with the file.

        Examples
        --------
        >>> TaskLaw("uniform", 1, 100, 1.0).mean
        50.5
        >>> TaskLaw("zipf", 1, 2, 1.0).mean  # (1 + 2/2) / (1 + 1/2)
        1.3333333333333333
        """
        if self.kind == "constant":
            return float(self.high)
        if self.kind == "uniform":
            return (self.low + self.high) / 2
        if self.kind == "zipf":
            counts, weight = self._zipf
            return float(np.sum(counts * weight) / np.sum(weight))
        if self.kind == "pareto":
            return self.low + float(np.sum(self._pareto_reaches(np.arange(self.low + 1, self.high + 1))))
        raise BadInput("tasks: 'trace' has no mean of its own; read the workload file first")

    def quantile(self, share: ArrayLike) -> np.ndarray:
        r"""Return the number of tasks that is not exceeded with probability `share` or a little more.

        Pareto counts are the whole part of a Pareto number bounded to [low, high + 1), so that
        :math:`\Pr(K \ge k)` is the Pareto tail at every whole :math:`k`.

        Parameters
        ----------
        share : array_like of float
            Probabilities, in [0, 1).

        Returns
        -------
        ndarray of int64, shape of `share`

        Raises
        ------
        BadInput
            If the tasks come from a trace.

        Examples
        --------
        >>> TaskLaw("uniform", 1, 4, 1.0).quantile([0, 0.25, 0.99])
        array([1, 2, 4])
        """
        share = np.asarray(share, dtype=float)
        if self.kind == "constant":
            return np.full(share.shape, self.high, dtype=np.int64)
        if self.kind == "uniform":
            drawn = self.low + share * (self.high - self.low + 1)
        elif self.kind == "zipf":
            cumulative = np.cumsum(self._zipf[1])
            drawn = 1 + np.searchsorted(cumulative / cumulative[-1], share, side="right")
        elif self.kind == "pareto":
            drawn = np.asarray(pareto_quantile(share, self.low, self.tail, self.high + 1))
        else:
            raise BadInput("tasks: 'trace' is not a law to draw from; give a workload file")
        # The whole part of a number that rounding has lifted to its bound would be one too many.
        return np.asarray(np.minimum(np.floor(drawn), self.high).astype(np.int64))

    @property
    def _zipf(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of tasks from 1 on and their Zipf weights."""
        counts = np.arange(1, self.high + 1, dtype=float)
        return counts, np.asarray(counts**-self.tail)

    def _pareto_reaches(self, counts: np.ndarray) -> np.ndarray:
        """Probability that a Pareto number of tasks is at least `counts`, exact at a small tail index."""
        spans = np.log((self.high + 1) / np.asarray(counts, dtype=float))
        span = np.log((self.high + 1) / self.low)
        return np.asarray(np.expm1(self.tail * spans) / np.expm1(self.tail * span))


@dataclass(frozen=True, slots=True)
class SizeLaw:
    """Law of the time a task takes on a healthy slot.

    Parameters
    ----------
    kind : str
        One of `SIZE_LAWS`.
    low, high : float
        Smallest size, the size itself if constant, the mean if exponential; largest size.
    tail : float
        Tail index of pareto.
    """

    kind: str
    low: float
    high: float
    tail: float

    @property
    def mean(self) -> float:
        """Mean size, positive and finite.

        Raises
        ------
        BadInput
            If the sizes come from a trace, whose mean is known only with the file.

        Examples
        --------
        >>> SizeLaw("uniform", 1, 4, 1.5).mean
        2.5
        """
        if self.kind == "uniform":
            return (self.low + self.high) / 2
        if self.kind == "pareto":
            return float(pareto_moment(self.low, self.tail, x_max=self.high))
        if self.kind == "trace":
            raise BadInput("size: 'trace' has no mean of its own; read the workload file first")
        return self.low

    def quantile(self, share: ArrayLike) -> np.ndarray:
        """Return the size that is not exceeded with probability `share`.

        Parameters
        ----------
        share : array_like of float
            Probabilities, in [0, 1).

        Returns
        -------
        ndarray of float, shape of `share`

        Raises
        ------
        BadInput
            If the sizes come from a trace.

        Examples
        --------
        >>> SizeLaw("uniform", 1, 4, 1.5).quantile([0, 0.5])
        array([1. , 2.5])
        """
        share = np.asarray(share, dtype=float)
        if self.kind == "constant":
            return np.full(share.shape, self.low)
        if self.kind == "uniform":
            return np.asarray(self.low + share * (self.high - self.low))
        if self.kind == "exponential":
            return np.asarray(-self.low * np.log1p(-share))
        if self.kind == "pareto":
            return np.asarray(pareto_quantile(share, self.low, self.tail, self.high))
        raise BadInput("size: 'trace' is not a law to draw from; give a workload file with sizes")


#: Kernels know a law by its index here; never reorder.
STRAGGLE_LAWS = (
    "deterministic",
    "exponential",
    "pareto",
    "bounded-pareto",
    "lognormal",
    "outlier",
    "empirical",
    "table",
)


@dataclass(frozen=True, slots=True)
class StraggleLaw:
    r"""Law of the straggle factor :math:`Z` of a copy.

    Parameters
    ----------
    kind : str
        One of `STRAGGLE_LAWS`.
    numbers : tuple of float
        Parameters of the law: exponential and deterministic none; pareto (tail); bounded-pareto
        (tail, largest); lognormal (sigma of the logarithm); outlier (tail, smallest, probability);
        empirical the samples themselves, sorted; table (tail, share of it) and then quantiles of the rest
        for equal steps of probability, between which it is linear; the tail is Pareto from the last on.
    """

    kind: str
    numbers: tuple[float, ...] = ()

    @property
    def code(self) -> int:
        """Number by which kernels know the law."""
        return STRAGGLE_LAWS.index(self.kind)

    @property
    def tail(self) -> float:
        """Pareto tail index of the law, ``inf`` if its tail is lighter than any power."""
        if self.kind == "table":
            return self.numbers[0] if self.numbers[1] > 0 else math.inf
        return self.numbers[0] if self.kind in ("pareto", "bounded-pareto", "outlier") else math.inf

    @property
    def _largest(self) -> float:
        """Largest factor of the Pareto laws."""
        return self.numbers[1] if self.kind == "bounded-pareto" else math.inf

    @property
    def mean(self) -> float:
        r"""Mean factor :math:`E[Z]`, finite by construction of the scenario.

        Examples
        --------
        >>> StraggleLaw("pareto", (1.5,)).mean  # 1.5 / 0.5
        3.0
        """
        if self.kind in ("pareto", "bounded-pareto"):
            return float(pareto_moment(1, self.tail, x_max=self._largest))
        if self.kind == "outlier":
            tail, smallest, share = self.numbers
            return 1 - share + share * smallest * tail / (tail - 1)
        if self.kind == "empirical":
            return float(np.mean(self.numbers))
        if self.kind == "table":
            (tail, share, *table) = self.numbers
            body = (1 - share) * (np.sum(table) - (table[0] + table[-1]) / 2) / (len(table) - 1)
            return float(body + (share * table[-1] * tail / (tail - 1) if share else 0.0))
        return 1.0

    def survival(self, t: ArrayLike) -> np.ndarray:
        r"""Probability :math:`\Pr(Z > t)`, elementwise."""
        t = np.asarray(t, dtype=float)
        if self.kind == "deterministic":
            return (t < 1).astype(float)
        if self.kind == "exponential":
            return np.asarray(np.exp(-np.maximum(t, 0)))
        if self.kind == "lognormal":
            (sigma,) = self.numbers
            with np.errstate(divide="ignore"):  # log 0 is -inf, where the survival is 1
                return np.asarray(special.ndtr(-(np.log(np.maximum(t, 0)) + sigma**2 / 2) / sigma))
        if self.kind == "empirical":
            return 1 - np.searchsorted(self.numbers, t, side="right") / len(self.numbers)
        if self.kind == "table":
            return self._survival_of_table(t)
        if self.kind == "outlier":
            tail, smallest, share = self.numbers
            return np.where(t < 1, 1.0, share * np.maximum(t / smallest, 1) ** -tail)
        return np.asarray(pareto_tail(t, 1, self.tail, self._largest))

    def quantile(self, share: ArrayLike) -> np.ndarray:
        r"""Smallest :math:`t` with :math:`\Pr(Z \le t) > ` `share`, elementwise on [0, 1).

        Examples
        --------
        >>> float(StraggleLaw("pareto", (2.0,)).quantile(0.75))  # 0.25 ** -0.5
        2.0
        """
        share = np.asarray(share, dtype=float)
        left = 1 - share
        if self.kind == "deterministic":
            return np.ones_like(left)
        if self.kind == "exponential":
            return np.asarray(-np.log(left))
        if self.kind == "lognormal":
            (sigma,) = self.numbers
            return np.asarray(np.exp(-sigma * special.ndtri(left) - sigma**2 / 2))
        if self.kind == "empirical":
            index = np.floor(share * len(self.numbers)).astype(int)
            return np.asarray(np.asarray(self.numbers)[np.minimum(index, len(self.numbers) - 1)])
        if self.kind == "table":
            return self._quantile_of_table(left)
        if self.kind == "outlier":
            tail, smallest, p = self.numbers
            outlier = left <= p
            return np.where(outlier, smallest * np.where(outlier, left / (p or 1), 1) ** (-1 / tail), 1.0)
        return np.asarray(pareto_quantile(share, 1, self.tail, self._largest))

    def _survival_of_table(self, t: np.ndarray) -> np.ndarray:
        tail, share, *listed = self.numbers
        table = np.array(listed)
        below = np.clip(np.searchsorted(table, t, side="right") - 1, 0, table.size - 2)
        step = table[below + 1] - table[below]
        inside = np.where(step > 0, (t - table[below]) / np.where(step > 0, step, 1), 1.0)
        place = np.clip(below + inside, 0, table.size - 1)
        beyond = share * np.maximum(t / table[-1], 1.0) ** -tail
        return np.where(t < table[-1], 1 - (1 - share) * place / (table.size - 1), beyond)

    def _quantile_of_table(self, left: np.ndarray) -> np.ndarray:
        """Return the value beyond which this share is left, of a table with its tail."""
        tail, share, *listed = self.numbers
        table = np.array(listed)
        place = np.clip((1 - left) / (1 - share) * (table.size - 1), 0, table.size - 1)
        below = np.minimum(place.astype(int), table.size - 2)
        body = table[below] + (place - below) * (table[below + 1] - table[below])
        in_tail = left < share
        return np.where(in_tail, table[-1] * (share / np.where(in_tail, left, 1.0)) ** (1 / tail), body)


def straggle_law(
    kind: str,
    *,
    tail: float,
    largest: float,
    cv: float,
    outliers: tuple[float, float],
    samples: tuple[float, ...],
    tail_share: float = 0.0,
) -> StraggleLaw:
    """Return a law of the straggle factor from the numbers that a scenario has for all laws.

    Parameters
    ----------
    kind : str
        One of `STRAGGLE_LAWS`.
    tail, largest, cv : float
        Tail index, largest factor, coefficient of variation.
    outliers : tuple of float
        Smallest factor of an outlier, and the probability of one. Where that differs between slots it is
        the mean over them, on which the mean factor depends alone.
    samples : tuple of float
        Factors to resample, or quantiles.
    tail_share : float, optional
        Probability of the Pareto tail beyond the largest of these quantiles.

    Raises
    ------
    BadInput
        If an empirical law has no samples, or a table no two.
    """
    if kind == "pareto":
        return StraggleLaw("pareto", (tail,))
    if kind == "bounded-pareto":
        return StraggleLaw("bounded-pareto", (tail, largest))
    if kind == "lognormal":
        return StraggleLaw("lognormal", (math.sqrt(math.log1p(cv**2)),))
    if kind == "outlier":
        return StraggleLaw("outlier", (tail, *outliers))
    if kind == "empirical":
        if not samples:
            raise BadInput("samples: () is not accepted by the empirical law; give the factors to resample")
        return StraggleLaw("empirical", samples)
    if kind == "table":
        if len(samples) < 2:
            raise BadInput(f"samples: {samples} is not accepted by the table law; give two quantiles or more")
        return StraggleLaw("table", (tail, tail_share, *samples))
    return StraggleLaw(kind)
