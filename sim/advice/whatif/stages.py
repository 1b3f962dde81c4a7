"""Jobs and stages of a history that can be played again, and the dependencies between stages."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sim.logs.history import History
from sim.model.fields import BadInput


def jobs_and_stages(history: History) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the jobs that can be run again, by time of submission, and their stages that ran."""
    jobs, stages, copies = history.frame("jobs"), history.frame("stages"), history.frame("copies")
    copies = copies.dropna(subset=["launch"])
    launched, ended = copies.groupby("stage")["launch"].min(), copies.groupby("stage")["end"].max()
    stages = stages[stages.index.isin(launched.index) & (stages["job"] >= 0)].copy()
    stages["submit"] = stages["submit"].fillna(launched).clip(upper=launched.reindex(stages.index))
    stages["end"] = stages["end"].fillna(ended)
    submit = jobs["submit"].fillna(stages.groupby("job")["submit"].min())
    jobs = jobs.assign(submit=submit)[jobs.index.isin(stages["job"]) & submit.notna()]
    if jobs.empty:
        raise BadInput("history: no job with a submit time and a task that ran; give a history with one")
    jobs = jobs.sort_values("submit", kind="stable")
    stages = stages[stages["job"].isin(jobs.index)]
    place = pd.Index(jobs.index).get_indexer(stages["job"])
    return jobs, stages.iloc[np.lexsort((stages.index.to_numpy(), place))]


def waits(jobs: pd.DataFrame, stages: pd.DataFrame) -> tuple[tuple[tuple[int, ...], ...], np.ndarray]:
    """Say which stages each stage waits for, and how long after them it starts."""
    place = {row: number for number, row in enumerate(stages.index)}
    job, submit, end = (stages[name].to_numpy() for name in ("job", "submit", "end"))
    depth_first = np.argsort(submit, kind="stable")
    rank = np.empty(len(place), int)
    rank[depth_first] = np.arange(len(place))
    found: list[tuple[int, ...]] = []
    gap = submit - jobs["submit"].reindex(job).to_numpy(float)
    for number, listed in enumerate(stages["parents"]):
        parents = {place[one] for one in listed if one in place}
        # one submitted later, or still running then, cannot have been waited for: nor can a circle arise
        parents = {
            one
            for one in parents
            if job[one] == job[number] and rank[one] < rank[number] and not end[one] > submit[number] + 1.0
        }
        found.append(tuple(sorted(parents)))
        if parents:
            gap[number] = submit[number] - max(end[one] for one in parents)
    return tuple(found), np.maximum(gap, 0.0)
