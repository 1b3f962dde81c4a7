"""Differences between two policies of a comparison, replication by replication, on the same jobs and luck."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sim.result import Comparison
from sim.statistics import Estimate, student


@dataclass(frozen=True, slots=True)
class Change:
    """How a number differs between two policies.

    Attributes
    ----------
    value, reference : float
        The number under the policy, and under the one it is held against.
    difference : Estimate
        Paired: its interval is over the differences in each replication.
    """

    value: float
    reference: float
    difference: Estimate

    @property
    def sign(self) -> int:
        """-1 or 1 where the interval of the difference excludes 0, else 0: nothing can be told."""
        low, high = self.difference.low, self.difference.high
        if low is None or high is None:
            return 0
        return (low > 0) - (high < 0)

    @property
    def same(self) -> bool:
        """Whether the two did the same in every replication."""
        nothing = self.difference.value == 0 and self.value == self.reference
        return nothing and (self.difference.half == 0 or not self.difference.reliable)

    @property
    def relative(self) -> float:
        """The difference as a share of the reference."""
        return self.value / self.reference - 1 if self.reference else 0.0

    @property
    def share(self) -> Estimate:
        """The difference as a share of the reference, with its interval."""
        low, high = self.difference.low, self.difference.high
        if not self.reference or low is None or high is None:
            return Estimate(self.relative, reliable=self.difference.reliable)
        return Estimate(self.relative, low / self.reference, high / self.reference)


def change(
    comparison: Comparison, policy: str, reference: str, measure: str, statistic: str = ""
) -> Change | None:
    """Return how a statistic under `policy` differs from `reference`; None where it is censored away.

    Parameters
    ----------
    comparison : Comparison
    policy, reference : str
        Two of its policies.
    measure, statistic : str
        As in `sim.result.PolicyResult.estimate`.
    """
    one, other = comparison.policies[policy], comparison.policies[reference]
    reliable = comparison.knows(policy, reference, measure, statistic)
    return _paired(one.values(measure, statistic), other.values(measure, statistic), reliable)


def class_change(
    comparison: Comparison, policy: str, reference: str, place: int, statistic: str = "mean"
) -> Change | None:
    """Return the same for the flowtime of the jobs of one size class, by its place in `CLASSES`."""
    one, other = (comparison.policies[name].samples for name in (policy, reference))
    pairs = [(a.classes[place], b.classes[place]) for a, b in zip(one, other, strict=True)]
    some = [(getattr(a, statistic), getattr(b, statistic)) for a, b in pairs if a.jobs]
    reliable = comparison.knows(policy, reference, "flowtime", statistic)
    return _paired([a for a, _ in some], [b for _, b in some], reliable)


def _paired(
    values: Sequence[float | None], references: Sequence[float | None], reliable: bool
) -> Change | None:
    value, reference = student(values).value, student(references).value
    if value is None or reference is None:
        return None
    pairs = zip(values, references, strict=True)
    differences = [None if a is None or b is None else a - b for a, b in pairs]
    return Change(value, reference, student(differences, reliable=reliable))


#: A policy, and the one that it is held against.
Pair = tuple[str, str]


def log_ratios(
    comparison: Comparison, pairs: Sequence[Pair], measure: str, statistic: str
) -> list[float | None]:
    """Return the mean over pairs of log(policy / reference), for each replication; None if not known."""
    columns = [comparison.policies[name].values(measure, statistic) for pair in pairs for name in pair]
    return [
        None
        if any(not value for value in row)
        else sum(math.log(a / b) for a, b in zip(row[::2], row[1::2], strict=True)) / len(pairs)
        for row in zip(*columns, strict=True)
    ]


def effect(comparison: Comparison, pairs: Sequence[Pair], measure: str, statistic: str) -> Estimate:
    r"""Return by what share a measure differs, on average over pairs of policies that differ by one thing.

    .. math:: \exp\Bigl(\tfrac1n \sum_r \tfrac1k \sum_{(a, b)} \log \frac{x_{r,a}}{x_{r,b}}\Bigr) - 1

    The mean is geometric, so that the reverse question has the reverse answer: half as much, twice as much.
    The interval is Student's over the logarithms of the replications.
    """
    reliable = all(comparison.knows(*pair, measure, statistic) for pair in pairs)
    found = student(log_ratios(comparison, pairs, measure, statistic), reliable=reliable)
    value, low, high = (
        None if one is None else math.expm1(one) for one in (found.value, found.low, found.high)
    )
    return Estimate(value, low, high, reliable=reliable)
