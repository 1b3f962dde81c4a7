"""The cost of each cause of stragglers: the history replayed without it, and nothing else changed.

A replay without luck gives every task the duration it would have had if its luck had been the median of its
stage; one without slow machines takes the factors of host and executor out, one without unequal work gives
all tasks of a stage the same work, one without first waves warms every slot. What jobs would have saved is
what the cause cost. Causes add up only roughly, since a stage that waits for two slow tasks waits for the
slower. The time without luck is the most that second copies could mend: they draw luck anew and nothing else.

The intervals hold what the fit leaves open (`hierarchy`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim.traces.diagnosis.replay import Replay
from sim.traces.diagnosis.shares import Shares

CAUSES = ("luck", "machine", "work", "first_wave")
#: Tasks that are replayed in all, about, and replays of a cause, at most and at least.
_TASKS, _MOST, _FEWEST = 300_000, 15, 3


@dataclass(frozen=True)
class Cause:
    """Seconds of job time that a cause cost, with their 95 % interval."""

    seconds: float
    low: float
    high: float


def causes(replay: Replay, ratios: pd.DataFrame, shares: Shares) -> dict[str, Cause]:
    """Return what each cause cost, of those that the log can tell.

    Parameters
    ----------
    replay : Replay
        Of the history.
    ratios : DataFrame
        From `durations.ratios`.
    shares : Shares
        From them.
    """
    told = [name for name in CAUSES if getattr(shares, name) is not None]
    if replay.tasks.empty or not told:
        return {}
    rows = pd.Index(ratios.index).get_indexer(replay.tasks["row"].to_numpy())
    most = int(np.clip(_TASKS // (len(replay.tasks) * len(told)), _FEWEST, _MOST))
    every = max(1, len(shares.fit.draws) // most)
    return {
        name: _cause(replay, rows, [_effects(shares, name, draw) for draw in _drawn(shares, every)])
        for name in told
    }


def _drawn(shares: Shares, every: int) -> list[int]:
    return list(range(0, len(shares.fit.draws), every))


def _effects(shares: Shares, name: str, draw: int) -> np.ndarray:
    """Return what a cause adds to the log duration of each copy, over the median of its stage."""
    fit = shares.fit
    if name == "luck":
        values = shares.residual + fit.not_luck() - fit.not_luck(draw)
    else:
        values = getattr(fit, name)(draw)
    if name in ("luck", "work"):
        stage = fit.columns.stage
        values = values - pd.Series(values).groupby(stage).transform("median").to_numpy()
    return np.asarray(values)


def _cause(replay: Replay, rows: np.ndarray, draws: list[np.ndarray]) -> Cause:
    recorded = replay.tasks["recorded"].to_numpy(float)
    saved = []
    for effects in draws:
        without = recorded * np.exp(-np.append(effects, 0.0)[rows])  # -1: a copy outside the fit
        saved.append(replay.seconds(without))
    low, high = np.quantile(saved, (0.025, 0.975))
    return Cause(float(np.mean(saved)), float(low), float(high))
