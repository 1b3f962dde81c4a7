"""The question of a map: an experiment, two of its numbers that vary, and the criterion of its ranking."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from sim.engines.registry import engine
from sim.model.counted_jobs import CLASSES
from sim.model.fields import (
    About,
    BadInput,
    about_fields,
    canonical,
    from_text,
    in_full,
    kinds_of_fields,
    settable,
    unknown,
)
from sim.model.outcome import PAIRED, Observation, interval_is_reliable, jobs_needed
from sim.model.policy import Chosen
from sim.model.result import Comparison, PairedDifference, PolicyResult, change, class_change
from sim.model.statistics import Estimate
from sim.model.workload import refuse_load
from sim.running.experiment import Experiment
from sim.telling.words import exact
from theory.quoting import quoted

# An axis of a map: a number that varies from cell to cell, and how it is set in an experiment.

#: Kinds of observation whose moment can be an axis, and where such an axis is written.
OBSERVED = {"observe.age": "age", "observe.fraction": "fraction"}
#: Values of an axis, at least and at most; significant digits of values between two ends.
FEWEST, MOST_VALUES, DIGITS = 2, 40, 4


@dataclass(frozen=True)
class Axis:
    """Values of a number of a scenario or of a policy, in increasing order.

    Parameters
    ----------
    name : str
        A field of the scenario, ``observe.age``, ``observe.fraction``, or ``rule.parameter``.
    values : tuple of float
        Whole numbers where the field is.
    """

    name: str
    values: tuple[float, ...]

    @classmethod
    def read(cls, option: str, text: str, kind: str) -> Axis:
        """Read ``name=low:high:count``, with ``:log`` for even ratios, or ``name=v1,v2,...``.

        Parameters
        ----------
        option : str
            What it is called in a message.
        text : str
        kind : str
            Key of the engine.

        Raises
        ------
        BadInput
            Naming the option, the text and what is accepted.

        Examples
        --------
        >>> Axis.read("x", "load=0.3:0.9:4", "slots")
        Axis(name='load', values=(0.3, 0.5, 0.7, 0.9))
        >>> Axis.read("y", "slots=10:1000:3:log", "slots").values
        (10, 100, 1000)
        >>> Axis.read("y", "beta=3,1.5", "slots")
        Axis(name='straggle_tail', values=(1.5, 3.0))
        """
        name, equals, listed = (part.strip() for part in text.partition("="))
        if not equals or not name or not listed:
            raise BadInput(f"{option}: {quoted(text)} is not accepted; give name=low:high:count")
        name = in_full(name, settable(engine(kind).scenario))
        whole = _is_whole(option, name, kind)
        values = _listed(option, text, listed) if ":" not in listed else _between(option, text, listed, whole)
        ends = max(values, default=0.0), min(values, default=0.0)  # first: they are what was written
        read = sorted({_checked(name, value, kind) for value in (*ends, *values)})
        if not FEWEST <= len(read) <= MOST_VALUES:
            raise BadInput(
                f"{option}: {quoted(text)} has {len(read)} different values; give {FEWEST} to {MOST_VALUES}"
            )
        if ":" in listed and len(read) < len(values):
            raise BadInput(f"{option}: {quoted(text)} has equal values; give at most {len(read)} of them")
        return cls(name, tuple(read))

    @property
    def text(self) -> str:
        """The axis as it is read."""
        return f"{self.name}={','.join(map(exact, self.values))}"

    def put(self, experiment: Experiment, value: float) -> Experiment:
        """Return an experiment with this number at a value.

        Raises
        ------
        BadInput
            If no policy has the parameter, or the value is refused with what else the scenario has.
        """
        if observed := OBSERVED.get(self.name):
            text = Observation.read(f"{observed}:{value}").text
            return replace(experiment, scenario=experiment.scenario.replace(observe=text))
        if "." not in self.name:
            if experiment.trace is not None:
                refuse_load(experiment.scenario, self.name)
            return replace(experiment, scenario=experiment.scenario.replace(**{self.name: value}))
        rule, _, parameter = self.name.partition(".")
        if not any(chosen.key == rule for one in experiment.policies for chosen in one.rules.values()):
            raise BadInput(f"{self.name}: no policy has the rule {quoted(rule)}; compare one that has it")
        policies = tuple(
            one.with_(
                **{kind: {parameter: value} for kind, chosen in one.rules.items() if chosen.key == rule}
            )
            for one in experiment.policies
        )
        return replace(experiment, policies=policies)


def about(name: str, kind: str) -> About:
    """Return what the number of an axis means, its unit and what it accepts."""
    if name in OBSERVED:
        what = "share of its work" if name == "observe.fraction" else "age, in mean durations,"
        return About(f"{what} from which the remaining time of a copy is known", low=0)
    if "." not in name:
        return about_fields(engine(kind).scenario)[name]
    rule, _, parameter = name.partition(".")
    return _rule(rule, kind).parameter(parameter).about


@lru_cache
def _rule(key: str, kind: str) -> Chosen:
    """Return the rule of an engine, with its defaults."""
    rules = {
        name: rule
        for registry in engine(kind).implementation.policy.registries().values()
        for name, rule in registry.items()
    }
    if key not in rules:
        raise unknown("rule", key, list(rules))
    return Chosen.of(rules[key])


def _is_whole(option: str, name: str, kind: str) -> bool:
    """Whether an axis has whole numbers; refuse one that is no number."""
    scenario = engine(kind).scenario
    if name in OBSERVED:
        if "observe" not in settable(scenario):
            raise unknown("field", name, settable(scenario))
        return False
    if "." in name:
        rule, _, parameter = name.partition(".")
        return _rule(rule, kind).parameter(parameter).whole
    type_ = kinds_of_fields(scenario).get(name)
    if type_ is None:
        raise unknown("field", name, settable(scenario))
    if name == "seed" or type_ not in (int, float):
        hint = f" (or one of {', '.join(OBSERVED)})" if name == "observe" else ""
        raise BadInput(f"{option}: {quoted(name)} is not accepted; give a field that is a number{hint}")
    return type_ is int


def _checked(name: str, value: float, kind: str) -> float:
    """Return a value as the field or the parameter has it."""
    if observed := OBSERVED.get(name):
        return Observation.read(f"{observed}:{value}").at
    if "." in name:
        rule, _, parameter = name.partition(".")
        read = _rule(rule, kind).parameter(parameter).read(value)
        return int(read) if _rule(rule, kind).parameter(parameter).whole else read
    found: float = from_text(name, exact(value), engine(kind).scenario)
    return found


def _listed(option: str, text: str, listed: str) -> list[float]:
    return [_number(option, text, part) for part in listed.split(",") if part.strip()]


def _between(option: str, text: str, listed: str, whole: bool) -> list[float]:
    """Return values from a low one to a high one, evenly or in even ratios."""
    parts = [part.strip() for part in listed.split(":")]
    scale = parts.pop() if len(parts) == 4 else ""
    if len(parts) != 3 or scale not in ("", "log"):
        raise BadInput(f"{option}: {quoted(text)} is not accepted; give name=low:high:count or …:log")
    low, high = (_number(option, text, part) for part in parts[:2])
    count = canonical(option, parts[2], int, About("values", low=FEWEST, high=MOST_VALUES))
    if not low < high:
        raise BadInput(f"{option}: {quoted(text)} is not accepted; give a low end below the high one")
    if scale and low <= 0:
        raise BadInput(f"{option}: {quoted(text)} is not accepted; give ends above 0 for even ratios")
    found = np.geomspace(low, high, count) if scale else np.linspace(low, high, count)
    return [float(round(one)) if whole else float(f"{one:.{DIGITS}g}") for one in found.tolist()]


def _number(option: str, text: str, part: str) -> float:
    try:
        found = float(part)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise BadInput(f"{option}: {quoted(text)} is not accepted; {quoted(part)} is not a number")
    return found


# The criterion that ranks policies in a cell: a number to be minimised, perhaps within a budget.

#: Where the class of small jobs is among `CLASSES`.
SMALL = 0


@dataclass(frozen=True, slots=True)
class Criterion:
    """What is to be small.

    Parameters
    ----------
    key : str
        How the shell and links call it.
    title : str
        How people call it.
    measure, statistic : str
        As in `sim.model.result.PolicyResult.estimate`.
    small : bool, optional
        Whether of small jobs only.
    bounded : bool, optional
        Whether only policies count whose slot-time stays within a budget.
    """

    key: str
    title: str
    measure: str = "flowtime"
    statistic: str = "mean"
    small: bool = False
    bounded: bool = False

    def estimate(self, result: PolicyResult) -> Estimate:
        """Return the number under a policy."""
        if self.small:
            return result.by_class(self.statistic)[SMALL]
        return result.estimate(self.measure, self.statistic)

    def change(self, comparison: Comparison, policy: str, reference: str) -> PairedDifference | None:
        """Return how it differs between two policies, paired; None where it is censored away."""
        if self.small:
            return class_change(comparison, policy, reference, SMALL, self.statistic)
        return change(comparison, policy, reference, self.measure, self.statistic)


_ALL = (
    Criterion("mean", "mean flowtime"),
    Criterion("median", "median flowtime", statistic="p50"),
    Criterion("p95", "95th percentile of the flowtime", statistic="p95"),
    Criterion("slowdown", "mean slowdown", measure="slowdown"),
    Criterion("small", f"mean flowtime of jobs of {CLASSES[SMALL][0]}", small=True),
    Criterion("budget", "mean flowtime within the budget of slot-time", bounded=True),
)
#: Key -> criterion, in the order of the menu.
CRITERIA: dict[str, Criterion] = {one.key: one for one in _ALL}
#: (measure, statistic) that any of them reads.
READ = {(one.measure, one.statistic) for one in _ALL} | {("resource", "mean")}


def criterion(key: str) -> Criterion:
    """Return the criterion of this key.

    Raises
    ------
    BadInput
        If there is none, with the nearest key and all keys.

    Examples
    --------
    >>> criterion("median").statistic
    'p50'
    """
    if key not in CRITERIA:
        raise unknown("criterion", key, list(CRITERIA))
    return CRITERIA[key]


# The default map: a preset and two axes.

PRESET, X, Y = "load-and-tail", "load=0.3:0.9:12", "beta=1.2:3:10"


#: Policies on a map, at least and at most: each has a letter and a colour.
FEWEST_POLICIES, MOST_POLICIES = 2, 6
LETTERS = "ABCDEF"
#: Jobs of a replication, at most, where a cell gets more of them than were asked for.
MOST_JOBS = 60_000
#: Replications of a cell, at most, and percentage points to which gains are to be known.
MOST, PRECISION = 100, 2.0
#: Share of slot-time that a policy may use beyond the least.
BUDGET = 0.1

#: A cell by its places on both axes.
Cell = tuple[int, int]


@dataclass(frozen=True)
class Plane:
    """What a map asks.

    Parameters
    ----------
    experiment : Experiment
        With the policies; its numbers that vary are set to the first values of the axes.
    x, y : Axis
    criterion : str, optional
        Key of what is to be small.
    budget : float, optional
        Under the criterion 'budget', share of slot-time beyond that of the policy that uses least.
    precision : float, optional
        Percentage points within which a gain is to be known.
    most : int, optional
        Replications of a cell.
    full : bool, optional
        Whether every cell is simulated, not only those where something changes.

    Raises
    ------
    BadInput
        Naming what is not accepted, in any cell.
    """

    experiment: Experiment
    x: Axis
    y: Axis
    criterion: str = "mean"
    budget: float = BUDGET
    precision: float = PRECISION
    most: int = MOST
    full: bool = False

    def __post_init__(self) -> None:
        _ = self.by
        count = len(self.experiment.policies)
        if not FEWEST_POLICIES <= count <= MOST_POLICIES:
            raise BadInput(
                f"policy: {count} {'is' if count == 1 else 'are'} given; "
                f"give {FEWEST_POLICIES} to {MOST_POLICIES}"
            )
        if self.x.name == self.y.name:
            raise BadInput(f"y: {quoted(self.y.name)} is on the other axis; give another field")
        numbers = {
            "budget": (self.budget, float, About("", low=0, high=10)),
            "precision": (self.precision, float, About("", low=0, high=100, open_low=True)),
            "replications": (self.most, int, About("", low=2, high=100_000)),
        }
        for name, (value, kind, about) in numbers.items():
            canonical(name, value, kind, about)
        begin = self.y.put(self.x.put(self.experiment, self.x.values[0]), self.y.values[0])
        object.__setattr__(self, "experiment", begin)  # maps that are the same are equal
        for cell in self.cells:
            self.at(cell)

    @property
    def by(self) -> Criterion:
        """What is to be small."""
        return criterion(self.criterion)

    @property
    def cells(self) -> Iterator[Cell]:
        """All cells, row by row from below."""
        return ((i, j) for j in range(len(self.y.values)) for i in range(len(self.x.values)))

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.x.values) * len(self.y.values)

    @property
    def names(self) -> tuple[str, ...]:
        """How people call the policies; without the parameter that is on an axis."""
        return self.experiment.names

    def at(self, cell: Cell) -> Experiment:
        """Return what is compared in a cell.

        Its replications have the jobs of the experiment, or as many more as the interval of a difference
        needs there (`sim.model.outcome`), up to `MOST_JOBS`.
        """
        return _at(self.experiment, self.x, self.y, cell)

    def where(self, cell: Cell) -> str:
        """Return the two numbers of a cell as the shell has them."""
        i, j = cell
        return f"{self.x.name}={exact(self.x.values[i])} {self.y.name}={exact(self.y.values[j])}"

    @property
    def runs_key(self) -> str:
        """Text that is equal for maps whose cells have the same runs."""
        trace = self.experiment.trace.digest if self.experiment.trace else ""
        scenario, policies = self.experiment.scenario, self.experiment.texts
        return f"{scenario!r} {(policies, trace, self.x.text, self.y.text)!r}"

    @property
    def key(self) -> str:
        """Text that is equal for maps that are the same."""
        own = (self.criterion, self.budget, self.precision, self.most, self.full)
        return f"{self.runs_key} {own!r}"


@lru_cache(maxsize=4096)
def _at(experiment: Experiment, x: Axis, y: Axis, cell: Cell) -> Experiment:
    found = y.put(x.put(experiment, x.values[cell[0]]), y.values[cell[1]])
    return found if "jobs" in (x.name, y.name) else _long_enough(found)


def _long_enough(experiment: Experiment) -> Experiment:
    """Return the experiment with so many jobs that the interval of a difference is reliable, if some are."""
    scenario = experiment.scenario
    if interval_is_reliable(scenario, "flowtime", "mean", paired=True) or scenario.load >= 1:
        return experiment
    longer = scenario.replace(jobs=min(max(scenario.jobs, PAIRED * jobs_needed(scenario)), MOST_JOBS))
    if not interval_is_reliable(longer, "flowtime", "mean", paired=True):
        return experiment
    return replace(experiment, scenario=longer)
