"""The question of the Cloning page: how many copies keep a job free of outliers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.model.cached import cached_property
from theory.cloning import (
    job_level_copies,
    job_outlier_probability,
    task_level_copies,
    task_level_tasks,
    task_outlier_probability,
)

#: Copies with which the paper keeps nearly all jobs free of outliers.
FEW_COPIES = 3


@dataclass(frozen=True)
class Request:
    """A job, and what it accepts.

    Parameters
    ----------
    p : float
        Probability that a copy is an outlier.
    epsilon : float
        Acceptable probability that the job has one.
    tasks : int
        Of the job.
    """

    p: float
    epsilon: float
    tasks: int

    def by_task(self, copies: ArrayLike) -> np.ndarray:
        """Probability of an outlier if every task runs so many times."""
        return np.asarray(task_outlier_probability(self.p, self.tasks, copies))

    def by_job(self, copies: ArrayLike) -> np.ndarray:
        """Probability of an outlier in every clone if the job runs so many times.

        Examples
        --------
        >>> float(Request(0.5, 0.05, 2).by_job(2))  # (1 - 1/4)^2
        0.5625
        """
        return np.asarray(job_outlier_probability(self.p, self.tasks, copies))

    def task_copies(self, tasks: ArrayLike) -> np.ndarray:
        """Return the copies of every task that jobs of so many tasks need."""
        return np.asarray(task_level_copies(self.p, tasks, self.epsilon))

    def job_copies(self, tasks: ArrayLike) -> np.ndarray:
        """Return the copies of the whole job that jobs of so many tasks need."""
        return np.asarray(job_level_copies(self.p, tasks, self.epsilon))

    @cached_property
    def per_task(self) -> int:
        """Copies of every task that this job needs."""
        return int(self.task_copies(self.tasks))

    @cached_property
    def per_job(self) -> float:
        """Copies of the whole job that this job needs; perhaps beyond all bounds."""
        return float(self.job_copies(self.tasks))

    @cached_property
    def once(self) -> float:
        """Probability of an outlier without clones."""
        return float(self.by_task(1))

    @cached_property
    def largest(self) -> float:
        """Most tasks that a few copies of each keep within the target."""
        return float(task_level_tasks(self.p, FEW_COPIES, self.epsilon))

    @cached_property
    def per_task_large(self) -> int:
        """Copies of every task that a job of a hundred times as many tasks needs."""
        return int(self.task_copies(100 * self.tasks))

    @property
    def reachable(self) -> bool:
        """Whether job-level cloning is possible with a number of copies one can write down."""
        return math.isfinite(self.per_job) and self.per_job < 1e6
