"""What to notice in a comparison: two or three remarks, each computed from its numbers.

A difference is stated only if its paired 95 % interval excludes 0. Of all that is true, what a student
should see first is said first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

from pages.shared.words.foreign import bold, bolds
from pages.shared.words.lead import (
    BY,
    WITHIN,
    agreement,
    are_stable,
    comparable_statistic,
    fastest,
    percent_less_or_more,
)
from sim.model.counted_jobs import CLASSES
from sim.model.outcome import LONG, interval_is_reliable, jobs_needed, moments_needed, spare_slots, tail_index
from sim.model.result import Comparison, PairedDifference, change, class_change
from sim.model.scenario import Scenario
from sim.telling.words import changed, counted, fixed, listed, number, percent, plain

# Remarks on differences: which jobs gain, which jobs lose, and what copies cost.
#
# A difference is stated only if its paired 95 % interval excludes 0.

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


MOST = 3


def what_to_notice(comparison: Comparison, statistic: str = "mean", answer: str = "") -> list[str]:
    """Return two or three remarks in Markdown, the most important first.

    Parameters
    ----------
    comparison : Comparison
    statistic : str, optional
        By which flowtimes are compared: 'mean', 'p50' or 'p95'.
    answer : str, optional
        What stands above the cards already, and is not said again.

    Returns
    -------
    list of str
        Each one or two sentences.
    """
    remarks = _remarks(comparison, statistic, cost="slot-time" not in answer)
    return list(islice(remarks, MOST))


def _remarks(comparison: Comparison, statistic: str, *, cost: bool) -> Iterator[str]:
    """Yield what is true of the comparison, the most important first; unless told, the `cost` of copies."""
    yield from _overload(comparison)
    yield from agreement(comparison)
    winner = fastest(comparison, statistic)
    if winner:
        yield from who_pays(comparison, winner, comparable_statistic(comparison, statistic) or statistic)
    if cost:
        yield from price_of_copies(comparison, winner)
    yield from too_few_jobs(comparison.scenario)
    yield from _slow_jobs(comparison, winner or comparison.baseline)
    yield from _busy(comparison, winner or comparison.baseline)


def _overload(comparison: Comparison) -> Iterator[str]:
    """Say which queues grow, and how many jobs were not done."""
    told = [*_growth(comparison), *_unfinished(comparison)]
    if told:
        yield " ".join(told)


def _growth(comparison: Comparison) -> Iterator[str]:
    growing = [
        name for name, result in comparison.policies.items() if result.unstable(comparison.scenario.slots)
    ]
    is_stable = [name for name in comparison.policies if name not in growing]
    if growing:
        yield (
            f"Under {bolds(growing)} the queue grew through the whole run: the cluster cannot keep up, "
            f"and a longer run would show longer flowtimes."
        )
        if is_stable:
            yield f"Under {bolds(is_stable)} no such growth was seen."


def _unfinished(comparison: Comparison) -> Iterator[str]:
    shares = {
        name: result.unfinished / result.jobs
        for name, result in comparison.policies.items()
        if result.unfinished
    }
    if not shares:
        return
    told = [
        f"{percent(share)} ({bold(name)})" for name, share in sorted(shares.items(), key=lambda item: item[1])
    ]
    if len(shares) < len(comparison.policies):
        those = listed(told)
    else:
        those = told[0] if len(told) == 1 else f"from {told[0]} to {told[-1]}"
    yield f"Jobs unfinished at the end: {those}. How long they take is not known."


def too_few_jobs(scenario: Scenario) -> Iterator[str]:
    """Say what the laws and the length of a run do not let be known, why, and what would settle it."""
    if interval_is_reliable(scenario, "flowtime", "mean"):
        return
    heavy, short = _heavy(scenario), ""
    if jobs_needed(scenario) > scenario.jobs:
        what = "The 95th percentile is not known either" if heavy else "The mean is not known"
        short = f"{what}: {_short(scenario)}"
    first = ""
    if interval_is_reliable(scenario, "flowtime", "p50"):
        both = interval_is_reliable(scenario, "flowtime", "p95")
        first = "Read medians and quantiles first." if both else "Read the median first."
    yield " ".join(filter(None, (heavy, short, first)))


def _heavy(scenario: Scenario) -> str:
    """Say which moments are missing for the mean; empty if none is."""
    tail = tail_index(scenario)
    if tail > moments_needed(scenario, "flowtime", "mean"):
        return ""
    if tail > 2:
        slots = counted(spare_slots(scenario), "slot")
        needed = plain(round(moments_needed(scenario, "flowtime", "mean"), 2))
        return (
            f"The mean is not known: with {slots} to spare, the variance of a wait needs {needed} moments of "
            f"the task times, and a tail index of {plain(tail)} has fewer."
        )
    heavy = []
    if scenario.straggle_law.tail <= 2 and scenario.straggle_law.kind != "bounded-pareto":
        heavy.append(f"straggle factors (tail index β = {plain(scenario.straggle_law.tail)})")
    if scenario.size == "pareto" and math.isinf(scenario.size_max) and scenario.size_tail <= 2:
        heavy.append(f"task sizes (tail index {plain(scenario.size_tail)})")
    return (
        f"The variance of the {listed(heavy)} is infinite: one huge job can dominate the mean, however many "
        "there are."
    )


def _short(scenario: Scenario) -> str:
    """Say how few busy periods a replication holds, and how many jobs would be enough."""
    load = f"at an offered load of {percent(scenario.load)}"
    if scenario.load >= 1:
        return f"{load} a queue need not settle, and then a longer run shows longer times."
    needed = jobs_needed(scenario)
    periods = counted(number(LONG * scenario.jobs / needed, 1), "busy period")
    return (
        f"{load} a replication of {counted(scenario.jobs, 'job')} holds about {periods}, and "
        f"{LONG} are needed; {float(f'{needed:.2g}'):,.0f} jobs would settle it."
    )


def _slow_jobs(comparison: Comparison, policy: str) -> Iterator[str]:
    """Say how far the slow jobs are from the typical one."""
    result, unit = comparison.policies[policy], comparison.scenario.time_unit
    if not result.tells(0.95):
        return
    half, most = (result.estimate("flowtime", statistic).value for statistic in ("p50", "p95"))
    if half is not None and most is not None and number(half) != number(most):
        yield (
            f"Under {bold(policy)} half of the jobs finish within {number(half)} {unit}, but one in twenty "
            f"takes more than {number(most)} {unit}, {number(most / half, 2)} times as long."
        )


def _busy(comparison: Comparison, policy: str) -> Iterator[str]:
    """Say how busy the cluster was, and with what, if jobs arrived over some time."""
    result = comparison.policies[policy]
    busy = result.estimate("utilisation").value or 0.0
    extra = result.estimate("speculative_time_share").value or 0.0
    if busy:
        yield f"Under {bold(policy)} {percent(busy)} of the slots were busy on average" + (
            f"; extra copies took {percent(extra)} of that time." if extra else ", none with extra copies."
        )
