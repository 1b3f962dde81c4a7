"""For whom another policy is the faster where the curves of two cross: half of the jobs, the slowest.

Where an interval is reliable, it decides. Elsewhere the replications are counted in which one policy was
below the other: with no true difference so many of them are that in fewer than one of forty comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pages.shared.words.numbers import bold, listed, number
from pages.shared.words.winner import JOBS_FINISH, steady, yardstick
from sim.paired import change
from sim.result import Comparison

#: Statistics of the flowtimes as what they are of.
OF = {"p50": "the median", "mean": "the mean", "p95": "the 95th percentile"}
#: Chance of so many replications below, without a true difference, under which they count.
CHANCE = 0.025


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
    among = [name for name in names or comparison.policies if steady(comparison, name)]
    by = yardstick(comparison, statistic)
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
        wins = below(comparison, name, leader, one) if _least(comparison, among, one) == name else None
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


def below(comparison: Comparison, name: str, other: str, statistic: str) -> int | None:
    """Return in how many replications a flowtime is below another policy's; None where it is not surely less.

    0 where a reliable interval has decided.
    """
    found = change(comparison, name, other, "flowtime", statistic)
    if found is None:
        return None
    if found.share.reliable:
        return 0 if found.sign < 0 else None
    ours, its = (comparison.policies[one].values("flowtime", statistic) for one in (name, other))
    differ = [a < b for a, b in zip(ours, its, strict=True) if a is not None and b is not None and a != b]
    wins, of = sum(differ), len(differ)
    chance = sum(math.comb(of, k) for k in range(wins, of + 1)) / 2**of
    return wins if chance < CHANCE else None


def _least(comparison: Comparison, among: Sequence[str], statistic: str) -> str | None:
    values = dict(_known(comparison, among, statistic))
    return min(values, key=values.__getitem__) if len(values) == len(among) else None


def _known(comparison: Comparison, among: Sequence[str], statistic: str) -> Iterator[tuple[str, float]]:
    for name in among:
        value = comparison.policies[name].estimate("flowtime", statistic).value
        if value is not None:
            yield name, value


def _instead(comparison: Comparison, name: str, leader: str, statistic: str) -> str:
    """Return both times, of which the second is the leader's."""
    ours, its = (
        number(comparison.policies[one].estimate("flowtime", statistic).value or 0.0, 2)
        for one in (name, leader)
    )
    return f"{ours} instead of {its} {comparison.scenario.time_unit}"
