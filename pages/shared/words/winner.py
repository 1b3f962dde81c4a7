"""The answer of a comparison in a sentence: the fastest policy, its gain over the baseline, and its cost.

A difference is stated only if its paired 95 % interval excludes 0.
"""

from __future__ import annotations

from pages.shared.words.foreign import bold, bolds
from sim.interval_reliability import PAIRED, SLOWEST, interval_is_reliable, jobs_needed
from sim.paired import PairedDifference, change
from sim.result import Comparison
from sim.scenario import Scenario
from sim.telling.words import changed, number, percent, percent_unsigned

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
#: Which jobs a statistic is of: half of them may be faster, and all together slower.
JOBS_FINISH = {"mean": "Jobs finish", "p50": "Half of the jobs finish", "p95": "95 % of the jobs finish"}


def why_unknown(scenario: Scenario, statistic: str) -> str:
    """Say why a statistic of the flowtimes, or a difference of it, has no interval.

    Examples
    --------
    >>> from sim.presets import preset
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


def headline(comparison: Comparison, statistic: str = "mean") -> str:
    """Say which policy is faster than the baseline and at what cost, or why that is not known."""
    if len(comparison.policies) == 1:
        return _alone(comparison, statistic)
    by = comparable_statistic(comparison, statistic)
    if by is None:
        return "So many jobs are unfinished that not even the medians can be compared."
    if not is_stable(comparison, comparison.baseline):
        return (
            f"No gain over {bold(comparison.baseline)} is stated, since its queue grew: compare with one "
            "whose queue does not."
        )
    changes = {
        name: one for name, one in _against_baseline(comparison, by).items() if is_stable(comparison, name)
    }
    if not changes:
        return f"Only under {bold(comparison.baseline)} did the queue not grow: no gain is stated."
    told = f"Unfinished jobs hide the {FLOWTIME[statistic]}. " if by != statistic else ""
    if comparison.replications == 1:
        return told + _first(comparison, changes, by)
    if winner := fastest(comparison, statistic):
        return told + _winner(comparison, winner, changes, by, praise=by == statistic)
    return told + _no_winner(comparison, changes, by)


def _alone(comparison: Comparison, statistic: str) -> str:
    """Say how long jobs take under the only policy there is."""
    ((name, result),) = comparison.policies.items()
    estimate = result.estimate("flowtime", statistic)
    if estimate.value is None:
        return (
            f"So many jobs are unfinished under {bold(name)} that their {FLOWTIME[statistic]} is not known."
        )
    grows = (
        "" if is_stable(comparison, name) else " The queue grew: a longer run would show longer flowtimes."
    )
    told = _in_words(comparison, number(estimate.value), statistic)
    if not result.knows("flowtime", statistic):
        told = f"in these runs {told}, but that is unreliable ({why_unknown(comparison.scenario, statistic)})"
    return f"Under {bold(name)} {told}. Choose a second policy to compare it with.{grows}"


def _first(comparison: Comparison, changes: dict[str, PairedDifference], statistic: str) -> str:
    """Say what one replication shows, and that it is not sure."""
    least = min(changes, key=lambda name: changes[name].value)
    one = changes[least]
    found = f"{percent(abs(one.relative))} {'less' if one.relative < 0 else 'more'}"
    return (
        "One replication gives no interval: any difference may be luck. So far "
        f"{_in_words(comparison, number(one.value), statistic)} under {bold(least)}, {found} than under "
        f"{bold(comparison.baseline)}."
    )


def _winner(
    comparison: Comparison, winner: str, changes: dict[str, PairedDifference], statistic: str, *, praise: bool
) -> str:
    one = changes[winner]
    begin = f"{JOBS_FINISH[statistic]} soonest under" if praise else "Of the jobs that are done, under"
    told = (
        f"{begin} {bold(winner)}: {_takes(comparison, one, statistic)} "
        f"than under {bold(comparison.baseline)}{for_what(comparison, winner, comparison.baseline)}."
    )
    close = []
    for name, other in changes.items():
        if name != winner and other.sign < 0:
            between = change(comparison, name, winner, "flowtime", statistic)
            close += [name] if between is not None and between.sign == 0 else []
    if close:
        told += f" No sure difference between {bold(winner)} and {bolds(close)}."
    return told


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


def _no_winner(comparison: Comparison, changes: dict[str, PairedDifference], statistic: str) -> str:
    baseline = bold(comparison.baseline)
    slower = [name for name, one in changes.items() if one.sign > 0]
    if slower and len(slower) == len(comparison.policies) - 1:
        nearest = min(slower, key=lambda name: changes[name].value)
        return (
            f"{JOBS_FINISH[statistic]} soonest under {baseline}: under {bold(nearest)}, the next, "
            f"{_takes(comparison, changes[nearest], statistic)}."
        )
    same = [name for name, one in changes.items() if one.same]
    unsure = [name for name, one in changes.items() if one.sign == 0 and name not in same]
    told = []
    if unsure:
        known = all(changes[name].share.reliable for name in unsure)
        why = (
            f"after {comparison.replications} replications its 95 % interval includes 0."
            if known
            else f"{why_unknown(comparison.scenario, statistic)}."
        )
        told.append(
            f"No sure difference in {FLOWTIME[statistic]} between {baseline} and {bolds(unsure)}: {why}"
        )
    if same:
        told.append(
            f"{bolds([comparison.baseline, *same])} have the same {FLOWTIME[statistic]} in every replication."
        )
    if slower:
        told.append(f"{bolds(slower)} {'is' if len(slower) == 1 else 'are'} slower than {baseline}.")
    return " ".join(told)


def _takes(comparison: Comparison, one: PairedDifference, statistic: str) -> str:
    """Return a flowtime and how far it lies from its reference."""
    return f"{_in_words(comparison, number(one.value), statistic)}, {percent_less_or_more(one)}"


def _in_words(comparison: Comparison, number_of: str, statistic: str) -> str:
    """Return a statistic of the flowtimes as what jobs do."""
    value = f"{number_of} {comparison.scenario.time_unit}"
    return {
        "mean": f"a job takes {value} on average",
        "p50": f"the median job takes {value}",
        "p95": f"95 % of the jobs finish within {value}",
    }[statistic]


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
        why = (
            f"after {comparison.replications} replications ({changed(found.share)})"
            if found.share.reliable
            else f"is stated ({changed(found.share)}): {why_unknown(comparison.scenario, statistic)}"
        )
        sure = "sure " if found.share.reliable else ""
        return f"No {sure}difference between {bold(one)} and {bold(other)} {why}."
    if found.sign > 0:
        return between(comparison, other, one, statistic)
    return (
        f"{JOBS_FINISH[statistic]} sooner under {bold(one)} than under {bold(other)}: {FLOWTIME[statistic]} "
        f"{changed(found.share)}{for_what(comparison, one, other)}."
    )
