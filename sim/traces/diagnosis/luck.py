"""The law of luck: its body, and whether it has a heavy tail.

Its values are ratios of copies to the median of their stage, without the parts that are clearly not
luck (`shares`); killed copies are censored. Originals and second copies count alike: each is a draw of
its own, and when a sibling ends it does not depend on how long it would have run.

**No tail** is a common answer. A tail is reported only if above x_min the Pareto law (`tail`) is likelier
than an exponential one, by more than happens with probability `FALSE_ALARM` on histories of the same
stages with exponential luck, which are simulated (dividing by the median of a small stage makes any luck
look heavier). So a history whose luck is exponential shows a tail by chance with that probability, and
one whose luck is lighter (normal, uniform, a lognormal law of small spread) more seldom. In the fit jobs
weigh alike; in the test copies do, which finds more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sim.traces.diagnosis.survival import kaplan_meier
from sim.traces.diagnosis.tail import FEWEST, Tail, fit_tail, heaviness

#: Probability with which a tail is reported where luck is exponential.
FALSE_ALARM = 0.1
#: Copies on which the test is made: it is repeated on as many simulated ones.
_TESTED = 4_000
_SIMULATED = 499
#: Simulated histories as heavy as the real one after which it is clear that there is no tail.
_ENOUGH = 25


@dataclass(frozen=True, eq=False)
class Luck:
    """The law of luck, relative to its median in each stage.

    Parameters
    ----------
    x, survival : ndarray
        Kaplan-Meier estimate of the chance of more than `x`.
    points : DataFrame
        ratio and complete of each copy, for the picture.
    tail : Tail or None
        Its tail if there is one.
    verdict : str
        One sentence: that there is a tail, that there is none, or why that cannot be told.
    p : float or None
        Chance that exponential luck looks as heavy; None if that cannot be told.
    """

    x: np.ndarray = field(repr=False)
    survival: np.ndarray = field(repr=False)
    points: pd.DataFrame = field(repr=False)
    tail: Tail | None
    verdict: str
    p: float | None = None


def luck(ratios: pd.DataFrame, residual: np.ndarray, seed: int = 1) -> Luck:
    """Estimate the law of luck from `durations.ratios` and the residual of `shares`."""
    frame = ratios.assign(log=residual)
    if frame.empty:
        nothing = np.empty(0)
        points = pd.DataFrame({"ratio": nothing, "complete": nothing.astype(bool)})
        return Luck(
            nothing, nothing, points, None, "No stage has ten finished tasks: nothing is known of luck."
        )
    median = frame[frame["complete"]].groupby("stage")["log"].median().reindex(frame["stage"]).to_numpy()
    x = np.exp(frame["log"].to_numpy() - median)
    complete = frame["complete"].to_numpy(bool)
    weight = frame["weight"].to_numpy(float)
    weight = weight * weight.sum() / np.sum(weight**2)  # sums to the effective number of copies (Kish)
    values, survival = kaplan_meier(x, complete, weight)
    points = pd.DataFrame({"ratio": x, "complete": complete})
    return Luck(values, survival, points, *_judged(frame["stage"].to_numpy(int), x, complete, weight, seed))


def _judged(
    stage: np.ndarray, x: np.ndarray, complete: np.ndarray, weight: np.ndarray, seed: int
) -> tuple[Tail | None, str, float | None]:
    if np.count_nonzero((x > 1) & complete) < 2 * FEWEST:
        return (
            None,
            f"Fewer than {2 * FEWEST} finished copies lie above the median: no tail can be told.",
            None,
        )
    p = heavier_than_exponential(stage, x, complete, seed)
    if p > FALSE_ALARM:
        return None, f"No heavy tail: luck is no heavier than exponential (p = {p:.2g}).", p
    tail = fit_tail(x, complete, weight, seed)
    if tail is None or tail.better == "exponential":
        return None, "No heavy tail: the largest ratios fall off as an exponential law.", p
    return tail, f"A Pareto tail of index {tail.index:.2f} above {tail.x_min:.2f} times the median.", p


def heavier_than_exponential(stage: np.ndarray, x: np.ndarray, complete: np.ndarray, seed: int = 1) -> float:
    """Return the p value of exponential luck against a heavier law, from simulated histories.

    Where it is clear early that they are as heavy, no more are made (Besag and Clifford, 1991).
    """
    random = np.random.default_rng([seed, 19])
    if stage.size > _TESTED:
        first = random.permutation(stage.max() + 1)[stage]  # whole stages in random order, the last one cut
        chosen = np.lexsort((random.random(stage.size), first))[:_TESTED]
        stage, x, complete = stage[chosen], x[chosen], complete[chosen]
    found = heaviness(x, complete)
    sizes = np.bincount(np.unique(stage, return_inverse=True)[1])
    everything = np.ones(x.size, bool)
    heavier = 0
    for simulations in range(1, _SIMULATED + 1):
        drawn = [random.standard_exponential(size) for size in sizes]
        simulated = np.concatenate([one / _median(one) for one in drawn])
        heavier += heaviness(simulated, everything) >= found
        if heavier == _ENOUGH:
            return _ENOUGH / simulations
    return (1 + heavier) / (1 + _SIMULATED)


def _median(values: np.ndarray) -> float:
    """Return the median of a few values, sooner than NumPy does."""
    ranked = np.sort(values)
    return float(ranked[(values.size - 1) // 2] + ranked[values.size // 2]) / 2
