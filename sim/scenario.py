"""A scenario: the cluster, the jobs offered to it and the luck of their copies, as one frozen value.

Policies are not part of it: they are what is compared *under* a scenario. Later code trusts a
scenario, because it was checked when it was made; its `repr` is exact and canonical, so it can be
a cache key, a link and a provenance note.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from sim.fields import About, BadInput, canonical, described, unknown
from sim.job_laws import mean_size, mean_tasks
from sim.laws import STRAGGLE_LAWS, straggle_law

ARRIVALS = ("poisson", "bursty", "trace")
TASK_LAWS = ("constant", "uniform", "zipf", "pareto", "trace")
SIZE_LAWS = ("constant", "uniform", "exponential", "pareto", "trace")
SHAPES = ("chain", "bushy")
PHASES_LAWS = ("constant", "uniform")
TRANSFER_LAWS = ("constant", "uniform", "exponential")
#: Fields about phases, and about machines and blocks, of which not every engine knows.
PHASES = ("phases", "phases_law", "shape", "transfer", "transfer_law", "barrier")
PLACES = ("machine_slots", "slow_share", "slow_factor", "replicas", "remote_factor")
#: Fields that are spelled only where they differ from the default: scenarios were written down without them.
LATER = (*PHASES, *PLACES)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scenario:
    """A slot cluster and the load offered to it (systems.md section 0).

    The duration of a copy is its task's size times its straggle factor. All times are in
    `time_unit`. Fields are described where they are declared; ``python -m sim fields`` prints them.
    Other engines extend it: a subclass names its engine, adds fields, gives others new defaults, and
    says which it has no use for.

    Raises
    ------
    BadInput
        Naming the field, the value and what is accepted.

    Examples
    --------
    >>> Scenario(slots=100, load=0.5).mean_duration  # size 1, Pareto(1, 1.5) factor of mean 3
    3.0
    >>> Scenario(load=0)
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: load: 0 is not accepted; give a number above 0 up to 4
    """

    #: Key of the engine that runs it (`sim.engines`), and the fields which that engine does not read.
    ENGINE: ClassVar[str] = "slots"
    UNREAD: ClassVar[tuple[str, ...]] = ()

    slots: int = described(1000, "slots of the cluster; each holds one copy at a time", low=1, high=1_000_000)
    load: float = described(
        0.7,
        "offered load without redundancy: arrival rate x mean tasks x mean duration / slots "
        "(a slow machine's slot counts as 1 / slow_factor)",
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
    size_per: str = described("job", "whether all tasks of a job share one size", choices=("job", "task"))
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
    size_tail: float = described(1.5, "tail index of pareto sizes", low=0, high=100, open_low=True)
    straggle: str = described("pareto", "law of the straggle factor of a copy", choices=STRAGGLE_LAWS)
    straggle_tail: float = described(
        1.5, "tail index (beta) of pareto, bounded-pareto and outlier factors", low=1, high=100, open_low=True
    )
    straggle_max: float = described(
        100.0, "largest factor of bounded-pareto", unit="x size", low=1, high=1e12, open_low=True
    )
    straggle_cv: float = described(1.0, "coefficient of variation of lognormal factors", low=0.001, high=100)
    outlier_share: float = described(
        0.05, "probability p that a copy is an outlier (outlier law)", low=0, high=1
    )
    outlier_min: float = described(
        2.0, "smallest factor of an outlier; its tail index is straggle_tail", unit="x size", low=1, high=1e6
    )
    outlier_spread: float = described(
        0.0, "how much p differs between slots: p_m is uniform in p (1 +- spread)", low=0, high=1
    )
    phases: int = described(
        1, "most phases of a job, which has no more phases than tasks", unit="phases", low=1, high=50
    )
    phases_law: str = described(
        "constant", "law of the number of phases: constant, or uniform from 1 on", choices=PHASES_LAWS
    )
    shape: str = described(
        "chain",
        "how phases feed each other: chain (one after the other) or bushy (a tree, two into one)",
        choices=SHAPES,
    )
    transfer: float = described(
        0.0,
        "mean time in which a task's output reaches the next phase, beside the slots",
        unit="x size",
        low=0,
        high=1e3,
    )
    transfer_law: str = described(
        "constant",
        "law of the transfer time, one draw a phase: constant, uniform from 0 on, or exponential",
        choices=TRANSFER_LAWS,
    )
    barrier: float = described(
        0.0,
        "share of a phase's inputs that must be there before its first task may start: "
        "0 is pipelined, 1 waits for all",
        low=0,
        high=1,
    )
    machine_slots: int = described(1, "slots of one machine", unit="slots", low=1, high=1_000_000)
    slow_share: float = described(0.0, "share of the machines that are slow, always", low=0, high=1)
    slow_factor: float = described(
        2.0, "how many times longer any copy takes on a slow machine", low=1, high=1e3
    )
    replicas: int = described(
        0,
        "machines (all, if there are fewer) that hold the input block of a task of a first phase; "
        "0: every machine reads it alike",
        unit="machines",
        low=0,
        high=20,
    )
    remote_factor: float = described(
        1.5, "how many times longer a copy takes where its input block is not", low=1, high=1e3
    )
    samples: tuple[float, ...] = described(
        (),
        "factors to resample (empirical law), normally from a trace",
        unit="x size",
        low=0,
        high=1e12,
        open_low=True,
    )
    observe: str = described(
        "age:0.5",
        "what a rule sees of a running copy: age:a (remaining time known after a x mean duration), "
        "fraction:s (after that share of its work), never (elapsed time only)",
    )
    decision_interval: float = described(
        0.0,
        "slots are given out at multiples of this time only; 0: at every event (Xu and Lau: slotted time)",
        unit="time_unit",
        low=0,
        high=1e12,
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
    seed: int = described(1, "seed of all luck", low=0, high=2**53 - 1)

    def __post_init__(self) -> None:
        about, kinds = about_fields(type(self)), kinds_of_fields(type(self))
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if kinds[field.name] is tuple:
                value = _sorted_numbers(field.name, value, about[field.name])
            elif field.name == "observe":
                value = Observation.read(value).text
            else:
                value = canonical(field.name, value, kinds[field.name], about[field.name])
            if field.name in self.UNREAD and value != field.default:
                raise BadInput(
                    f"{field.name}: {value!r} is not accepted; the engine {self.ENGINE} does not read it, "
                    f"give {field.default!r} or leave it out"
                )
            object.__setattr__(self, field.name, value)
        self._derive()
        self._check_pairs()
        straggle_law(self)  # refuses a law without a finite mean

    def _derive(self) -> None:
        """Set the fields that follow from others: none here."""

    def _check_pairs(self) -> None:
        """Refuse fields that contradict each other."""
        if self.tasks in ("uniform", "pareto") and self.tasks_min > self.tasks_max:
            raise BadInput(
                f"tasks_min: {self.tasks_min} is not accepted; give at most tasks_max ({self.tasks_max})"
            )
        if self.size == "uniform" and math.isinf(self.size_max):
            raise BadInput("size_max: inf is not accepted; give a finite largest size for the uniform law")
        if self.size in ("uniform", "pareto") and self.size_max <= self.size_min:
            raise BadInput(
                f"size_max: {self.size_max} is not accepted; give more than size_min ({self.size_min:g})"
            )
        if self.straggle == "outlier" and self.outlier_share * (1 + self.outlier_spread) > 1:
            raise BadInput(
                f"outlier_spread: {self.outlier_spread} is not accepted; "
                f"give at most {1 / self.outlier_share - 1:g}, so that no slot's probability exceeds 1"
            )
        if self.size == "trace" and self.size_per == "task":
            raise BadInput(
                "size_per: 'task' is not accepted with sizes from a trace, one for each job; give job"
            )
        if self.size == "pareto" and self.size_tail <= 1 and math.isinf(self.size_max):
            raise BadInput(
                f"size_tail: {self.size_tail} is not accepted; give more than 1, or a finite size_max"
            )

    @property
    def observation(self) -> Observation:
        """What a rule may see of a running copy, parsed."""
        return Observation.read(self.observe)

    def __repr__(self) -> str:
        """Spell every field that a scenario has always had, and of the later ones those that matter."""
        spelled = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in dataclasses.fields(self)
            if field.name not in LATER or getattr(self, field.name) != field.default
        ]
        return f"{type(self).__name__}({', '.join(spelled)})"

    @property
    def machines(self) -> int:
        """Machines of the cluster; the last one may have fewer slots."""
        return -(-self.slots // self.machine_slots)

    @property
    def slow_machines(self) -> int:
        """Machines that are slow: their share, rounded to a whole number."""
        return round(self.slow_share * self.machines)

    @property
    def healthy_slots(self) -> float:
        r"""Healthy slots that finish as many tasks as this cluster does when it is busy.

        A slot of a slow machine counts as 1 / `slow_factor` of a slot (the last machine as a whole one).
        """
        return self.slots * (1 - self.slow_machines / self.machines * (1 - 1 / self.slow_factor))

    @property
    def mean_factor(self) -> float:
        """Mean straggle factor of a copy, E[factor]."""
        return straggle_law(self).mean

    @property
    def mean_duration(self) -> float:
        """Mean duration of one copy, E[size] E[factor], for sizes that are not from a trace."""
        return mean_size(self) * self.mean_factor

    @property
    def mean_tasks(self) -> float:
        """Mean number of tasks in a job, for task counts that are not from a trace."""
        return mean_tasks(self)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed, checked like any other."""
        for name, value in changes.items():
            check_settable(name, value, type(self))
        return dataclasses.replace(self, **changes)


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
        raise BadInput(f"observe: {text!r} is not accepted; give {cls.ACCEPTED}")

    @property
    def text(self) -> str:
        """The canonical spelling."""
        return "never" if self.kind == "never" else f"{self.kind}:{self.at!r}"


def about_fields(kind: type[Scenario]) -> dict[str, About]:
    """Return field name -> description of a class of scenarios, in the order of declaration."""
    return {field.name: field.metadata["about"] for field in dataclasses.fields(kind)}


def kinds_of_fields(kind: type[Scenario]) -> dict[str, type]:
    """Return field name -> type of a class of scenarios, in the order of declaration."""
    return {
        field.name: tuple if field.name == "samples" else type(field.default)
        for field in dataclasses.fields(kind)
    }


def settable(kind: type[Scenario]) -> list[str]:
    """Return the fields of a class of scenarios that can be set and are read by its engine."""
    return [field.name for field in dataclasses.fields(kind) if field.init and field.name not in kind.UNREAD]


@cache
def fields_of(kind: type[Scenario]) -> dict[str, dataclasses.Field[Any]]:
    """Return field name -> field of a class of scenarios; a page asks for them dozens of times a run."""
    return {field.name: field for field in dataclasses.fields(kind)}


def check_settable(name: str, value: Any, kind: type[Scenario] = Scenario) -> None:
    """Refuse a field that a class of scenarios does not have or derives from others."""
    fields = fields_of(kind)  # type: ignore[arg-type]  # mypy looks at the hash of instances
    if name not in fields:
        raise unknown("field", name, settable(kind))
    if not fields[name].init:
        text = about_fields(kind)[name].text
        raise BadInput(f"{name}: {value!r} is not accepted; it follows from other fields: {text}")


#: The same of a slot cluster.
ABOUT: dict[str, About] = about_fields(Scenario)
KINDS: dict[str, type] = kinds_of_fields(Scenario)


def from_text(name: str, text: str, kind: type[Scenario] = Scenario) -> Any:
    """Turn the text of a ``--set field=value`` into a value for that field of a class of scenarios.

    Examples
    --------
    >>> from_text("samples", "1,1,2.5")
    (1.0, 1.0, 2.5)
    """
    check_settable(name, text, kind)
    about, type_ = about_fields(kind)[name], kinds_of_fields(kind)[name]
    if type_ is tuple:
        return _sorted_numbers(name, [part for part in text.split(",") if part.strip()], about)
    return canonical(name, text, type_, about)


def _sorted_numbers(name: str, values: Any, about: About) -> tuple[float, ...]:
    """Check the numbers of a list field; sorted, so that equal lists print equally."""
    accepted = about.accepted(tuple)
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise BadInput(f"{name}: {values!r:.80} is not accepted; give {accepted}") from None
    if array.ndim != 1:
        raise BadInput(f"{name}: {values!r:.80} is not accepted; give {accepted}")
    for wrong in array[~((array > about.low) & (array <= about.high))]:
        raise BadInput(f"{name}: {float(wrong)!r} is not accepted; give {accepted}")
    return tuple(np.sort(array).tolist())
