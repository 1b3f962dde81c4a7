"""The law of luck: its body, and whether it has a heavy tail.

Its values are ratios of copies to the median of their stage, without the parts that are not luck
(`shares`), of stages with at least `SOME` finished tasks; killed copies are censored. Originals and second
copies count alike: each is a draw of its own, and when a sibling ends it does not depend on how long it
would have run.

**No tail** is a common answer. A tail is reported only if luck is heavier than exponential, by more than
happens with probability `FALSE_ALARM` (`heaviness`), and its index may be `LIGHT` or less: two values, or
whole seconds, look like a tail of a larger one. So a history whose luck is exponential shows a tail by chance
with that probability, and one whose luck is lighter (normal, uniform, a lognormal law of small spread, any of
them in whole seconds) practically never. In the fit jobs weigh alike; in the test copies do, which finds
more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sim.advice.diagnosis.heaviness import heavier_than_exponential
from sim.advice.diagnosis.survival import kaplan_meier
from sim.advice.diagnosis.tail import FEWEST, Tail, fit_tail
from sim.telling.words import in_percent

#: Probability with which a tail is reported where luck is exponential. It balances two errors: in a small
#: history, six stages of twenty tasks, a Pareto tail of index 1.8 is missed about as often.
FALSE_ALARM = 0.1
#: Index from which a tail is none to speak of, if all of its interval is beyond.
LIGHT = 5.0
#: Finished tasks below which the median of a stage says too little of how slow its slowest is.
SOME = 5


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
    frame = frame[frame["finished"] >= SOME]
    if frame.empty:
        nothing = np.empty(0)
        points = pd.DataFrame({"ratio": nothing, "complete": nothing.astype(bool)})
        return Luck(
            nothing, nothing, points, None, f"No stage has {SOME} finished tasks: nothing is known of luck."
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
        return None, _no_tail(p), p
    tail = fit_tail(x, complete, weight, seed)
    if tail is not None and tail.low > LIGHT:
        return None, f"No heavy tail: an index of {LIGHT:g} or less does not fit the largest ratios.", p
    if tail is None or tail.better == "exponential":
        return None, "No heavy tail: the largest ratios fall off as an exponential law.", p
    return (
        tail,
        f"Luck has a Pareto tail of index {tail.index:.2f} above {tail.x_min:.2f} times the median.",
        p,
    )


def _no_tail(p: float) -> str:
    """Say that there is no tail, or that a tail cannot be told from exponential luck."""
    if p > 0.5:
        return "No heavy tail: luck is no heavier than exponential."
    return (
        f"No heavy tail can be shown: exponential luck looks as heavy in {in_percent(p)} of such histories."
    )
