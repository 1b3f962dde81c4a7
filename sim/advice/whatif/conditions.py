"""The conditions of one replication: the tasks, their work, the luck of every copy, the slots' slowness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.advice.whatif.law import Law


@dataclass(frozen=True, eq=False)
class Conditions:
    """What a replication is played with.

    Parameters
    ----------
    tasks : ndarray of int
        Tasks of each stage.
    work : ndarray of float
        Seconds of each task at luck 1 on a slot of slowness 1, stage after stage.
    luck : ndarray of float, shape (copies, tasks)
        Of each copy.
    power : ndarray of float
        Luck of each task is luck of the law to this power.
    slowness : ndarray of float
        By how much longer copies take, for each number of a slot.
    law : Law
        Of luck.
    slow_times : tuple of (float, float, ndarray of int, float)
        When some slots are slow for a time: from, until, their numbers, and the factor.
    beside : ndarray of float, shape (copies, tasks), optional
        Seconds of each copy beside its work: of failed attempts before the first, and of waits.
    """

    tasks: np.ndarray
    work: np.ndarray
    luck: np.ndarray
    power: np.ndarray
    slowness: np.ndarray
    law: Law
    slow_times: tuple[tuple[float, float, np.ndarray, float], ...] = ()
    beside: np.ndarray | float = 0.0

    @property
    def durations(self) -> np.ndarray:
        """Seconds of every copy of each task on a slot of slowness 1, shape (tasks, copies)."""
        return np.ascontiguousarray((self.work * self.luck + self.beside).T)

    @property
    def first(self) -> np.ndarray:
        """Number of the first task of each stage."""
        return np.cumsum(self.tasks) - self.tasks

    @property
    def stage(self) -> np.ndarray:
        """Stage of each task."""
        return np.repeat(np.arange(self.tasks.size), self.tasks)
