"""The question, and its answer as the page shows it: computed once for all who ask the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np

from pages.shared.app.turns import made_once
from pages.wait.controls import hosts_in, time_in
from sim.advice.waiting.answer import (
    WAIT,
    Interval,
    Older,
    Options,
    Task,
    answered,
    pays_from,
    rules,
)
from sim.advice.waiting.report import as_json, change, more_slot_time, others, sentence
from sim.advice.waiting.siblings import Siblings, sizes_in, times_in
from sim.model.fields import BadInput
from sim.telling.words import counted

Read = TypeVar("Read", bound=Sized)
#: Points of a curve against time.
POINTS = 90


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: the texts of the siblings, and those of the options."""

    done: str
    running: str
    sizes: str
    running_sizes: str
    unit: str
    hosts: str
    running_hosts: str
    deadline: str
    start: str
    free: str

    @property
    def options(self) -> Options:
        """What is asked besides; raises `BadInput`."""
        return Options(
            time_in(self.deadline, "deadline"), time_in(self.start, "start") or 0.0, slots=self.free
        )

    @property
    def siblings(self) -> Siblings:
        """What is known; raises `BadInput`."""
        done, running = times_in(self.done, "done"), times_in(self.running, "running")
        of_done, of_running = (len(done), "duration"), (len(running), "age")
        return Siblings(
            done,
            running,
            done_work=_for_each(sizes_in, self.sizes, "sizes", *of_done),
            work=_for_each(sizes_in, self.running_sizes, "running_sizes", *of_running),
            done_hosts=tuple(_for_each(hosts_in, self.hosts, "hosts", *of_done)),
            hosts=tuple(_for_each(hosts_in, self.running_hosts, "running_hosts", *of_running)),
            unit=self.unit,
        )


def _for_each(read: Callable[[str, str], Read], text: str, name: str, count: int, whole: str) -> Read:
    """Return what a list holds, of which there is one for each time, or none."""
    found = read(text, name)
    if len(found) not in (0, count):
        kind = name.removeprefix("running_").removesuffix("s")
        times = counted(count, whole)
        raise BadInput(f"{name}: {counted(len(found), kind)} for {times}; give one for each, or none")
    return found


@dataclass(frozen=True, eq=False)
class Answer:
    """All that the page shows.

    Parameters
    ----------
    siblings : Siblings
    options : Options
    enough : bool
        Whether anything can be told; without, curves and `profile` are empty.
    median : float
        Duration of the middle sibling, s.
    tasks : tuple of Task
        The first is the one that is spoken of.
    horizons : tuple of float
        s.
    all_done : tuple of Interval
        Probability that all are done within each.
    changes : tuple or None
        Age, s, from which another action is advised, and that action.
    profile : tuple of Older
    rules : dict
        Rule -> age, s, at which it copies; None if never.
    pays : float
        Rest, s, from which a copy saves slot-time: σ* times the mean.
    times : ndarray
        From now, s.
    chances : dict of str to ndarray
        Probability that the task is done by each of the times, by what is done.
    band : ndarray, shape (2, times)
        90 % interval of that of waiting.
    said, change, others : str
    more : float
        Slot-time that a copy takes beyond waiting, s.
    left_out : int
        Running tasks that are not looked at.
    report : dict
        Everything, for the file.
    """

    siblings: Siblings
    options: Options
    enough: bool
    median: float
    tasks: tuple[Task, ...]
    horizons: tuple[float, ...]
    all_done: tuple[Interval, ...]
    changes: tuple[float, str] | None
    profile: tuple[Older, ...]
    rules: dict[str, float | None]
    pays: float
    times: np.ndarray
    chances: dict[str, np.ndarray]
    band: np.ndarray
    said: str
    change: str
    others: str
    more: float
    left_out: int
    report: dict[str, Any]

    @property
    def task(self) -> Task:
        """The task that is spoken of."""
        return self.tasks[0]

    @property
    def middle(self) -> int:
        """Place of the horizon that is spoken of."""
        return len(self.horizons) // 2


def see(siblings: Siblings, options: Options) -> Answer:
    """Return the answer without the laws it was made of, which take many times its bytes."""
    found = answered(siblings, options)
    task, times = found.tasks[0], np.empty(0)
    curves: dict[str, np.ndarray] = {}
    if found.enough:
        ends = min(found.horizons) / 8, max(task.counted, *found.horizons)
        times = np.union1d(np.geomspace(*ends, POINTS), found.horizons)
        curves = {name: 1 - tails for name, tails in found.curves(task.place, times).items()}
    return Answer(
        siblings,
        options,
        found.enough,
        found.median,
        found.tasks,
        found.horizons if found.enough else (),
        found.all_done,
        found.changes if found.enough else None,
        found.profile,
        rules(found) if found.enough else {},
        pays_from(found) if found.enough else float("nan"),
        times,
        {name: one.mean(axis=0) for name, one in curves.items()},
        np.quantile(curves[WAIT], [0.05, 0.95], axis=0) if curves else np.empty((2, 0)),
        sentence(found),
        change(found),
        others(found, task) if found.enough else "",
        more_slot_time(task) if found.enough else float("nan"),
        len(siblings.ages) - len(found.tasks),
        as_json(found),
    )


def answer(values: Mapping[str, Any], stage: Siblings | None = None, file: str = "") -> Answer:
    """Return the answer to what the controls say, of what is typed or of a stage of a file.

    Raises
    ------
    BadInput
        If a value is not accepted, or no task runs.
    """
    asked = Request(**{one.name: values[one.name] for one in fields(Request)})
    options = asked.options
    if stage is not None:
        key = "wait", file, values["stage"], repr(options)
        return made_once(key, lambda: see(stage, options))
    siblings = asked.siblings
    return made_once(("wait", repr(asked)), lambda: see(siblings, options))
