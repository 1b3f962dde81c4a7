"""Texts of the Cloning page: the answer to its question, cards and remarks."""

from __future__ import annotations

import math

from pages.formulas.cloning.charts import whole_copies
from pages.formulas.cloning.controls import Cluster
from pages.formulas.cloning.question import FEW_COPIES, Request
from pages.shared.charts.on_page import Headline
from pages.shared.live.cards import percent_and_half_width
from pages.shared.words.lead import BY, FLOWTIME, ONE, is_stable, why_unknown
from pages.shared.words.notice import small_jobs_gain, too_few_jobs
from sim.model.result import Comparison, PairedDifference, change, class_change
from sim.telling.words import changed, counted, fixed, listed, measured, number, percent, plain

#: Names of the policies that are spoken of.
CLONES, SMALL_ONLY = "Dolly", "Dolly on small jobs"
#: Points of utilisation below which a difference is not worth a word.
SLIGHT = 0.001


def cards(asked: Request) -> list[Headline]:
    """Return the headlines: copies of each task, of the whole job, and which jobs are small enough."""
    return [
        (
            "Copies of every task",
            str(asked.per_task),
            f"leave {percent(float(asked.by_task(asked.per_task)))} with an outlier, one copy "
            f"{percent(asked.once)}",
        ),
        (
            "Copies of the whole job",
            whole_copies(asked),
            f"for the same: at most ε = {plain(100 * asked.epsilon)} %",
        ),
        (f"{FEW_COPIES} copies suffice for up to", most_tasks(asked), "if every task is cloned"),
    ]


def most_tasks(asked: Request) -> str:
    """Return the most tasks that a few copies of each keep within the target.

    Examples
    --------
    >>> most_tasks(Request(0.1, 0.05, 10)), most_tasks(Request(0.4, 0.05, 10))
    ('51 tasks', 'no job')
    """
    if asked.largest < 1:
        return "no job"
    return "any job" if not math.isfinite(asked.largest) else counted(int(asked.largest), "task")


def notices(asked: Request) -> list[str]:
    """Return what the theory shows of this job, a sentence or two each."""
    return [_small(asked), _level(asked), _large(asked)]


def _small(asked: Request) -> str:
    if asked.per_task == 1:
        return (
            f"A job of {counted(asked.tasks, 'task')} has an outlier with probability {percent(asked.once)}, "
            f"within the target of {plain(100 * asked.epsilon)} %: it needs no clone."
        )
    if asked.tasks == 1:
        first = f"{percent(asked.once)} of the tasks are outliers."
    else:
        first = (
            f"One task in {number(1 / asked.p, 2)} is an outlier, but {percent(asked.once)} of the jobs of "
            f"{asked.tasks} tasks have one."
        )
    return (
        f"{first} {asked.per_task} copies of every task bring that down to "
        f"{percent(float(asked.by_task(asked.per_task)))}."
    )


def _level(asked: Request) -> str:
    if asked.tasks == 1:
        return "With one task it makes no difference whether tasks or whole jobs are cloned."
    if asked.per_job == asked.per_task:
        return (
            f"Cloning the whole job takes as many copies here, {asked.per_task}: a job so small has few "
            "tasks that could spoil a clone."
        )
    return (
        f"Cloning the whole job takes {whole_copies(asked)} copies for the same, since one outlier spoils a "
        "whole clone; cloning tasks, a job picks the best copy of each."
    )


def _large(asked: Request) -> str:
    return (
        f"Jobs of {100 * asked.tasks:,} tasks, a hundred times as many, would need {asked.per_task_large} "
        f"copies of every task instead of {asked.per_task}: the number grows like the logarithm of the "
        "tasks, but each copy costs as many slots as the job has tasks."
    )


def remarks(comparison: Comparison, cluster: Cluster, statistic: str = "mean") -> list[str]:
    """Return remarks on the simulation: which jobs gain, which lose, the cost, and the reason."""
    if comparison.replications == 1:
        return [ONE]
    small = {
        name: class_change(comparison, name, comparison.baseline, 0, statistic)
        for name in comparison.policies
        if is_stable(comparison, name) and is_stable(comparison, comparison.baseline)
    }
    told = [
        _small_jobs(comparison, small, statistic),
        _all_jobs(comparison, statistic),
        _cost(comparison),
        _why(cluster, small),
        *too_few_jobs(comparison.scenario),
    ]
    return [text for text in told if text]


def _small_jobs(comparison: Comparison, small: dict[str, PairedDifference | None], statistic: str) -> str:
    parts = [
        f"{_changed(small[name])} under {name}"
        for name in ("Mantri", CLONES, SMALL_ONLY)
        if small.get(name) is not None
    ]
    if not parts:
        return ""
    return (
        f"Jobs of at most 10 tasks take {listed(parts)}, {BY[statistic]}, each against "
        f"{comparison.baseline}. In the paper it is 47 % less on average under Dolly."
    )


def _changed(one: PairedDifference | None) -> str:
    assert one is not None
    if not one.share.reliable:
        return f"{percent(abs(one.relative))} {'longer' if one.relative > 0 else 'less time'} (unreliable)"
    if one.sign == 0:
        return "about as long (no sure difference)"
    return f"{percent(abs(one.relative))} {'longer' if one.sign > 0 else 'less time'}"


def _all_jobs(comparison: Comparison, statistic: str) -> str:
    """Say which jobs lose: those without clones, or whose clones are dropped, have no other copies."""
    names = [
        name
        for name in (CLONES, SMALL_ONLY)
        if any(
            (one := class_change(comparison, name, comparison.baseline, place, statistic)) is not None
            and one.sign > 0
            for place in (1, 2, 3)
            if all(sample.classes[place].jobs for sample in comparison.policies[name].samples)
        )
    ]
    if not names:
        return ""
    return (
        f"Larger jobs take longer under {listed(names)}: the rule clones at the start and never checks "
        "again, so a task whose copies are all slow is left alone. The paper intends it to run together with "
        "a rule that detects stragglers."
    )


def _cost(comparison: Comparison) -> str:
    parts = []
    for name in (CLONES, SMALL_ONLY):
        one = change(comparison, name, "No copies", "utilisation")
        if one is None or one.sign == 0 or abs(one.value - one.reference) < SLIGHT:
            continue
        points = fixed(100 * abs(one.value - one.reference), 1)
        parts.append(f"{points} points {'more' if one.sign > 0 else 'less'} under {name}")
    base = comparison.policies["No copies"].estimate("utilisation")
    if not parts:
        return f"Without copies {measured(base, '%', 100)} of the slots are busy; with clones about as many."
    return (
        f"Without copies {measured(base, '%', 100)} of the slots are busy; it is {listed(parts)}. The paper "
        "reports 3.3 points more if small jobs alone are cloned."
    )


def _why(cluster: Cluster, small: dict[str, PairedDifference | None]) -> str:
    one = small.get(CLONES)
    if cluster.window > 0:
        return (
            f"Each slot's probability is learned in windows of {plain(cluster.window)} units: a slot that "
            "ran few copies and no outlier is soon believed to make none, so no clones start because of it."
        )
    if one is None or one.sign == 0:
        return ""
    late = f"the remaining time of a copy is known {plain(cluster.age)} mean task times after its start"
    if one.sign < 0:
        return f"Clones start with the task. Under LATE {late}: too late for a small job."
    return f"Where {late}, detecting stragglers beats cloning, even for small jobs."


def small_gain(comparison: Comparison, statistic: str) -> tuple[str, PairedDifference | None]:
    """Return how small jobs gain by a statistic, or by the slowest where the median has no outlier."""
    one = class_change(comparison, SMALL_ONLY, comparison.baseline, 0, statistic)
    if statistic == "p50" and one is not None and one.difference.value == 0:
        slow = class_change(comparison, SMALL_ONLY, comparison.baseline, 0, "p95")
        if slow is not None:
            return "p95", slow
    return statistic, one


def small_headline(comparison: Comparison, statistic: str = "mean") -> Headline:
    """Return the headline of the simulation: what cloning does to small jobs."""
    label = "Small jobs, simulated"
    if not all(is_stable(comparison, name) for name in (SMALL_ONLY, comparison.baseline)):
        return label, "—", "The queue grows: no gain is stated."
    statistic, one = small_gain(comparison, statistic)
    if one is None:
        return label, "—", "Too few of them are finished to tell."
    value, sure = percent_and_half_width(one.share)
    if not one.share.reliable:
        sure = f"unreliable: {why_unknown(comparison.scenario, statistic)}"
    told = f"{FLOWTIME[statistic]} if they are cloned, against LATE; {sure or 'first answer'}"
    return label, value, told


def reading(asked: Request) -> dict[str, object]:
    """Return the parameters and what the theory answers."""
    return {
        "outlier_probability": asked.p,
        "epsilon": asked.epsilon,
        "tasks": asked.tasks,
        "copies_of_every_task": asked.per_task,
        "copies_of_the_job": asked.per_job if asked.reachable else "over a million",
        "outlier_without_clones": asked.once,
        "most_tasks_with_3_copies": asked.largest if math.isfinite(asked.largest) else "any",
    }


def answer(asked: Request) -> str:
    """Return what the theory answers: the copies that a job needs, and what they do."""
    jobs = f"jobs of {counted(asked.tasks, 'task')}"
    accepted = f"({plain(100 * asked.epsilon)} % is accepted)"
    if asked.per_task == 1:
        return f"**No clones are needed**: {percent(asked.once)} of {jobs} have an outlier {accepted}."
    return (
        f"**{asked.per_task} copies of every task** leave {percent(float(asked.by_task(asked.per_task)))} of "
        f"{jobs} with an outlier, instead of {percent(asked.once)} {accepted}."
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
