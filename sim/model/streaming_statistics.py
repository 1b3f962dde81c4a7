"""Statistics of the jobs of a long run, collected as they end: twelve bytes per counted job.

Three measures in single precision, in the order of arrival: rounding to 24 bits keeps every order, so that a
quantile is what it would be, rounded so; a mean is that of the rounded values, whose errors cancel.
How many tasks a job had is drawn again when it is asked for. Sums are exact, whatever the order in which jobs
are looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

from sim.model.counted_jobs import CountedJobs, class_of

#: Measures that are kept of each job.
MEASURES = ("flowtime", "slowdown", "resource")
#: Bits of the fraction of a float, and of one half of it.
BITS, HALF = 53, 26


class ExactSum:
    """A sum of floats that is rounded once, at the end.

    Examples
    --------
    >>> total = ExactSum()
    >>> total.add(np.array([1e16, 1.0, -1e16])), total.add(np.array([2.0**-60])), float(total)
    (None, None, 1.0)
    """

    def __init__(self) -> None:
        self._wholes: Counter[int] = Counter()

    def add(self, values: np.ndarray) -> None:
        """Add up to 2**36 numbers."""
        fractions, exponents = np.frexp(values[values != 0])
        wholes = np.ldexp(fractions, BITS).astype(np.int64)
        for exponent in np.unique(exponents):
            chosen = wholes[exponents == exponent]  # in halves, which do not overflow
            self._wholes[int(exponent)] += (int((chosen >> HALF).sum()) << HALF) + int(
                (chosen & ((1 << HALF) - 1)).sum()
            )

    def __float__(self) -> float:
        return float(sum(whole * Fraction(2) ** (place - BITS) for place, whole in self._wholes.items()))


class StreamingStatistics:
    """Columns of the jobs that count, filled as they end.

    Parameters
    ----------
    jobs, first : int
        How many there are, and the first of them that counts.
    """

    def __init__(self, jobs: int, first: int) -> None:
        self.jobs, self.first = jobs, first
        self.columns = {name: np.zeros(jobs - first, np.float32) for name in MEASURES}
        self.copies = self.extra = self.unfinished = 0
        self.extra_time = ExactSum()
        self._open: list[np.ndarray] = []

    def take(
        self, numbers: np.ndarray, jobs: np.recarray, isolated_flowtime: np.ndarray, end: float = np.inf
    ) -> None:
        """Keep what is wanted of jobs that are done, or of those that are not when the run ends.

        Parameters
        ----------
        numbers : ndarray of int
            Which these are.
        jobs : recarray
            Their records.
        isolated_flowtime : ndarray
            Their flowtimes alone on an idle healthy cluster.
        end : float, optional
            When the run ended.
        """
        unfinished = np.isinf(jobs.finish)
        self.unfinished += int(unfinished.sum())
        counts = numbers >= self.first
        places, these = numbers[counts] - self.first, jobs[counts]
        flowtime = np.minimum(these["finish"], end) - these["arrival"]
        measured = flowtime, flowtime / isolated_flowtime[counts], these["resource"]
        for name, values in zip(MEASURES, measured, strict=True):
            self.columns[name][places] = values
        self.copies += int(these["copies"].sum())
        self.extra += int(these["extra"].sum())
        self.extra_time.add(these["extra_time"])
        self._open.append(places[unfinished[counts]])

    def counted(self, tasks: Callable[[], Iterable[np.ndarray]], total: int) -> CountedJobs:
        """Hand the jobs over, of `total` tasks; `tasks` draws how many each has, in blocks."""
        censored = np.broadcast_to(np.False_, self.jobs - self.first)
        if (unknown := np.concatenate([np.empty(0, int), *self._open])).size:
            censored = np.zeros(censored.size, bool)
            censored[unknown] = True
        columns, self.columns = self.columns, {}

        def classes() -> np.ndarray:
            return np.concatenate([class_of(some) for some in tasks()])[self.first :]

        return CountedJobs(
            columns=columns,
            censored=dict.fromkeys(columns, censored),
            classes=classes,
            copies=self.copies,
            extra=self.extra,
            time=float(columns["resource"].sum(dtype=float)),
            extra_time=float(self.extra_time),
            jobs=self.jobs,
            unfinished=self.unfinished,
            tasks=total,
        )
