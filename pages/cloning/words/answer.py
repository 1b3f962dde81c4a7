"""The answer of the Cloning page: how many clones a job needs, and what they do in a cluster."""

from __future__ import annotations

from pages.cloning.question import Question
from pages.cloning.words.remarks import SMALL_ONLY, small_gain
from pages.shared.words.gains import small_jobs_gain
from pages.shared.words.numbers import changed, counted, percent, plain
from pages.shared.words.winner import is_stable, why_unknown
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
    if not all(is_stable(comparison, name) for name in (SMALL_ONLY, comparison.baseline)):
        return "the queue grows, so no gain is stated."
    statistic, one = small_gain(comparison, statistic)
    if one is None:
        return "too few small jobs are finished to tell."
    if comparison.replications == 1:
        return f"{changed(one.share)} time for cloned small jobs so far, which may be luck."
    if not one.share.reliable:
        return f"no gain is stated: {why_unknown(comparison.scenario, statistic)}."
    if one.sign == 0:
        return f"no sure difference for small jobs after {comparison.replications} replications."
    return f"with clones {small_jobs_gain(comparison, SMALL_ONLY, comparison.baseline, one, statistic)}"
