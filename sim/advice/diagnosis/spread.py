"""How unequal the tasks of a stage are: slowest against median, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim.logs.history import History

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
