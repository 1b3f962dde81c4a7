"""The winner of a cell, its margin, and whether that can be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from sim.map.criterion import Criterion
from sim.model.paired import PairedDifference, change
from sim.model.result import Comparison, PolicyResult
from sim.model.scenario import Scenario
from sim.model.statistics import Estimate

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
