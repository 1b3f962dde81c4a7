"""What locality, garbage collection and waiting for blocks add to the log duration of each copy.

*Garbage collection and waiting* are measured: they are part of the duration. What counts is the share of the
duration beyond the usual share of the kind of the stage, its median; which copies the median is of is drawn.

*Locality* is fitted. Within a stage, what the fit leaves of the log durations is regressed on whether a copy
ran away from its input, both without what stage, holder of the slot and first wave explain (Frisch, Waugh and
Lovell). Slow copies weigh less, by Student's t law, and a killed copy counts as its mean beyond the bound.
The draws are of a bootstrap over stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim.advice.diagnosis.costs import ratios as ratios_of
from sim.advice.diagnosis.hierarchy import Columns
from sim.advice.diagnosis.luck import beyond, kaplan_meier
from sim.advice.diagnosis.shares import Shares
from sim.logs.history import History
from sim.model.statistics import inner

#: Words for copies near their input, and away from it; others, as Spark's NO_PREF, are neither.
HOME = frozenset({"PROCESS_LOCAL", "NODE_LOCAL", "DATA_LOCAL"})
AWAY = frozenset({"ANY", "RACK_LOCAL", "OFF_SWITCH"})
#: Stages with copies at home and away, and copies away, from which the effect is fitted.
STAGES, COPIES = 5, 20
#: Columns of what is measured of a copy, beside its duration.
MEASURED = ("gc", "fetch_wait", "start")
#: Those that a second copy meets again.
MET_AGAIN = ("fetch_wait", "start")
#: Largest share of a duration that is taken for collection or waiting.
_MOST = 0.95
#: Degrees of freedom of the t law that weighs residuals, and steps of the weights.
_FREEDOM, _STEPS = 4.0, 4


@dataclass(frozen=True, eq=False)
class Effect:
    """Draws of what something adds to the log duration of each copy; the first axis has the draw."""

    draws: np.ndarray

    def __call__(self, draw: int | None = None) -> np.ndarray:
        """Return one draw, or the mean of all."""
        return np.asarray(self.draws.mean(axis=0) if draw is None else self.draws[draw])


def beyond_usual(ratios: pd.DataFrame, column: str, kind: np.ndarray, draws: int, seed: int) -> Effect | str:
    """Return what a measured part of the duration adds beyond its usual share, or why that is not known.

    Parameters
    ----------
    ratios : DataFrame
        From `durations.ratios`.
    column : str
        "gc" or "fetch_wait", in seconds.
    kind : ndarray of int
        Kind of the stage of each copy.
    draws, seed : int
    """
    seconds = ratios[column].to_numpy(float)
    if not np.isfinite(seconds).any():
        return "the log does not measure it"
    share = np.clip(np.nan_to_num(seconds) / ratios["duration"].to_numpy(float), 0, _MOST)
    if not share.any():
        return Effect(np.zeros((1, share.size)))
    own = np.where(np.isfinite(seconds), kind, kind.max(initial=-1) + 1)
    usual = medians(share, own, draws, np.random.default_rng([seed, 61]))[:, own]
    return Effect(np.maximum(np.log1p(-usual) - np.log1p(-share), 0.0))


def met_again(history: History) -> np.ndarray:
    """Return the seconds of each copy beyond the usual that a second copy of its task meets again."""
    found = ratios_of(history)
    names = history.frame("stages")["name"].reindex(found["stage"])
    again = measured(found, pd.factorize(names)[0], MET_AGAIN)
    seconds = pd.Series(-np.expm1(-again) * found["duration"].to_numpy(float), found.index)
    return seconds.reindex(np.arange(history.copies.num_rows)).fillna(0.0).to_numpy()


def measured(ratios: pd.DataFrame, kind: np.ndarray, columns: Sequence[str] = MEASURED) -> np.ndarray:
    """Return what all that is measured adds to each log duration, as `beyond_usual`."""
    every = [beyond_usual(ratios, name, kind, 1, 1) for name in columns]
    return np.sum([one(0) for one in every if isinstance(one, Effect)], axis=0) + np.zeros(len(ratios))


def medians(values: np.ndarray, group: np.ndarray, draws: int, random: np.random.Generator) -> np.ndarray:
    """Return medians of groups in bootstrap samples, shape (draws, groups); of no value it is 0.

    The median of a sample of n values is the value whose rank is binomial.

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> found = medians(np.array([1.0, 2.0, 3.0, 7.0]), np.array([0, 0, 0, 1]), 1000, random)
    >>> found.shape, found.mean(axis=0).round(1).tolist()
    ((1000, 2), [2.0, 7.0])
    """
    size = np.bincount(group)
    if not size.size:
        return np.zeros((draws, 0))
    ordered = values[np.lexsort((values, group))]
    rank = random.binomial(np.maximum(size - 1, 0), 0.5, (draws, size.size))
    place = np.minimum(np.cumsum(size) - size + rank, values.size - 1)
    return np.where(size > 0, ordered[place], 0.0)


def away_from_input(ratios: pd.DataFrame) -> np.ndarray:
    """Say of each copy whether it ran away from its input: 1, at home: 0, or NaN where that is not told.

    A stage counts that ran copies both at home and away.

    Examples
    --------
    >>> words = ["ANY", "NODE_LOCAL", "NO_PREF", "ANY"]
    >>> away_from_input(pd.DataFrame({"stage": [0, 0, 0, 1], "locality": words}))
    array([ 1.,  0., nan, nan])
    """
    word = ratios["locality"].astype(str)
    away = pd.Series(np.where(word.isin(AWAY), 1.0, np.where(word.isin(HOME), 0.0, np.nan)), ratios.index)
    both = away.groupby(ratios["stage"]).transform("nunique") > 1
    return away.where(both).to_numpy(float)


def locality(ratios: pd.DataFrame, shares: Shares, holder: np.ndarray, draws: int, seed: int) -> Effect | str:
    """Return what running away from its input adds to a copy, or why that is not known.

    Parameters
    ----------
    ratios : DataFrame
        From `durations.ratios`.
    shares : Shares
        From them.
    holder : ndarray of int
        Who held the slot of each copy, as the fit tells them apart.
    draws, seed : int
    """
    words = set(ratios["locality"].astype(str).unique())
    if not words & (HOME | AWAY):
        return "the log does not say which tasks ran near their input"
    if not words & AWAY:
        return Effect(np.zeros((1, len(ratios))))
    away = away_from_input(ratios)
    known = np.isfinite(away)
    stage = shares.fit.columns.stage
    if np.unique(stage[known]).size < STAGES or np.nansum(away) < COPIES:
        return f"fewer than {STAGES} stages, or {COPIES} tasks, ran both near their input and away from it"
    added = _slopes(shares, known, np.nan_to_num(away), holder, draws, seed)
    return Effect(added[:, None] * np.nan_to_num(away))


def _slopes(
    shares: Shares, known: np.ndarray, away: np.ndarray, holder: np.ndarray, draws: int, seed: int
) -> np.ndarray:
    """Return bootstrap draws of the log slowdown of non-local copies."""
    one = shares.fit.columns.rows(known)
    x = _unexplained(away[known], one, holder[known])
    luck = shares.residual[known]
    scale = shares.fit.spread()[known] * float(shares.fit.draws.scale.mean())
    code = np.unique(one.stage, return_inverse=True)[1]
    slope, weight, full = 0.0, np.ones(x.size), luck
    for _ in range(_STEPS):
        left = (luck - slope * away[known]) / scale
        if not one.complete.all() and one.complete.any():
            law = kaplan_meier(left, one.complete)
            left = left.copy()
            left[~one.complete] = np.maximum(beyond(*law, left[~one.complete])[0], left[~one.complete])
            full = left * scale + slope * away[known]
        mean = np.bincount(code, left) / np.bincount(code)
        weight = (_FREEDOM + 1) / (_FREEDOM + (left - mean[code]) ** 2) / scale**2
        slope = inner(weight * x, full) / max(inner(weight * x, x), 1e-12)
    above, below = np.bincount(code, weight * x * full), np.bincount(code, weight * x * x)
    often = np.random.default_rng([seed, 67]).poisson(1.0, (draws, above.size))
    return np.asarray((often @ above) / np.maximum(often @ below, 1e-12))


def _unexplained(x: np.ndarray, one: Columns, holder: np.ndarray) -> np.ndarray:
    """Return what stage, holder and first wave do not explain of a column."""
    table = np.column_stack([x, one.cold])
    for _ in range(10):
        for code in (one.stage, holder + 1):
            size = np.maximum(np.bincount(code), 1)
            for place in range(table.shape[1]):
                table[:, place] -= (np.bincount(code, table[:, place]) / size)[code]
    varies = np.abs(table[:, 1:]).max(axis=0) > 1e-6
    cold = table[:, 1:][:, varies]
    return np.asarray(table[:, 0] - cold @ np.linalg.lstsq(cold, table[:, 0], rcond=None)[0])
