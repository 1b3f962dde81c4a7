"""A scenario: the cluster, the jobs offered to it and the luck of their copies, as one frozen value.

Policies are not part of it: they are what is compared *under* a scenario. Later code trusts a
scenario, because it was checked when it was made; its `repr` is exact and canonical, so it can be
a cache key, a link and a provenance note.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sim.model.fields import BadInput, all_in_full, check_settable, checked, described, fields_of
from sim.model.laws import SIZE_LAWS, STRAGGLE_LAWS, TASK_LAWS, SizeLaw, StraggleLaw, TaskLaw, straggle_law

ARRIVALS = ("poisson", "bursty", "trace")
#: How the arrival times of a trace are used, and the meaning of its sizes.
RECORDED_TIMES = ("kept", "stretched")
RECORDED_SIZES = ("means", "healthy", "measured")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What all engines know of a cluster and the load offered to it.

    The duration of a copy is its task's size times its straggle factor. All times are in
    `time_unit`. Fields are described where they are declared; ``python -m sim fields`` prints them.
    Each engine has a subclass, which names the engine, adds fields and may give others new defaults.

    Raises
    ------
    BadInput
        Naming the field, the value and what is accepted.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> SlotScenario(slots=100, load=0.5).mean_duration  # size 1, Pareto(1, 1.5) factor of mean 3
    3.0
    >>> SlotScenario(load=0)
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: load: 0 is not accepted; give a number above 0 up to 4
    """

    #: Key of the engine that runs it (`sim.engines.registry`).
    ENGINE: ClassVar[str]

    slots: int = described(1000, "slots of the cluster; each holds one copy at a time", low=1, high=1_000_000)
    load: float = described(
        0.7,
        "share of the slots that would be busy if every task ran once: arrival rate × mean tasks × mean "
        "duration ÷ "
        "slots, where slots of slow machines count less",
        unit="slots busy / slots",
        low=0,
        high=4,
        open_low=True,
    )
    jobs: int = described(2000, "jobs that arrive in one replication", unit="jobs", low=1, high=50_000_000)
    arrivals: str = described("poisson", "arrival process", choices=ARRIVALS)
    arrival_cv: float = described(
        4.0, "coefficient of variation of bursty (gamma) inter-arrival times", low=0.001, high=100
    )
    recorded_times: str = described(
        "kept",
        "arrival times of a trace: kept as they were recorded, or stretched to the load",
        choices=RECORDED_TIMES,
    )
    tasks: str = described("uniform", "law of the number of tasks in a job", choices=TASK_LAWS)
    tasks_min: int = described(
        1, "fewest tasks in a job (uniform, pareto)", unit="tasks", low=1, high=1_000_000
    )
    tasks_max: int = described(
        100, "most tasks in a job; the number itself if constant", unit="tasks", low=1, high=1_000_000
    )
    tasks_tail: float = described(
        1.0, "exponent of zipf, tail index of pareto, for tasks in a job", low=0, high=20, open_low=True
    )
    size: str = described("constant", "law of task sizes (time on a healthy slot)", choices=SIZE_LAWS)
    size_min: float = described(
        1.0,
        "smallest size (uniform, pareto); the size if constant, the mean if exponential",
        unit="time_unit",
        low=1e-12,
        high=1e12,
    )
    size_max: float = described(
        math.inf, "largest size (uniform; pareto may be unbounded)", unit="time_unit", low=0, open_low=True
    )
    recorded_sizes: str = described(
        "means",
        "sizes of a trace: means (with the straggle factors the mean time of a task is as recorded), healthy "
        "(a factor comes on top), or measured (every copy takes what was recorded, without a factor)",
        choices=RECORDED_SIZES,
    )
    size_tail: float = described(1.5, "tail index of pareto sizes", low=0, high=100, open_low=True)
    straggle: str = described("pareto", "law of the straggle factor of a copy", choices=STRAGGLE_LAWS)
    straggle_tail: float = described(
        1.5,
        "tail index β of straggle factors (pareto, bounded-pareto, outlier, table); the smaller, the worse",
        low=1,
        high=100,
        open_low=True,
    )
    straggle_max: float = described(
        100.0, "largest factor of bounded-pareto", unit="× size", low=1, high=1e12, open_low=True
    )
    straggle_cv: float = described(1.0, "coefficient of variation of lognormal factors", low=0.001, high=100)
    outlier_share: float = described(
        0.05, "probability p that a copy is an outlier (outlier law)", low=0, high=1
    )
    outlier_min: float = described(
        2.0, "smallest factor of an outlier; its tail index is straggle_tail", unit="× size", low=1, high=1e6
    )
    samples: tuple[float, ...] = described(
        (),
        "factors to resample (empirical law), or quantiles for equal steps of probability (table law)",
        unit="× size",
        low=0,
        high=1e12,
        open_low=True,
    )
    tail_share: float = described(
        0.0,
        "probability of a factor beyond the largest quantile (table law), with tail index straggle_tail",
        low=0,
        high=0.999,
    )
    warm_up: float = described(
        0.1, "share of the first arrivals that is left out of the statistics", low=0, high=0.95
    )
    drain: float = described(
        math.inf,
        "how long the run goes on after the last arrival, in arrival spans; inf: until every job is done",
        unit="arrival spans",
        low=0,
    )
    time_unit: str = described("s", "name of the time unit")
    # From 2**53 on a float, which JSON and links are, no longer tells neighbours apart.
    seed: int = described(1, "random seed", low=0, high=2**53 - 1)

    def __post_init__(self) -> None:
        for name, field in fields_of(type(self)).items():
            object.__setattr__(self, name, checked(getattr(self, name), field))
        self._derive()
        self._check_pairs()
        _ = self.straggle_law  # refuses a law without a finite mean

    def _derive(self) -> None:
        """Set the fields that follow from others: none here."""

    def _check_pairs(self) -> None:
        """Refuse fields that contradict each other."""
        if self.tasks in ("uniform", "pareto") and self.tasks_min > self.tasks_max:
            raise BadInput(
                f"tasks_max: {self.tasks_max} is not accepted; give at least tasks_min ({self.tasks_min})"
            )
        if self.size == "uniform" and math.isinf(self.size_max):
            raise BadInput("size_max: inf is not accepted; give a finite largest size for the uniform law")
        if self.size in ("uniform", "pareto") and self.size_max <= self.size_min:
            raise BadInput(
                f"size_max: {self.size_max} is not accepted; give more than size_min ({self.size_min:g})"
            )
        if self.size == "pareto" and self.size_tail <= 1 and math.isinf(self.size_max):
            raise BadInput(
                f"size_tail: {self.size_tail} is not accepted; give more than 1, or a finite size_max"
            )

    @property
    def size_per(self) -> str:
        """Whether a job's tasks share one size ('job') or not ('task'); they do unless a field says so."""
        return "job"

    @property
    def phases(self) -> int:
        """Most phases of a job: one, unless a field says otherwise."""
        return 1

    @property
    def replicas(self) -> int:
        """Machines that hold the input of a task: of no account, unless a field says otherwise."""
        return 0

    @property
    def machines(self) -> int:
        """Machines of the cluster: a slot each, unless fields say otherwise."""
        return self.slots

    @property
    def healthy_slots(self) -> float:
        """Healthy slots that finish as many tasks as this cluster does when it is busy."""
        return self.slots

    @property
    def task_law(self) -> TaskLaw:
        """Law of the number of tasks in a job."""
        return TaskLaw(self.tasks, self.tasks_min, self.tasks_max, self.tasks_tail)

    @property
    def size_law(self) -> SizeLaw:
        """Law of task sizes."""
        return SizeLaw(self.size, self.size_min, self.size_max, self.size_tail)

    @property
    def straggle_law(self) -> StraggleLaw:
        """Law of the straggle factor of a copy."""
        kind = "deterministic" if self.sizes_are_measured else self.straggle
        return straggle_law(
            kind,
            tail=self.straggle_tail,
            largest=self.straggle_max,
            cv=self.straggle_cv,
            outliers=(self.outlier_min, self.outlier_share),
            samples=self.samples,
            tail_share=self.tail_share,
        )

    @property
    def sizes_are_measured(self) -> bool:
        """Whether sizes are what copies took, so that no straggle factor comes on top."""
        return self.size == "trace" and self.recorded_sizes == "measured"

    @property
    def keeps_times(self) -> bool:
        """Whether jobs arrive when they were recorded to, whatever load that is."""
        return self.arrivals == "trace" and self.recorded_times == "kept"

    @property
    def mean_factor(self) -> float:
        """Mean straggle factor of a copy, E[factor]."""
        return self.straggle_law.mean

    @property
    def mean_duration(self) -> float:
        """Mean duration of one copy, E[size] E[factor], for sizes that are not from a trace."""
        return self.size_law.mean * self.mean_factor

    @property
    def mean_tasks(self) -> float:
        """Mean number of tasks in a job, for task counts that are not from a trace."""
        return self.task_law.mean

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields, or `in_full` their symbols, changed; checked like any other."""
        whole = all_in_full(changes, fields_of(type(self)))
        for name, value in whole.items():
            check_settable(name, value, type(self))
        return dataclasses.replace(self, **whole)
