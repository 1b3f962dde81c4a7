"""The threshold sigma at which a statistic is smallest: the search behind XL Figs. 3 and 5."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.engines.registry import preset
from sim.model.statistics import student
from sim.papers.claim import Measured
from sim.papers.runs import PAPER, QUICK, RunRecord, replicated, run
from sim.papers.xu_lau import GAMMA

#: Thresholds tried, in units of E[x].
SIGMAS = (0.5, 0.8, 1.1, 1.4, 1.7, 2.0, 2.3, 2.6, 3.0, 3.5, 4.0)


def mean_age(kept: RunRecord) -> float:
    """Mean flowtime, jobs that did not end counted at their age."""
    return float(kept.age.mean())


def mean_resource(kept: RunRecord) -> float:
    """Mean resource of a job, in the paper's units."""
    return GAMMA * float(kept.resource.mean())


def best_sigma(
    name: str, policy: str, statistic: Callable[[RunRecord], float], quick: bool, replications: int = PAPER
) -> Measured:
    """Estimate the threshold at which a statistic is smallest, in ten blocks of replications."""
    count = QUICK if quick else replications
    table = np.array(
        [
            [statistic(run(name, f"{policy}:sigma={sigma!r}", k, quick)) for sigma in SIGMAS]
            for k in range(count)
        ]
    )
    blocks = [block.mean(axis=0) for block in np.array_split(table, min(count, PAPER))]
    at = {f"sigma = {sigma:g}: mean": student(list(table[:, i])) for i, sigma in enumerate(SIGMAS)}
    none = replicated(name, ("no-backup",), statistic, quick, replications=replications)
    return Measured(
        student([vertex(block) for block in blocks]),
        replications=count,
        seed=preset(name).scenario.seed,
        choices=at | {"no backup: mean": none},
    )


def vertex(means: np.ndarray) -> float:
    """Threshold at the bottom of the parabola through the smallest mean and its neighbours.

    Examples
    --------
    >>> round(vertex(np.square(np.array(SIGMAS) - 1.8)), 6)
    1.8
    """
    i = int(np.clip(np.argmin(means), 1, len(SIGMAS) - 2))
    if np.argmin(means) in (0, len(SIGMAS) - 1):  # at an end: no bottom between
        return SIGMAS[int(np.argmin(means))]
    curve = np.polyfit(SIGMAS[i - 1 : i + 2], means[i - 1 : i + 2], 2)
    return float(-curve[1] / (2 * curve[0]))
