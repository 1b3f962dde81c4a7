"""The criterion that ranks policies in a cell: a number to be minimised, perhaps within a budget."""

from __future__ import annotations

from dataclasses import dataclass

from sim.model.counted_jobs import CLASSES
from sim.model.fields import unknown
from sim.model.paired import PairedDifference, change, class_change
from sim.model.result import Comparison, PolicyResult
from sim.model.statistics import Estimate

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
