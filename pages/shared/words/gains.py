"""Remarks on differences: which jobs gain, which jobs lose, and what copies cost.

A difference is stated only if its paired 95 % interval excludes 0. Where no interval is reliable, crossing
curves are told by the replications in which one policy is below the other: with no true difference anything
is told in fewer than one of forty answers, however many policies and statistics are looked at (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pages.shared.words.foreign import bold
from pages.shared.words.winner import (
    BY,
    JOBS_FINISH,
    WITHIN,
    are_stable,
    comparable_statistic,
    is_stable,
    percent_less_or_more,
)
from sim.counted_jobs import CLASSES
from sim.paired import PairedDifference, change, class_change
from sim.result import Comparison
from sim.telling.words import changed, fixed, listed, number, percent

#: Extra copies below this share of all are not worth a remark.
NOTABLE = 0.01
#: A gain is in the tail (or in the middle) if it is so many times as large there.
LOPSIDED = 2

#: Statistics of the flowtimes as what they are of.
OF = {"p50": "the median", "mean": "the mean", "p95": "the 95th percentile"}
#: Chance that an answer tells of replications below, without a true difference.
CHANCE = 0.025


def who_pays(comparison: Comparison, winner: str, statistic: str = "mean") -> Iterator[str]:
    """Say which size of job takes longer under the policy that is faster in general."""
    losers = []
    for place, (name, _) in enumerate(CLASSES):
        one = class_change(comparison, winner, comparison.baseline, place, statistic)
        if one is not None and one.sign > 0:
            losers.append((one.relative, name, one))
    if losers:
        _, name, one = max(losers)
        yield (
            f"Not everyone gains: jobs of {with_tasks(name)} take {percent_less_or_more(one)} "
            f"{BY[statistic]} under {bold(winner)} than under {bold(comparison.baseline)}."
        )


def small_jobs_gain(
    comparison: Comparison, policy: str, reference: str, one: PairedDifference, statistic: str
) -> str:
    """Say within what time small jobs finish under a policy and a reference, and what slots that takes."""
    unit = comparison.scenario.time_unit
    busy = change(comparison, policy, reference, "utilisation")
    assert busy is not None
    points = fixed(100 * abs(busy.value - busy.reference), 1)
    cost = (
        f"{points} {'more' if busy.sign > 0 else 'fewer'} of every 100 slots are busy"
        if busy.sign
        else "about as many slots are busy"
    )
    jobs = WITHIN[statistic].format("small jobs")
    return (
        f"{jobs} {number(one.value)} instead of {number(one.reference)} {unit} "
        f"under {bold(reference)} ({changed(one.share)}); {cost}."
    )


def with_tasks(name: str) -> str:
    """Return a class of `CLASSES` with the word tasks."""
    return name if name.endswith("tasks") else f"{name} tasks"


def extra_share(comparison: Comparison, policy: str) -> float:
    """Return the share of a policy's copies that were extra."""
    return comparison.policies[policy].estimate("speculative_copies_share").value or 0.0


def price_of_copies(comparison: Comparison, winner: str | None) -> Iterator[str]:
    """Say whether copies saved work or cost work, against a policy that makes none if there is one."""
    shares = {name: extra_share(comparison, name) for name in comparison.policies}
    copying = winner if winner and shares[winner] >= NOTABLE else max(shares, key=shares.__getitem__)
    if shares[copying] < NOTABLE:
        return
    single = [
        name
        for name, share in shares.items()
        if share == 0 and comparison.knows(copying, name, "resource", "mean")
    ]
    reference = single[0] if single else comparison.baseline
    one = change(comparison, copying, reference, "resource", "mean")
    if one is None or one.sign == 0 or not are_stable(comparison, copying, reference):
        return
    share = f"{percent(shares[copying])} of the copies under {bold(copying)} were extra"
    used = f"a job used {percent_less_or_more(one)} slot-time (all its copies added up) "
    used += f"than under {bold(reference)}"
    if single:
        verdict = "saved" if one.sign < 0 else "cost"
        joined = "and yet" if one.sign < 0 else "and"
        yield f"Copies {verdict} work: {share}, {joined} {used}, which runs every task once."
    else:
        yield f"{_verdict(one, copying == winner)}: {share}, and {used}."


def _verdict(one: PairedDifference, of_winner: bool) -> str:
    if not of_winner:
        return "The slot-time differs"
    return "Speed has a price" if one.sign > 0 else "It takes less work, too"


def where_the_gain_is(comparison: Comparison, winner: str) -> Iterator[str]:
    """Say whether the typical job or the slow ones gain, where the two differ."""
    middle, tail = (
        change(comparison, winner, comparison.baseline, "flowtime", name) for name in ("p50", "p95")
    )
    if middle is None or tail is None or not comparison.policies[winner].tells(0.95):
        return
    half = f"the time in which half of the jobs finish {_moved(middle)}"
    most = f"the time in which 95 % of the jobs finish {_moved(tail)}"
    against = f"against {bold(comparison.baseline)}"
    if middle.sign * tail.sign < 0:
        yield f"Under {bold(winner)} {half}, but {most}, {against}."
    elif tail.sign < 0 and (middle.sign == 0 or tail.relative <= LOPSIDED * middle.relative):
        yield f"The slow jobs gain most: under {bold(winner)} {most}; {half}, {against}."
    elif middle.sign < 0 and (tail.sign == 0 or middle.relative <= LOPSIDED * tail.relative):
        yield f"The typical job gains most: under {bold(winner)} {half}; {most}, {against}."


def _moved(one: PairedDifference) -> str:
    if one.sign == 0:
        return "shows no sure difference"
    return f"{'falls' if one.sign < 0 else 'rises'} by {percent(abs(one.relative))}"


def crossing(comparison: Comparison, statistic: str, names: Sequence[str] = (), *, after: str = "") -> str:
    """Say which other policies are faster by another statistic than the fastest by this; empty if none is.

    Parameters
    ----------
    comparison : Comparison
    statistic : str
        By which the fastest is named; the median where this is not known.
    names : sequence of str, optional
        The policies in question; all, if none are given. A queue that grows is not in question.
    after : str, optional
        What has been said before, which may name the fastest.
    """
    among = [name for name in names or comparison.policies if is_stable(comparison, name)]
    by = comparable_statistic(comparison, statistic)
    if comparison.replications == 1 or len(among) < 2 or by is None:
        return ""
    by = by if all(comparison.policies[name].knows("flowtime", by) for name in among) else "p50"
    leader = _least(comparison, among, by)
    if leader is None:
        return ""
    told = [_told(comparison, leader, name, among) for name in among if name != leader]
    told = [one for one in told if one]
    if told and bold(leader) not in after:
        told.insert(0, f"{JOBS_FINISH[by]} soonest under {bold(leader)}.")
    return " ".join(told)


def _told(comparison: Comparison, leader: str, name: str, among: Sequence[str]) -> str:
    """Say by which statistics a policy is the fastest, and faster than the leader."""
    found = {}
    for one in OF:
        if _least(comparison, among, one) != name:
            continue
        wins = below(comparison, name, leader, one, chance=CHANCE / (len(OF) * (len(among) - 1)))
        if wins is not None:
            found[one] = wins
    if not found:
        return ""
    parts = [f"{OF[one]} ({_instead(comparison, name, leader, one)})" for one in found]
    counts = [wins for wins in found.values() if wins]
    return (
        f"Under {bold(name)} {listed(parts)} {'is' if len(parts) == 1 else 'are'} shorter than under "
        f"{bold(leader)}{_in(min(counts), comparison.replications) if counts else ''}."
    )


def _in(wins: int, of: int) -> str:
    return f", in {f'each of {of}' if wins == of else f'{wins} of {of}'} replications"


def below(
    comparison: Comparison, name: str, other: str, statistic: str, *, chance: float = CHANCE
) -> int | None:
    """Return in how many replications a flowtime is below another policy's; None where it is not surely less.

    0 where a reliable interval has decided. Else surely: without a true difference so many replications
    are below with less than `chance` (sign test).
    """
    found = change(comparison, name, other, "flowtime", statistic)
    if found is None:
        return None
    if found.share.reliable:
        return 0 if found.sign < 0 else None
    ours, its = (comparison.policies[one].values("flowtime", statistic) for one in (name, other))
    differ = [a < b for a, b in zip(ours, its, strict=True) if a is not None and b is not None and a != b]
    wins, of = sum(differ), len(differ)
    so_many = sum(math.comb(of, k) for k in range(wins, of + 1)) / 2**of
    return wins if so_many < chance else None


def _least(comparison: Comparison, among: Sequence[str], statistic: str) -> str | None:
    values = dict(_known(comparison, among, statistic))
    return min(values, key=values.__getitem__) if len(values) == len(among) else None


def _known(comparison: Comparison, among: Sequence[str], statistic: str) -> Iterator[tuple[str, float]]:
    for name in among:
        value = comparison.policies[name].estimate("flowtime", statistic).value
        if value is not None:
            yield name, value


def _instead(comparison: Comparison, name: str, leader: str, statistic: str) -> str:
    """Return both times; the second is the leader's."""
    ours, its = (
        number(comparison.policies[one].estimate("flowtime", statistic).value or 0.0, 2)
        for one in (name, leader)
    )
    return f"{ours} instead of {its} {comparison.scenario.time_unit}"
