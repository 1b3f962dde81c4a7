"""Stages of one task: they have no peers but their recurrences in jobs of the same name.

A task alone in its stage is slow if it took longer than the median of its recurrences, given what it read.
The interval is of the medians of bootstrap samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim.advice.diagnosis.costs import Cause, cause_of
from sim.advice.diagnosis.durations import FEWEST
from sim.advice.diagnosis.effects import medians
from sim.advice.diagnosis.hierarchy import COUNTED, work_counted
from sim.advice.diagnosis.replay import Replay
from sim.logs.history import History
from sim.model.statistics import inner

#: Recurrences from which a stage of one task is compared with them.
PEERS = 5
#: Largest power of what a task reads by which it lasts longer, and draws.
_STEEP, _DRAWS = 1.2, 9


@dataclass(frozen=True)
class Alone:
    """Stages whose tasks have none to be compared with.

    Parameters
    ----------
    stages : int
        With fewer than two finished tasks.
    seconds : float
        What these tasks took.
    compared : int
        How many of the stages recur often enough in jobs of the same name.
    kinds : int
        Of how many jobs and stages by name.
    lost : Cause or None
        Job time lost by those that took longer than the usual recurrence; None if none is compared.
    """

    stages: int
    seconds: float
    compared: int
    kinds: int
    lost: Cause | None


def alone(history: History, replay: Replay, seed: int = 1) -> Alone:
    """Compare stages of one task over jobs of the same name.

    Parameters
    ----------
    history : History
    replay : Replay
        Of it.
    seed : int, optional
        Of the draws.
    """
    tasks = replay.tasks
    single = tasks.groupby("stage")["task"].transform("size").to_numpy(int) < FEWEST
    single &= tasks["recorded"].to_numpy(float) > 0
    chosen = tasks[single]
    stages, jobs = history.frame("stages").loc[chosen["stage"]], history.frame("jobs")
    of = jobs[["name", "group"]].reindex(stages["job"])
    named = [of["name"].fillna("").to_numpy(), of["group"].fillna("").to_numpy(), stages["name"].to_numpy()]
    kind = pd.factorize(pd.MultiIndex.from_arrays(named))[0] if len(chosen) else np.empty(0, int)
    enough = np.bincount(kind, minlength=1)[kind] >= PEERS if kind.size else np.empty(0, bool)
    seconds = float(chosen["recorded"].sum())
    if not enough.any():
        return Alone(len(chosen), seconds, 0, 0, None)
    rows = np.flatnonzero(single)[enough]
    kind = np.unique(kind[enough], return_inverse=True)[1]
    recorded = tasks["recorded"].to_numpy(float)
    log = np.log(recorded[rows])
    copies = history.copies.select([*COUNTED]).to_pandas().iloc[tasks["row"].to_numpy(int)[rows]]
    log = log - _work(log, work_counted(copies.assign(stage=kind))[:, 0], kind)
    found = []
    for usual in medians(log, kind, _DRAWS, np.random.default_rng([seed, 71])):
        without = recorded.copy()
        without[rows] *= np.exp(usual[kind] - log)
        found.append(replay.seconds(without))
    return Alone(len(chosen), seconds, rows.size, int(kind.max()) + 1, cause_of(found, replay.error))


def _work(log: np.ndarray, x: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Return what unequal reading adds: the power is that of all recurrences, at most `_STEEP`."""
    size = np.bincount(kind)
    x = x - (np.bincount(kind, x) / size)[kind]
    square = inner(x, x)
    slope = (
        float(np.clip(inner(x, log - (np.bincount(kind, log) / size)[kind]) / square, 0, _STEEP))
        if square > 1e-9
        else 0.0
    )
    return slope * x
