"""The jobs of one run that count, as input of the statistics: one column for each measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

#: Job-size classes of the tables: (name, most tasks).
CLASSES = (("1 to 10 tasks", 10), ("11 to 50", 50), ("51 to 150", 150), ("more than 150", 2**31))


@dataclass(frozen=True, slots=True)
class CountedJobs:
    """What is known of the jobs that count, and how many others there are.

    Attributes
    ----------
    columns : dict of str to ndarray
        Measure -> its value for each job; for a censored one the value it exceeds. Whoever reads a column
        may put it in another order.
    censored : dict of str to ndarray of bool
        Measure -> whether the job's value was not known to its end when the run ended.
    classes : callable
        () -> place in `CLASSES` of each job.
    copies, extra : int
        Copies of these jobs, and how many of them are extra.
    time, extra_time : float
        Slot-time of these copies, and that of the extra ones.
    jobs, unfinished, tasks : int
        Jobs that arrived, those of them that were not done, and their tasks: all, counted or not.
    """

    columns: dict[str, np.ndarray]
    censored: dict[str, np.ndarray]
    classes: Callable[[], np.ndarray]
    copies: int
    extra: int
    time: float
    extra_time: float
    jobs: int
    unfinished: int
    tasks: int

    @property
    def count(self) -> int:
        """How many jobs count."""
        return next(iter(self.censored.values())).size


def class_of(tasks: np.ndarray) -> np.ndarray:
    """Return the place in `CLASSES` of jobs of so many tasks.

    Examples
    --------
    >>> class_of(np.array([1, 10, 11, 150, 151]))
    array([0, 0, 1, 2, 3], dtype=uint8)
    """
    return np.searchsorted([most for _, most in CLASSES], tasks).astype(np.uint8)
