"""The answer of the Cloning page: how many clones a job needs, and what they do in a cluster."""

from __future__ import annotations

from pages.cloning.question import Question
from pages.cloning.words.remarks import SMALL_ONLY, small_gain
from pages.shared.words.numbers import apart, bold, changed, counted, fixed, percent, plain
from pages.shared.words.winner import BY, steady, why_unknown
from sim.paired import change
from sim.result import Comparison


def by_theory(asked: Question) -> str:
    """Return what the theory answers: the copies that a job needs, and what they do."""
    accepted = f"the accepted {plain(100 * asked.epsilon)} %"
    if asked.per_task == 1:
        told = f"{percent(asked.once)} of such jobs have an outlier, within {accepted}"
        return f"By theory a job of {counted(asked.tasks, 'task')} needs no clone: {told}."
    return (
        f"By theory a job of {counted(asked.tasks, 'task')} needs **{asked.per_task} copies of every task**: "
        f"{percent(float(asked.by_task(asked.per_task)))} of such jobs have an outlier then, within "
        f"{accepted}, instead of {percent(asked.once)}."
    )


def simulated_answer(comparison: Comparison, statistic: str = "mean") -> str:
    """Return in a sentence what cloning does to small jobs in the cluster, and at what cost."""
    if not all(steady(comparison, name) for name in (SMALL_ONLY, comparison.baseline)):
        return "the queue grows, so no gain is stated."
    statistic, one = small_gain(comparison, statistic)
    busy = change(comparison, SMALL_ONLY, comparison.baseline, "utilisation")
    if one is None or busy is None:
        return "too few small jobs are finished to tell."
    if comparison.replications == 1:
        return f"{changed(one.share)} time for cloned small jobs so far, which is not told from luck yet."
    if not one.share.reliable:
        return f"no gain is stated: {why_unknown(comparison.scenario, statistic)}."
    if one.sign == 0:
        return f"no difference for small jobs can be told after {comparison.replications} replications."
    points = f"{fixed(100 * abs(busy.value - busy.reference), 1)} points"
    cost = (
        f"{points} {'more' if busy.sign > 0 else 'less'} of the slots busy"
        if busy.sign
        else "no surely different share of the slots busy"
    )
    return (
        f"small jobs take {apart(one.share)} {'less' if one.sign < 0 else 'more'} time {BY[statistic]} if "
        f"they are cloned than under {bold(comparison.baseline)}, with {cost}."
    )
