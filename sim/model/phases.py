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

from sim.model.drawing import Draws

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


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
