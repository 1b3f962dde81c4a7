"""The outcome of one replication of one policy, whichever engine ran it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sim.model.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The outcome of one replication of one policy, beside the results of each job.

    Attributes
    ----------
    tasks_done : int
        Tasks that were completed.
    utilisation : float
        Busy slot-time / (slots x time) between the end of the warm-up and the last arrival.
    series : ndarray, shape (points, 4)
        Mean busy slots, slots with extra copies, waiting tasks and jobs in the system, in equal
        intervals up to the last arrival.
    holding : ndarray
        Jobs in the system, counted at the ends of those intervals, by slots held per remaining task;
        empty where the engine does not count them.
    end, last_arrival : float
        When the run ended, and when its last job arrived.
    log : recarray
        The copies, if they were asked for (`sim.kernel.records.COPY`).
    events : int
        Events that happened.
    seconds : float
        Wall time inside the engine.
    scalars : dict of str to float or None
        What the engine reports of the run beyond this, by the keys it declares (`sim.engines.registry`);
        None where it cannot be told.
    """

    tasks_done: int
    utilisation: float
    series: np.ndarray
    holding: np.ndarray
    end: float
    last_arrival: float
    log: np.recarray
    events: int
    seconds: float
    scalars: dict[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Outcome(Ending):
    """What one replication of one policy left behind.

    Attributes
    ----------
    arrival, start, finish : ndarray of float, shape (jobs,)
        Times; `finish` is ``inf`` for a job that was not done at the horizon.
    tasks, copies, extra, killed : ndarray of int, shape (jobs,)
        Tasks of the job, copies launched, extra ones among them, copies killed.
    resource, extra_time : ndarray of float, shape (jobs,)
        Slot-time used by the job's copies (to the horizon), and by its extra copies.
    columns : dict of str to ndarray, shape (jobs,)
        What the engine reports of each job beyond this, by the keys it declares (`sim.engines.registry`). A
        time from the job's arrival to something that had not happened at the horizon is ``inf``.
    """

    arrival: np.ndarray
    start: np.ndarray
    finish: np.ndarray
    tasks: np.ndarray
    copies: np.ndarray
    extra: np.ndarray
    killed: np.ndarray
    resource: np.ndarray
    extra_time: np.ndarray
    columns: dict[str, np.ndarray] = field(default_factory=dict)


def first_counted(scenario: Scenario, jobs: int) -> int:
    """Index of the first job in the statistics: the share `warm_up` of the arrivals is left out."""
    return min(int(scenario.warm_up * jobs), jobs - 1)
