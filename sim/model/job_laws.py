"""Laws of the size of jobs: how many tasks a job has, and how long a task takes on a healthy slot.

A law is drawn from by its quantile, so that a job keeps its luck when a law or a parameter changes.
Nothing here needs a compiled kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.model.fields import BadInput
from theory.pareto import pareto_moment, pareto_quantile

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
