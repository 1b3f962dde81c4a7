"""The scenario of the gang engine: nodes of some capacity, and jobs whose tasks start together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sim.model.fields import BadInput, about_fields, described, fields_of
from sim.model.rule import Rule
from sim.model.scenario import Scenario

if TYPE_CHECKING:
    import numpy as np

    from sim.kernel.hook import Hook
from collections.abc import Sequence

import numpy as np

from theory.optimal_demand import optimal_demand
from theory.response_time import Moments, redundant_load
from theory.small_jobs import small_job_probability

# The declaration of a rule of the gang engine: how many redundant tasks a job starts with.

#: Slots beyond which no engine goes.
MOST_SLOTS = int(about_fields(Scenario)["slots"].high)


def _now(name: str, default: Any, **about: Any) -> Any:
    """Declare a field of all engines again, with another default, and perhaps other words."""
    declared = fields_of(Scenario)[name].metadata
    changed = dataclasses.replace(declared["about"], **about)
    return dataclasses.field(default=default, metadata={**declared, "about": changed})


@dataclass(frozen=True, slots=True, kw_only=True)
class GangScenario(Scenario):
    """Nodes, each of the same capacity, and one first-in-first-out queue.

    A job of k tasks starts all of them at once, with the redundant ones its policy asks for, or waits
    and holds up whoever comes after it. The defaults are the system of Aktas & Soljanin, section 2.

    Raises
    ------
    BadInput
        Naming the field, the value and what is accepted.

    Examples
    --------
    >>> GangScenario(nodes=30).slots
    300
    >>> GangScenario(tasks_max=40)
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: tasks_max: 40 is not accepted; give at most 20, the tasks that ...
    """

    ENGINE: ClassVar[str] = "gang"

    slots: int = described(
        200, "units of capacity of the cluster, nodes x capacity", derived=True, low=1, high=MOST_SLOTS
    )
    load: float = _now("load", 0.5)
    jobs: int = _now("jobs", 100_000)
    tasks: str = _now("tasks", "zipf")
    tasks_max: int = _now("tasks_max", 10)
    size: str = _now("size", "pareto")
    size_min: float = _now("size_min", 10.0)
    straggle_tail: float = _now(
        "straggle_tail", 3.0, text="tail index (alpha in AS) of pareto, bounded-pareto and outlier factors"
    )
    nodes: int = described(20, "nodes of the cluster", low=1, high=100_000)
    capacity: int = described(
        10, "tasks a node runs at a time without slowing down", unit="slots / node", low=1, high=100_000
    )
    placement: str = described(
        "distinct",
        "where the tasks of a job start: on different nodes, the least loaded first, or in any free slots",
        choices=("distinct", "pool"),
    )
    redundancy: str = described(
        "mds",
        "what redundant tasks are: coded, so that any k of the n end the job, or replicas of the k tasks",
        choices=("mds", "replicated"),
    )
    decide: str = described(
        "dispatch",
        "when a policy decides on a job: as it reaches the head of the queue, or on its arrival",
        choices=("dispatch", "arrival"),
    )
    delay: float = described(
        0.0,
        "age of a job at which its redundant tasks start, where slots are free then; 0: together with it",
        unit="× size",
        low=0,
        high=1e12,
    )

    def _derive(self) -> None:
        object.__setattr__(self, "slots", self.nodes * self.capacity)

    def _check_pairs(self) -> None:
        Scenario._check_pairs(self)
        if self.slots > MOST_SLOTS:
            most = MOST_SLOTS // self.nodes
            raise BadInput(
                f"capacity: {self.capacity} is not accepted with {self.nodes} nodes; give at most {most}"
            )
        if self.tasks != "trace" and self.tasks_max > self.places:
            raise BadInput(
                f"tasks_max: {self.tasks_max} is not accepted; give at most {self.places}, "
                "the tasks that can start together"
            )

    @property
    def places(self) -> int:
        """Most tasks that can run of one job, in an empty cluster."""
        return self.nodes if self.placement == "distinct" else self.slots


@dataclass(frozen=True, kw_only=True)
class Redundancy(Rule):
    """How many tasks a job starts: a rule of the gang engine.

    More tasks than the cluster has places for are not started. `store` makes an array of floats of a scenario
    and the parameters, which the rule reads, and in which it may remember what it likes.
    """

    ENGINE: ClassVar[str] = "gang"
    REGISTRY: ClassVar[str] = "sim.engines.gang.redundancy:REDUNDANCY"
    decide: Hook
    store: Callable[[GangScenario, Mapping[str, float]], np.ndarray] | None = None


# Predictions of the theory for a scenario, shown beside its runs: d*, stable loads, expanded jobs.
#
# :math:`\alpha` is the tail index of the straggle factors, :math:`\beta` that of the task sizes.
#
# Reference: Aktas & Soljanin, "Learning Effective Straggler Mitigation from Experience and Modeling",
# section 4.


def claim1_demands(
    scenario: GangScenario,
    loads: Sequence[float],
    rate: float = 2,
    *,
    moments: Moments = "two",
    as_printed: bool = False,
) -> np.ndarray:
    r"""Return the best demand :math:`d^*` by Claim 1 at these offered loads.

    Parameters
    ----------
    scenario : GangScenario
        Of the family of the paper (`sim.running.gang_sweep.claim1`); its own load is not read.
    loads : sequence of float
        Each below 1, so that the queue is stable at least without redundancy.
    rate : float, optional
        Expansion rate r.
    moments, as_printed
        As in `theory.response_time.response_time`.

    Returns
    -------
    ndarray, shape of `loads`
        In the unit of the sizes; infinite where every job should be expanded. NaN where Claim 1 is
        infinite for every demand, so that no demand is best.

    Examples
    --------
    >>> claim1_demands(GangScenario(size_tail=3), [0.3, 0.95])
    array([inf,  0.])
    >>> claim1_demands(GangScenario(size_tail=1.5), [0.3])
    array([nan])
    """
    try:
        best = optimal_demand(
            list(loads),
            rate,
            scenario.straggle_tail,
            scenario.size_tail,
            scenario.tasks_max,
            scenario.size_min,
            scenario.size_max,
            scenario.slots,
            moments,
            as_printed,
        )
    except ValueError:  # loads below 1 leave one reason: the second moment of the latency is infinite
        return np.full(len(loads), np.nan)
    return np.asarray(best)


def brought_load(scenario: GangScenario, demands: Sequence[float], rate: float = 2) -> np.ndarray:
    """Return the load the jobs bring when those of demand up to each of these are expanded.

    Parameters
    ----------
    scenario : GangScenario
    demands : sequence of float
    rate : float, optional
        Expansion rate r.

    Returns
    -------
    ndarray, shape of `demands`
        The queue is unstable from 1 on, and before where jobs that do not fit hold up the others.

    Examples
    --------
    >>> brought_load(GangScenario(size_tail=3), [0, float("inf")]).round(2)
    array([0.5 , 0.79])
    """
    return np.asarray(
        redundant_load(
            list(demands),
            rate,
            scenario.load,
            scenario.straggle_tail,
            scenario.size_tail,
            scenario.tasks_max,
            scenario.size_min,
            scenario.size_max,
        )
    )


def stable_loads(scenario: GangScenario, demands: Sequence[float], rate: float = 2) -> np.ndarray:
    r"""Return the offered load from which the cluster gets more work than it can do, at each demand.

    .. math:: \rho_0^{\max}(d) = E[\mathrm{Cost}]_{d=0} / E[\mathrm{Cost}]_d

    Parameters
    ----------
    scenario : GangScenario
        Its own load is not read.
    demands : sequence of float
    rate : float, optional
        Expansion rate r.

    Returns
    -------
    ndarray, shape of `demands`
        Above 1 where redundancy saves work.

    Examples
    --------
    >>> stable_loads(GangScenario(size_tail=3), [0, float("inf")]).round(2)
    array([1.  , 0.63])
    """
    return np.asarray(1 / brought_load(scenario.replace(load=1.0), demands, rate))


def expanded_share(scenario: GangScenario, demands: Sequence[float]) -> np.ndarray:
    """Return the share of the jobs whose demand, tasks x size, is at most each of these.

    Examples
    --------
    >>> expanded_share(GangScenario(size_tail=3), [10, 120, float("inf")]).round(2)
    array([0.  , 0.92, 1.  ])
    """
    share = small_job_probability(
        list(demands), scenario.size_tail, scenario.tasks_max, scenario.size_min, scenario.size_max
    )
    return np.minimum(share, 1.0)  # rounding may pass it


def bounded_as_run(scenario: GangScenario) -> GangScenario:
    r"""Return the scenario with sizes bounded at about the largest of a run.

    .. math:: b_{\max} = b_\min\, m^{1/\beta}

    where m is the number of jobs, unless the sizes are bounded already. The moments that Claim 1 needs
    are finite then, but depend on the length of the run.

    Examples
    --------
    >>> bounded_as_run(GangScenario(size_tail=2, jobs=10_000)).size_max
    1000.0
    """
    if np.isfinite(scenario.size_max):
        return scenario
    return scenario.replace(size_max=scenario.size_min * scenario.jobs ** (1 / scenario.size_tail))
