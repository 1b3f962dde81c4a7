"""Which policy of a comparison is faster, what that costs, and why it may not be known.

A difference is stated only if its paired 95 % interval excludes 0.
"""

from __future__ import annotations

from pages.shared.words.foreign import bold
from sim.model.outcome import PAIRED, SLOWEST, interval_is_reliable, jobs_needed
from sim.model.result import Comparison, PairedDifference, change
from sim.model.scenario import Scenario
from sim.telling.words import changed, percent, percent_unsigned

#: Statistics of the flowtimes in words.
FLOWTIME = {"mean": "mean flowtime", "p50": "median flowtime", "p95": "95th percentile of the flowtime"}
WORD = {"mean": "mean", "p50": "median", "p95": "95th percentile"}
BY = {"mean": "on average", "p50": "by their median", "p95": "by their 95th percentile"}
#: Phrases for a statistic of the flowtimes; {} is the name of the jobs.
WITHIN = {
    "mean": "{} take on average",
    "p50": "half of the {} finish within",
    "p95": "95 % of the {} finish within",
}


def why_unknown(scenario: Scenario, statistic: str) -> str:
    """Say why a statistic of the flowtimes, or a difference of it, has no interval.

    Examples
    --------
    >>> from sim.engines.presets import preset
    >>> why_unknown(preset("busy").scenario, "p95"), why_unknown(preset("light").scenario, "mean")
    ('too few busy periods to know the 95th percentile', 'too heavy a tail to know the mean')
    """
    word = WORD[statistic]
    if interval_is_reliable(scenario, "flowtime", statistic) or statistic in SLOWEST:
        if scenario.load >= 1:
            return f"at this load a queue need not settle, and then the {word} grows with the run"
        if jobs_needed(scenario) * PAIRED > scenario.jobs:
            return f"too few busy periods to know the {word}"
    return f"too heavy a tail to know the {word}"


def comparable_statistic(comparison: Comparison, statistic: str = "mean") -> str | None:
    """Return how to compare flowtimes: as asked, by 'p50' if unfinished jobs hide that, or not at all."""
    for one in dict.fromkeys((statistic, "p50")):
        if _against_baseline(comparison, one):
            return one
    return None


def _against_baseline(comparison: Comparison, statistic: str) -> dict[str, PairedDifference]:
    """Return how the flowtime of every other policy differs from the baseline's, where it can be told."""
    found = {
        name: change(comparison, name, comparison.baseline, "flowtime", statistic)
        for name in comparison.policies
        if name != comparison.baseline
    }
    return {name: one for name, one in found.items() if one is not None}


def is_stable(comparison: Comparison, policy: str) -> bool:
    """Return whether the queue under a policy did not grow: a longer run would show the same."""
    return not comparison.policies[policy].unstable(comparison.scenario.slots)


def are_stable(comparison: Comparison, *policies: str) -> bool:
    """Return whether no queue grew under these policies: else a change between them has no number."""
    return all(is_stable(comparison, name) for name in policies)


def fastest(comparison: Comparison, statistic: str = "mean") -> str | None:
    """Return the policy with the lowest flowtime of those surely below the baseline's, if there is one.

    Only of those whose queue does not grow, and only against a baseline whose queue does not.
    """
    by = comparable_statistic(comparison, statistic)
    if by is None or not is_stable(comparison, comparison.baseline):
        return None
    changes = _against_baseline(comparison, by)
    better = {
        name: one.value for name, one in changes.items() if one.sign < 0 and is_stable(comparison, name)
    }
    return min(better, key=better.__getitem__) if better else None


def for_what(comparison: Comparison, policy: str, reference: str) -> str:
    """Return what a gain costs: slot-time per job, or busy slots where the jobs are too few to know that."""
    one = change(comparison, policy, reference, "resource", "mean")
    if one is None or not one.share.reliable:
        busy, before = (
            comparison.policies[name].estimate("utilisation").value or 0.0 for name in (policy, reference)
        )
        if busy == before == 0:  # a single job: none arrives after it, which ends what is observed
            return ""
        if percent(busy) == percent(before):
            return f", with {percent(busy)} of the slots busy under both"
        return f", with {percent(busy)} instead of {percent(before)} of the slots busy"
    if one.sign == 0:
        return ", with no sure difference in slot-time"
    return f", for {percent_unsigned(one.share)} {'more' if one.sign > 0 else 'less'} slot-time per job"


def percent_less_or_more(one: PairedDifference) -> str:
    """Return a paired difference in percent with its interval: '58.0 ± 1.1 % less'."""
    return f"{percent_unsigned(one.share)} {'less' if one.relative < 0 else 'more'}"


def between(comparison: Comparison, one: str, other: str, statistic: str) -> str:
    """Say which of two policies is the faster, and at what cost; empty where nothing can be compared."""
    found = change(comparison, one, other, "flowtime", statistic)
    if comparison.replications == 1 or found is None:
        return ""
    if not (is_stable(comparison, one) and is_stable(comparison, other)):
        return ""
    if found.same:
        return f"{bold(one)} and {bold(other)} have the same {FLOWTIME[statistic]} in every replication."
    if not found.sign:
        why = f" after {comparison.replications} replications ({changed(found.share)})"
        if not found.share.reliable:
            why = f": {why_unknown(comparison.scenario, statistic)}"
        return f"No difference between {bold(one)} and {bold(other)} is sure{why}."
    if found.sign > 0:
        return between(comparison, other, one, statistic)
    return (
        f"{bold(one)} is faster than {bold(other)}: {FLOWTIME[statistic]} "
        f"{changed(found.share)}{for_what(comparison, one, other)}."
    )
