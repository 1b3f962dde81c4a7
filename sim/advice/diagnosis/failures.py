"""Failed attempts, and work that runs again: what each task would have taken without.

A task whose first attempts failed, or were lost with their executor, would have begun at its first launch,
and taken as long as the attempt that lasted: the luck of that is the same in both replays.

A finished task runs again where its output is lost with its host. A later attempt of a Spark stage is a stage
of its own. Without lost outputs each task runs once, where it ran first, for as long as the copy took that
finished first; later attempts have nothing to do and start at once.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from sim.logs.history import FAILED, FINISHED, History

#: Seconds by which the end of a copy that lost may be before that of the winner: clocks tell milliseconds.
_CLOCK = 2e-3
_ATTEMPT = re.compile(r"(.*?)\.(\d+)")


class Failures:
    """What failed of some tasks.

    Parameters
    ----------
    history : History
    tasks : DataFrame
        Of the replay: stage, task, launch, end, recorded, row, again.

    Attributes
    ----------
    unfailed : ndarray
        What each task takes had no attempt failed.
    once : ndarray
        What each takes had no output been lost; 0 where it had run before.
    again : ndarray of bool
        Of all stages of the history, which are later attempts.
    """

    def __init__(self, history: History, tasks: pd.DataFrame) -> None:
        recorded, repeated = (tasks[name].to_numpy(float) for name in ("recorded", "again"))
        delay = _delays(history, tasks)
        self.unfailed = np.maximum(recorded - delay, 0.0)
        self.once = np.maximum(recorded - repeated, 0.0)
        origin = _origins(history)
        self.again = origin != np.arange(origin.size)
        self.failed, self.repeated = bool(delay.any()), bool(repeated.any() or self.again.any())
        if self.again.any():
            self._once(history, tasks, origin)

    def _once(self, history: History, tasks: pd.DataFrame, origin: np.ndarray) -> None:
        """Let each task of a stage run once, where it ran first."""
        stage = tasks["stage"].to_numpy(int)
        fate = history.copies["fate"].to_pandas().to_numpy()[tasks["row"].to_numpy(int)]
        # in each task those that finished come first, and by their end
        order = np.lexsort((tasks["end"].to_numpy(float), fate != FINISHED, tasks["task"], origin[stage]))
        keys = np.column_stack([origin[stage], tasks["task"].to_numpy()])[order]
        new = np.append(True, (np.diff(keys, axis=0) != 0).any(axis=1))
        group = np.cumsum(new) - 1
        kept = self.once[order[new]][group]
        first = pd.Series(stage[order]).groupby(group).transform("min").to_numpy() == stage[order]
        repeated = np.bincount(group)[group] > 1
        self.once[order] = np.where(repeated, np.where(first, kept, 0.0), self.once[order])


def _delays(history: History, tasks: pd.DataFrame) -> np.ndarray:
    """Return how long after the first launch of a task the first of its copies began that lasted."""
    copies = history.frame("copies").dropna(subset=["launch", "end"])
    ends = tasks[["stage", "task"]].assign(end=tasks["end"] - tasks["again"])
    both = copies.merge(ends, on=["stage", "task"], suffixes=("", "_task"))
    lasted = both[both["fate"].ne(FAILED) & (both["end"] >= both["end_task"] - _CLOCK)]
    begun = lasted.groupby(["stage", "task"])["launch"].min()
    begun = begun.reindex(pd.MultiIndex.from_frame(tasks[["stage", "task"]])).to_numpy(float)
    launch = tasks["launch"].to_numpy(float)
    return np.where(np.isfinite(begun), np.maximum(begun - launch, 0.0), 0.0)


def _origins(history: History) -> np.ndarray:
    """Return the row of the first attempt of each stage: the stage itself but in logs of Spark."""
    rows = np.arange(history.stages.num_rows)
    if history.format != "spark":
        return rows
    names = history.stages["stage"].to_pylist()
    first = {name: row for row, name in enumerate(names)}
    told = (_ATTEMPT.fullmatch(name) for name in names)
    found = [first.get(one[1], row) if one else row for row, one in enumerate(told)]
    return np.array(found, int) if found else rows
