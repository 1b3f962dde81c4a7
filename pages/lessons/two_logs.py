"""Two small logs of known cause, made from a seed: alike in times, slow by luck or by what tasks read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from sim.advice.diagnosis import Diagnosis, diagnose
from sim.advice.diagnosis.sentence import mended
from sim.logs.formats import read_history
from sim.logs.source import Upload
from theory.pareto import pareto_quantile

#: Jobs of a log, one after the other, tasks of each, hosts, slots of a host.
JOBS, TASKS, HOSTS, SLOTS = 6, 16, 4, 2
#: Tail index of the factor of a task's time, and its upper limit; seconds and bytes without it.
TAIL, MOST, SECONDS, BYTES = 1.5, 12.0, (10.0, 20.0), 100e6
#: Spread of logarithms of times and of bytes besides, and seconds between jobs.
SPREAD, PAUSE = 0.05, 5.0
HEAD = "job_id,task_id,start_s,end_s,host,input_bytes"


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks of a log, an array each, by job and then by task.

    Parameters
    ----------
    factor : ndarray of shape (`JOBS`, `TASKS`)
        How many times as long as it should a task takes.
    seconds, read : ndarray of that shape
        How long it takes, and the bytes that it reads.
    by_input : ndarray of that shape
        Whether the factor is one of its input, not of luck.
    """

    factor: np.ndarray
    seconds: np.ndarray
    read: np.ndarray
    by_input: np.ndarray


def tasks(skewed: float, seed: int = 0) -> Tasks:
    """Return the tasks of a log.

    Parameters
    ----------
    skewed : float
        Share of the tasks whose time is what they read; the others read alike, and their time is luck.
    seed : int, optional
        With the same one the times are the same, whatever share is `skewed`.
    """
    random = np.random.default_rng([19, 8, seed])
    factor = np.minimum(np.asarray(pareto_quantile(random.random((JOBS, TASKS)), 1.0, TAIL)), MOST)
    by_input = random.random((JOBS, TASKS)) < skewed
    near = np.exp(SPREAD * random.standard_normal((2, JOBS, TASKS)))
    base = random.uniform(*SECONDS, (JOBS, 1))
    read = BYTES * np.where(by_input, factor, 1.0) * near[1]
    return Tasks(factor, base * factor * near[0], read, by_input)


def log(skewed: float, seed: int = 0) -> bytes:
    r"""Return a log as a table of copies (`sim.logs.formats.table`): a free slot takes the next task.

    Examples
    --------
    >>> [line.count(",") for line in log(1.0).decode().splitlines()[:2]], log(1.0).count(b"\n")
    ([5, 5], 97)
    """
    made, lines, begin = tasks(skewed, seed), [HEAD], 0.0
    for job in range(JOBS):
        free = np.full(HOSTS * SLOTS, begin)
        for task, seconds in enumerate(made.seconds[job]):
            slot = int(free.argmin())
            start, free[slot] = free[slot], free[slot] + seconds
            host, read = f"node-{slot // SLOTS + 1}", made.read[job, task]
            lines.append(f"job-{job + 1},{task},{start:.1f},{free[slot]:.1f},{host},{read:.0f}")
        begin = float(free.max()) + PAUSE
    return "\n".join([*lines, ""]).encode()


@cache
def diagnosed(skewed: float) -> Diagnosis:
    """Return the diagnosis of a log, as Diagnose makes it."""
    return diagnose(read_history(Upload("log.csv", log(skewed))))


def mendable(skewed: float) -> float:
    """Return the share of the lost time that second copies could at best mend, by the diagnosis of a log."""
    found = diagnosed(skewed)
    return mended(found.lost, found.anew, found.hidden)
