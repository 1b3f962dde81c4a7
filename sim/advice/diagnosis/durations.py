"""Durations of copies as ratios to the median of their stage: the basis of ratios, tail and shares."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sim.logs.history import FAILED, History

#: Tasks with a complete duration from which the tasks of a stage are compared with each other.
FEWEST = 2


def ratios(history: History) -> pd.DataFrame:
    """Return the copies of all stages with enough finished tasks, with their ratios and weights.

    Copies without a duration are left out, and failed ones, but for those that were cut off when they had
    already run for longer than the median of their stage: how long they would have run is not known, as of
    killed ones.

    Returns
    -------
    DataFrame
        The columns of the copies, and job (row; a stage without one is a job of its own, below 0), job_name,
        duration (s), finished (tasks of the stage with a complete duration), ratio (duration / median of the
        complete ones in the stage), and weight: each job has weight 1, shared equally by its stages and in
        each by its copies.
    """
    copies = history.frame("copies")
    copies["duration"] = copies["end"] - copies["began"]
    done = copies[copies["complete"] & copies["fate"].ne(FAILED) & (copies["duration"] > 0)].groupby("stage")
    median, tasks = done["duration"].median(), done["task"].nunique()
    enough = tasks.index[(tasks >= FEWEST) & (median > 0)]
    copies = copies[copies["stage"].isin(enough) & (copies["duration"] > 0)]
    usual = median.reindex(copies["stage"]).to_numpy(float)
    copies = copies[copies["fate"].ne(FAILED) | (copies["duration"] > usual)].copy()
    jobs = history.stages["job"].to_numpy()
    copies["job"] = np.where(jobs >= 0, jobs, -1 - np.arange(jobs.size))[copies["stage"]]
    names = np.append(history.jobs["name"].to_numpy(zero_copy_only=False).astype(str), "")
    copies["job_name"] = names[np.maximum(jobs, -1)[copies["stage"]]]
    copies["finished"] = tasks.reindex(copies["stage"]).to_numpy()
    copies["ratio"] = copies["duration"] / median.reindex(copies["stage"]).to_numpy()
    copies["weight"] = 1 / (
        copies.groupby("stage")["ratio"].transform("size")
        * copies.groupby("job")["stage"].transform("nunique")
    )
    return copies
