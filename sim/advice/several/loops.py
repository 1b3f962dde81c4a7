"""Jobs that overlap in a closed loop: their blocks, the times of their stages, and the makespan.

A driver of a closed loop submits its next job when the last one has ended, so a queue of few drivers does not
last: a job depends on those beside it, and little on those before. There blocks of jobs, or stages, in a row
may be swapped. On open arrivals, whose queues last, they may not (`swaps`). With one run a side the makespan
has no interval: which driver ends last decides it, and intervals by blocks of jobs held its change in 90 % of
the pairs of runs only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pandas as pd

from sim.advice.several.matching import PairedJobs
from sim.advice.several.swaps import FEWEST, blocks_of
from sim.logs.history import History
from sim.logs.loops import closed_loop

#: Blocks, about; share of the jobs of each run that wait for another one, at least; and drivers, at most.
#: With 16 drivers queues last, and swaps spoke of a change that was not there in 9 of 60 pairs of runs.
BLOCKS, LINKED, MOST_DRIVERS = 20, 0.7, 8


@dataclass(frozen=True, eq=False)
class Loop:
    """A closed loop, in all runs.

    Parameters
    ----------
    drivers : int
        Most chains of jobs at once.
    stage_time : ndarray, shape (stages, runs)
        Seconds from submission to end of the stages that are in all runs, as the first run submitted them.
    makespan : ndarray, shape (1, runs)
        Seconds from the first submission to the last end of the jobs that are in all runs.
    """

    drivers: int
    stage_time: np.ndarray
    makespan: np.ndarray

    def blocks(self, count: int) -> np.ndarray:
        """Return the block of each of so many jobs or stages in a row, from 0.

        Examples
        --------
        >>> loop = Loop(4, np.empty((0, 2)), np.empty((1, 2)))
        >>> loop.blocks(5).tolist(), int(loop.blocks(120).max()) + 1
        ([0, 0, 1, 1, 1], 20)
        """
        length = max(math.ceil(count / BLOCKS), math.ceil(self.drivers / 2))
        return np.minimum(np.arange(count) // length, max(count // length - 1, 0))


def overlapping(histories: Sequence[History], jobs: PairedJobs) -> Loop | None:
    """Return the closed loop in which paired jobs overlap; None where they run apart, or in no loop.

    Parameters
    ----------
    histories : sequence of History
    jobs : PairedJobs
        Of these.
    """
    if len(jobs.names) < FEWEST or blocks_of(jobs).max() + 1 >= FEWEST:
        return None
    loops = [closed_loop(one) for one in histories]
    drivers = max(one.drivers for one in loops)
    if drivers > MOST_DRIVERS or any((one.after >= 0).mean() < LINKED for one in loops):
        return None
    return Loop(
        drivers,
        _stage_times(histories, jobs),
        (jobs.end.max(axis=0) - jobs.submit.min(axis=0))[None],
    )


def _stage_times(histories: Sequence[History], jobs: PairedJobs) -> np.ndarray:
    """Return the times of the stages that paired jobs have in all runs."""
    tables = [_stages(one, rows) for one, rows in zip(histories, jobs.rows.T, strict=True)]
    common = reduce(pd.Index.intersection, (table.index for table in tables))
    order = tables[0].loc[common, "submit"].sort_values(kind="stable").index
    return np.column_stack([table.loc[order, "time"].to_numpy(float) for table in tables])


def _stages(history: History, rows: np.ndarray) -> pd.DataFrame:
    """Return when stages were submitted and their times, by their job, name, tasks, and turn among such."""
    stages = history.frame("stages")
    stages = stages[stages["job"].isin(rows) & (stages["end"] > stages["submit"])]
    stages = stages.sort_values("submit", kind="stable")
    known_by = pd.DataFrame({"job": stages["job"].map(pd.Series(np.arange(len(rows)), index=rows))})
    known_by = known_by.join(stages[["name", "tasks"]])
    known_by["turn"] = known_by.groupby(list(known_by)).cumcount()
    times = pd.DataFrame({"submit": stages["submit"], "time": stages["end"] - stages["submit"]})
    return times.set_index(pd.MultiIndex.from_frame(known_by))
