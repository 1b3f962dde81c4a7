"""The distribution of the jobs of some runs, with its interval at each point."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.model.statistics import student
from sim.papers.picture import Curve
from sim.papers.runs import RunRecord, run

#: Runs behind a distribution: as many as in Xu and Lau's paper.
RUNS = 3


def shares(
    name: str,
    preset: str,
    policy: str,
    quick: bool,
    at: np.ndarray,
    measure: Callable[[RunRecord], np.ndarray],
    panel: int = 0,
) -> Curve:
    """Return the share of the jobs up to each of some values, over runs of a preset.

    Parameters
    ----------
    name, panel
        Of the curve.
    preset, policy, quick
        As `sim.papers.runs.run` takes them.
    at : ndarray
    measure : callable
        Run -> a number a job.
    """
    found = [np.sort(measure(run(preset, policy, k, quick))) for k in range(RUNS)]
    table = np.array([np.searchsorted(one, at, side="right") / one.size for one in found])
    return Curve(name, tuple(at.tolist()), tuple(student(list(column)) for column in table.T), panel)
