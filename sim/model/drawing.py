"""The random draws for the jobs of one replication, at once or in parts: the numbers are the same."""

from __future__ import annotations

import numpy as np

from sim.kernel.streams import stream
from sim.model.scenario import Scenario


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
