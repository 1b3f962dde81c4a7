r"""Where unequal durations come from: shares of their variance for work, machine, first wave, and luck.

The parts come from the hierarchical fit (`hierarchy`). A share is the weighted variance of a part within
stages over the sum of all parts, in each draw of the fit; the value is its mean and the interval holds 95 %
of the draws. Luck is what the other parts leave; the luck of a killed copy is its mean beyond the bound under
the Kaplan-Meier estimate of all luck (Buckley and James, 1979).

A part that the log cannot tell is None: machine with one host, work without bytes, records or stages that
recur, first wave where all copies of each stage are of the same wave.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sim.advice.diagnosis.costs import FEWEST
from sim.advice.diagnosis.hierarchy import Posterior, columns, posterior, usual_of
from sim.advice.diagnosis.luck import beyond, kaplan_meier
from sim.advice.diagnosis.spells import spells
from sim.model.statistics import inner

PARTS = ("work", "machine", "first_wave")


@dataclass(frozen=True)
class Share:
    """A share of the variance, with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of the variance of log durations within stages; None is what this log cannot tell.

    Parameters
    ----------
    luck, machine, work, first_wave : Share or None
        They add up to 1 over those that can be told. Luck holds all that cannot.
    hosts : DataFrame
        host, copies, factor (duration on it against the median host), low, high; slowest first.
    executors : DataFrame
        The same for executors against the others of their host; empty unless a host has several.
    reasons : dict
        For each part that cannot be told, why.
    residual : ndarray
        Log duration of each row of the ratios without the other parts, over the level of its stage: its luck.
    fit : Posterior
        The fit, whose rows are those of the ratios.
    """

    luck: Share | None
    machine: Share | None
    work: Share | None
    first_wave: Share | None
    hosts: pd.DataFrame
    executors: pd.DataFrame
    reasons: dict[str, str]
    residual: np.ndarray = field(repr=False)
    fit: Posterior = field(repr=False)


def shares(ratios: pd.DataFrame, stages: pd.DataFrame, seed: int = 1) -> Shares:
    """Split the variance of log durations.

    Parameters
    ----------
    ratios : DataFrame
        From `durations.ratios`.
    stages : DataFrame
        The stages of the history.
    seed : int, optional
        Of the draws of the fit.
    """
    one = columns(ratios, stages)
    fit = posterior(one, seed)
    nobody = pd.DataFrame({"host": [], "copies": [], "factor": [], "low": [], "high": []})
    if not one.y.size:
        reasons = dict.fromkeys((*PARTS, "luck"), f"no stage has {FEWEST} finished tasks")
        return Shares(None, None, None, None, nobody, nobody, reasons, one.y, fit)
    weight = (ratios["duration"] / ratios["ratio"]).to_numpy(float)  # the time that is usual in its stage
    level = _Level(one.stage, weight)
    residual = one.y - fit.not_luck()
    if known := spells(ratios, residual):
        one = columns(ratios, stages, known)
        fit = posterior(one, seed)
        residual = one.y - fit.not_luck()
    residual -= level.mean(residual)
    luck, doubt = _completed(residual, one.complete, weight)
    reasons = _reasons(ratios, fit)
    told = [part for part in PARTS if part not in reasons]
    draws = []
    for draw in range(len(fit.draws)):
        parts = {part: level.variance(getattr(fit, part)(draw)) for part in told}
        moved = luck + fit.not_luck() - fit.not_luck(draw)
        # a stage's own level takes one degree of freedom from its luck
        parts["luck"] = (level.variance(moved) + doubt) * level.lost
        whole = sum(parts.values()) or 1.0
        draws.append({part: value / whole for part, value in parts.items()})
    found = {part: _share(np.array([draw[part] for draw in draws])) for part in (*told, "luck")}
    if not any(level.variance(getattr(fit, part)()) for part in told) and not level.variance(luck):
        found = {part: Share(float(part == "luck"), 0.0, 1.0) for part in found}
    machine = "machine" in found
    return Shares(
        luck=found["luck"],
        machine=found.get("machine"),
        work=found.get("work"),
        first_wave=found.get("first_wave"),
        hosts=_ranked(ratios["host"], fit.columns.names["host"], fit.draws.host) if machine else nobody,
        executors=_ranked(ratios["slot"], fit.columns.names["executor"], fit.draws.executor),
        reasons=reasons,
        residual=residual,
        fit=fit,
    )


def _share(values: np.ndarray) -> Share:
    low, high = np.quantile(values, (0.025, 0.975))
    return Share(float(values.mean()), float(low), float(high))


class _Level:
    """Weighted means and variances within stages."""

    def __init__(self, stage: np.ndarray, weight: np.ndarray) -> None:
        self.stage = stage
        self.weight = weight / weight.sum()
        self.count = int(stage.max(initial=-1)) + 1
        self.total = np.bincount(stage, self.weight, self.count)
        self.lost = float(stage.size) / max(int(stage.size) - int(np.count_nonzero(self.total)), 1)

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Return the mean of each copy's stage."""
        mean = np.bincount(self.stage, self.weight * values, self.count) / np.maximum(self.total, 1e-300)
        return np.asarray(mean[self.stage])

    def variance(self, values: np.ndarray) -> float:
        """Return the variance around the means of stages."""
        return inner(self.weight, (values - self.mean(values)) ** 2)


def _completed(residual: np.ndarray, complete: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, float]:
    """Replace lower bounds of luck by their mean beyond it; return them and the variance lost by that."""
    if complete.all() or not complete.any():
        return residual, 0.0
    x, survival = kaplan_meier(residual, complete, weight)
    mean, variance = beyond(x, survival, residual[~complete])
    found = residual.copy()
    found[~complete] = mean
    return found, float(inner(weight[~complete], variance) / weight.sum())


def _reasons(ratios: pd.DataFrame, fit: Posterior) -> dict[str, str]:
    """Say of each part that the log cannot tell why."""
    one, found = fit.columns, {}
    if not np.abs(one.x).max() > 1e-9 and not (one.place >= 0).any():
        found["work"] = "the log has no bytes or records that differ within a stage, and no stage recurs"
    hosts = ratios["host"].astype(str)
    named = int((hosts[hosts != ""]).nunique())
    if named < 2:
        found["machine"] = "all copies ran on one host" if named else "the log names no hosts"
    cold = pd.DataFrame(one.cold).groupby(one.stage).nunique().to_numpy()
    if not (cold > 1).any():
        found["first_wave"] = "the copies of each stage are all of the first wave, or none is"
    return found


def _ranked(column: pd.Series, names: list[object], draws: np.ndarray) -> pd.DataFrame:
    """Return hosts or executors by how slow they are against the median one."""
    counts = column.astype(str).value_counts()
    effects = draws - usual_of(draws) if len(names) else draws
    low, high = np.quantile(effects, (0.025, 0.975), axis=0) if len(names) else (draws[0], draws[0])
    table = pd.DataFrame(
        {
            "host": [str(name) for name in names],
            "copies": [int(counts.get(name, 0)) for name in names],
            "factor": np.exp(effects.mean(axis=0)),
            "low": np.exp(low),
            "high": np.exp(high),
        }
    )
    return table.sort_values("factor", ascending=False, ignore_index=True)
