"""Differences between two policies of a comparison, replication by replication, on the same jobs and luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.model.result import Comparison
from sim.model.statistics import Estimate, difference, log_ratio, relative, shares, student


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How a number differs between two policies.

    Attributes
    ----------
    value, reference : float
        The number under the policy, and under the one it is held against.
    difference : Estimate
        In the unit of the number, paired: its interval is over the differences in each replication.
    share : Estimate
        As a share of the reference, paired (`sim.model.statistics.relative`): what is shown, and what
        decides.
    """

    value: float
    reference: float
    difference: Estimate
    share: Estimate

    @property
    def sign(self) -> int:
        """-1 or 1 where the interval of the share excludes 0, else 0: nothing can be told.

        Where the reference is 0 there is no share: the interval of the difference decides.
        """
        return self.difference.sign if self.share.value is None else self.share.sign

    @property
    def same(self) -> bool:
        """Whether the two did the same in every replication."""
        nothing = self.difference.value == 0 and self.value == self.reference
        return nothing and (self.difference.half == 0 or not self.difference.reliable)

    @property
    def relative(self) -> float:
        """The difference as a share of the reference; 0 where that is 0."""
        return self.share.value or 0.0


def change(
    comparison: Comparison, policy: str, reference: str, measure: str, statistic: str = ""
) -> PairedDifference | None:
    """Return how a statistic under `policy` differs from `reference`; None where it is censored away.

    Parameters
    ----------
    comparison : Comparison
    policy, reference : str
        Two of its policies.
    measure, statistic : str
        As in `sim.model.result.PolicyResult.estimate`.
    """
    one, other = comparison.policies[policy], comparison.policies[reference]
    reliable = comparison.knows(policy, reference, measure, statistic)
    return _paired(one.values(measure, statistic), other.values(measure, statistic), reliable)


def class_change(
    comparison: Comparison, policy: str, reference: str, place: int, statistic: str = "mean"
) -> PairedDifference | None:
    """Return the same for the flowtime of the jobs of one size class, by its place in `CLASSES`."""
    one, other = (comparison.policies[name].samples for name in (policy, reference))
    pairs = [(a.classes[place], b.classes[place]) for a, b in zip(one, other, strict=True)]
    some = [(getattr(a, statistic), getattr(b, statistic)) for a, b in pairs if a.jobs]
    reliable = comparison.knows(policy, reference, "flowtime", statistic)
    return _paired([a for a, _ in some], [b for _, b in some], reliable)


def _paired(
    values: Sequence[float | None], references: Sequence[float | None], reliable: bool
) -> PairedDifference | None:
    value, reference = student(values).value, student(references).value
    if value is None or reference is None:
        return None
    return PairedDifference(
        value,
        reference,
        difference(values, references, reliable=reliable),
        relative(values, references, reliable=reliable),
    )


#: A policy, and the one that it is held against.
Pair = tuple[str, str]


def log_ratios(
    comparison: Comparison, pairs: Sequence[Pair], measure: str, statistic: str
) -> list[float] | None:
    """Return the mean over pairs of log(policy / reference), a term for each replication; None if not known.

    Each is `sim.model.statistics.log_ratio`, so that the mean of the terms is about the means of the
    replications.
    """
    columns = [[comparison.policies[name].values(measure, statistic) for name in pair] for pair in pairs]
    if any(value is None for pair in columns for one in pair for value in one):
        return None
    known = [[[value or 0.0 for value in one] for one in pair] for pair in columns]
    if not all(any(one) for pair in known for one in pair):
        return None
    rows = zip(*(log_ratio(ours, its) for ours, its in known), strict=True)
    return [sum(row) / len(pairs) for row in rows]


def effect(comparison: Comparison, pairs: Sequence[Pair], measure: str, statistic: str) -> Estimate:
    r"""Return by what share a measure differs, on average over pairs of policies that differ by one thing.

    .. math:: \exp\Bigl(\tfrac1k \sum_{(a, b)} \log \frac{\bar x_a}{\bar x_b}\Bigr) - 1

    The mean is geometric, so that the reverse question has the reverse answer: half as much, twice as much.
    With one pair it is the share of its `PairedDifference`; the interval is Student's over `log_ratios`.
    """
    reliable = all(comparison.knows(*pair, measure, statistic) for pair in pairs)
    terms = log_ratios(comparison, pairs, measure, statistic)
    return Estimate(None, reliable=reliable) if terms is None else shares(student(terms, reliable=reliable))
