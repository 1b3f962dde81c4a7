"""A trace: the jobs recorded in a file, checked, in order of their submit times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.telling.words import counted
from theory.quoting import shortened


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Jobs of a workload file.

    Parameters
    ----------
    arrival : ndarray of float64, shape (n,)
        Submit times as in the file, ascending.
    tasks : ndarray of int64, shape (n,)
        Tasks of each job, at least 1.
    size : ndarray of float64, shape (n,), or None
        Size of each task of the job, > 0, in the unit of `arrival`; None if the file has no sizes.
    names : tuple of str
        Names of the jobs.
    source : str
        Name of the file.
    digest : str
        SHA-256 of its bytes, in hexadecimal.
    notes : tuple of str
        What was odd about the file and how it was read, with counts.
    """

    arrival: np.ndarray
    tasks: np.ndarray
    size: np.ndarray | None
    names: tuple[str, ...]
    source: str
    digest: str
    notes: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """Name of the file as messages have it."""
        return shortened(self.source)


def in_order(
    arrival: np.ndarray,
    tasks: np.ndarray,
    size: np.ndarray | None,
    names: Sequence[str],
    source: str,
    digest: str,
    notes: Sequence[str] = (),
) -> Trace:
    """Return the trace of these rows, sorted by submit time; rows of equal times stay in file order.

    Examples
    --------
    >>> trace = in_order(np.array([3.0, 1.0, 1.0]), np.array([7, 8, 9]), None, ["c", "a", "b"], "x.csv", "")
    >>> trace.names, trace.notes[0]
    (('a', 'b', 'c'), '1 row submitted before the row above it: sorted by submit time')
    """
    notes = list(notes)
    early = int(np.count_nonzero(np.diff(arrival) < 0))
    if early:
        notes.append(f"{counted(early, 'row')} submitted before the row above it: sorted by submit time")
    order = np.argsort(arrival, kind="stable")
    arrival, tasks, names = arrival[order], tasks[order], [names[row] for row in order]
    equal = int(np.count_nonzero(np.diff(arrival) == 0))
    if equal:
        notes.append(f"{counted(equal, 'job')} submitted at the same time as the job before")
    return Trace(
        arrival, tasks, None if size is None else size[order], tuple(names), source, digest, tuple(notes)
    )
