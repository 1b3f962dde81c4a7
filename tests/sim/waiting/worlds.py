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
from sim.logs.history import FINISHED, History

Law = Callable[[np.random.Generator, int], np.ndarray]


def _outliers(random: np.random.Generator, count: int) -> np.ndarray:
    return random.lognormal(0, 0.25, count) * np.where(
        random.random(count) < 0.06, random.uniform(3, 15, count), 1
    )


#: Laws of task times. None but the exponential and the Pareto law is one that the model has as a whole.
LAWS: Mapping[str, Law] = {
    "exponential": lambda random, count: random.exponential(1, count) + 1e-9,
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
    """What is seen of a stage, and how much longer each running task takes, s; NaN if that is not known."""

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
    begun: np.ndarray, durations: np.ndarray, step: float, random: np.random.Generator, **known: np.ndarray
) -> Iterator[View]:
    """Yield views of a stage with at least ten tasks done, and one running: at steps, and near its end."""
    ends = np.sort(begun + durations)
    if random.random() < 0.5:
        instants = [ends[-int(random.integers(2, 5))] * (1 + 1e-12)]
    else:
        instants = [step * (random.random() + at) for at in range(25) if random.random() < 0.3]
    for instant in instants:
        done, runs = begun + durations <= instant, (begun < instant) & ~(begun + durations <= instant)
        if done.sum() >= 10 and runs.any():
            work = known.get("work")
            more = {} if work is None else {"done_work": work[done], "work": work[runs]}
            yield View(
                Siblings(durations[done], (instant - begun)[runs], **more),
                (begun + durations - instant)[runs],
            )


def recorded(history: History, random: np.random.Generator) -> Iterator[View]:
    """Yield views of the stages of a log, as they would have been while it was written."""
    copies = history.frame("copies")
    copies = copies[copies["began"].notna() & copies["end"].notna() & (copies["copy"] == 0)]
    took = copies["end"] - copies["began"]
    step = float(took.median())
    for _, frame in copies[took > 0].groupby("stage"):
        if len(frame) < 12:
            continue
        begun = (frame["began"] - frame["began"].min()).to_numpy(float)
        durations = (frame["end"] - frame["began"]).to_numpy(float)
        known = frame["fate"].eq(FINISHED).to_numpy() & frame["complete"].to_numpy(bool)
        for view in views(begun, durations, step * random.uniform(0.3, 3), random):
            yield view if known.all() else View(view.seen, _where(view, begun, durations, known))


def _where(view: View, begun: np.ndarray, durations: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return what is left of the running tasks, NaN for those that were killed."""
    ends = {round(float(age + left), 6) for age, left in zip(view.seen.ages, view.left, strict=True)}
    killed = {round(float(one), 6) for one in durations[~known]} & ends
    whole = np.round(view.seen.ages + view.left, 6)
    return np.where(np.isin(whole, list(killed)), np.nan, view.left)
