"""Invariants of copies and messages in every run of the probe engine; a violation is described in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from sim.engines.probes.run import ProbeRun
from sim.model.outcome import Outcome
from sim.model.workload import Workload
from sim.running.contract.copies import FINISHED

#: Tolerance for sums of times that are added in other orders.
NEAR = 1e-9


def about(run: ProbeRun, outcome: Outcome, log: pd.DataFrame, workload: Workload) -> Iterator[str]:
    """Say what is wrong with a run.

    Parameters
    ----------
    run : ProbeRun
    outcome : Outcome
        Of it.
    log : DataFrame
        `sim.running.contract.copies.copies_of` the outcome.
    workload : Workload
    """
    yield from about_jobs(outcome, log, workload, run.scenario.latency)
    yield from about_tasks(log, run.scenario.latency)
    if math.isinf(run.scenario.drain):
        if outcome.tasks_done != workload.total_tasks:
            yield f"{outcome.tasks_done} of {workload.total_tasks} tasks are done at the end"
        yield from about_messages(run)


def about_jobs(outcome: Outcome, log: pd.DataFrame, workload: Workload, latency: float) -> Iterator[str]:
    """Say which columns of the jobs do not follow from their copies."""
    jobs = range(workload.n)
    by_job = log.assign(time=log.end - log.start, extra=log["copy"] > 0).groupby("job")
    for name, found in {"copies": by_job.size(), "extra": by_job.extra.sum()}.items():
        if not np.array_equal(getattr(outcome, name), found.reindex(jobs, fill_value=0)):
            yield f"the number of copies of the jobs ({name}) is not that of their copies"
    if not np.allclose(outcome.resource, by_job.time.sum().reindex(jobs, fill_value=0), rtol=NEAR, atol=NEAR):
        yield "the slot-time of the jobs is not that of their copies"
    ends = log[log.fate == FINISHED].groupby("job").end.agg(["max", "size"]).reindex(jobs)
    all_done = (ends["size"] == workload.tasks).to_numpy()
    if not np.array_equal(outcome.finish, np.where(all_done, ends["max"], math.inf)):
        yield "jobs do not end with their last tasks"
    if not (workload.arrival + 3 * latency <= outcome.start + NEAR).all():
        yield "a job starts before a probe, a question and a task can have been sent"


def about_tasks(log: pd.DataFrame, latency: float) -> Iterator[str]:
    """Say which tasks finish twice or run on after that, and which slots hold two copies."""
    for (job, task), copies in log.groupby(["job", "task"]):
        name = f"task {task} of job {job}"
        if copies["copy"].tolist() != list(range(len(copies))):
            yield f"copies of {name} are not numbered one after the other"
        winners = copies[copies.fate == FINISHED]
        if len(winners) > 1:
            yield f"{name} finishes {len(winners)} times"
        elif len(winners):  # the others end by themselves, or when the news has come back to them
            ended = winners.end.item()
            if not (copies.end >= ended).all():
                yield f"a copy of {name} is killed before one finishes"
            if not (copies.end <= np.maximum(ended + 2 * latency, copies.start) + NEAR).all():
                yield f"a copy of {name} runs on though its end is known"
    for slot, copies in log.sort_values(["start", "end"]).groupby("slot"):
        if not (copies.end.to_numpy()[:-1] <= copies.start.to_numpy()[1:]).all():
            yield f"slot {slot} holds two copies at a time"


def about_messages(run: ProbeRun) -> Iterator[str]:
    """Say which probes, questions and slots are not accounted for when nothing is left to happen."""
    n, world = run.world.net[0], run.world
    if n.head != n.tail or n.queued or world.workers.queued.sum():
        yield "messages or reservations are left when all jobs are done"
    if not n.sent_probes == n.placed == n.used + n.spent + n.cancelled == world.own.probed.sum():
        yield f"{n.sent_probes} probes were sent, {n.used + n.spent + n.cancelled} are accounted for"
    if n.sent_questions != n.sent_tasks + n.sent_nos or n.given != n.sent_tasks:
        yield f"{n.sent_questions} questions were asked, {n.sent_tasks + n.sent_nos} were answered"
    if world.seats.runs.any():
        yield "a slot runs something when all jobs are done"
    slots = run.scenario.slots_per_worker
    for worker in range(run.scenario.workers):  # every slot is idle, and known to be
        idle, s = set(), int(world.workers[worker].idle)
        while s >= 0:
            idle.add(s)
            s = int(world.seats[s].next)
        if idle != set(range(worker * slots, (worker + 1) * slots)):
            yield f"worker {worker} does not know all its idle slots"
