"""Dolly's formulas for clones, by enumeration of all outcomes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from sim.model.statistics import Estimate
from sim.papers.claim import Claim, Measured, Region

PROBABILITIES = (0.05, 0.2, 0.5)
#: Jobs of up to so many tasks with up to so many copies: at most 2^9 outcomes each.
MOST = 3
#: Where numbers of copies are checked.
SIZES, TARGETS = (1, 2, 5, 10, 50, 200), (0.01, 0.05, 0.2)


def exact(value: float) -> Estimate:
    """Return a number without doubt."""
    return Estimate(float(value), float(value), float(value))


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


def job_level(quick: bool) -> Measured:
    """Compare with: every whole copy of the job has an outlier."""
    from theory.cloning import job_outlier_probability

    return gap(job_outlier_probability, lambda outlier: bool(outlier.any(axis=0).all()))


def task_level(quick: bool) -> Measured:
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


claim = partial(
    Claim, paper="Dolly", system="Theorem", setting="Copies are outliers independently, with probability p"
)

CLAIMS = (
    claim(
        key="dolly-formulas-job",
        place="section 3",
        statement="With whole jobs cloned a job has an outlier with probability (1 - (1 - p)^n)^c.",
        method="Largest difference from the sum over all outcomes, n and c up to 3, three values of p.",
        reported=0.0,
        unit="",
        compute=job_level,
        region=Region(-1e-9, 1e-9),
    ),
    claim(
        key="dolly-formulas-task",
        place="section 3",
        statement="With each task cloned a job has an outlier with probability 1 - (1 - p^c)^n.",
        method="Largest difference from the sum over all outcomes, n and c up to 3, three values of p.",
        reported=0.0,
        unit="",
        compute=task_level,
        region=Region(-1e-9, 1e-9),
    ),
    claim(
        key="dolly-formulas-copies",
        place="Pseudocode 1",
        statement="log(1 - (1 - epsilon)^(1/n)) / log p copies of each task meet the target epsilon.",
        method="Share of 54 cases in which the formula, rounded up, meets the target and one copy fewer does "
        "not; the lost parentheses are put where the target is met.",
        reported=1.0,
        unit="of the cases",
        compute=fewest,
        region=Region(1.0, 1.0),
    ),
)
