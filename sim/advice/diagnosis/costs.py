"""What a cause cost, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from sim.logs.history import FAILED, FATES, History

# Counts of the log.


@dataclass(frozen=True)
class Counts:
    """How much of what the log holds.

    `jobs` are those started, `tasks` the distinct (stage, index) started, `copies` the attempts started,
    of which `speculative` were second copies; `hosts` those that ran one; `slots` the most at once.
    """

    jobs: int
    stages: int
    tasks: int
    copies: int
    speculative: int
    finished: int
    killed: int
    failed: int
    unfinished: int
    hosts: int
    slots: int


def counts(history: History) -> Counts:
    """Count what a history holds."""
    copies = history.frame("copies")
    fates = copies["fate"].value_counts()
    return Counts(
        jobs=history.jobs.num_rows,
        stages=history.stages.num_rows,
        tasks=len(copies.drop_duplicates(["stage", "task"])),
        copies=len(copies),
        speculative=int(copies["speculative"].sum()),
        **{fate: int(fates.get(fate, 0)) for fate in FATES},
        hosts=int((copies["host"].astype(str).unique() != "").sum()),
        slots=max(history.slots["slots"].to_pylist(), default=0),
    )


# Durations of copies as ratios to the median of their stage: the basis of ratios, tail and shares.

#: Tasks with a complete duration from which the tasks of a stage are compared with each other.
FEWEST = 2


def ratios(history: History) -> pd.DataFrame:
    """Return the copies of all stages with enough finished tasks, with their ratios and weights.

    Copies without a duration are left out, and failed ones, but for those that were cut off when they had
    already run for longer than the median of their stage: how long they would have run is not known, as of
    killed ones.

    Returns
    -------
    DataFrame
        The columns of the copies, and job (row; a stage without one is a job of its own, below 0), job_name,
        duration (s), finished (tasks of the stage with a complete duration), ratio (duration / median of the
        complete ones in the stage), and weight: each job has weight 1, shared equally by its stages and in
        each by its copies.
    """
    copies = history.frame("copies")
    copies["duration"] = copies["end"] - copies["began"]
    done = copies[copies["complete"] & copies["fate"].ne(FAILED) & (copies["duration"] > 0)].groupby("stage")
    median, tasks = done["duration"].median(), done["task"].nunique()
    enough = tasks.index[(tasks >= FEWEST) & (median > 0)]
    copies = copies[copies["stage"].isin(enough) & (copies["duration"] > 0)]
    usual = median.reindex(copies["stage"]).to_numpy(float)
    copies = copies[copies["fate"].ne(FAILED) | (copies["duration"] > usual)].copy()
    jobs = history.stages["job"].to_numpy()
    copies["job"] = np.where(jobs >= 0, jobs, -1 - np.arange(jobs.size))[copies["stage"]]
    names = np.append(history.jobs["name"].to_numpy(zero_copy_only=False).astype(str), "")
    copies["job_name"] = names[np.maximum(jobs, -1)[copies["stage"]]]
    copies["finished"] = tasks.reindex(copies["stage"]).to_numpy()
    copies["ratio"] = copies["duration"] / median.reindex(copies["stage"]).to_numpy()
    copies["weight"] = 1 / (
        copies.groupby("stage")["ratio"].transform("size")
        * copies.groupby("job")["stage"].transform("nunique")
    )
    return copies


# How unequal the tasks of a stage are: slowest against median, stage by stage.

#: A copy above this ratio to the median of its stage is called a straggler.
STRAGGLER = 1.5
#: Finished tasks from which a stage says how much slower its slowest is than the median.
ENOUGH = 10


@dataclass(frozen=True, eq=False)
class Spread:
    """Ratios of the slowest finished copy to the median, over stages.

    Parameters
    ----------
    p50, p90, p99 : float or None
        Quantiles over stages, each stage weighing 1 / (stages of its job); None without stages.
    over_1_5 : float or None
        Share of copies above 1.5 times the median: mean over jobs of the mean over their stages.
    stages : int
        Stages with at least ten finished tasks.
    table : DataFrame
        Per stage: stage (row), job (row), name, tasks, median (s), slowest (ratio), over_1_5.
    """

    p50: float | None
    p90: float | None
    p99: float | None
    over_1_5: float | None
    stages: int
    table: pd.DataFrame


def spread(history: History, ratios: pd.DataFrame) -> Spread:
    """Return the ratios of slowest to median; `ratios` comes from `durations.ratios`."""
    ratios = ratios[ratios["finished"] >= ENOUGH]
    done = ratios[ratios["complete"]]
    by_stage = done.groupby("stage")
    over = ratios["ratio"].gt(STRAGGLER).groupby(ratios["stage"]).mean()
    table = pd.DataFrame(
        {
            "job": by_stage["job"].first(),
            "tasks": by_stage["task"].nunique(),
            "median": by_stage["duration"].median(),
            "slowest": by_stage["ratio"].max(),
            "over_1_5": over,
        }
    ).reset_index()
    names = np.array(history.stages["name"].to_pylist() or [""], dtype=object)
    table.insert(2, "name", names[table["stage"].to_numpy(int)] if len(table) else [])
    if table.empty:
        return Spread(None, None, None, None, 0, table)
    weight = 1 / table.groupby("job")["stage"].transform("size").to_numpy(float)
    slowest = table["slowest"].to_numpy(float)
    p50, p90, p99 = (weighted_quantile(slowest, weight, p) for p in (0.5, 0.9, 0.99))
    share = float(np.average(table["over_1_5"], weights=weight))
    return Spread(p50, p90, p99, share, len(table), table)


def weighted_quantile(values: np.ndarray, weights: np.ndarray, p: float) -> float:
    """Return a quantile of weighted values; of equal weights the one NumPy gives.

    Examples
    --------
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), 0.5)
    2.0
    """
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    middle = np.cumsum(weights) - weights / 2
    if values.size == 1:
        return float(values[0])
    place = (middle - middle[0]) / (middle[-1] - middle[0])
    return float(np.interp(p, place, values))


@dataclass(frozen=True)
class Cause:
    """Seconds of job time that a cause cost, with their 95 % interval."""

    seconds: float
    low: float
    high: float

    def part(self, share: float, low: float, high: float) -> Cause:
        """Return the cost of a share of it, which lies between two others."""
        return Cause(self.seconds * share, max(self.low, 0.0) * low, max(self.high, 0.0) * high)

    def within(self, whole: float) -> Cause:
        """Return it as no less than nothing and no more than all."""
        return Cause(*(min(max(one, 0.0), whole) for one in (self.seconds, self.low, self.high)))


#: Share of a cost that a replay may miss at least: no cluster launches tasks exactly as it does. In worlds of
#: known causes intervals of 1 % held the truth in 67 % (`docs/explanation/diagnosis.md`).
_LEAST = 0.07
#: What nothing cost.
NOTHING = Cause(0.0, 0.0, 0.0)


def cause_of(saved: Sequence[float], error: float, seconds: float | None = None) -> Cause:
    """Return the cost that several draws of a replay tell.

    Parameters
    ----------
    saved : sequence of float
        Seconds saved in each draw.
    error : float
        Share by which the replay misses the recorded times of jobs: so much may it miss of the cost.
    seconds : float, optional
        The cost, if not the mean of the draws.

    Examples
    --------
    >>> cause_of([10.0], 0.1)
    Cause(seconds=10.0, low=8.04, high=11.96)
    """
    values = np.asarray(saved, float)
    mean = float(values.mean()) if seconds is None else seconds
    drawn = float(values.std(ddof=1)) * (1 + 1 / values.size) ** 0.5 if values.size > 1 else 0.0
    # few draws know their own spread badly: Student's t law
    half = float(special.stdtrit(max(values.size - 1, 1), 0.975)) * drawn if drawn else 0.0
    half = float(np.hypot(half, 1.96 * max(error, _LEAST) * abs(mean)))
    return Cause(mean, round(mean - half, 9), round(mean + half, 9))
