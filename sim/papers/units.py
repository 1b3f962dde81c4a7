"""The queue of the gang engine for tasks that take several units of the capacity of a node.

Jobs wait first in, first out for as many different nodes as they start tasks, each with r units free; the
least loaded are taken, then those of the lowest number. Redundant tasks are coded. With r = 1 for all jobs it
is the gang engine, which a test makes sure of.
"""

from __future__ import annotations

import math
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numba import njit

from sim.engines.gang.scenario import GangScenario
from sim.kernel.compile import OPTIONS, kernel
from sim.kernel.streams import factor, job_key, run_key, stream, uniform
from sim.model.statistics import Estimate, student
from sim.model.workload import Workload, generate
from sim.papers.claim import Measured
from sim.papers.runs import largest
from sim.papers.sweeps import DEMANDS, LEARNED_SEED, RATE

#: Units that a task takes, all equally likely, by what the law is called.
LAWS = {"R = 1, 2 or 3": (1, 2, 3), "R = 1 or 4": (1, 4)}
#: Offered loads that are compared; beyond them queues grow under most demands of the sweep.
OFFERED = (0.1, 0.3, 0.5, 0.7)
#: No job gets redundancy, those up to a demand, or all.
SWEPT = (0.0, *DEMANDS)


@njit(cache=OPTIONS["cache"])  # type: ignore[untyped-decorator]  # a list grows
def slowdowns(
    arrival: Any, size: Any, tasks: Any, units: Any, started: Any, factors: Any, nodes: Any, capacity: Any
) -> Any:
    """Return the slowdown of each job.

    Parameters
    ----------
    arrival, size : ndarray of float, shape (jobs,)
        When jobs arrive, in this order, and the size of their tasks.
    tasks, units, started : ndarray of int, shape (jobs,)
        Tasks that must end, units of capacity that each takes, and tasks that the job starts.
    factors : ndarray of float, shape (jobs, nodes)
        Straggle factors of the tasks that a job may start.
    nodes, capacity : int
        Nodes, and units of capacity of each.
    """
    held = np.zeros(nodes, np.int64)
    ends = [(math.inf, 0, 0)]  # when tasks end, their nodes and units; the last entry stands for never
    found = np.empty(arrival.size)
    now = 0.0
    for j in range(arrival.size):
        now = max(now, arrival[j])
        wanted = started[j]
        while True:
            while ends[0][0] <= now:
                _, node, given = heappop(ends)
                held[node] -= given
            if (held + units[j] <= capacity).sum() >= wanted:
                break
            now = ends[0][0]
        last = np.sort(factors[j, :wanted])[tasks[j] - 1]
        order = np.argsort(held * nodes + np.arange(nodes))
        for i in range(wanted):
            node = order[i]
            held[node] += units[j]
            heappush(ends, (now + size[j] * min(factors[j, i], last), node, units[j]))
        found[j] = (now - arrival[j]) / size[j] + last
    return found


@kernel
def fill_factors(factors: Any, run: Any, law: Any, numbers: Any) -> Any:
    """Fill the straggle factors of a replication, those of the gang engine."""
    for j in range(factors.shape[0]):
        key = job_key(run, j)
        for i in range(factors.shape[1]):
            factors[j, i] = factor(law, numbers, 0.0, uniform(key, i, 0))


@lru_cache(maxsize=32)
def drawn(scenario: GangScenario, replication: int) -> tuple[Workload, np.ndarray]:
    """Return the jobs of a replication, and the straggle factors of their tasks."""
    jobs, law = generate(scenario, replication), scenario.straggle_law
    factors = np.empty((jobs.n, scenario.nodes))
    run = np.uint64(run_key(scenario.seed, replication))
    fill_factors(factors, run, law.code, np.array(law.numbers))
    return jobs, factors


@lru_cache(maxsize=512)
def swept(
    scenario: GangScenario, replication: int, law: tuple[int, ...], whole: bool, capacity: int
) -> tuple[float, ...]:
    """Return the mean slowdown under Redundant-small for each demand of the sweep.

    Parameters
    ----------
    scenario : GangScenario
        Gaps between its jobs become as much longer as a task takes more units on average.
    replication : int
    law : tuple of int
        Units of capacity that a task takes, all equally likely.
    whole : bool
        Whether the demand is k r b over the mean of r, instead of k b.
    capacity : int
        Units of capacity of a node.
    """
    jobs, factors = drawn(scenario, replication)
    mean = float(np.mean(law))
    units = stream(scenario.seed, replication, "units").choice(np.array(law), jobs.n)
    demand = jobs.tasks * jobs.size * (units / mean if whole else 1.0)
    arrival = jobs.arrival * (mean * scenario.capacity / capacity)
    means = []
    for largest_demand in SWEPT:
        started = np.where(demand <= largest_demand, RATE * jobs.tasks, jobs.tasks)
        found = slowdowns(arrival, jobs.size, jobs.tasks, units, started, factors, scenario.nodes, capacity)
        means.append(float(found[jobs.n // 10 :].mean()))
    return tuple(means)


def loss(
    tail: float, load: float, law: tuple[int, ...], quick: bool, *, whole: bool = True, wide: bool = True
) -> Estimate:
    """Return what going by the best d of R = 1 loses of the mean slowdown, against the best d of the law.

    If `wide`, nodes have as many more units as tasks take on average, so that as many tasks fit.
    """
    scenario = GangScenario(size_tail=tail, load=load, jobs=2_000 if quick else 20_000, seed=LEARNED_SEED)
    luck = range(4 if quick else 8)
    capacity = round(scenario.capacity * np.mean(law)) if wide else scenario.capacity
    of_one = np.array([swept(scenario, one, (1,), True, scenario.capacity) for one in luck])
    known = np.array([swept(scenario, one, law, True, capacity) for one in luck])
    mine = known if whole else np.array([swept(scenario, one, law, False, capacity) for one in luck])
    best, by_one = known.mean(axis=0).argmin(), of_one.mean(axis=0).argmin()
    return student((mine[:, by_one] / known[:, best] - 1).tolist())


def random_units(quick: bool) -> Measured:
    """Return the largest loss, and that under other choices."""
    law, heavier = LAWS.values()
    found = {f"offered load {load}": loss(3.0, load, law, quick) for load in OFFERED}
    more = {
        "beta = 1.5": largest(loss(1.5, load, law, quick) for load in OFFERED),
        "R = 1 or 4": largest(loss(3.0, load, heavier, quick) for load in OFFERED),
        "demand k b": largest(loss(3.0, load, law, quick, whole=False) for load in OFFERED),
        "nodes of 10 units": largest(loss(3.0, load, law, quick, wide=False) for load in OFFERED),
        "nodes of 10 units, R = 2": largest(loss(3.0, load, (2,), quick, wide=False) for load in OFFERED),
    }
    return Measured(largest(found.values()), 4 if quick else 8, LEARNED_SEED, found | more)
