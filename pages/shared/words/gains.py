"""Remarks on differences: which jobs gain, which jobs lose, and what copies cost.

A difference is stated only if its paired 95 % interval excludes 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from pages.shared.words.foreign import bold
from pages.shared.words.winner import (
    BY,
    WITHIN,
    are_stable,
    percent_less_or_more,
)
from sim.model.result import Comparison, PairedDifference, change, class_change
from sim.model.workload import CLASSES
from sim.telling.words import changed, fixed, number, percent

#: Extra copies below this share of all are not worth a remark.
NOTABLE = 0.01


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
