"""Stages whose law is known, and what a live view of them, or of a log, would have shown.

A view is taken at an instant that does not depend on what comes after it: when so many tasks are done, or at
equal steps of the clock. A random instant between the begin and the end of a stage would not do: it is less
likely in a stage that one task makes long.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from sim.advice.waiting.siblings import Siblings
from sim.logs.history import FINISHED, KILLED, History

Law = Callable[[np.random.Generator, int], np.ndarray]


def _outliers(random: np.random.Generator, count: int) -> np.ndarray:
    return random.lognormal(0, 0.25, count) * np.where(
        random.random(count) < 0.06, random.uniform(3, 15, count), 1
    )


#: Laws of task times. None but the exponential and the Pareto law is one that the model has as a whole.
LAWS: Mapping[str, Law] = {
    "exponential": lambda random, count: random.exponential(1, count) + 1e-5,
    "uniform": lambda random, count: random.uniform(0.5, 1.5, count),
    "normal": lambda random, count: np.maximum(random.normal(1, 0.2, count), 0.05),
    "lognormal 0.3": lambda random, count: random.lognormal(0, 0.3, count),
    "lognormal 0.8": lambda random, count: random.lognormal(0, 0.8, count),
    "lognormal 1.5": lambda random, count: random.lognormal(0, 1.5, count),
    "Pareto 1.1": lambda random, count: 1 + random.pareto(1.1, count),
    "Pareto 1.5": lambda random, count: 1 + random.pareto(1.5, count),
    "Pareto 3": lambda random, count: 1 + random.pareto(3, count),
    "bounded Pareto": lambda random, count: (
        np.minimum(1 + random.pareto(1.5, count), 12) * random.uniform(0.8, 2)
    ),
    "Weibull 0.6": lambda random, count: random.weibull(0.6, count) + 0.1,
    "start and exponential": lambda random, count: 1 + random.exponential(0.3, count),
    "6 % outliers": _outliers,
}


class View(NamedTuple):
    """What is seen of a stage, and how much longer each running task takes, s."""

    seen: Siblings
    left: np.ndarray


def launched(durations: np.ndarray, slots: int) -> np.ndarray:
    """Return when each task is launched, in order, on so many slots.

    Examples
    --------
    >>> launched(np.array([3.0, 1.0, 1.0]), 2)
    array([0., 0., 1.])
    """
    free = [0.0] * slots
    begun = np.empty(durations.size)
    for task, duration in enumerate(durations):
        begun[task] = free[0]
        heapq.heapreplace(free, free[0] + duration)
    return begun


def stages(law: Law, random: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield launches and durations of stages of 12 to 300 tasks, without end."""
    while True:
        count = int(np.exp(random.uniform(np.log(12), np.log(300))))
        durations = law(random, count)
        yield launched(durations, int(random.integers(max(2, count // 6), count + 1))), durations


def views(
    begun: np.ndarray,
    durations: np.ndarray,
    step: float,
    random: np.random.Generator,
    work: np.ndarray | None = None,
    hosts: np.ndarray | None = None,
) -> Iterator[View]:
    """Yield views of a stage with at least ten tasks done, and one running: at steps, and near its end.

    Of its work a running task has done the part that its age is of its duration: a view has no more.
    """
    work = np.full(durations.size, np.nan) if work is None else work
    hosts = np.full(durations.size, "") if hosts is None else hosts
    ends = np.sort(begun + durations)
    if random.random() < 0.5:
        instants = [ends[-int(random.integers(2, 5))] * (1 + 1e-12)]
    else:
        instants = [step * (random.random() + at) for at in range(25) if random.random() < 0.3]
    for instant in instants:
        done = begun + durations <= instant
        runs = (begun < instant - 1e-6) & ~done
        if done.sum() >= 10 and runs.any():
            ages = (instant - begun)[runs]
            seen = Siblings(
                durations[done],
                ages,
                done_work=work[done],
                work=work[runs] * ages / durations[runs],
                done_hosts=tuple(hosts[done]),
                hosts=tuple(hosts[runs]),
            )
            yield View(seen, durations[runs] - ages)


def recorded(history: History, random: np.random.Generator) -> Iterator[View]:
    """Yield views of the stages of a log, as they would have been while it was written.

    A log in which copies were killed has none: to the end it tells only of tasks that were not late.
    """
    copies = history.frame("copies")
    if (copies["fate"] == KILLED).any():
        return
    copies = copies[copies["fate"].eq(FINISHED) & (copies["end"] > copies["began"])]
    step = float((copies["end"] - copies["began"]).median())
    for _, frame in copies.groupby("stage"):
        if len(frame) < 12:
            continue
        begun = (frame["began"] - frame["began"].min()).to_numpy(float)
        work = frame["bytes"].where(frame["bytes"] > 0).to_numpy(float)
        yield from views(
            begun,
            (frame["end"] - frame["began"]).to_numpy(float),
            step * random.uniform(0.3, 3),
            random,
            work,
            frame["host"].astype(str).to_numpy(),
        )
