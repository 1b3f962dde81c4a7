"""Invariants of the copies of every run of the slot engine; a violation is described in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from sim.model.outcome import Outcome
from sim.model.workload import Workload

FINISHED, KILLED, RUNNING, DROPPED = range(4)


def copies_of(outcome: Outcome) -> pd.DataFrame:
    """Return the log of an outcome as a table, in order of job, task and copy."""
    return pd.DataFrame(outcome.log).sort_values(["job", "task", "copy"], ignore_index=True)


def about_jobs(
    outcome: Outcome, log: pd.DataFrame, workload: Workload, *, clones_jobs: bool = False
) -> Iterator[str]:
    """Say which columns of the jobs do not follow from their copies.

    Parameters
    ----------
    outcome : Outcome
    log : DataFrame
        `copies_of` it.
    workload : Workload
    clones_jobs : bool, optional
        Whether the rule clones whole jobs, which end with the first complete clone.
    """
    jobs = range(workload.n)
    by_job = log.assign(time=log.end - log.start, extra=log["copy"] > 0).groupby("job")
    killed = by_job.fate.agg(lambda fate: fate.isin([KILLED, DROPPED]).sum())
    counts = {"copies": by_job.size(), "extra": by_job.extra.sum(), "killed": killed}
    for name, found in counts.items():
        if not np.array_equal(getattr(outcome, name), found.reindex(jobs, fill_value=0)):
            yield f"the number of copies of the jobs ({name}) is not that of their copies"
    if not np.allclose(outcome.resource, by_job.time.sum().reindex(jobs, fill_value=0), rtol=1e-12, atol=0):
        yield "the slot-time of the jobs is not that of their copies"
    if not np.array_equal(outcome.start, by_job.start.min().reindex(jobs, fill_value=math.inf)):
        yield "jobs do not start with their first copies"
    if not np.array_equal(outcome.finish, _finishes(log, workload, clones_jobs=clones_jobs)):
        yield "jobs do not end with their last tasks"
    done = log[log.fate == FINISHED]
    if clones_jobs:  # a job has done what its original has, until it ends
        done = done[done["copy"] == 0]
    tasks = done.groupby("job").size().reindex(jobs, fill_value=0)
    if outcome.tasks_done != np.where(np.isfinite(outcome.finish), workload.tasks, tasks).sum():
        yield "the number of tasks that are done is not that of their copies"
    if not (workload.arrival <= outcome.start).all():
        yield "a job starts before it arrives"


def _finishes(log: pd.DataFrame, workload: Workload, *, clones_jobs: bool) -> np.ndarray:
    """When each job ends: with its last task, of one and the same clone where whole jobs are cloned."""
    run = ["job", "copy"] if clones_jobs else ["job"]
    ends = log[log.fate == FINISHED].groupby(run).end.agg(["max", "size"]).reset_index()
    complete = ends[ends["size"] == workload.tasks[ends.job]]
    found: np.ndarray = (
        complete.groupby("job")["max"].min().reindex(range(workload.n), fill_value=math.inf).to_numpy()
    )
    return found


def about_tasks(log: pd.DataFrame, most: float = math.inf) -> Iterator[str]:
    """Say which tasks do not end for all their copies at one instant, with one winner.

    Parameters
    ----------
    log : DataFrame
    most : float, optional
        Copies that a task may have.
    """
    for (job, task), copies in log.groupby(["job", "task"]):
        name = f"task {task} of job {job}"
        if copies["copy"].tolist() != list(range(len(copies))) or not copies.start.is_monotonic_increasing:
            yield f"copies of {name} are not launched one after the other"
        if len(copies) > most:
            yield f"{name} has {len(copies)} copies, more than {most:g}"
        kept = copies[copies.fate != DROPPED]
        if kept.end.nunique() != 1 or not (copies.end <= kept.end.max()).all():
            yield f"copies of {name} do not end together"
        winners = (kept.fate == FINISHED).sum()
        if winners != 1 and not (winners == 0 and (kept.fate == RUNNING).all()):
            yield f"{name} has {winners} copies that finished"
    originals = log[log["copy"] == 0]
    if not originals.groupby("job").start.agg(lambda start: start.is_monotonic_increasing).all():
        yield "the tasks of a job are not launched in their order"


def about_slots(log: pd.DataFrame, slots: int) -> Iterator[str]:
    """Say which slots hold two copies at a time, or are none."""
    if not log.slot.between(0, slots - 1).all():
        yield "a copy runs in a slot that the cluster does not have"
    for slot, copies in log.sort_values(["start", "end"]).groupby("slot"):
        if not (copies.end.to_numpy()[:-1] <= copies.start.to_numpy()[1:]).all():
            yield f"slot {slot} holds two copies at a time"


def about_idling(log: pd.DataFrame, outcome: Outcome, slots: int) -> Iterator[str]:
    """Say when slots idle just after an event though tasks wait."""
    launched = np.sort(log[log["copy"] == 0].start)
    for time in np.unique(np.concatenate([outcome.arrival, log.start, log.end])):
        arrived = outcome.tasks[outcome.arrival <= time].sum()
        waiting = arrived - np.searchsorted(launched, time, side="right")
        held = int(((log.start <= time) & (time < log.end)).sum())
        if waiting > 0 and time < outcome.end and held != slots:
            yield f"at {time:g} {slots - held} of {slots} slots idle while {waiting} tasks wait"
            return
