"""Runs behind the claims: replications of presets, cached while the claims of one figure are computed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np

from sim.engines.registry import preset
from sim.model.statistics import Estimate, student
from sim.papers.claim import Measured

#: Replications at the scale of a paper, and for a quick answer, whose runs have a tenth of the jobs.
PAPER, QUICK = 10, 4


@dataclasses.dataclass(frozen=True, slots=True)
class RunRecord:
    """What is kept of a run: of each job its times (``inf``: it did not end), its slot-time, its tasks."""

    arrival: np.ndarray
    finish: np.ndarray
    resource: np.ndarray
    tasks: np.ndarray
    end: float
    utilisation: float

    @property
    def done(self) -> np.ndarray:
        """Which jobs ended."""
        return np.isfinite(self.finish)

    @property
    def age(self) -> np.ndarray:
        """Flowtime of each job; for one that did not end, how long it had been there at the end."""
        return np.minimum(self.finish, self.end) - self.arrival

    @property
    def flowtime(self) -> np.ndarray:
        """Flowtimes of the jobs that ended."""
        return self.age[self.done]


@lru_cache(maxsize=200)
def run(
    name: str, policy: str, replication: int, quick: bool, changes: tuple[tuple[str, Any], ...] = ()
) -> RunRecord:
    """Run one replication of a preset under a policy, with some fields of its scenario changed."""
    from sim.engines.slots.run import SlotRun
    from sim.engines.slots.scenario import SlotScenario, read_policy
    from sim.running.experiment import Experiment

    scenario = preset(name).scenario
    assert isinstance(scenario, SlotScenario)
    if quick and scenario.jobs > 1:
        scenario = scenario.replace(jobs=max(scenario.jobs // 10, 100))
    elif quick:
        scenario = scenario.replace(tasks_max=max(scenario.tasks_max // 10, 10))
    scenario = scenario.replace(**dict(changes))
    workload = Experiment.of_texts(scenario, [policy]).workload(replication)
    engine = SlotRun(scenario, read_policy(policy), replication, workload)
    while not engine.advance():
        pass
    found = engine.outcome()
    return RunRecord(found.arrival, found.finish, found.resource, found.tasks, found.end, found.utilisation)


def replicated(
    name: str,
    policies: tuple[str, ...],
    statistic: Callable[..., float],
    quick: bool,
    changes: Mapping[str, Any] | None = None,
    replications: int = 0,
) -> Estimate:
    """Estimate a statistic of the runs of some policies on the same jobs with the same luck.

    Parameters
    ----------
    name : str
        Preset.
    policies : tuple of str
        The statistic gets one `RunRecord` for each, in this order.
    statistic : callable
        Several `RunRecord` -> number.
    quick : bool
        Whether fewer and smaller runs will do.
    changes : mapping, optional
        Fields in which the scenario differs from the preset's.
    replications : int, optional
        How many at the scale of the paper, if not `PAPER`.
    """
    fixed = tuple((changes or {}).items())

    def one(replication: int) -> float:
        return float(statistic(*(run(name, policy, replication, quick, fixed) for policy in policies)))

    with ThreadPoolExecutor(2) as pool:
        return student(list(pool.map(one, range(QUICK if quick else replications or PAPER))))


def measured(
    name: str,
    policies: tuple[str, ...],
    statistic: Callable[..., float],
    quick: bool,
    choices: Mapping[str, Mapping[str, Any]] | None = None,
    more: Mapping[str, Estimate] | None = None,
    replications: int = 0,
) -> Measured:
    """Estimate a statistic under a preset, and under each reasonable other choice of some fields.

    Parameters
    ----------
    name, policies, statistic, quick, replications
        As for `replicated`.
    choices : mapping of str to mapping, optional
        What a choice is called -> the fields it changes.
    more : mapping of str to Estimate, optional
        Other choices, already estimated.
    """
    estimates = {
        choice: replicated(name, policies, statistic, quick, changes, replications)
        for choice, changes in (choices or {}).items()
    }
    return Measured(
        replicated(name, policies, statistic, quick, replications=replications),
        replications=QUICK if quick else replications or PAPER,
        seed=preset(name).scenario.seed,
        choices=estimates | dict(more or {}),
    )


def exact(value: float) -> Estimate:
    """Return a number without doubt."""
    return Estimate(float(value), float(value), float(value))


def largest(estimates: Iterable[Estimate]) -> Estimate:
    """Return the largest of some estimates; one without a value counts as the smallest.

    Examples
    --------
    >>> largest([Estimate(1.0, 0.9, 1.1), Estimate(1.3, 0.8, 1.8), Estimate(None)]).value
    1.3
    """
    return max(estimates, key=lambda one: -math.inf if one.value is None else one.value)


def farthest(estimates: Iterable[Estimate]) -> Estimate:
    """Return the estimate that is farthest from 0, on either side.

    Examples
    --------
    >>> farthest([Estimate(0.1), Estimate(-0.3), Estimate(None)]).value
    -0.3
    """
    return max(estimates, key=lambda one: abs(one.value or 0.0))


def mean_saved(before: RunRecord, after: RunRecord) -> float:
    """Share of the mean flowtime that the second policy saves, of jobs that all ended."""
    return 1 - after.age.mean() / before.age.mean()


def flowtime_at(share: float) -> Callable[[RunRecord], float]:
    """Quantile of the flowtime of all jobs, those that did not end counted at their age."""
    return lambda kept: float(np.quantile(kept.age, share, method="inverted_cdf"))
