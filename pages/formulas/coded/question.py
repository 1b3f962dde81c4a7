r"""One job of k tasks expanded to n, and Redundant-small(r, d) in a cluster, by the formulas.

:math:`\beta` is the tail index of straggle factors. Times of one job are in sizes of its tasks, those of
the cluster in seconds; its jobs have 1 to k tasks (Zipf) of at least 10 s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.model.cached import cached_property
from theory.coding import coded_cost, expanded_tasks
from theory.optimal_demand import optimal_demand
from theory.order_statistics import order_statistic_moment
from theory.response_time import Moments, redundancy_load_limit, redundant_load, response_time
from theory.small_jobs import small_job_probability

#: Offered loads at which response times are drawn.
LOADS = np.linspace(0.01, 0.99, 197)
#: Times the tasks of a job up to which it is expanded.
MOST_RATE = 3


@dataclass(frozen=True)
class Request:
    """A job, and a cluster that expands jobs of demand up to d.

    Parameters
    ----------
    tail : float
        Tail index of straggle factors, > 1.
    k : int
        Tasks that end the job, and most tasks of a job of the cluster.
    slots : float
        Of the cluster.
    load : float
        Offered load, without redundancy.
    r : float
        Expansion rate.
    d : float
        Largest demand that is expanded, perhaps infinite.
    size_tail : float
        Tail index of task sizes.
    """

    tail: float
    k: int
    slots: int
    load: float
    r: float
    d: float
    size_tail: float

    @cached_property
    def n(self) -> int:
        """Tasks that the expanded job starts."""
        return int(expanded_tasks(self.k, self.r))

    @property
    def started(self) -> np.ndarray:
        """Numbers of tasks that the job may start."""
        return np.arange(self.k, MOST_RATE * self.k + 1)

    def latency(self, n: np.ndarray | int) -> np.ndarray:
        """Mean time until k of n tasks are done.

        Examples
        --------
        >>> job = Request(3.0, 1, 200, 0.5, 2.0, 120.0, 3.0)
        >>> round(float(job.latency(2)), 6), round(float(job.cost(2)), 6)  # two copies of one task
        (1.2, 2.4)
        """
        return np.asarray(order_statistic_moment(n, self.k, self.tail))

    def cost(self, n: np.ndarray | int) -> np.ndarray:
        """Mean slot-time until k of n tasks are done."""
        return np.asarray(coded_cost(n, self.k, self.tail))

    @cached_property
    def faster(self) -> float:
        """Time of the expanded job, over that without redundancy."""
        return float(self.latency(self.n) / self.latency(self.k))

    @cached_property
    def dearer(self) -> float:
        """Slot-time of the expanded job, over that without redundancy."""
        return float(self.cost(self.n) / self.cost(self.k))

    @cached_property
    def free(self) -> int:
        """Most tasks started that cost no more than k tasks."""
        n = self.started
        return int(n[self.cost(n) <= self.cost(self.k) * (1 + 1e-12)].max())

    @property
    def moments(self) -> Moments:
        """Moments that Claim 1 takes: the mean alone where the second one is infinite."""
        return "two" if min(self.tail, self.size_tail) > 2 else "one"

    @property
    def _jobs(self) -> dict[str, Any]:
        return {"r": self.r, "alpha": self.tail, "size_tail": self.size_tail, "k_max": self.k}

    @property
    def _cluster(self) -> dict[str, Any]:
        return self._jobs | {"capacity": self.slots, "moments": self.moments}

    def time(self, d: float, load: np.ndarray | float) -> np.ndarray:
        """Mean response time by Claim 1, in s, when jobs of demand up to d are expanded."""
        return np.asarray(response_time(d, load=load, **self._cluster))

    def brought(self, d: float) -> float:
        """Load that the jobs bring, redundancy included."""
        return float(redundant_load(d, load=self.load, **self._jobs))

    @cached_property
    def share(self) -> float:
        """Share of the jobs that are expanded."""
        return float(small_job_probability(self.d, self.size_tail, self.k, 10))

    @cached_property
    def limit(self) -> float:
        """Offered load from which the cluster is overloaded if every job is expanded."""
        return float(redundancy_load_limit(self.r, self.tail, self.k))

    @cached_property
    def star(self) -> float:
        """Largest demand that is best to expand: 0 for none, infinite for all."""
        return float(optimal_demand(self.load, **self._cluster))

    @cached_property
    def choices(self) -> dict[str, float]:
        """Which jobs are expanded -> mean response time at the load."""
        return {name: float(self.time(d, self.load)) for name, d in self.demands.items()}

    @property
    def demands(self) -> dict[str, float]:
        """Which jobs are expanded -> largest demand that is."""
        small = {} if self.d == math.inf else {"small jobs": self.d}
        return {"no job": 0.0} | small | {"all jobs": math.inf}
