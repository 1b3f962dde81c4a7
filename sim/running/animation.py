"""A run to watch: the few numbers about its copies that an animation needs.

Time is cut at the *instants* at which anything happens: a job arrives, a copy starts, is late, or ends. Jobs
and copies name instants by their place, so whoever draws need not compare times: a copy runs from the instant
of its start up to, and without, that of its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.kernel.records import FATES
from sim.model.fields import BadInput
from sim.model.scenario import Scenario
from sim.model.workload import Workload
from sim.running.experiment import Experiment, expected_tasks
from sim.running.live.request import shortened

#: Slots beyond which they are too thin to be told apart.
MOST_SLOTS = 40
#: Tasks of a run that is watched, about: minutes, and some ten kilobytes.
MOST_TASKS = 500
#: Copies to remember of such a run.
LOG = 4000
#: A copy that has run so many times as long as expected is marked as a straggler.
LATE = 2.0
#: Significant digits of an instant, counted from the last one.
DIGITS = 7

FINISHED, RUNNING = FATES.index("finished"), FATES.index("running")


@dataclass(frozen=True, slots=True)
class Animation:
    """One run under one policy.

    Attributes
    ----------
    slots : int
    expected : float
        Mean of what the copies were expected to take.
    instants : ndarray, shape (instants,)
        When anything happens, rising.
    jobs : ndarray of int, shape (jobs, 3)
        Place of the instant at which each arrives, its tasks, and place of the instant at which it is done
        (one beyond the last if it never is).
    copies : ndarray of int, shape (copies, 8)
        In order of their starts: job, task, number (0 is an original), slot, place of the instant of its
        start, of its end (one beyond the last for a copy that runs on), fate (`sim.kernel.records.FATES`),
        place of the instant from which it is late (-1 if it never was).
    noun : str, optional
        What a job is called.
    called : tuple of tuple of int, optional
        For each job the number that each of its tasks has elsewhere.
    """

    slots: int
    expected: float
    instants: np.ndarray
    jobs: np.ndarray
    copies: np.ndarray
    noun: str = "job"
    called: tuple[tuple[int, ...], ...] = ()

    @property
    def flowtimes(self) -> np.ndarray:
        """Times from arrival to end of the jobs that are done."""
        arrives, _, done = self.jobs[self.jobs[:, 2] < self.instants.size].T
        return np.asarray(self.instants[done] - self.instants[arrives])

    def compact(self) -> dict[str, Any]:
        """Return the animation as lists of numbers, for JSON."""
        return {
            "slots": self.slots,
            "expected": self.expected,
            "instants": self.instants.tolist(),
            "jobs": self.jobs.tolist(),
            "copies": self.copies.tolist(),
            "noun": self.noun,
            "called": [list(tasks) for tasks in self.called],
        }


def watchable(experiment: Experiment) -> Experiment:
    """Return the experiment with so few jobs, the first ones, that its runs can be watched.

    Raises
    ------
    BadInput
        If the cluster has more than `MOST_SLOTS` slots.

    Examples
    --------
    >>> from sim.engines.registry import PRESETS
    >>> small = PRESETS["small"].scenario  # 30 jobs of 10.5 tasks each, on average
    >>> long = Experiment.of_texts(small.replace(jobs=900), ["fair+none"])
    >>> watchable(long).scenario.jobs
    47
    """
    slots = experiment.scenario.slots
    if slots > MOST_SLOTS:
        raise BadInput(f"slots: {slots} is not accepted where a run is watched; give at most {MOST_SLOTS}")
    tasks = expected_tasks(experiment) / len(experiment.policies)
    return shortened(experiment, MOST_TASKS / tasks)


def animation(scenario: Scenario, workload: Workload, log: Any, capacity: int = LOG) -> Animation:
    """Return the animation of a run that remembered all its copies.

    A coded job needs so many of the tasks it starts; the others count as extra.

    Parameters
    ----------
    scenario : Scenario
        Whose slots have numbers: of the gang engine, with a capacity of one task per node.
    workload : Workload
        The jobs of the run.
    log : recarray
        Its copies (`sim.kernel.records.COPY`).
    capacity : int, optional
        How many the run could remember.

    Raises
    ------
    BadInput
        If the log is full, so that copies may be missing.
    """
    if log.size >= capacity:
        raise BadInput(f"log: {capacity:,} copies are too few for this run; give it fewer jobs")
    copies = log[np.lexsort((log.slot, log.end, log.start))]
    durations = expected(scenario, workload, copies)
    return assembled(scenario.slots, workload.arrival, workload.tasks, copies, durations)


def assembled(
    slots: int, arrival: np.ndarray, tasks: np.ndarray, copies: Any, durations: np.ndarray
) -> Animation:
    """Return the animation of copies.

    Parameters
    ----------
    slots : int
    arrival : ndarray
        When each job arrives.
    tasks : ndarray of int
        How many tasks each job has; beyond as many it needs none.
    copies : recarray
        Of `sim.kernel.records.COPY`, by start, end and slot.
    durations : ndarray
        What each copy is expected to take.

    Examples
    --------
    >>> from sim.kernel.records import COPY
    >>> copies = np.array([(0, 0, 0, 1, 0.0, 2.5, FINISHED)], COPY).view(np.recarray)
    >>> one = assembled(2, np.array([0.0]), np.array([1]), copies, np.array([1.0]))
    >>> one.instants.tolist(), one.jobs.tolist(), one.copies.tolist()
    ([0.0, 2.0, 2.5], [[0, 1, 2]], [[0, 0, 0, 1, 0, 2, 0, 1]])
    """
    late = copies.start + LATE * durations
    is_late = late < copies.end
    moments = [*arrival, *copies.start, *copies.end, *late[is_late]]
    decimals = DIGITS - 1 - int(np.floor(np.log10(max(moments))))
    instants, places = np.unique(np.round(moments, decimals), return_inverse=True)
    arrives, starts, ends, noticed = np.split(places, np.cumsum([arrival.size, copies.size, copies.size]))
    ends = np.where(copies.fate == RUNNING, instants.size, ends)
    since = np.full(copies.size, -1)
    since[is_late] = noticed
    done = _done(copies, ends, tasks, instants.size)
    number = np.where(copies.task < tasks[copies.job], copies["copy"], 1)
    columns = (copies.job, copies.task, number, copies.slot, starts, ends, copies.fate, since)
    return Animation(
        slots,
        float(durations.mean()),
        instants,
        np.column_stack((arrives, tasks, done)),
        np.column_stack(columns),
    )


def _done(copies: Any, ends: np.ndarray, tasks: np.ndarray, never: int) -> np.ndarray:
    """Return the end of the last copy of each job with enough finished tasks, else `never`."""
    won = copies[copies.fate == FINISHED]
    finished = np.unique(np.column_stack((won.job, won.task)), axis=0)[:, 0]
    last = np.zeros(tasks.size, dtype=np.int64)
    np.maximum.at(last, copies.job, ends)
    return np.where(np.bincount(finished, minlength=tasks.size) >= tasks, last, never)


def expected(scenario: Scenario, workload: Workload, copies: Any) -> np.ndarray:
    """Return the mean duration of each copy, given the size of its task."""
    sizes = workload.size[copies.job]
    if workload.task_size.size:
        first = np.cumsum(workload.tasks) - workload.tasks
        sizes = workload.task_size[first[copies.job] + copies.task]
    return np.asarray(sizes * scenario.mean_factor)
