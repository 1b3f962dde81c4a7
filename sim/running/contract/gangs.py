"""Invariants of the tasks of every run of the gang engine; a violation is described in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from sim.engines.gang.scenario import GangScenario
from sim.model.outcome import Outcome
from sim.running.contract.copies import FINISHED, KILLED, RUNNING


def about(outcome: Outcome, log: pd.DataFrame, scenario: GangScenario) -> Iterator[str]:
    """Say what is wrong with a run.

    Parameters
    ----------
    outcome : Outcome
    log : DataFrame
        `sim.running.contract.copies.copies_of` it; what it calls a slot is a node here.
    scenario : GangScenario
    """
    yield from about_ends(log, outcome, coded=scenario.redundancy == "mds")
    yield from about_starts(log, outcome, delayed=scenario.delay > 0)
    yield from about_places(log, scenario)
    yield from about_jobs(log, outcome)
    yield from about_waiting(log, outcome, scenario)


def held_at(log: pd.DataFrame, time: float) -> pd.DataFrame:
    """Return the tasks that hold a place just after an instant."""
    return log[(log.start <= time) & (time < log.end)]


def about_ends(log: pd.DataFrame, outcome: Outcome, *, coded: bool) -> Iterator[str]:
    """Say which jobs do not end once, with the k-th of their tasks to end, and everything of them then."""
    for j, tasks in log.groupby("job"):
        k, done = outcome.tasks[j], tasks[tasks.fate == FINISHED]
        if len(done) > k:
            yield f"job {j} needs {k} tasks, and {len(done)} finished"
        elif len(done) < k:
            if not math.isinf(outcome.finish[j]):
                yield f"job {j} ends with {len(done)} of its {k} tasks"
        elif not outcome.finish[j] == done.end.max() == tasks.end.max() or (tasks.fate == RUNNING).any():
            yield f"job {j} does not end with the last task it needs, and everything of it then"
        removed = tasks[tasks.fate == KILLED]
        if coded:
            if not (removed.end == outcome.finish[j]).all():
                yield f"tasks of job {j} are removed before it ends"
            if (tasks["copy"] != 0).any() or tasks.task.tolist() != list(range(len(tasks))):
                yield f"coded tasks of job {j} are not numbered one after the other"
            continue
        winners = done.set_index("task").end
        if not winners.index.is_unique or not (tasks.task < k).all():
            yield f"a task of job {j} finishes twice, or is none of its tasks"
        elif (
            not removed.task.isin(winners.index).all()
            or not (removed.end.to_numpy() == winners.loc[removed.task].to_numpy()).all()
        ):
            yield f"copies of job {j} are not removed when the first of their task ends"


def about_starts(log: pd.DataFrame, outcome: Outcome, *, delayed: bool) -> Iterator[str]:
    """Say which jobs do not start with all their tasks, or overtake others."""
    started = np.isfinite(outcome.start)
    if (np.diff(started.astype(int)) > 0).any() or (np.diff(outcome.start[started]) < 0).any():
        yield "a job starts before one that came earlier"
    if not (outcome.arrival <= outcome.start).all():
        yield "a job starts before it arrives"
    for j, tasks in log.groupby("job"):
        together = (tasks.start == outcome.start[j]).sum()
        if together < outcome.tasks[j] or (together < len(tasks) and not delayed):
            yield f"the tasks of job {j} do not start together"


def about_places(log: pd.DataFrame, scenario: GangScenario) -> Iterator[str]:
    """Say which nodes hold more than they can, or two tasks of one job."""
    pool = scenario.placement == "pool"
    if not ((log.slot == -1) if pool else log.slot.between(0, scenario.nodes - 1)).all():
        yield "a task runs on a node that the cluster does not have"
    for time in log.start.unique():
        held = held_at(log, time)
        if len(held) > scenario.slots:
            yield f"at {time:g} {len(held)} tasks run in {scenario.slots} places"
        elif not pool and (held.slot.value_counts() > scenario.capacity).any():
            yield f"at {time:g} a node runs more than {scenario.capacity} tasks"
        elif not pool and held.duplicated(["job", "slot"]).any():
            yield f"at {time:g} two tasks of one job run on one node"


def about_jobs(log: pd.DataFrame, outcome: Outcome) -> Iterator[str]:
    """Say which columns of the jobs do not follow from their tasks."""
    jobs = range(outcome.arrival.size)
    redundant = (log["copy"] > 0) | (log.task >= outcome.tasks[log.job])
    held = log.end - log.start
    killed, none = log.fate == KILLED, {"fill_value": 0}
    counts = {
        "copies": log.groupby("job").size(),
        "extra": redundant.groupby(log.job).sum(),
        "killed": killed.groupby(log.job).sum(),
    }
    for name, found in counts.items():
        if not np.array_equal(getattr(outcome, name), found.reindex(jobs, **none)):
            yield f"the number of tasks of the jobs ({name}) is not that of their tasks"
    times = {"resource": held.groupby(log.job).sum()}
    times["extra_time"] = held[redundant].groupby(log.job[redundant]).sum()
    for name, found in times.items():
        if not np.allclose(getattr(outcome, name), found.reindex(jobs, **none), rtol=1e-12, atol=0):
            yield f"the time of the jobs ({name}) is not that of their tasks"
    if outcome.tasks_done != (log.fate == FINISHED).sum():
        yield "the number of tasks that are done is not that of the tasks"


def about_waiting(log: pd.DataFrame, outcome: Outcome, scenario: GangScenario) -> Iterator[str]:
    """Say when the job at the head of the queue waits though all its tasks have room.

    With redundancy at once it waits for more room than its own tasks need; how much is not known of a job
    that has not started, but that an empty cluster has it.
    """
    for time in np.unique(np.concatenate([outcome.arrival, log.start, log.end])):
        waiting = np.flatnonzero((outcome.arrival <= time) & (time < outcome.start))
        if not waiting.size or time >= outcome.end:
            continue
        held = held_at(log, time)
        full = (held.slot.value_counts() == scenario.capacity).sum()
        free = scenario.slots - len(held) if scenario.placement == "pool" else scenario.nodes - full
        j = waiting[0]
        alone = scenario.delay > 0 or (np.isfinite(outcome.start[j]) and outcome.extra[j] == 0)
        if held.empty or (alone and free >= outcome.tasks[j]):
            yield f"at {time:g} job {j} waits though its tasks have room"
            return
