"""The axes that the page offers: scenario fields, when a copy can be judged, parameters of policies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pages.shared.controls.control import Range
from pages.shared.controls.fields import FIELDS
from sim.model.policy import Policy
from sim.model.scenario import Scenario
from sim.telling.words import plain


@dataclass(frozen=True)
class Offer:
    """An axis as it is offered.

    Parameters
    ----------
    name : str
        As `sim.map.plane.Axis` has it.
    label : str
    low, high : float
        Of its slider.
    first, last : float
        Where it begins and ends until somebody chooses.
    step : float
    steps : tuple of float, optional
        Values to choose from, for an axis of even ratios.
    count : int
        How many values, until somebody chooses.
    applies : callable, optional
        Whether it does something under a scenario.
    """

    name: str
    label: str
    low: float
    high: float
    first: float
    last: float
    step: float = 0.05
    steps: tuple[float, ...] = ()
    count: int = 10
    applies: Callable[[Scenario], bool] = lambda scenario: True

    @property
    def span(self) -> str:
        """Its default values, as written in a link."""
        return f"{self.first!r}:{self.last!r}:{self.count}"

    @property
    def rule(self) -> str:
        """The rule whose parameter it is; empty for a field."""
        rule, dot, _ = self.name.partition(".")
        return rule if dot and rule != "observe" else ""

    def within(self, low: float, high: float) -> tuple[float, float]:
        """Return two ends that its slider can show."""
        if self.steps:
            return low, high
        kind = type(self.low)
        return kind(min(max(low, self.low), self.high)), kind(min(max(high, self.low), self.high))

    def steps_with(self, *more: float) -> list[float]:
        """Return the values to choose from, with others that are chosen."""
        return sorted({*map(float, self.steps), *more})


def _field(
    name: str,
    first: float,
    last: float,
    count: int = 10,
    applies: Callable[[Scenario], bool] = lambda scenario: True,
) -> Offer:
    """Return the axis of a field, with the label and the values of its control."""
    control = FIELDS[name]
    if isinstance(control.values, Range):
        low, high, step = control.values.low, control.values.high, control.values.step
        return Offer(name, control.label, low, high, first, last, step, count=count, applies=applies)
    steps = tuple(float(value) for value in control.values.values)  # type: ignore[attr-defined]
    return Offer(name, control.label, steps[0], steps[-1], first, last, 1.0, steps, count, applies)


def _of(**wanted: Iterable[str]) -> Callable[[Scenario], bool]:
    """Return whether the laws of a scenario are among some."""
    return lambda scenario: all(getattr(scenario, name) in words for name, words in wanted.items())


_OFFERS = (
    _field("load", 0.3, 0.9, 12),
    _field(
        "straggle_tail",
        1.2,
        3.0,
        applies=_of(straggle=("pareto", "bounded-pareto", "outlier")),
    ),
    _field("slots", 20.0, 2000.0, 8),
    _field("tasks_max", 2.0, 200.0, 8),
    _field("straggle_max", 5.0, 1000.0, 6, _of(straggle=("bounded-pareto",))),
    _field("straggle_cv", 0.2, 4.0, applies=_of(straggle=("lognormal",))),
    _field("outlier_share", 0.01, 0.2, applies=_of(straggle=("outlier",))),
    _field("tasks_tail", 0.5, 2.0, applies=_of(tasks=("zipf", "pareto"))),
    _field("arrival_cv", 0.5, 8.0, applies=_of(arrivals=("bursty",))),
    _field("slow_share", 0.0, 0.4),
    _field("slow_factor", 1.0, 5.0, applies=lambda scenario: bool(getattr(scenario, "slow_share", 0))),
    _field("transfer", 0.0, 3.0, applies=lambda scenario: scenario.phases > 1),
    Offer("observe.age", "Age from which a copy can be judged (mean durations)", 0.0, 3.0, 0.0, 2.0),
    Offer("observe.fraction", "Share of its work after which a copy can be judged", 0.0, 0.95, 0.0, 0.9),
    Offer("hopper.epsilon", "Unfairness ε of Hopper", 0.0, 1.0, 0.0, 1.0, count=6),
    Offer("late.speculative_cap", "LATE: share of slots for copies", 0.0, 1.0, 0.0, 0.5, count=6),
    Offer("late.min_age", "LATE: least age of a slow task", 0.0, 10.0, 0.0, 2.0, 0.1, count=6),
    Offer("mantri.delta", "Mantri: probability to be exceeded", 0.0, 0.95, 0.0, 0.9, count=6),
    Offer("dolly.tau", "Dolly: share of slots that clones may fill", 0.0, 1.0, 0.1, 1.0, count=6),
    Offer("spark.multiplier", "Spark: times the median", 0.0, 20.0, 1.0, 5.0, 0.5, count=6),
)
#: Name -> axis, in the order of the menu.
AXES: dict[str, Offer] = {one.name: one for one in _OFFERS}


def offered(scenario: Scenario, policies: Iterable[Policy]) -> list[str]:
    """Return the axes that do something under a scenario and some policies."""
    rules = {chosen.key for policy in policies for chosen in policy.rules.values()}
    return [
        name for name, one in AXES.items() if one.applies(scenario) and (not one.rule or one.rule in rules)
    ]


def at(name: str, value: float) -> str:
    """Return a value of an axis in words.

    Examples
    --------
    >>> at("load", 0.3545), at("slots", 200), at("hopper.epsilon", 0.2), at("outlier_share", 0.1)
    ('load 0.3545', '200 slots', 'ε = 0.2', 'outlier share 0.1')
    """
    told = WORDS.get(name, f"{name.rpartition('.')[2].replace('_', ' ')} {{}}")
    return told.format(plain(value))


#: How a sentence tells a value of an axis.
WORDS = {
    "load": "load {}",
    "straggle_tail": "β {}",
    "slots": "{} slots",
    "tasks_max": "up to {} tasks per job",
    "observe.age": "judged from age {}",
    "observe.fraction": "judged from share {}",
    "hopper.epsilon": "ε = {}",
    "mantri.delta": "δ = {}",
    "dolly.tau": "τ = {}",
}
