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
