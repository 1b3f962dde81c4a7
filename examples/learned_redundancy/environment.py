r"""The gang engine as a Gymnasium environment; needs Gymnasium.

An episode is a replication, a step is a job that has come to the head of the queue. The action is its
expansion rate; what is observed are its demand, the load it finds and the offered load
(`sim.engines.gang.learning.network.observed`). The reward of a step is minus the slowdown that passes
because of it until the next:

.. math:: -\frac{finish_j - start_j}{b_j} - \int_{t_j}^{t_{j+1}} \sum_{i\ \text{waits}} \frac{dt}{b_i}

the run of the job itself and the waits of all until the next decision. So the rewards of an episode add up
to minus the slowdowns of its jobs, and nothing of a slowdown is told before it is settled: when a job has
started, its end is. What a job costs those behind it comes later, as their waits pass.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from training import Training

from sim.engines.gang.learning.network import HIGHEST, LARGEST, observed
from sim.engines.gang.run import GangRun, read_policy
from sim.engines.gang.scenario import GangScenario
from sim.model.fields import BadInput
from sim.model.workload import generate
from theory.coding import expanded_tasks
from theory.quoting import quoted


class CodingEnvironment(gymnasium.Env[np.ndarray, np.int64]):
    """A cluster that asks how much redundancy each job starts with.

    Parameters
    ----------
    scenario : GangScenario, optional
        What is simulated; its `seed` holds until `reset` is given another one.
    rates : tuple of float, optional
        Expansion rates, the actions.

    Raises
    ------
    BadInput
        If the scenario decides on arrival, delays redundant tasks or stops before all jobs are done: a
        reward would not be settled by the next decision.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self, scenario: GangScenario | None = None, rates: tuple[float, ...] = Training().rates
    ) -> None:
        self.scenario = scenario or GangScenario()
        self.rates = rates
        for name, needed in (("decide", "dispatch"), ("delay", 0.0), ("drain", np.inf)):
            if (given := getattr(self.scenario, name)) != needed:
                raise BadInput(f"{name}: {quoted(given)} is not accepted in an environment; give {needed}")
        highest = observed(LARGEST, HIGHEST, HIGHEST).astype(np.float32)
        self.observation_space = gymnasium.spaces.Box(np.zeros(3, np.float32), highest)
        self.action_space = gymnasium.spaces.Discrete(len(rates))
        self._replication = -1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin the next replication, or the first one of another seed."""
        super().reset(seed=seed)
        if seed is not None:
            self.scenario = self.scenario.replace(seed=seed)
        self._replication = 0 if seed is not None else self._replication + 1
        jobs = generate(self.scenario, self._replication)
        self._run = GangRun(self.scenario, read_policy("none"), self._replication, jobs, asks=True)
        self._settled = self._waited = 0.0
        self._go_on()
        return self._seen(), {"job": self._run.asked}

    def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Start the job with this redundancy, and go on to the next one."""
        run, j = self._run, self._run.asked
        run.answer(int(expanded_tasks(int(run.jobs[j].tasks), self.rates[int(action)])))
        before = self._waited
        self._go_on()
        job = run.jobs[j]
        size = float(job.task_size)
        self._settled += float(job.start - job.arrival) / size
        self._waited = self._settled + self._still_waiting()
        reward = -(self._end(j) - float(job.start)) / size - (self._waited - before)
        return self._seen(), reward, run.done, False, {"job": run.asked}

    def _go_on(self) -> None:
        """Let time pass until the next decision, or the end."""
        while not self._run.advance() and self._run.asked < 0:
            pass

    def _end(self, j: int) -> float:
        """Return when a job ends that has started."""
        run, job = self._run, self._run.jobs[j]
        end, task = float(job.finish), int(job.first)
        while task >= 0:
            end, task = float(run.tasks[task].end), int(run.tasks[task].next)
        return end

    def _still_waiting(self) -> float:
        """Return how long those have waited that wait now, in units of their sizes."""
        cluster = self._run.cluster[0]
        there: Any = self._run.jobs[cluster.head : cluster.arrived]
        return float(((cluster.now - there.arrival) / there.task_size).sum())

    def _seen(self) -> np.ndarray:
        """Return the observation of the job that is asked about; nothing after the last."""
        if self._run.done:
            return np.zeros(3, np.float32)
        cluster, job = self._run.cluster[0], self._run.jobs[self._run.asked]
        load = (cluster.busy + cluster.waiting - job.tasks) / cluster.slots
        demand = job.tasks * job.task_size / self.scenario.size_min
        return observed(demand, load, self.scenario.load).astype(np.float32)
