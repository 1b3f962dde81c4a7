"""The outcome of one replication of one policy, whichever engine ran it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from sim.model.fields import BadInput
from sim.model.scenario import Scenario
from theory.quoting import quoted

# What a rule may see of a running copy.


@dataclass(frozen=True, slots=True)
class Observation:
    """When the remaining time of a running copy becomes known to the rules.

    `kind` is 'age' (at age `at` x mean duration of its job), 'fraction' (when that share of its
    work is done) or 'never' (a rule knows elapsed times only).
    """

    kind: str
    at: float

    ACCEPTED = "age:a with a >= 0, fraction:s with 0 <= s < 1, or never"

    @classmethod
    def read(cls, text: str) -> Observation:
        """Parse ``age:0.5``, ``fraction:0.2`` or ``never``.

        Examples
        --------
        >>> Observation.read("fraction:0.20").text
        'fraction:0.2'
        """
        kind, _, number = str(text).strip().partition(":")
        if kind == "never" and not number:
            return cls("never", math.inf)
        try:
            at = float(number)
        except ValueError:
            at = math.nan
        if (kind == "age" and 0 <= at < math.inf) or (kind == "fraction" and 0 <= at < 1):
            return cls(kind, at + 0.0)
        raise BadInput(f"observe: {quoted(text)} is not accepted; give {cls.ACCEPTED}")

    @classmethod
    def canonical(cls, text: str) -> str:
        """Return the canonical spelling of a text, or refuse it."""
        return cls.read(text).text

    @property
    def text(self) -> str:
        """The canonical spelling."""
        return "never" if self.kind == "never" else f"{self.kind}:{self.at!r}"


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


# Which statistics have a reliable interval: judged by the moments of the laws and the length of a run.
#
# Student's interval of a mean needs a finite variance of what is averaged; without one it covers less than
# it promises, and no correction that was tried covers enough (`docs/explanation/coverage.md`). Three things
# matter:
#
# - the times of the tasks themselves: a mean needs two moments of them, hence a tail index above 2, and so
#   does a quantile of so few jobs that few are slower: the k-th slowest job has k times the tail index;
# - the wait for a slot: of a cluster with k slots to spare, a wait has r moments where task times have 1 +
#   r/k. With one slot to spare, as with a single server, the variance of a wait needs three moments;
# - how often a queue empties and fills again within a run. It forgets in about its relaxation time
#   :math:`\rho\,E[W^2] / (E[W]\,(1-\rho)^2 S)`, W: the work of a job. Replications of few of them are skewed.
#
# References: Kiefer and Wolfowitz (1956), Ann. Math. Statist. 27; Scheller-Wolf and Sigman (1997), Queueing
# Systems 27, "Delay moments for FIFO GI/GI/s queues"; Whitt (1989), Management Science 35, "Planning
# queueing simulations".

#: Measures that wait for slots.
WAITING = ("flowtime", "slowdown", "wait")
#: Statistics that need two moments of a wait: a mean, and quantiles among the slowest jobs, since one giant
#: holds up more than their share of a run. The median needs none.
SLOWEST = ("mean", "p80", "p90", "p95", "p99")
#: Relaxation times in a replication from which the intervals of means and of slow quantiles are trusted.
LONG = 50
#: How many times as many the difference of two policies needs.
PAIRED = 4
#: Where quantile functions are read for second moments; what lies beyond counts by the other two rules.
_SHARES = (np.arange(10_000) + 0.5) / 10_000


def tail_index(scenario: Scenario, *, escaped: bool = False) -> float:
    """Return the tail index of the time of a task, infinite where it is lighter than any power.

    Parameters
    ----------
    scenario : Scenario
    escaped : bool, optional
        Whether copies escape the stragglers, so that two must be slow: that doubles their tail index.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> tail_index(SlotScenario(straggle_tail=1.5)), tail_index(SlotScenario(straggle="bounded-pareto"))
    (1.5, inf)
    """
    law = scenario.straggle_law
    factors = law.tail if law.kind in ("pareto", "outlier") else math.inf
    unbounded = scenario.size == "pareto" and math.isinf(scenario.size_max)
    sizes = scenario.size_tail if unbounded else math.inf
    return min(factors * (2 if escaped else 1), sizes)


def spare_slots(scenario: Scenario) -> int:
    """Return the slots that the offered load leaves free, at least 1.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> spare_slots(SlotScenario(slots=20, load=0.8)), spare_slots(SlotScenario(slots=1, load=0.7))
    (4, 1)
    """
    return max(1, math.floor(scenario.slots - scenario.load * scenario.slots + 1e-9))


def moments_needed(scenario: Scenario, measure: str, statistic: str) -> float:
    """Return the moments of a task's time that a statistic of a measure needs to be known; 0 if none.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> single = SlotScenario(slots=1, load=0.7)
    >>> [moments_needed(single, "flowtime", one) for one in ("mean", "p95", "p50")]
    [3.0, 3.0, 0.0]
    >>> moments_needed(SlotScenario(slots=1000, load=0.7), "flowtime", "mean")
    2.0
    """
    own = 2.0 if statistic == "mean" else 0.0
    if measure not in WAITING or statistic not in SLOWEST:
        return own
    return max(own, 1 + 2 / spare_slots(scenario))


@lru_cache(maxsize=256)
def relaxations_of_a_job(scenario: Scenario) -> float:
    """Return how many relaxation times of the queue pass from one job to the next; 0 where it never settles.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> one = SlotScenario(slots=1, load=0.5, tasks="constant", tasks_max=1, straggle="exponential")
    >>> round(relaxations_of_a_job(one), 2)  # (1 - 0.5)^2 / (0.5^2 x 2)
    0.5
    """
    if scenario.load >= 1:
        return 0.0
    tasks, factor = scenario.task_law.quantile(_SHARES), scenario.straggle_law.quantile(_SHARES)
    size = scenario.size_law.quantile(_SHARES)
    work = scenario.mean_tasks * scenario.mean_duration
    of_one = np.mean(factor**2) - np.mean(factor) ** 2
    square = np.mean(size**2) * (np.mean(tasks) * of_one + np.mean(tasks**2) * np.mean(factor) ** 2)
    bursts = scenario.arrival_cv**2 if scenario.arrivals == "bursty" else 1.0
    spread = square / work**2 + bursts - 1
    return float((1 - scenario.load) ** 2 / (scenario.load**2 * spread))


def jobs_needed(scenario: Scenario) -> int:
    """Return the jobs of a replication that hold `LONG` relaxation times; 0 where the jobs are recorded.

    Recorded jobs are the same in every replication, and a single job meets no other.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> one = SlotScenario(slots=1, load=0.5, tasks="constant", tasks_max=1, straggle="deterministic")
    >>> jobs_needed(one.replace(warm_up=0))
    50
    """
    if "trace" in (scenario.arrivals, scenario.tasks, scenario.size) or scenario.jobs == 1:
        return 0
    passed = relaxations_of_a_job(scenario) * (1 - scenario.warm_up)
    return math.ceil(LONG / passed - 1e-9) if passed else scenario.jobs + 1


def interval_is_reliable(
    scenario: Scenario, measure: str, statistic: str, *, copied: bool = False, paired: bool = False
) -> bool:
    """Return whether the interval of a statistic over replications keeps its promise.

    Parameters
    ----------
    scenario : Scenario
    measure, statistic : str
        As in `sim.model.result.PolicyResult.estimate`.
    copied : bool, optional
        Whether the policy makes copies. They tame the slot-time of the jobs, but not surely the flowtimes:
        a rule that is out of slots or at its cap leaves a straggler alone.
    paired : bool, optional
        Whether it is the difference of two policies, which are alike while no queue makes them differ: it
        needs `PAIRED` times the jobs.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> heavy = SlotScenario(straggle_tail=1.5, load=0.5)
    >>> [interval_is_reliable(heavy, "flowtime", one) for one in ("mean", "p50", "p95")]
    [False, True, True]
    >>> [interval_is_reliable(heavy, "resource", "mean", copied=one) for one in (False, True)]
    [False, True]
    """
    needed_jobs = jobs_needed(scenario) * (PAIRED if paired else 1)
    if measure in WAITING and statistic in SLOWEST and needed_jobs > scenario.jobs:
        return False
    tail = tail_index(scenario, escaped=copied and measure == "resource")
    if statistic != "mean" and tail * slower(scenario, statistic) <= 2:
        return False
    needed = moments_needed(scenario, measure, statistic)
    return not needed or tail > needed


def slower(scenario: Scenario, statistic: str) -> int:
    """Return which of the slowest counted jobs of a replication a quantile is: 1 for the slowest.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> [slower(SlotScenario(jobs=jobs, warm_up=0), "p95") for jobs in (1, 19, 20, 200)]
    [1, 1, 2, 11]
    """
    counted = scenario.jobs - first_counted(scenario, scenario.jobs)
    return counted - math.ceil(int(statistic[1:]) * counted / 100 - 1e-9) + 1


def leading(scenario: Scenario) -> str:
    """Return the statistic of the flowtimes to lead with: the mean where it can be known, else the median."""
    return "mean" if interval_is_reliable(scenario, "flowtime", "mean") else "p50"
