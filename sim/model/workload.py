"""The jobs of one replication: when they arrive, how many tasks they have, how long a task takes.

A workload is drawn before a run and is the same for every policy. Its columns come from the
scenario's laws or from a trace. Arrivals are drawn in units of the mean gap and then stretched to the
scenario's load, so that a change of load or of a size law leaves their pattern as it was. Recorded
arrivals are kept as they are, unless the scenario asks for them to be stretched, too.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sim.kernel.streams import stream
from sim.model.fields import BadInput, about_fields
from sim.model.phases import Draws, Phases, divide
from sim.model.scenario import Scenario
from sim.model.speculative import SpeculativeScenario
from sim.model.trace import Trace
from sim.telling.words import counted

if TYPE_CHECKING:
    from sim.model.phases import Phases
    from sim.model.scenario import Scenario

# Placement of input blocks: the machines that hold a replica of the input of a first-phase task.


def place_blocks(
    scenario: Scenario, replication: int, tasks: np.ndarray, phases: Phases | None
) -> np.ndarray:
    """Draw for each task different machines, all sets of that many being equally likely.

    Parameters
    ----------
    scenario : Scenario
        Its `replicas` and machines are read.
    replication : int
        Number of the replication, at least 0.
    tasks : ndarray of int64
        Tasks of each job.
    phases : Phases or None
        Phases of the jobs; only those that no other phase feeds read blocks.

    Returns
    -------
    ndarray of int32, shape (tasks, min(replicas, machines))
        Machines; -1 for tasks that read no block. Without a column if `replicas` is 0.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> place_blocks(SlotScenario(slots=4, replicas=4), 0, np.array([1]), None)[0].tolist().count(3)
    1
    """
    count, replicas = int(tasks.sum()), min(scenario.replicas, scenario.machines)
    if replicas == 0:
        return np.empty((0, 0), np.int32)
    generator = stream(scenario.seed, replication, "blocks")
    blocks = np.empty((count, replicas), np.int32)
    for i in range(replicas):
        # The machines not chosen so far are numbered anew; stepping over the chosen ones gives them back.
        machine = generator.integers(0, scenario.machines - i, count)
        for chosen in np.sort(blocks[:, :i], axis=1).T:
            machine += machine >= chosen
        blocks[:, i] = machine
    if phases is not None:
        blocks[np.repeat(phases.is_fed, phases.tasks)] = -1
    return blocks


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Jobs in the order of their arrival.

    Parameters
    ----------
    arrival : ndarray of float64, shape (n,)
        Arrival times, ascending, measured from the start of the run; the first may be above 0.
    tasks : ndarray of int64, shape (n,)
        Tasks of each job, at least 1. A job may be larger than the cluster: it runs in waves.
    size : ndarray of float64, shape (n,)
        Size of each task of the job; the mean over its tasks where sizes are per task.
    task_size : ndarray of float64
        Size of every task, job after job, where sizes are per task; else empty.
    names : tuple of str
        Names of the jobs in a trace; else empty.
    phases : Phases, optional
        How the tasks of each job are divided into phases; None if every job has one.
    blocks : ndarray of int32, shape (tasks, replicas)
        Machines that hold the input block of each task; -1 for a task that reads what another phase
        writes. No column where blocks are of no account.
    """

    arrival: np.ndarray
    tasks: np.ndarray
    size: np.ndarray
    task_size: np.ndarray = field(default_factory=lambda: np.empty(0))
    names: tuple[str, ...] = ()
    phases: Phases | None = None
    blocks: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int32))

    @property
    def n(self) -> int:
        """Number of jobs."""
        return self.arrival.size

    @property
    def total_tasks(self) -> int:
        """Number of tasks of all jobs."""
        return int(self.tasks.sum())

    @property
    def span(self) -> float:
        """Time from the start of the run to the last arrival; it holds `n` gaps."""
        return float(self.arrival[-1])

    @property
    def work(self) -> float:
        """Sum of the sizes of all tasks: slot-time on a healthy cluster."""
        return float(self.task_size.sum() if self.task_size.size else np.dot(self.tasks, self.size))


@dataclass(frozen=True, slots=True)
class Totals:
    """What a run has to know of its jobs before the first of them arrives.

    Parameters
    ----------
    jobs, tasks, phases : int
        How many there are in all; no phases where every job has one.
    largest : int
        Most tasks of one job.
    span : float
        When the last job arrives.
    mean_size : float
        Mean of the sizes of the jobs.
    """

    jobs: int
    tasks: int
    phases: int
    largest: int
    span: float
    mean_size: float

    @classmethod
    def of(cls, blocks: Iterable[Workload]) -> Totals:
        """Return the totals of jobs that come in blocks, in the order of their arrival."""
        jobs = tasks = phases = largest = 0
        span = size = 0.0
        for block in blocks:
            jobs += block.n
            tasks += block.total_tasks
            phases += 0 if block.phases is None else block.phases.tasks.size
            largest = max(largest, int(block.tasks.max()))
            span = block.span
            size += float(block.size.sum())
        return cls(jobs, tasks, phases, largest, span, size / jobs)


def generate(scenario: Scenario, replication: int) -> Workload:
    """Draw the jobs of one replication from the scenario's laws.

    Parameters
    ----------
    scenario : Scenario
        Without a column from a trace.
    replication : int
        Number of the replication, at least 0.

    Returns
    -------
    Workload
        `scenario.jobs` jobs, whose arrivals, tasks and sizes come from independent named streams.

    Raises
    ------
    BadInput
        If the scenario takes a column from a trace.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> jobs = generate(SlotScenario(slots=10, jobs=3, tasks="constant", tasks_max=4), replication=0)
    >>> jobs.n, jobs.total_tasks, jobs.work
    (3, 12, 12.0)
    """
    return next_jobs(Draws(scenario, replication), scenario.jobs)


def next_jobs(draws: Draws, count: int) -> Workload:
    """Draw the next jobs of a replication; where tasks read blocks, only all jobs at once.

    Parameters
    ----------
    draws : Draws
        Random generators, positioned after the jobs already drawn.
    count : int
        How many, at least 1.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> draws = Draws(SlotScenario(jobs=3), 0)
    >>> first, others = next_jobs(draws, 1), next_jobs(draws, 2)
    >>> [*first.arrival, *others.arrival] == generate(draws.scenario, 0).arrival.tolist()
    True
    """
    for column in _from_trace(draws.scenario):
        raise BadInput(f"{column}: 'trace' is not accepted without a workload file; give the file, or a law")
    return _workload(draws, count, None)


def from_trace(trace: Trace, scenario: Scenario, replication: int) -> Workload:
    r"""Take the columns that the scenario wants from a trace, and draw the others.

    Every job of the trace is used, in order of its submit time; `scenario.jobs` is ignored. Job i
    of the workload is job i of the trace whichever columns are drawn: with tasks from the trace and
    drawn arrivals, the same jobs come in the same order at other times.

    Parameters
    ----------
    trace : Trace
        Jobs read from a file.
    scenario : Scenario
        `arrivals`, `tasks` and `size` say 'trace' where the column comes from the file.
    replication : int
        Number of the replication, at least 0; it matters for the drawn columns only.

    Returns
    -------
    Workload

    Raises
    ------
    BadInput
        If the scenario takes nothing from the trace, if it wants sizes and the trace has none, or
        if it wants arrivals stretched and the trace has one job or one arrival time, so that no load can be
        set.

    Notes
    -----
    Recorded times are kept. Where the scenario wants them stretched, time is rescaled so that
    :math:`\sum_i E[m_i b_i]\,E[Z] / (S \cdot \mathit{span})` is the load
    (S: the healthy slots, which is all unless some are slow),
    with the columns of the trace as they are and the means of the laws for the drawn ones. Means,
    because then the arrivals of a trace are the same in every replication. The `span` is the time
    from the first to the last arrival times n/(n - 1), since n jobs leave only n - 1 gaps between
    them: one mean gap is put before the first.

    Examples
    --------
    >>> trace = Trace(np.array([50.0, 60.0, 80.0]), np.array([4, 4, 8]), None, ("a", "b", "c"), "x.csv", "")
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> kept = SlotScenario(slots=16, straggle="deterministic", arrivals="trace", tasks="trace")
    >>> from_trace(trace, kept, replication=0).arrival  # one mean gap of 15 before the first
    array([15., 25., 45.])
    >>> full = kept.replace(recorded_times="stretched", load=1)
    >>> from_trace(trace, full, replication=0).arrival.round(9)  # 16 tasks of size 1 in 3 gaps
    array([0.33333333, 0.55555556, 1.        ])
    """
    if not _from_trace(scenario):
        raise BadInput(f"{trace.told}: nothing is taken from it; set arrivals, tasks or size to trace")
    if scenario.size == "trace" and trace.size is None:
        raise BadInput(f"size: 'trace' is not accepted; {trace.told} has no sizes, give a law of sizes")
    return _workload(Draws(scenario, replication), trace.arrival.size, trace)


def arrival_rate(scenario: Scenario) -> float:
    """Jobs per unit of time that offer the scenario's load, for a scenario without a trace.

    Parameters
    ----------
    scenario : Scenario
        Without tasks or sizes from a trace.

    Returns
    -------
    float
        load x healthy slots / (mean tasks x mean size x mean factor), in jobs per `time_unit`.

    Raises
    ------
    BadInput
        If tasks or sizes come from a trace.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> arrival_rate(SlotScenario(slots=100, load=0.8, tasks="constant", tasks_max=1, straggle="exponential"))
    80.0
    """
    return scenario.load * scenario.healthy_slots / (scenario.mean_tasks * scenario.mean_duration)


def recorded_load(trace: Trace, scenario: Scenario) -> float:
    """Offered load of a trace on the slots of a scenario, at the times that were recorded.

    Infinite if all jobs arrive at once. See `from_trace` for what it counts.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> trace = Trace(np.array([0.0, 8.0]), np.array([4, 4]), np.array([6.0, 6.0]), ("a", "b"), "x.csv", "")
    >>> kept = SlotScenario(slots=6, arrivals="trace", tasks="trace", size="trace")
    >>> recorded_load(trace, kept)  # 48 slot-seconds in 16 s
    0.5
    """
    gap = _recorded_gap(trace)
    if not gap:
        return np.inf
    tasks = trace.tasks if scenario.tasks == "trace" else scenario.mean_tasks
    size = _recorded_sizes(trace, scenario) if scenario.size == "trace" else scenario.size_law.mean
    return _work_per_job(tasks, size, scenario) / (gap * scenario.healthy_slots)


def ideal(workload: Workload, slots: int) -> np.ndarray:
    r"""Flowtime of each job alone on an idle healthy cluster: the denominator of its slowdown.

    Parameters
    ----------
    workload : Workload
        Jobs.
    slots : int
        Slots of the cluster, at least 1.

    Returns
    -------
    ndarray of float64, shape (n,)
        :math:`b \lceil m/S \rceil` for a job of m tasks of size b. Where sizes are per task, the
        time at which its last task ends when tasks start in order, each on the first free slot.
        Phases are of no account here; see `sim.engines.slots.run`.

    Examples
    --------
    >>> jobs = Workload(np.array([0.0, 1.0]), np.array([3, 2]), np.array([2.0, 5.0]))
    >>> ideal(jobs, slots=2)  # two waves of 2, one wave of 5
    array([4., 5.])
    """
    if not workload.task_size.size:
        return np.asarray(workload.size * -(-workload.tasks // slots))
    ends = np.cumsum(workload.tasks)
    starts = ends - workload.tasks
    alone: np.ndarray = np.maximum.reduceat(workload.task_size, starts)
    for job in np.flatnonzero(workload.tasks > slots):
        alone[job] = _makespan(workload.task_size[starts[job] : ends[job]], slots)
    return alone


def _makespan(sizes: np.ndarray, slots: int) -> float:
    """When the last task ends if tasks start in order, each on the slot that is free first."""
    free: list[float] = sizes[:slots].tolist()
    heapq.heapify(free)
    for size in sizes[slots:].tolist():
        heapq.heapreplace(free, free[0] + size)
    return max(free)


def _from_trace(scenario: Scenario) -> list[str]:
    """Columns that the scenario takes from a trace."""
    return [column for column in ("arrivals", "tasks", "size") if getattr(scenario, column) == "trace"]


def _workload(draws: Draws, n: int, trace: Trace | None) -> Workload:
    """Put the columns together and stretch the arrivals to the load, unless recorded times are kept."""
    scenario = draws.scenario
    expected_tasks: float | np.ndarray
    expected_size: float | np.ndarray
    if trace is not None and scenario.tasks == "trace":
        tasks = expected_tasks = trace.tasks
    else:
        tasks, expected_tasks = draws.tasks(n), scenario.mean_tasks
    if trace is not None and trace.size is not None and scenario.size == "trace":
        size, task_size = _recorded_sizes(trace, scenario), np.empty(0)
        expected_size = size
    else:
        size, task_size = draws.sizes(tasks)
        expected_size = scenario.size_law.mean
    work_per_job = _work_per_job(expected_tasks, expected_size, scenario)
    if trace is not None and scenario.keeps_times:
        gap = _recorded_gap(trace) or work_per_job / scenario.healthy_slots
        arrival = gap + (trace.arrival - trace.arrival[0])
    else:
        recorded = trace is not None and scenario.arrivals == "trace"
        gaps = _read_arrivals(trace) if trace is not None and recorded else draws.arrivals(n)
        arrival = gaps * (work_per_job / (scenario.load * scenario.healthy_slots))
    phases = divide(scenario, draws, tasks) if isinstance(scenario, SpeculativeScenario) else None
    blocks = place_blocks(scenario, draws.replication, tasks, phases)
    names = trace.names if trace else ()
    return Workload(arrival, tasks, size, task_size, names, phases, blocks)


def _work_per_job(tasks: float | np.ndarray, size: float | np.ndarray, scenario: Scenario) -> float:
    """Mean slot-time of a job that runs every task once."""
    return float(np.mean(tasks * size)) * scenario.mean_factor


def _recorded_sizes(trace: Trace, scenario: Scenario) -> np.ndarray:
    """Sizes of a trace as times on a healthy slot; a mean has the mean straggle factor in it."""
    assert trace.size is not None
    return trace.size / scenario.mean_factor if scenario.recorded_sizes == "means" else trace.size


def _recorded_gap(trace: Trace) -> float:
    """Mean time between the arrivals of a trace, 0 if there is none."""
    return float(trace.arrival[-1] - trace.arrival[0]) / max(trace.arrival.size - 1, 1)


def _read_arrivals(trace: Trace) -> np.ndarray:
    """Arrival times of a trace in mean gaps, one of which is put before the first job."""
    n, since = trace.arrival.size, trace.arrival - trace.arrival[0]
    if n < 2:
        raise BadInput(f"{trace.told}: one job sets no load; give at least two, or draw the arrivals")
    if not since[-1] > 0:
        raise BadInput(f"{trace.told}: all jobs arrive at once, which sets no load; draw the arrivals")
    return np.asarray(1 + since * ((n - 1) / since[-1]))


# A recorded workload on a scenario's cluster: its offered load, and a sentence on what is changed.

#: The duration of a copy, by the meaning of a trace's sizes; with the mean straggle factor.
SIZES = {
    "means": "Sizes are means: a copy takes its size times a straggle factor over their mean {mean:.3g}, "
    "so that the mean work is as recorded",
    "healthy": "Sizes are healthy times: a copy takes its size times a straggle factor of mean {mean:.3g}",
    "measured": "Sizes are what was measured: every copy takes its size, without a straggle factor",
}


def with_recorded_load(scenario: Scenario, trace: Trace) -> Scenario:
    """Return the scenario with the load that the recorded times offer, within what the field accepts."""
    most = about_fields(type(scenario))["load"].high
    return scenario.replace(load=min(max(recorded_load(trace, scenario), 1e-12), most))


def refuse_load(scenario: Scenario, field: str) -> None:
    """Refuse a load where recorded times are kept.

    Raises
    ------
    BadInput
        Saying how to stretch them.
    """
    if field == "load" and scenario.keeps_times:
        raise BadInput(
            "load: a load is not accepted where recorded times are kept; set recorded_times=stretched"
        )


def about_trace(trace: Trace, scenario: Scenario) -> tuple[str, ...]:
    """Return in a sentence or two the jobs, span and load of a trace, and what is done to its columns.

    Examples
    --------
    >>> import numpy as np
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> trace = Trace(np.array([0.0, 8.0]), np.array([4, 4]), np.array([6.0, 6.0]), ("a", "b"), "x.csv", "")
    >>> kept = SlotScenario(slots=6, arrivals="trace", tasks="trace", size="trace")
    >>> about_trace(trace, kept)[0]
    '2 jobs recorded over 8 s, an offered load of 0.5 on 6 slots; their times are kept'
    >>> about_trace(trace, kept.replace(recorded_times="stretched", load=0.25))[0]
    '2 jobs recorded over 8 s, an offered load of 0.5 on 6 slots; stretched by 2 to an offered load of 0.25'
    """
    span = float(trace.arrival[-1] - trace.arrival[0])
    load, slots = recorded_load(trace, scenario), counted(scenario.slots, "slot")
    known = f", an offered load of {load:.3g} on {slots}" if math.isfinite(load) else ""
    told = f"{counted(trace.arrival.size, 'job')} recorded over {span:.6g} {scenario.time_unit}{known}"
    if scenario.keeps_times:
        told += "; their times are kept"
    elif scenario.arrivals == "trace":
        told += f"; stretched by {load / scenario.load:.3g} to an offered load of {scenario.load:g}"
    else:
        told += "; their arrivals are drawn"
    if scenario.size != "trace":
        return (told,)
    return told, SIZES[scenario.recorded_sizes].format(mean=scenario.mean_factor)


# The jobs of a long replication, drawn on demand: a block at a time, and again for each policy.
#
# Drawing is cheap beside simulating, so what has been used is forgotten. The jobs are those of
# `sim.model.workload.generate`, to the bit, whatever the blocks.

#: Jobs of a block: enough that what is done once a block costs little, few enough to be held.
BLOCK = 1 << 15
#: Jobs that are known before they arrive: at least as many as one call of an engine may have events.
AHEAD = 100_000


class StreamedWorkload:
    """Jobs of one replication in blocks.

    Parameters
    ----------
    scenario : Scenario
        Without a column from a trace, and without input blocks.
    replication : int
        Number of the replication, at least 0.
    block, ahead : int, optional
        Jobs of a block, and jobs that a run is to know before they arrive; at least 1.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> jobs = StreamedWorkload(SlotScenario(jobs=5), 0, block=2, ahead=1)
    >>> [block.n for block in jobs.blocks()], jobs.totals.jobs
    ([2, 2, 1], 5)
    """

    def __init__(self, scenario: Scenario, replication: int, block: int = BLOCK, ahead: int = AHEAD) -> None:
        self.scenario = scenario
        self.replication = replication
        self.block, self.ahead = block, ahead
        self.totals = Totals.of(self.blocks())

    def blocks(self) -> Iterator[Workload]:
        """Draw all jobs, block after block."""
        draws = Draws(self.scenario, self.replication)
        for count in self._counts():
            yield next_jobs(draws, count)

    def tasks(self) -> Iterator[np.ndarray]:
        """Draw how many tasks the jobs have, block after block."""
        draws = Draws(self.scenario, self.replication)
        for count in self._counts():
            yield draws.tasks(count)

    def _counts(self) -> Iterator[int]:
        for first in range(0, self.scenario.jobs, self.block):
            yield min(self.block, self.scenario.jobs - first)


#: Jobs of one replication as a run takes them: held, each with the flowtime that its slowdown is in units of,
#: or drawn when they are needed.
Jobs = tuple[Workload, np.ndarray] | StreamedWorkload
