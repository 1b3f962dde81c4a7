"""Runs that try actions and remember them, at the speed of the engine: the learner's experience.

Gymnasium's interface takes one decision a call; a learner that needs millions of noisy ones lets the engine
take them and reads them off the jobs afterwards. Both see the same, which a test makes sure of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from returns import waited_by

from sim.engines.gang.learning.network import Network, best_rate, load_seen
from sim.engines.gang.redundancy.expansion import expanded
from sim.engines.gang.run import GangRun, read_policy
from sim.engines.gang.scenario import GangScenario, Redundancy
from sim.engines.gang.signatures import decide
from sim.kernel.streams import uniform
from sim.model.workload import generate

#: Numbers on the tape of each decision.
LINE = 3
#: Address of the luck that decides on a trial: beyond every task a job can have.
TRIAL = 1 << 40


@decide
def explore(world, values, j):
    """Do what the network thinks best, or with some probability anything; note it on the tape."""
    job, store = world.jobs[j], world.store
    load = load_seen(world.cluster, job.tasks)
    action, rate = best_rate(store, 0, job.tasks * job.task_size / values.unit, load)
    twin = int(values.twin)
    tried = uniform(job.key, TRIAL + twin, 0) < values.trials
    if tried:
        actions = int(store[0])
        action = min(int(uniform(job.key, TRIAL + twin, 1) * actions), actions - 1)
        rate = store[3 + action]
    line = int(values.tape) + LINE * j
    store[line] = action
    store[line + 1] = load
    store[line + 2] = tried
    return expanded(rate, job.tasks)


class Values(NamedTuple):
    """The numbers `explore` reads: the unit of demands, the share of trials, and the stream of their luck.

    The tape begins in the store at `tape`, behind the packed network.
    """

    unit: float
    trials: float
    twin: float
    tape: float


class ExploringRun(GangRun):
    """A run in which a network decides, with some trials, and every decision is remembered."""

    def __init__(
        self, scenario: GangScenario, replication: int, network: Network, trials: float, twin: int = 0
    ) -> None:
        super().__init__(scenario, read_policy("none"), replication, generate(scenario, replication))
        packed = network.packed(scenario.load)
        store = np.concatenate([packed, np.zeros(LINE * self.workload.n)])
        values = Values(scenario.size_min, trials, twin, packed.size)
        self._rule = Redundancy(
            key="explore",
            title="",
            summary="",
            decide=explore,
            prepare=lambda scenario, chosen: values,
            store=lambda scenario, chosen: store,
        )

    @property
    def tape(self) -> np.ndarray:
        """Action, load and whether it was a trial, of each decision, shape (jobs, 3)."""
        return self.store[-LINE * self.workload.n :].reshape(-1, LINE)


@dataclass(frozen=True, eq=False)
class Decisions:
    r"""The decisions of a run, in order, one a job.

    Attributes
    ----------
    demand : ndarray of float
        Tasks x size of the job, in units of the smallest size.
    load : ndarray of float
        What was observed of the load (`sim.engines.gang.learning.network.load_seen`).
    action : ndarray of int
        What was done.
    tried : ndarray of bool
        Whether it was a trial.
    run : ndarray of float
        How long the job ran, in units of its size.
    waited : ndarray of float
        How long jobs waited until the next decision (or, after the last, for ever), each in units of its
        size: :math:`\int \sum_{i\ \text{waits}} dt / b_i`.

    The slowdowns of all jobs add up to those of `run` and `waited`.
    """

    demand: np.ndarray
    load: np.ndarray
    action: np.ndarray
    tried: np.ndarray
    run: np.ndarray
    waited: np.ndarray


def play(
    scenario: GangScenario, replication: int, network: Network, trials: float, twin: int = 0
) -> Decisions:
    """Run once and return its decisions.

    Parameters
    ----------
    scenario : GangScenario
        Whose jobs all come to their end.
    replication : int
        Which luck.
    network : Network
        What decides.
    trials : float
        Probability with which any action is taken instead.
    twin : int, optional
        Whose luck decides on trials; all else is the same for all twins.
    """
    run = ExploringRun(scenario, replication, network, trials, twin)
    while not run.advance():
        pass
    jobs, size = run.jobs, run.workload.size
    return Decisions(
        demand=run.workload.tasks * size / scenario.size_min,
        load=run.tape[:, 1].copy(),
        action=run.tape[:, 0].astype(np.int64),
        tried=run.tape[:, 2] > 0,
        run=(jobs.finish - jobs.start) / size,
        waited=np.diff(waited_by(jobs.arrival.copy(), jobs.start.copy(), size)),
    )
