"""The rows of a long run: which are in use; the memory of those whose jobs are done is given back.

A row keeps its number from the beginning to the end (`sim.kernel.span`), so rules and engine need not know
that there are blocks. Rows are looked at in groups: a group whose jobs are all done is read once, and its
memory is given back with that of the groups beside it that are gone already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.kernel.span import Span

#: Jobs of a group: their records fill three pages.
GROUP = 64
#: Groups beside those given back that may share a page with them.
BESIDE = 16


@dataclass(frozen=True, slots=True)
class Rows:
    """Allocated rows: something of every job, or of every task or phase.

    Attributes
    ----------
    span : Span
    of : str
        'jobs', 'tasks' or 'phases'.
    each, ahead : int
        Rows of each, and rows before the first of them.
    """

    span: Span
    of: str
    each: int
    ahead: int


class RowRecycler:
    """Which groups of jobs are in the system, and the memory of those that are not.

    Parameters
    ----------
    jobs : int
        How many there are in all.
    """

    def __init__(self, jobs: int) -> None:
        groups = -(-jobs // GROUP)
        self._jobs = jobs
        self._gone = np.zeros(groups, bool)
        self._open = np.empty(0, np.int64)
        self._opened = 0
        self._rows: list[Rows] = []
        #: How many tasks and phases come before each group, and in all.
        self._before = {"tasks": np.zeros(groups + 1, np.int64), "phases": np.zeros(groups + 1, np.int64)}

    def allocate(self, count: int, dtype: Any, of: str, each: int = 1, ahead: int = 0) -> Any:
        """Allocate rows; those of jobs that are done will be given back."""
        span = Span(count + GROUP * each, dtype)  # the last group may have fewer jobs
        self._rows.append(Rows(span, of, each, ahead))
        return span.rows

    def has(self, rows: np.ndarray) -> bool:
        """Tell whether this has allocated an array."""
        return any(np.may_share_memory(rows, one.span.rows) for one in self._rows)

    def note(self, of: str, first: int, before: np.ndarray) -> None:
        """Note how many tasks (or phases) come before each of the jobs from `first` on, the next one too."""
        jobs = np.arange(first, first + before.size)
        begins = jobs % GROUP == 0
        self._before[of][jobs[begins] // GROUP] = before[begins]
        if jobs[-1] == self._jobs:
            self._before[of][-1] = before[-1]

    def ended(self, finish: np.ndarray, arrived: int) -> np.ndarray:
        """Return the groups whose jobs are all done, and were not the last time; so many have arrived."""
        opened = self._gone.size if arrived == self._jobs else arrived // GROUP
        groups = np.concatenate([self._open, np.arange(self._opened, opened)])
        times = finish[: GROUP * self._gone.size].reshape(-1, GROUP)[groups]
        done = np.isfinite(times).all(axis=1)
        self._open, self._opened = groups[~done], opened
        self._gone[groups[done]] = True
        return groups[done]

    def left(self) -> np.ndarray:
        """Return the groups that are in use."""
        return np.flatnonzero(~self._gone)

    def members(self, groups: np.ndarray) -> np.ndarray:
        """Return the jobs of groups, in order."""
        jobs = (GROUP * groups[:, None] + np.arange(GROUP)).ravel()
        return jobs[jobs < self._jobs]

    def give_back(self, groups: np.ndarray) -> None:
        """Give back the memory of groups that are done."""
        for first, stop in self._runs(groups):
            for rows in self._rows:
                begin, end = (self._begin(rows.of, group) for group in (first, stop))
                rows.span.give_back(rows.ahead + rows.each * begin, rows.ahead + rows.each * end)

    def _begin(self, of: str, group: int) -> int:
        """Return how many jobs, tasks or phases come before a group."""
        return GROUP * group if of == "jobs" else int(self._before[of][group])

    def _runs(self, groups: np.ndarray) -> Iterator[tuple[int, int]]:
        """Yield runs of these groups, with those beside them that are gone."""
        gone = self._gone
        for run in np.split(groups, np.flatnonzero(np.diff(groups) > 1) + 1) if groups.size else ():
            first, stop = int(run[0]), int(run[-1]) + 1
            lowest, highest = max(first - BESIDE, 0), min(stop + BESIDE, gone.size)
            while first > lowest and gone[first - 1]:
                first -= 1
            while stop < highest and gone[stop]:
                stop += 1
            yield first, stop
