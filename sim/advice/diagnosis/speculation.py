"""Speculation as it ran: second copies, when they were launched, how many won, what they cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim.advice.diagnosis.luck import kaplan_meier
from sim.logs.history import FINISHED, KILLED, History

#: Pairs below which nothing is said of how alike an original and its copy are.
FEWEST_PAIRS = 10
_REPLICATIONS = 200


@dataclass(frozen=True, eq=False)
class Speculation:
    """What a scheduler's second copies did.

    Parameters
    ----------
    copies : int
        Speculative copies launched.
    won : int
        Those that finished.
    killed_time : float
        Slot-seconds of killed copies, originals and second copies alike.
    killed_share : float
        Its share of the slot-time of all copies that ended.
    launched : tuple of float or None
        First decile, median and last decile of when a second copy was launched: seconds after its
        original over the median of the stage.
    pairs : DataFrame
        A row for each second copy and its original: stage, task, original and copy (ratios to the median
        of the stage), original_complete, copy_complete, copy_won.
    kept : tuple of float or None
        How much of an original's slowness its copy has too, with a 95 % interval: mean log ratio of the
        copies over that of their originals. 0: a copy draws anew; 1: it is as slow. Only slow originals
        get a copy, which does not bias this. None with fewer than ten pairs.
    """

    copies: int
    won: int
    killed_time: float
    killed_share: float
    launched: tuple[float, float, float] | None
    pairs: pd.DataFrame
    kept: tuple[float, float, float] | None


def speculation(history: History, seed: int = 1) -> Speculation:
    """Describe the second copies of a history."""
    copies = history.frame("copies")
    held = copies["end"] - copies["launch"]
    ended = copies["fate"].ne("unfinished") & held.notna()
    killed = float(held[copies["fate"].eq(KILLED)].sum())
    second = copies["speculative"]
    pairs, launched = _pairs(copies)
    total = float(held[ended].sum())
    return Speculation(
        copies=int(second.sum()),
        won=int((second & copies["fate"].eq(FINISHED)).sum()),
        killed_time=killed,
        killed_share=killed / total if total > 0 else 0.0,
        launched=tuple(np.quantile(launched, (0.1, 0.5, 0.9)).tolist()) if launched.size else None,
        pairs=pairs,
        kept=_kept(pairs, seed),
    )


def _pairs(copies: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """Join second copies with the originals they were launched for."""
    copies = copies.assign(duration=copies["end"] - copies["began"])
    keys = ["stage", "task"]
    median = copies[copies["complete"]].groupby("stage")["duration"].median()
    shown = [*keys, "launch", "duration", "complete", "fate"]
    first = copies[~copies["speculative"]].drop_duplicates(keys, keep="last")[shown]
    both = copies[copies["speculative"]][shown].merge(first, on=keys, suffixes=("", "_original"))
    scale = median.reindex(both["stage"]).to_numpy(float)
    both = both[scale > 0]
    scale = scale[scale > 0]
    pairs = pd.DataFrame(
        {
            "stage": both["stage"],
            "task": both["task"],
            "original": both["duration_original"] / scale,
            "copy": both["duration"] / scale,
            "original_complete": both["complete_original"],
            "copy_complete": both["complete"],
            "copy_won": both["fate"].eq(FINISHED),
        }
    ).reset_index(drop=True)
    launched = ((both["launch"] - both["launch_original"]) / scale).dropna()
    return pairs, launched.to_numpy(float)


def _kept(pairs: pd.DataFrame, seed: int) -> tuple[float, float, float] | None:
    """Return the mean log ratio of copies over that of originals, with its bootstrap interval."""
    pairs = pairs[(pairs["original"] > 0) & (pairs["copy"] > 0)]
    if len(pairs) < FEWEST_PAIRS or not pairs["copy_complete"].any() or not pairs["original_complete"].any():
        return None
    values = np.log(pairs[["original", "copy"]].to_numpy(float))
    complete = pairs[["original_complete", "copy_complete"]].to_numpy(bool)
    random = np.random.default_rng([seed, 18])
    draws = []
    for _ in range(_REPLICATIONS):
        rows = random.integers(len(values), size=len(values))
        if complete[rows].any(axis=0).all():
            draws.append(_slope(values[rows], complete[rows]))
    low, high = np.quantile(draws, (0.025, 0.975))
    return _slope(values, complete), float(low), float(high)


def _slope(values: np.ndarray, complete: np.ndarray) -> float:
    original, copy = (_mean(values[:, one], complete[:, one]) for one in range(2))
    return float(np.clip(copy / original, 0, 1)) if original > 0 else 0.0


def _mean(values: np.ndarray, complete: np.ndarray) -> float:
    """Return the Kaplan-Meier mean; what is left beyond the largest value is put there."""
    x, survival = kaplan_meier(values, complete)
    mass = -np.diff(np.concatenate([[1.0], survival]))
    return float(mass @ x + survival[-1] * max(values.max(), x[-1]))
