"""The question of a map: an experiment, two of its numbers that vary, and the criterion of its ranking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from sim.map.axis import Axis
from sim.map.criterion import Criterion, criterion
from sim.model.fields import About, BadInput, canonical
from sim.model.interval_reliability import PAIRED, interval_is_reliable, jobs_needed
from sim.running.experiment import Experiment
from sim.telling.words import exact
from theory.shown import quoted

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
        needs there (`sim.model.interval_reliability`), up to `MOST_JOBS`.
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
