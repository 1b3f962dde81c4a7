"""Dolly: its formulas for clones by enumeration of all outcomes, and Fig. 6."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from sim.model.statistics import Estimate
from sim.papers.claim import Measured
from sim.papers.runs import RunRecord, exact, measured, replicated

# --- the formulas

PROBABILITIES = (0.05, 0.2, 0.5)
#: Jobs of up to so many tasks with up to so many copies: at most 2^9 outcomes each.
MOST = 3
#: Where numbers of copies are checked.
SIZES, TARGETS = (1, 2, 5, 10, 50, 200), (0.01, 0.05, 0.2)


def enumerated(p: float, tasks: int, copies: int, fails: Callable[[np.ndarray], bool]) -> float:
    """Return the probability that a job fails, over all outcomes of its copies (True: an outlier)."""
    total = 0.0
    for bits in product((False, True), repeat=tasks * copies):
        outlier = np.array(bits).reshape(tasks, copies)
        if fails(outlier):
            total += p ** outlier.sum() * (1 - p) ** (outlier.size - outlier.sum())
    return total


def gap(formula: Callable[..., Any], fails: Callable[[np.ndarray], bool]) -> Measured:
    """Return the largest difference of a formula from the enumeration."""
    cases = product(PROBABILITIES, range(1, MOST + 1), range(1, MOST + 1))
    gaps: list[float] = [abs(float(formula(p, n, c)) - enumerated(p, n, c, fails)) for p, n, c in cases]
    return Measured(exact(max(gaps)))


def job_formula(quick: bool) -> Measured:
    """Compare with: every whole copy of the job has an outlier."""
    from theory.cloning import job_outlier_probability

    return gap(job_outlier_probability, lambda outlier: bool(outlier.any(axis=0).all()))


def task_formula(quick: bool) -> Measured:
    """Compare with: some task has nothing but outliers."""
    from theory.cloning import task_outlier_probability

    return gap(task_outlier_probability, lambda outlier: bool(outlier.all(axis=1).any()))


def fewest(quick: bool) -> Measured:
    """Return the share of cases in which the number of copies meets the target, and one fewer does not."""
    from theory.cloning import misread_task_level_copies, task_level_copies, task_outlier_probability

    def share(rule: Callable[..., Any]) -> Estimate:
        good = []
        for p, n, target in product(PROBABILITIES, SIZES, TARGETS):
            c = int(rule(p, n, target))
            meets = task_outlier_probability(p, n, c) <= target * (1 + 1e-12)
            fewer = task_outlier_probability(p, n, c - 1) if c > 1 else 1.0
            good.append(bool(meets) and bool(fewer > target))
        return exact(sum(good) / len(good))

    other = {"the other place of the lost parentheses": share(misread_task_level_copies)}
    return Measured(share(task_level_copies), choices=other)


# --- Fig. 6: how much cloning shortens the mean flowtime against LATE and Mantri, and its cost

NAME = "dolly-fig6"
#: Choices the paper leaves open -> the fields they change.
OPEN: dict[str, dict[str, Any]] = {
    "remaining times seen after a fifth of the work": {"observe": "fraction:0.2"},
    "elapsed times only": {"observe": "never"},
}


def saved(small: bool) -> Callable[[RunRecord, RunRecord], float]:
    """Share of the mean flowtime that the second policy saves, of all jobs or of those of up to 10 tasks."""

    def statistic(before: RunRecord, after: RunRecord) -> float:
        chosen = before.tasks <= 10 if small else np.ones(before.tasks.size, dtype=bool)
        return float(1 - after.age[chosen].mean() / before.age[chosen].mean())

    return statistic


def more_busy(before: RunRecord, after: RunRecord) -> float:
    """Points of utilisation that the second policy uses more."""
    return 100 * (after.utilisation - before.utilisation)


def times_as_busy(before: RunRecord, after: RunRecord) -> float:
    """Utilisation under the second policy over that under the first."""
    return after.utilisation / before.utilisation


def against(
    baseline: str,
    policy: str,
    statistic: Callable[[RunRecord, RunRecord], float],
    quick: bool,
    more: Mapping[str, Estimate] | None = None,
) -> Measured:
    """Estimate a statistic of two policies, under each way of seeing stragglers and of learning."""
    head, _, values = policy.partition(":")
    learned, printed = (
        f"{head}:" + ",".join([*filter(None, [values]), one]) for one in ("window=20", "printed=1")
    )
    others = {
        "p learned in windows of 20 units": replicated(NAME, (baseline, learned), statistic, quick),
        "against no copies": replicated(NAME, ("fair+none", policy), statistic, quick),
        "Pseudocode 1 as printed": replicated(NAME, (baseline, printed), statistic, quick),
    }
    return measured(NAME, (baseline, policy), statistic, quick, OPEN, others | dict(more or {}))


def task_level(baseline: str, quick: bool) -> Measured:
    """Return the share of the mean flowtime saved by task-level cloning of all jobs."""
    small = replicated(NAME, (baseline, "dolly-task"), saved(small=True), quick)
    return against(baseline, "dolly-task", saved(small=False), quick, {"jobs of up to 10 tasks": small})


def task_level_cost(quick: bool) -> Measured:
    """Return how many times as busy the slots are when all jobs are cloned task by task."""
    return against("fair+late", "dolly-task", times_as_busy, quick)


def small_only(baseline: str, quick: bool) -> Measured:
    """Return the share of the mean flowtime of small jobs saved by cloning these only."""
    return against(baseline, "dolly-task:small=10", saved(small=True), quick)


def small_only_of_all(baseline: str, quick: bool) -> Measured:
    """Return the share of the mean flowtime of all jobs saved by cloning small ones only."""
    return against(baseline, "dolly-task:small=10", saved(small=False), quick)


def small_only_cost(quick: bool) -> Measured:
    """Return the points of utilisation used more when small jobs are cloned."""
    return against("fair+late", "dolly-task:small=10", more_busy, quick)


def job_level(baseline: str, quick: bool) -> Measured:
    """Return the share of the mean flowtime saved by job-level cloning, and the same for each open choice."""
    more = {
        "jobs of up to 10 tasks": replicated(NAME, (baseline, "dolly-job"), saved(small=True), quick),
        "against no copies": replicated(NAME, ("fair+none", "dolly-job"), saved(small=False), quick),
    }
    return measured(NAME, (baseline, "dolly-job"), saved(small=False), quick, OPEN, more)


def times_as_much(task: RunRecord, job: RunRecord) -> float:
    """Return slot-time of all copies at job level / the same at task level."""
    return float(job.resource.sum() / task.resource.sum())


def times_as_much_small(task: RunRecord, job: RunRecord) -> float:
    """Return the same for jobs of up to 10 tasks."""
    small = task.tasks <= 10
    return float(job.resource[small].sum() / task.resource[small].sum())


def job_level_cost(quick: bool) -> Measured:
    """Return how many times as much slot-time is used, and the same for each open choice."""
    policies = ("dolly-task", "dolly-job")
    more = {"jobs of up to 10 tasks": replicated(NAME, policies, times_as_much_small, quick)}
    return measured(NAME, policies, times_as_much, quick, OPEN, more)


#: Key of a claim -> what measures it.
COMPUTE: dict[str, Callable[[bool], Measured]] = {
    "dolly-formulas-job": job_formula,
    "dolly-formulas-task": task_formula,
    "dolly-formulas-copies": fewest,
    "dolly-fig6-task-late": partial(task_level, "fair+late"),
    "dolly-fig6-task-mantri": partial(task_level, "fair+mantri"),
    "dolly-fig6-job-late": partial(job_level, "fair+late"),
    "dolly-fig6-job-mantri": partial(job_level, "fair+mantri"),
    "dolly-fig6-task-cost": task_level_cost,
    "dolly-fig6-job-cost": job_level_cost,
    "dolly-fig6-small-late": partial(small_only, "fair+late"),
    "dolly-fig6-small-mantri": partial(small_only, "fair+mantri"),
    "dolly-fig6-overall-late": partial(small_only_of_all, "fair+late"),
    "dolly-fig6-overall-mantri": partial(small_only_of_all, "fair+mantri"),
    "dolly-fig6-small-cost": small_only_cost,
}
