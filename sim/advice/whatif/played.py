"""The jobs of one replication and their figures, which are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim.model.cached import cached_property


@dataclass(frozen=True, eq=False)
class Played:
    """What happened to the jobs in one replication.

    Parameters
    ----------
    job_times, stage_times : ndarray
        Of the jobs in the figures, and of all stages.
    makespan : float
        From the first submission to the last end, of the jobs in the figures.
    slot_time : float
        Slot-time of all copies.
    copies, won : int
        Extra copies, and how many of them ended their task.
    killed_time : float
        Slot-time of copies that were killed.
    small : ndarray of bool
        Which of the jobs in the figures count as small.
    """

    job_times: np.ndarray
    stage_times: np.ndarray
    makespan: float
    slot_time: float
    copies: int
    won: int
    killed_time: float
    small: np.ndarray

    @cached_property
    def figures(self) -> dict[str, float]:
        """The figures that are compared; mean times of small and large jobs where there are both."""
        halves = {"small_jobs": self.job_times[self.small], "large_jobs": self.job_times[~self.small]}
        return {
            "mean": float(self.job_times.mean()),
            "p50": quantile(self.job_times, 0.5),
            "p95": quantile(self.job_times, 0.95),
            "makespan": self.makespan,
            "slot_time": self.slot_time,
            "copies": float(self.copies),
            "won": float(self.won),
            "killed_time": self.killed_time,
            **({name: float(times.mean()) for name, times in halves.items()} if self.small.any() else {}),
        }


@dataclass(frozen=True)
class Tally:
    """What is kept of a replication."""

    figures: Mapping[str, float]


def quantile(values: np.ndarray, share: float) -> float:
    """Smallest value that at least this share of the values does not exceed."""
    return float(np.sort(values)[max(0, math.ceil(share * values.size - 1e-9) - 1)])
