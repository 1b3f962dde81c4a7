"""The lead of a comparison: its largest sure difference in flowtimes, whatever the statistic, in a sentence.

A difference is sure if its paired 95 % interval excludes 0. Where a statistic has no reliable interval, it is
sure if every replication agrees, and there are so many that this is no chance: with no true difference
anything leads in fewer than one of forty answers, however many are looked at (sign test, Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pages.shared.words.foreign import bold
from sim.model.outcome import SLOWEST, moments_needed, tail_index
from sim.model.result import Comparison, Pair, PairedDifference, change
from sim.model.scenario import Scenario
from sim.telling.words import changed, number, percent, percent_unsigned

# Which policy of a comparison is faster, what that costs, and why it may not be known.
#
# A difference is stated only if its paired 95 % interval excludes 0.

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
    >>> from sim.engines.registry import preset
    >>> why_unknown(preset("busy").scenario, "p95"), why_unknown(preset("light").scenario, "mean")
    ('too few busy periods to know the 95th percentile', 'too heavy a tail to know the mean')
    >>> why_unknown(preset("light").scenario.replace(slots=1), "p95")  # however many jobs there are
    'too heavy a tail to know the 95th percentile'
    """
    word = WORD[statistic]
    if statistic in SLOWEST and scenario.load >= 1:
        return f"at this load a queue need not settle, and then the {word} grows with the run"
    if statistic in SLOWEST and tail_index(scenario) > moments_needed(scenario, "flowtime", statistic):
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


#: Most words of a first sentence: what can be read at a glance.
WORDS = 20
#: Chance that something leads without a true difference.
CHANCE = 0.025
#: What jobs do in a time, by statistic; {} is the time.
JOBS = {
    "mean": "a job takes {} on average",
    "p50": "half of the jobs finish within {}",
    "p95": "19 of 20 jobs finish within {}",
}
#: Which jobs the other statistic is of.
WHOSE = {"p50": "the typical job takes", "p95": "the slowest jobs take"}
#: Jobs take about as long if the interval of their change lies within this share.
ALIKE = 0.1
#: What is said of differences where there are no intervals.
ONE = "One replication gives no interval: any difference may be luck."


@dataclass(frozen=True, slots=True)
class Lead:
    """A sure difference: of which policy against which, by which statistic.

    Attributes
    ----------
    policy, reference, statistic : str
    change : PairedDifference
    replications : int
        How many agree, where that decided; 0 where a reliable interval did.
    """

    policy: str
    reference: str
    statistic: str
    change: PairedDifference
    replications: int

    @property
    def size(self) -> float:
        """The logarithm of the ratio, whatever its direction: twice as long is as large as half as long."""
        return abs(math.log(self.change.value / self.change.reference))


def sure(comparison: Comparison, pairs: Sequence[Pair] = ()) -> list[Lead]:
    """Return the sure differences in flowtimes, the largest first.

    Parameters
    ----------
    comparison : Comparison
    pairs : sequence of Pair, optional
        The policies in question, each with the one it is held against; all against the baseline unless given.
        A queue that grows is not in question.
    """
    base = comparison.baseline
    asked = pairs or [(name, base) for name in comparison.policies if name != base]
    among = [pair for pair in asked if are_stable(comparison, *pair)]
    found = (
        _sure(comparison, pair, statistic, looks=len(JOBS) * len(among))
        for pair in among
        for statistic in JOBS
    )
    return sorted(filter(None, found), key=lambda one: -one.size)


def _sure(comparison: Comparison, pair: Pair, statistic: str, looks: int) -> Lead | None:
    """Return a difference that is sure, one of so many that are looked at."""
    one = change(comparison, *pair, "flowtime", statistic)
    if one is None or comparison.replications == 1 or not one.value > 0 < one.reference:
        return None
    if statistic == "p95" and not all(comparison.policies[name].tells(0.95) for name in pair):
        return None  # no job of fewer than 20 is a slowest twentieth
    if one.share.reliable:
        return Lead(*pair, statistic, one, 0) if one.sign else None
    ours, its = (comparison.policies[name].values("flowtime", statistic) for name in pair)
    agree = {a is not None and b is not None and (a > b) - (a < b) for a, b in zip(ours, its, strict=True)}
    certain = agree in ({1}, {-1}) and 2 * 0.5 ** len(ours) < CHANCE / looks
    return Lead(*pair, statistic, one, len(ours)) if certain else None


def lead(comparison: Comparison, statistic: str = "mean", pairs: Sequence[Pair] = ()) -> str:
    """Return the largest sure difference in a sentence of at most `WORDS` words, or why none is stated.

    Parameters
    ----------
    comparison : Comparison
    statistic : str, optional
        What a single policy, or a single replication, is told by.
    pairs : sequence of Pair, optional
        As of `sure`.
    """
    if len(comparison.policies) == 1:
        return _alone(comparison, statistic)
    others = [name for name in comparison.policies if name != comparison.baseline]
    asked = pairs or [(name, comparison.baseline) for name in others]
    stable = [pair for pair in asked if are_stable(comparison, *pair)]
    if not is_stable(comparison, comparison.baseline):
        return f"No gain over {bold(comparison.baseline)} is stated: its queue grew."
    if not stable:
        return f"Only under {bold(comparison.baseline)} did the queue not grow: no gain is stated."
    if comparison.replications == 1:
        return f"{ONE}{_so_far(comparison, statistic, stable)}"
    found = sure(comparison, pairs)
    return told(comparison, found[0]) if found else _alike(comparison, stable)


def told(comparison: Comparison, one: Lead) -> str:
    """Return a sure difference in a sentence: the most telling of some that is short enough."""
    options = list(_options(comparison, one))
    return next((text for text in options if len(text.split()) <= WORDS), options[-1])


def _options(comparison: Comparison, one: Lead) -> Iterator[str]:
    ours, its = _apart(one.change.value, one.change.reference)
    unit = comparison.scenario.time_unit
    before = "instead of" if one.change.relative < 0 else "up from"
    begin = f"{bold(one.policy)}: {JOBS[one.statistic].format(f'{ours} {unit}')} {before} {its} {unit}"
    if others := _contrast(comparison, one):
        yield f"{begin}; {others}."
    yield f"{begin} under {bold(one.reference)}."
    yield f"{begin}."
    yield f"{bold(one.policy)}: {WORD[one.statistic]} {ours} {before} {its} {unit}."


def _apart(one: float, other: float) -> tuple[str, str]:
    """Return two times as briefly as they can be told apart.

    Examples
    --------
    >>> _apart(11.34, 26.9), _apart(2.941, 2.943)
    (('11', '27'), ('2.941', '2.943'))
    """
    pairs = [(number(one, digits), number(other, digits)) for digits in (2, 3, 4)]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[-1])


def _contrast(comparison: Comparison, one: Lead) -> str:
    """Say that other jobs take as long, or change the other way; empty where neither is sure."""
    statistic = "p95" if one.statistic == "p50" else "p50"
    other = change(comparison, one.policy, one.reference, "flowtime", statistic)
    if other is None or not other.share.reliable or other.share.low is None or other.share.high is None:
        return ""
    if max(-other.share.low, other.share.high) < ALIKE:
        return f"{WHOSE[statistic]} {'' if other.same else 'about '}as long"
    if other.sign * one.change.relative < 0:
        return f"{WHOSE[statistic]} {percent(abs(other.relative))} {'less' if other.sign < 0 else 'longer'}"
    return ""


def price(comparison: Comparison) -> str:
    """Return what the lead costs in a sentence, and how many replications agree where that decided."""
    found = sure(comparison)
    if not found:
        return ""
    one = found[0]
    cost = for_what(comparison, one.policy, one.reference)
    if one.replications:
        return f"It is so in each of {one.replications} replications{cost}."
    return f"It does so{cost.removeprefix(',')}." if cost else ""


def agreement(comparison: Comparison) -> Iterator[str]:
    """Say what the lead rests on where its statistic has no interval."""
    found = sure(comparison)
    if found and found[0].replications:
        one, word = found[0], WORD[found[0].statistic]
        yield (
            f"Under {bold(one.policy)} the {word} is {'below' if one.change.relative < 0 else 'above'} that "
            f"under {bold(one.reference)} in each of {one.replications} replications; by how much has no "
            f"interval: {why_unknown(comparison.scenario, one.statistic)}."
        )


def _alone(comparison: Comparison, statistic: str) -> str:
    """Say how long jobs take under the only policy there is."""
    ((name, result),) = comparison.policies.items()
    estimate = result.estimate("flowtime", statistic)
    if estimate.value is None:
        return f"{bold(name)}: so many jobs are unfinished that their {FLOWTIME[statistic]} is not known."
    jobs = JOBS[statistic].format(f"{number(estimate.value)} {comparison.scenario.time_unit}")
    if not result.knows("flowtime", statistic):
        return f"{bold(name)}: {jobs} in these runs. It is {why_unknown(comparison.scenario, statistic)}."
    return f"{bold(name)}: {jobs}. Choose a second policy to compare it with."


def _so_far(comparison: Comparison, statistic: str, pairs: Sequence[Pair]) -> str:
    found = {pair: change(comparison, *pair, "flowtime", statistic) for pair in pairs}
    known = {pair: one for pair, one in found.items() if one is not None}
    if not known:
        return ""
    name, reference = least = min(known, key=lambda pair: known[pair].value)
    jobs = JOBS[statistic].format(f"{number(known[least].value)} {comparison.scenario.time_unit}")
    its = number(known[least].reference)
    return f" So far {jobs} under {bold(name)}, instead of {its} under {bold(reference)}."


def _alike(comparison: Comparison, pairs: Sequence[Pair]) -> str:
    """Say that nothing differs, or nothing surely."""
    found = [change(comparison, *pair, "flowtime", one) for pair in pairs for one in JOBS]
    if not any(found):
        return "So many jobs are unfinished that not even the medians can be compared."
    who = f"{bold(pairs[0][0])} and" if len(pairs) == 1 else "the other policies and"
    both = f"{who} {bold(pairs[0][1])}"
    if all(one is None or one.same for one in found):
        return f"{both[:1].upper()}{both[1:]} take the same time in every replication."
    return f"No difference between {both} is sure after {comparison.replications} replications."
