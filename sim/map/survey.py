"""Chooses the runs of a map: coarse cells first, then those between neighbours that differ.

Every decision is made from whole rounds of runs, so a map does not depend on who makes them, or when.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sim.map.plane import READ, SMALL, Cell, Criterion, Plane
from sim.model.result import Comparison, PairedDifference, PolicyResult, Sample, change
from sim.model.scenario import Scenario
from sim.model.statistics import Estimate
from sim.running.experiment import expected_tasks
from theory.cutoff import cloning_load_limit, cutoff_load
from theory.service_rate import threshold

# Boundaries that theory draws on a map: loads from which another policy pays, or a queue grows.

#: Where quantiles of sizes are read for their second moment.
_SHARES = (np.arange(10_000) + 0.5) / 10_000
#: Laws of the straggle factor that have a Pareto tail.
PARETO = ("pareto", "bounded-pareto")


@dataclass(frozen=True)
class Boundary:
    """A line on a map: at each value of the other axis, a load.

    Attributes
    ----------
    key, title : str
        How files and people call it.
    about : str
        What it means, in a sentence, with its source.
    loads : tuple of float
        One for each value of the axis that is not the load.
    """

    key: str
    title: str
    about: str
    loads: tuple[float, ...]


def boundaries(plane: Plane) -> list[Boundary]:
    """Return the lines that apply and are within the map: there are none unless the load is an axis."""
    load = next((axis for axis in (plane.x, plane.y) if axis.name == "load"), None)
    if load is None:
        return []
    ends = load.values[0], load.values[-1]
    return [one for one in _all(plane) if any(ends[0] < value < ends[1] for value in one.loads)]


def _all(plane: Plane) -> Iterator[Boundary]:
    below, above = ("Left of", "Right of") if plane.x.name == "load" else ("Below", "Above")
    bounded = any(one.straggle == "bounded-pareto" for one in _scenarios(plane))
    but = " For straggle factors without an upper bound." if bounded else ""
    if all(one.straggle in PARETO for one in _scenarios(plane)):
        yield Boundary(
            "cutoff",
            "cutoff of cloning, a queue per slot",
            f"{below} it two copies of every task mean less delay than one if each machine is a queue of its "
            f"own (Xu and Lau, section III); the cells of the map have one queue.{but}",
            _along(plane, _cutoff),
        )
        yield Boundary(
            "threshold",
            "load 1/θ",
            f"{below} it the slots suffice for every job’s virtual size, θ = max(1, 2/β) slots per task "
            f"(Hopper).{but}",
            _along(plane, lambda one: 1 / float(threshold(one.straggle_tail))),
        )
        if copies := _clones(plane):
            yield Boundary(
                "clones",
                f"stability limit of {copies} copies",
                f"{above} it a cluster that clones every task is offered more than it can do "
                f"(Xu and Lau, condition 2).{but}",
                _along(plane, lambda one: float(cloning_load_limit(one.straggle_tail, copies))),
            )
    yield Boundary(
        "load",
        "stability limit without copies",
        f"{above} it a cluster that runs every task once is offered more than it can do.",
        _along(plane, lambda one: 1.0),
    )


def _along(plane: Plane, load: Callable[[Scenario], float]) -> tuple[float, ...]:
    return tuple(load(one) for one in _scenarios(plane))


def _scenarios(plane: Plane) -> list[Scenario]:
    """Return a scenario for each value of the axis that is not the load."""
    upright = plane.x.name == "load"
    other = plane.y if upright else plane.x
    cells = [(0, j) if upright else (j, 0) for j in range(len(other.values))]
    return [plane.at(cell).scenario for cell in cells]


def _cutoff(scenario: Scenario) -> float:
    sizes = scenario.size_law.quantile(_SHARES)
    return float(cutoff_load(scenario.straggle_tail, max(float((sizes**2).mean() / sizes.mean() ** 2), 1.0)))


def _clones(plane: Plane) -> int:
    """Return how many copies the policy makes that clones every task, 0 if none does."""
    for policy in plane.experiment.policies:
        for chosen in policy.rules.values():
            if chosen.key == "clone":
                return int(chosen.as_dict["copies"])
    return 0


# The winner of a cell, its margin, and whether that can be told.

#: What a cell is: one policy is surely the best; the best ones cannot be told apart; too few jobs or
#: unfinished ones hide it; the queue grows under every policy.
SURE, ALIKE, UNKNOWN, UNSTABLE = "sure", "alike", "unknown", "unstable"


@dataclass(frozen=True)
class Standing:
    """What is known of a cell; policies are known by their places.

    Attributes
    ----------
    kind : str
        `SURE`, `ALIKE`, `UNKNOWN` or `UNSTABLE`.
    values : tuple of Estimate
        The criterion under each policy, over its own replications.
    replications : tuple of int
        Of each policy.
    unstable : tuple of bool
        Whether its queue grows.
    over : tuple of bool
        Whether it uses more than the budget.
    best, second : int or None
        The least, and the least of the others; of those that are stable and within the budget.
    gain : Estimate
        Share of the second's value that the best saves, paired.
    leaders : frozenset of int
        The best, and those that cannot be told from it.
    regrets : tuple of Estimate
        By what share each is above the best, paired; without a value where it is not in question.
    """

    kind: str
    values: tuple[Estimate, ...]
    replications: tuple[int, ...]
    unstable: tuple[bool, ...]
    over: tuple[bool, ...]
    best: int | None = None
    second: int | None = None
    gain: Estimate = Estimate(None)  # noqa: RUF009  (it is frozen)
    leaders: frozenset[int] = frozenset()
    regrets: tuple[Estimate, ...] = ()


class Judge:
    """Judges the cells of a map.

    Parameters
    ----------
    by : Criterion
    budget : float
        Share of slot-time beyond the least, where the criterion is bounded by it.
    """

    def __init__(self, by: Criterion, budget: float) -> None:
        self._by, self._budget = by, budget

    def judge(self, scenario: Scenario, results: Sequence[PolicyResult]) -> Standing:
        """Return what is known of a cell.

        Parameters
        ----------
        scenario : Scenario
        results : sequence of PolicyResult
            Of each policy the replications that it has; two are compared on those that both have.
        """
        values = tuple(self._by.estimate(one) for one in results)
        counts = tuple(len(one.samples) for one in results)
        unstable = tuple(one.unstable(scenario.slots) for one in results)
        over, doubtful = self._beyond(scenario, results, unstable)
        known = values, counts, unstable, over
        places = [i for i in range(len(results)) if not unstable[i] and not over[i]]
        if not places:
            return Standing(UNSTABLE, *known)
        if any(values[i].value is None for i in places):
            return Standing(UNKNOWN, *known)
        best = min(
            (i for i in places if counts[i] == max(counts[j] for j in places)), key=partial(_value, values)
        )
        changes = {i: self._change(scenario, results, i, best) for i in places if i != best}
        return self._told(known, best, changes, doubtful)

    def _told(
        self,
        known: tuple[tuple[Estimate, ...], tuple[int, ...], tuple[bool, ...], tuple[bool, ...]],
        best: int,
        changes: dict[int, PairedDifference | None],
        doubtful: bool,
    ) -> Standing:
        """Return the standing of the best against the others."""
        values = known[0]
        told = {i: one for i, one in changes.items() if one is not None}
        if len(told) < len(changes):
            return Standing(UNKNOWN, *known)
        second = min(told, key=lambda i: told[i].relative, default=None)
        leaders = frozenset({best, *(i for i, one in told.items() if one.sign <= 0)})
        reliable = all(one.share.reliable for one in told.values()) and not doubtful
        kind = UNKNOWN if not reliable else SURE if len(leaders) == 1 else ALIKE
        zero = Estimate(0.0, 0.0, 0.0)
        regrets = tuple(
            zero if i == best else told[i].share if i in told else Estimate(None) for i in range(len(values))
        )
        gain = _saved(told[second]) if second is not None else Estimate(None)
        return Standing(kind, *known, best, second, gain, leaders, regrets)

    def _beyond(
        self, scenario: Scenario, results: Sequence[PolicyResult], unstable: tuple[bool, ...]
    ) -> tuple[tuple[bool, ...], bool]:
        """Return the policies that use more slot-time than the budget, and whether one is in doubt."""
        stable = [i for i, grows in enumerate(unstable) if not grows]
        used = [one.estimate("resource", "mean") for one in results]
        nobody = tuple(False for _ in results)
        if not self._by.bounded or not stable or any(used[i].value is None for i in stable):
            return nobody, self._by.bounded and bool(stable)
        least = min(stable, key=partial(_value, used))
        over, doubtful = list(nobody), False
        for i in stable:
            if i == least:
                continue
            found = change(_pair(scenario, results, i, least), "0", "1", "resource", "mean")
            assert found is not None
            over[i] = found.relative > self._budget
            low, high = found.share.low, found.share.high
            doubtful |= not found.same and (low is None or high is None or low <= self._budget < high)
        return tuple(over), doubtful

    def _change(
        self, scenario: Scenario, results: Sequence[PolicyResult], policy: int, reference: int
    ) -> PairedDifference | None:
        return self._by.change(_pair(scenario, results, policy, reference), "0", "1")


def _value(values: Sequence[Estimate], place: int) -> float:
    return values[place].value or 0.0


def _pair(scenario: Scenario, results: Sequence[PolicyResult], one: int, other: int) -> Comparison:
    """Return the comparison of two policies, called 0 and 1, on the replications that both have."""
    count = min(len(results[one].samples), len(results[other].samples))
    pair = {name: PolicyResult(name, results[i].samples[:count]) for name, i in (("0", one), ("1", other))}
    return Comparison(scenario, pair, "1")


def _saved(above: PairedDifference) -> Estimate:
    """Return which share of the second's value the best saves, from how far the second is above the best."""
    share = above.share
    value, low, high = (
        None if one is None else one / (1 + one) for one in (share.value, share.low, share.high)
    )
    return Estimate(value, low, high, reliable=share.reliable)


# The runs of a map: all policies of a cell on the same jobs, and the results that are stored.


class Unit(NamedTuple):
    """One replication of a cell under some policies, by their places."""

    cell: Cell
    replication: int
    policies: tuple[int, ...]


#: Cell, place of a policy, replication -> what is kept of the run.
Samples = dict[tuple[Cell, int, int], Sample]
#: Nothing of these is kept.
_NONE = np.empty(0)


def slim(sample: Sample) -> Sample:
    """Return what a map reads of a sample; its series keeps the means of its quarters."""
    quarters = np.array([part.mean(axis=0) for part in np.array_split(sample.series, 4)])
    return replace(
        sample,
        values={name: value for name, value in sample.values.items() if name in READ},
        unreliable=sample.unreliable & READ,
        unreliable_differences=sample.unreliable_differences & READ,
        classes=sample.classes[: SMALL + 1],
        series=quarters,
        curves={},
        holding=_NONE,
        single={},
        log=_NONE.view(np.recarray),
    )


def cost(plane: Plane, unit: Unit) -> float:
    """Return the tasks that a unit completes, about."""
    experiment = plane.at(unit.cell)
    return expected_tasks(experiment) * len(unit.policies) / len(experiment.policies)


#: Cells from one that is simulated first to the next.
STRIDE = 4
#: Replications of a first look, and from which a policy may be let go.
FIRST, FEWEST = 2, 4
#: A policy is let go once it is above the best by so many half widths of the paired interval.
CLEAR = 3.0
#: Half widths shrink with the root of the replications; so much more are asked for.
MORE = 1.1

#: Two cells on a line; a cell between them, and the pairs it lies between.
Pair = tuple[Cell, Cell]
Place = tuple[Cell, list[Pair]]


class Survey:
    """The runs of a map as they become necessary.

    Parameters
    ----------
    plane : Plane
    samples : dict
        Of runs that are there; what is learned is added to it.
    """

    def __init__(self, plane: Plane, samples: Samples | None = None) -> None:
        self.plane = plane
        self.samples: Samples = {} if samples is None else samples
        self.wanted: dict[Cell, list[int]] = {}
        self.between: dict[Cell, Pair] = {}
        self.round = 0
        self._judge = Judge(plane.by, plane.budget)
        self._standings: dict[Cell, tuple[tuple[int, ...], Standing]] = {}
        stride = 1 if plane.full else STRIDE
        columns, rows = (_spread(len(axis.values), stride) for axis in (plane.x, plane.y))
        self._stages = list(_stages(columns, rows))
        self._want((i, j) for j in rows for i in columns)

    def _want(self, cells: Iterable[Cell]) -> None:
        for cell in cells:
            self.wanted.setdefault(cell, [FIRST] * len(self.plane.experiment.policies))

    def todo(self) -> list[Unit]:
        """Return the runs of this round that are not there yet."""
        found = []
        for cell, counts in self.wanted.items():
            for number in range(max(counts)):
                places = tuple(
                    i
                    for i, count in enumerate(counts)
                    if number < count and (cell, i, number) not in self.samples
                )
                if places:
                    found.append(Unit(cell, number, places))
        return found

    def advance(self) -> bool:
        """Decide on the next round, once this one is there; return whether there is one."""
        self.round += 1
        more = {cell: self._next(cell) for cell in self.wanted}
        if any(counts != self.wanted[cell] for cell, counts in more.items()):
            self.wanted = more
            return True
        return self._refine()

    def standing(self, cell: Cell) -> Standing:
        """Return what is known of a cell that is simulated, from the runs of the rounds that are whole."""
        counts = tuple(self.wanted[cell])
        counts = tuple(self._there(cell, i, count) for i, count in enumerate(counts))
        kept = self._standings.get(cell)
        if kept is None or kept[0] != counts:
            texts = self.plane.at(cell).texts
            results = [
                PolicyResult(text, tuple(self.samples[cell, i, number] for number in range(counts[i])))
                for i, text in enumerate(texts)
            ]
            kept = counts, self._judge.judge(self.plane.at(cell).scenario, results)
            self._standings[cell] = kept
        return kept[1]

    def begun(self, cell: Cell) -> bool:
        """Whether every policy of a cell has its first runs."""
        counts = self.wanted.get(cell)
        return counts is not None and all(self._there(cell, i, FIRST) == FIRST for i in range(len(counts)))

    def _there(self, cell: Cell, policy: int, count: int) -> int:
        """Return how many of so many replications are there, from the first without a gap."""
        for number in range(count):
            if (cell, policy, number) not in self.samples:
                return number
        return count

    @property
    def runs(self) -> int:
        """Runs that all rounds so far want."""
        return sum(sum(counts) for counts in self.wanted.values())

    def _next(self, cell: Cell) -> list[int]:
        """Return the replications of each policy that the next round wants of a cell."""
        counts, standing = self.wanted[cell], self.standing(cell)
        if max(counts) < FEWEST:
            return [min(FEWEST, self.plane.most)] * len(counts)
        if standing.best is None or standing.kind not in (SURE, ALIKE):
            return counts  # more runs would not tell
        asked = {i: self._asked(standing, i) for i in range(len(counts)) if i != standing.best}
        wide = {i: count for i, count in asked.items() if count > counts[i]}
        if not wide:
            return counts
        most = min(max(wide.values()), self.plane.most)
        return [most if i in wide or i == standing.best else count for i, count in enumerate(counts)]

    def _asked(self, standing: Standing, policy: int) -> int:
        """Return the replications with which a policy's distance from the best is known well enough."""
        count, regret = standing.replications[policy], standing.regrets[policy]
        if regret.value is None:
            return count
        half = regret.half / (1 + regret.value)  # of its own value, as a gain is
        target = self.plane.precision / 100
        if half <= target or (policy != standing.second and regret.value > CLEAR * regret.half):
            return count
        if math.isinf(half):
            return 2 * count
        needed = math.ceil(MORE * count * (half / target) ** 2)
        return min(max(needed, count + FIRST), 2 * count)

    def _refine(self) -> bool:
        """Go on to cells between those that are known; return whether some must be simulated."""
        while self._stages:
            found = [cell for cell, pairs in self._stages.pop(0) if not self._lies_between(cell, pairs)]
            if found:
                self._want(found)
                return True
        doubtful = [cell for cell in self.between if self._in_doubt(cell)]
        for cell in doubtful:
            del self.between[cell]
        self._want(doubtful)
        return bool(doubtful)

    def _in_doubt(self, cell: Cell) -> bool:
        """Whether a cell differs from those it lies between, or from a neighbour that is not simulated."""
        i, j = cell
        near = ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))
        beside = [one for one in near if one in self.between]
        return any(self._known(one) != self._known(cell) for one in (*self.between[cell], *beside))

    def _lies_between(self, cell: Cell, pairs: list[Pair]) -> bool:
        """Whether a cell lies between two where the same is known; note them."""
        for one, other in pairs:
            if self._known(one) == self._known(other):
                self.between[cell] = one, other
                return True
        return False

    def _known(self, cell: Cell) -> tuple[str, frozenset[int]]:
        """Return the winner of a cell, or the policies that cannot be told apart."""
        while cell in self.between:
            cell = self.between[cell][0]
        standing = self.standing(cell)
        return standing.kind, standing.leaders


def _stages(columns: list[int], rows: list[int]) -> Iterator[list[Place]]:
    """Yield the cells between those of a lattice: first those on its lines, then the others; finer and finer.

    Examples
    --------
    >>> for stage in _stages([0, 2], [0, 1]):
    ...     print(stage)
    [((1, 0), [((0, 0), (2, 0))]), ((1, 1), [((0, 1), (2, 1))])]
    """
    while True:
        across, up = list(_middles(columns)), list(_middles(rows))
        lines: list[Place] = [((m, j), [((a, j), (b, j))]) for j in rows for a, m, b in across]
        lines += [((i, m), [((i, a), (i, b))]) for a, m, b in up for i in columns]
        if not lines:
            return
        yield lines
        inner: list[Place] = [
            ((m, n), [((a, n), (b, n)), ((m, c), (m, d))]) for c, n, d in up for a, m, b in across
        ]
        if inner:
            yield inner
        columns = sorted([*columns, *(m for _, m, _ in across)])
        rows = sorted([*rows, *(m for _, m, _ in up)])


def _middles(places: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield neighbours that have room between them, with the place in the middle."""
    return ((a, (a + b) // 2, b) for a, b in pairwise(places) if b - a > 1)


def _spread(count: int, stride: int) -> list[int]:
    """Return places from the first to the last, about so far from each other.

    Examples
    --------
    >>> _spread(12, 4), _spread(10, 4), _spread(3, 1)
    ([0, 4, 7, 11], [0, 3, 6, 9], [0, 1, 2])
    """
    parts = math.ceil((count - 1) / stride)
    return [round(place) for place in np.linspace(0, count - 1, parts + 1).tolist()]
