"""Phases of jobs: how tasks are divided among them, which phase feeds which, and what is transferred.

The phases of a job form a tree in which each phase feeds one other, the last phase none: a *chain*,
or a *bushy* tree in which two phases feed each inner one. Phases are numbered so that a phase comes
after all that feed it; tasks are numbered phase by phase. When a task is done its output is on its
way to the next phase for `ratio` x the job's size, beside the slots. A phase may start a share of its
tasks when that share of each of its inputs has arrived (pipelined), but none before the scenario's
`barrier` share has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim.kernel.streams import stream
from sim.model.scenario import Scenario

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


# The random draws for the jobs of one replication, at once or in parts: the numbers are the same.


class Draws:
    """The named streams of a replication; what is drawn from each goes on where it was left.

    Parameters
    ----------
    scenario : Scenario
    replication : int
        Number of the replication, at least 0.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> whole, parts = Draws(SlotScenario(), 0), Draws(SlotScenario(), 0)
    >>> whole.tasks(3), parts.tasks(1), parts.tasks(2)
    (array([10, 72, 36]), array([10]), array([72, 36]))
    """

    def __init__(self, scenario: Scenario, replication: int) -> None:
        self.scenario = scenario
        self.replication = replication
        self._streams: dict[str, np.random.Generator] = {}
        self._passed = 0.0

    def stream(self, name: str) -> np.random.Generator:
        """Return a stream by its name, as it was left."""
        if name not in self._streams:
            self._streams[name] = stream(self.scenario.seed, self.replication, name)
        return self._streams[name]

    def tasks(self, count: int) -> np.ndarray:
        """Draw the tasks of the next jobs."""
        return self.scenario.task_law.quantile(self.stream("tasks").random(count))

    def sizes(self, tasks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Draw the size of each job, or the sizes of all tasks and their mean in each job."""
        law, generator = self.scenario.size_law, self.stream("size")
        if self.scenario.size_per == "job":
            return law.quantile(generator.random(tasks.size)), np.empty(0)
        task_size = law.quantile(generator.random(int(tasks.sum())))
        return np.add.reduceat(task_size, np.cumsum(tasks) - tasks) / tasks, task_size

    def arrivals(self, count: int) -> np.ndarray:
        """Draw the arrival times of the next jobs, in mean gaps since the beginning."""
        generator = self.stream("arrival")
        if self.scenario.arrivals == "poisson":
            gaps = generator.standard_exponential(count)
        else:  # the coefficient of variation of a gamma law is 1 / sqrt(shape)
            shape = self.scenario.arrival_cv**-2
            gaps = generator.standard_gamma(shape, count) / shape
        gaps[0] += self._passed  # summed in one order, whatever the parts
        times: np.ndarray = np.cumsum(gaps)
        self._passed = float(times[-1])
        return times


@dataclass(frozen=True, slots=True, eq=False)
class Phases:
    """Phases of all jobs, job after job.

    Parameters
    ----------
    count : ndarray of int64, shape (jobs,)
        Phases of each job, at least 1.
    tasks : ndarray of int64, shape (phases,)
        Tasks of each phase, at least 1.
    into : ndarray of int64, shape (phases,)
        Phase that reads what this one writes, counted within its job; -1 for the last.
    ratio : ndarray of float64, shape (phases,)
        Transfer time of the output of one task / size of the job; 0 for the last phase.
    """

    count: np.ndarray
    tasks: np.ndarray
    into: np.ndarray
    ratio: np.ndarray

    @property
    def first(self) -> np.ndarray:
        """Number of the first phase of each job."""
        return np.asarray(np.cumsum(self.count) - self.count)

    @property
    def is_fed(self) -> np.ndarray:
        """Whether another phase feeds this one."""
        fed = np.zeros(self.tasks.size, dtype=bool)
        feeding = self.into >= 0
        fed[(np.repeat(self.first, self.count) + self.into)[feeding]] = True
        return fed


def divide(scenario: SpeculativeScenario, draws: Draws, tasks: np.ndarray) -> Phases | None:
    """Divide the tasks of each job as evenly as they go into phases, earlier ones getting the odd tasks.

    Parameters
    ----------
    scenario : SpeculativeScenario
        Its `phases`, `phases_law`, `shape`, `transfer` and `transfer_law` are read.
    draws : Draws
        Of the scenario; jobs before these have been divided by it.
    tasks : ndarray of int64
        Tasks of each job.

    Returns
    -------
    Phases or None
        None if every job has one phase by law.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> bushy = SlotScenario(phases=3, shape="bushy", transfer=0.5)
    >>> tree = divide(bushy, Draws(bushy, 0), np.array([7, 2]))
    >>> tree.tasks, tree.into  # two phases feed the third; the second job has tasks for two phases only
    (array([3, 2, 2, 1, 1]), array([ 2,  2, -1,  1, -1]))
    """
    if scenario.phases == 1:
        return None
    count = np.full(tasks.size, scenario.phases)
    if scenario.phases_law == "uniform":
        luck = draws.stream("phases").random(tasks.size)
        count = 1 + np.floor(luck * scenario.phases).astype(np.int64)
    count = np.minimum(count, tasks)
    last = np.cumsum(count) - 1
    number = np.arange(count.sum()) - np.repeat(last + 1 - count, count)
    jobs = np.repeat(np.arange(tasks.size), count)
    share, odd = tasks[jobs] // count[jobs], tasks[jobs] % count[jobs]
    into = number + 1
    if scenario.shape == "bushy":
        # a heap read backwards: place q = count - 1 - number is fed by places 2 q + 1 and 2 q + 2
        into = count[jobs] - 1 - (count[jobs] - 2 - number) // 2
    into[last] = -1
    ratio = _ratios(scenario, draws, number.size)
    ratio[last] = 0.0
    return Phases(count, share + (number < odd), into, ratio)


def _ratios(scenario: SpeculativeScenario, draws: Draws, phases: int) -> np.ndarray:
    """Draw the transfer time of each phase's outputs, in sizes."""
    luck = draws.stream("transfer").random(phases)
    if scenario.transfer_law == "uniform":
        return np.asarray(2 * scenario.transfer * luck)
    if scenario.transfer_law == "exponential":
        return np.asarray(-scenario.transfer * np.log1p(-luck))
    return np.full(phases, scenario.transfer)
