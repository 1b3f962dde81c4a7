"""Jobs whose counts and law are known, which tests write in the format of a system and read back.

A task takes the base of its stage times a Pareto law, capped. Tasks that take three times the base get a
second copy, and the slower of two is killed; some fail first and are tried again. Times are whole
numbers, in milliseconds since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sim.logs.history import FAILED, FINISHED, KILLED, History

ORIGIN = 1_700_000_000_000
INDEX = 1.5
_CAP = 30.0


@dataclass(frozen=True)
class Copy:
    """An attempt of a task; `waited` is how long it had waited for its slot."""

    task: int
    number: int
    launch: int
    end: int
    fate: str
    host: str
    bytes: int
    waited: int
    speculative: bool = False


@dataclass
class Stage:
    """A stage, and the places in its job of those whose output it reads."""

    name: str
    parents: list[int]
    tasks: int
    copies: list[Copy] = field(default_factory=list)

    @property
    def submit(self) -> int:
        """When the first of its attempts began to wait."""
        return min(one.launch - one.waited for one in self.copies)

    @property
    def end(self) -> int:
        """When its last task was finished."""
        return max(one.end for one in self.copies if one.fate == FINISHED)


@dataclass
class Job:
    """A job and its stages, which run one after the other."""

    name: str
    submit: int
    end: int
    stages: list[Stage]


def known(
    seed: int = 7,
    *,
    jobs: int = 3,
    stages: int = 3,
    tasks: int = 12,
    hosts: int = 4,
    grain: int = 1,
    copied: bool = True,
) -> list[Job]:
    """Return jobs; times are multiples of `grain`, and without `copied` no task has a second copy."""
    random = np.random.default_rng(seed)

    def drawn(base: float) -> int:
        factor = min(float((1 - random.random()) ** (-1 / INDEX)), _CAP)
        return max(1, round(1000 * base * factor / grain)) * grain

    found = []
    for job in range(jobs):
        submit = now = ORIGIN + 100_000 * grain * job
        of_job = []
        for number in range(stages):
            stage = Stage(f"part {number}", [number - 1] if number else [], tasks)
            base = float(random.uniform(1, 4))
            ready = now + grain
            for task in range(tasks):
                stage.copies += _attempts(task, ready, base, drawn, random, hosts, grain, copied)
            of_job.append(stage)
            now = stage.end
        found.append(Job(f"job {job}", submit, now + grain, of_job))
    return found


def _attempts(task, ready, base, drawn, random, hosts, grain, copied):
    """Return the attempts of one task."""
    host = int(random.integers(hosts))
    waited = int(random.integers(5)) * grain
    size = int(random.integers(1, 10**6))
    launch, duration = ready + waited, drawn(base)
    found = []
    if random.random() < 0.1:
        found.append(Copy(task, 0, launch, launch + grain, FAILED, f"h{host}", size, waited))
        launch += 3 * grain
        waited = 0
    number, end = len(found), launch + duration
    if not copied or duration < 3000 * base:
        return [*found, Copy(task, number, launch, end, FINISHED, f"h{host}", size, waited)]
    second = launch + max(1, round(3000 * base / grain)) * grain - grain
    other = f"h{(host + 1) % hosts}"
    over = second + drawn(base)
    won = min(end, over)
    fates = (FINISHED, KILLED) if end <= over else (KILLED, FINISHED)
    return [
        *found,
        Copy(task, number, launch, won, fates[0], f"h{host}", size, waited),
        Copy(task, number + 1, second, won, fates[1], other, size, 0, speculative=True),
    ]


def assert_read_back(history: History, jobs: list[Job], *without: str) -> None:
    """Assert that a history has these jobs, stages and copies, and no others, to the millisecond.

    Parameters
    ----------
    history : History
    jobs : list of Job
    *without : str
        Fields of a copy that the format does not have.
    """
    told = history.frame("jobs")
    origin = history.origin

    def milliseconds(time: float) -> int:
        return round(1000 * (time + origin))

    assert told["name"].tolist() == [job.name for job in jobs]
    assert [milliseconds(time) for time in told["submit"]] == [job.submit for job in jobs]
    assert [milliseconds(time) for time in told["end"]] == [job.end for job in jobs]
    stages = history.frame("stages")
    names = [(told["name"][job], name) for job, name in zip(stages["job"], stages["name"], strict=True)]
    parents = [[names[parent] for parent in row] for row in stages["parents"]]
    if history.order_from == "times":  # the log tells none
        parents = [[] for _ in parents]
    rows = sorted(zip(names, parents, stages["tasks"], strict=True))
    assert rows == sorted(
        ((job.name, stage.name), [(job.name, job.stages[one].name) for one in stage.parents], stage.tasks)
        for job in jobs
        for stage in job.stages
    )
    fields = [
        name
        for name in ("task", "launch", "end", "fate", "host", "bytes", "speculative")
        if name not in without
    ]
    found = history.frame("copies")
    for time in ("launch", "end"):
        found[time] = found[time].map(milliseconds)
    read = [(*names[stage], *row) for stage, *row in found[["stage", *fields]].itertuples(index=False)]
    made = [
        (job.name, stage.name, *(getattr(copy, name) for name in fields))
        for job in jobs
        for stage in job.stages
        for copy in stage.copies
    ]
    assert sorted(read) == sorted(made)
    assert found["complete"].tolist() == found["fate"].eq(FINISHED).tolist()
