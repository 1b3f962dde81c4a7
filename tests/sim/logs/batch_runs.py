"""Runs of batch jobs with known counts and law, which tests write as a system does and read back.

A task takes the base of its job times a Pareto law, capped. Some runs are stopped and start again,
some fail, some are stopped for good. Times are whole seconds since 1970.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.logs.history import FAILED, FINISHED, KILLED, History

ORIGIN = 1_700_000_000
INDEX = 2.0
_CAP = 20.0


class Run(NamedTuple):
    """A run of a task; jobs that are no array have one task, of index 0."""

    job: str
    index: int
    is_array: bool
    name: str
    user: str
    queue: str
    submit: int
    launch: int
    end: int
    fate: str
    host: str


def runs(seed: int = 3, jobs: int = 9) -> list[Run]:
    """Return runs in order of their ends, as accounting has them."""
    random = np.random.default_rng([seed, 37])
    found = []
    for number in range(jobs):
        submit = ORIGIN + 5000 * number
        base = random.uniform(60, 600)
        is_array = number % 3 != 2
        same = (str(1000 + 7 * number), f"sweep {number}", f"user{number % 2}", f"q{number % 3}")
        for index in range(1, 4 + 2 * number) if is_array else (0,):
            launch = submit + int(random.integers(1, 300))
            luck = (1 - random.random(4)) ** (-1 / INDEX)
            spans = np.maximum(1, base * np.minimum(luck, _CAP)).astype(int).tolist()
            fates = [[FINISHED], [KILLED, FINISHED], [FAILED], [KILLED]]
            for fate, span in zip(fates[random.choice(4, p=[0.8, 0.1, 0.05, 0.05])], spans, strict=False):
                host = f"n{random.integers(5)}"
                job, name, user, queue = same
                one = Run(job, index, is_array, name, user, queue, submit, launch, launch + span, fate, host)
                found.append(one)
                launch += span + 30
    return sorted(found, key=lambda run: (run.end, run.job, run.index))


def told(history: History) -> list[tuple[str, int, int, int, str, str]]:
    """Return what a history has of each run: job, index, launch, end, fate and host."""
    jobs, stages = history.frame("jobs")["job"], history.frame("stages")["job"]
    copies = history.frame("copies")
    names = jobs.reindex(stages.reindex(copies["stage"])).tolist()
    times = [(copies[column] + history.origin).round(3).tolist() for column in ("launch", "end")]
    rows = zip(names, copies["task"], *times, copies["fate"], copies["host"], strict=True)
    return sorted((job, int(task), launch, end, fate, host) for job, task, launch, end, fate, host in rows)


def made(those: list[Run]) -> list[tuple[str, int, int, int, str, str]]:
    """Return the same of runs as they were made."""
    return sorted((run.job, run.index, run.launch, run.end, run.fate, run.host) for run in those)


def assert_read_back(history: History, those: list[Run]) -> None:
    """Assert that a history has these runs, their jobs and their tasks, and nothing else."""
    assert told(history) == made(those)
    copies = history.frame("copies")
    assert copies["complete"].tolist() == copies["fate"].eq(FINISHED).tolist()
    assert not copies["speculative"].any()
    jobs = history.frame("jobs").set_index("job")
    stages = history.frame("stages").set_index("job")
    assert set(jobs.index) == {run.job for run in those}
    for place, (name, job) in enumerate(jobs.iterrows()):
        of_job = [run for run in those if run.job == name]
        assert job["submit"] + history.origin == of_job[0].submit
        assert job["end"] + history.origin == max(run.end for run in of_job)
        assert (job["group"], job["pool"]) == (of_job[0].user, of_job[0].queue)
        assert job["name"] == of_job[0].name
        assert stages.loc[place, "tasks"] == len({run.index for run in of_job})
