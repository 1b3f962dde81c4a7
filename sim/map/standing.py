"""Boundaries that theory draws on a map: loads from which another policy pays, or a queue grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sim.map.plane import Criterion, Plane
from sim.model.result import Comparison, PairedDifference, PolicyResult, change
from sim.model.scenario import Scenario
from sim.model.statistics import Estimate
from theory.cutoff import cloning_load_limit, cutoff_load
from theory.service_rate import threshold

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
