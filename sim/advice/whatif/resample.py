"""More jobs than were recorded: whole jobs drawn again, in blocks of consecutive jobs with their gaps.

A block is a run of consecutive jobs, so that bursts and neighbours that resemble each other stay together
(the moving block bootstrap of Künsch, 1989). A job keeps its stages, their work and their barriers; luck is
drawn anew for each of its appearances. Slots are those of the recorded cluster at the end, from then on.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sim.advice.whatif.model import Model


def resampled(model: Model, jobs: int, seed: int = 1) -> Model:
    """Return a model of so many jobs.

    Parameters
    ----------
    model : Model
    jobs : int
        How many, at least 1.
    seed : int, optional
        Of the draw.

    Returns
    -------
    Model
        Whose recorded times are those of the jobs that were drawn.
    """
    count = len(model.jobs)
    length = max(1, round(math.sqrt(count)))
    random = np.random.default_rng([seed, 19])
    begins = random.integers(0, max(1, count - length + 1), size=-(-jobs // length))
    drawn = (begins[:, None] + np.arange(length)).ravel()[:jobs].clip(max=count - 1)
    submit = model.jobs["submit"].to_numpy(float)
    gaps = np.diff(submit, prepend=0.0)
    gaps[0] = gaps[1:].mean() if count > 1 else 0.0
    times = np.cumsum(gaps[drawn])
    times -= times[0]
    table = model.jobs.iloc[drawn].reset_index(drop=True)
    length_of = table["end"] - table["submit"]
    stages = [np.flatnonzero(model.stage_job == job) for job in range(count)]
    chosen = np.concatenate([stages[job] for job in drawn])
    sizes = np.array([stages[job].size for job in drawn])
    moved = np.repeat(np.cumsum(sizes) - sizes - np.array([stages[job][0] for job in drawn]), sizes)
    parents = tuple(
        tuple(int(parent + by) for parent in model.parents[stage])
        for stage, by in zip(chosen, moved, strict=True)
    )
    return replace(
        model,
        jobs=table.assign(submit=times, end=times + length_of),
        stage_job=np.repeat(np.arange(drawn.size), sizes),
        parents=parents,
        gap=model.gap[chosen],
        stages=model.stages[chosen],
        recorded=model.recorded[chosen],
        tasks=model.tasks[chosen],
        work=_of_tasks(model, model.work, chosen),
        power=_of_tasks(model, model.power, chosen),
        failed=_of_tasks(model, model.failed, chosen),
        waits=_of_tasks(model, model.waits, chosen),
        after=np.full(drawn.size, -1),  # a job drawn twice has no job before it: arrivals are open
        think=np.zeros(drawn.size),
        origin=_of_tasks(model, model.origin, chosen),
    )


def _of_tasks(model: Model, values: np.ndarray, stages: np.ndarray) -> np.ndarray:
    """Return the values of the tasks of some stages, stage after stage."""
    parts = np.split(values, np.cumsum(model.tasks)[:-1])
    return np.concatenate([parts[stage] for stage in stages])
