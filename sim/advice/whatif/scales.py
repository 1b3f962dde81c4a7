r"""The scale of each stage: how long its tasks take at median luck.

The median of a stage of few tasks says little of it: with six tasks of a Pareto law of index 1.5 it varies
by 27 %, and is on average 8 % too large. The fastest tasks say far more where luck has a sharp lower end, as
luck in clusters does. So the logarithm of the scale is the best linear unbiased estimate (Lloyd, 1952) from
the faster half of the stage,

.. math:: \log \hat s = \sum_k w_k (\log x_{(k)} - E \log z_{(k)}), \qquad w \propto C^{-1} 1,

with mean and covariance C of the ordered logarithms under the law of luck. Law and scales are found in turn:
at first the scale is the median, in stages of ten tasks or more. Killed originals count as slow ones, which
they were; second copies tell of the law only.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sim.advice.whatif.law import Law, law_of

#: Tasks from which a stage tells of luck when its scale is the median, and when it is estimated.
ENOUGH, SOME = 10, 5
#: Finished copies in stages of `SOME` tasks without which smaller stages tell of luck, too.
FEWEST = 30
_ROUNDS = 3
_DRAWS = 4000
#: Ordered tasks that are looked at: the fastest of a large stage.
_MOST = 40
#: Variance added to each logarithm, so that the fastest task alone, of which clocks are unsure, never rules.
_RIDGE = 0.002


def law_and_scales(copies: pd.DataFrame) -> tuple[Law, pd.Series, pd.Series]:
    """Find the law of luck, the scale of each stage, and how well it is known.

    Parameters
    ----------
    copies : DataFrame
        stage, task, copy, duration (> 0, without what is not luck), complete, and tells: whether the copy
        may tell of luck. Failed copies are left out.

    Returns
    -------
    Law
        Its median is 1.
    Series
        Scale by stage.
    Series
        Standard error of the log of the scale, by stage.
    """
    first = copies[copies["copy"].eq(copies.groupby(["stage", "task"])["copy"].transform("min"))]
    ordered = {int(stage): np.sort(group.to_numpy()) for stage, group in first.groupby("stage")["duration"]}
    tasks = copies["stage"].map({stage: values.size for stage, values in ordered.items()})
    scale = pd.Series({stage: float(np.median(values)) for stage, values in ordered.items()})
    large = copies["tells"] & (tasks >= ENOUGH)
    law = _law(copies[large if copies.loc[large, "complete"].any() else copies["complete"]], scale)
    telling = copies["tells"] & (tasks >= SOME)
    if copies.loc[telling, "complete"].sum() < FEWEST:
        telling = copies["tells"]
    for _ in range(_ROUNDS):
        scale = _scales(ordered, law)
        law = _law(copies[telling], scale)
    scale = _scales(ordered, law)
    error = {size: _estimator(size, law)[2] for size in {values.size for values in ordered.values()}}
    return law, scale, pd.Series({stage: error[values.size] for stage, values in ordered.items()})


def _law(copies: pd.DataFrame, scale: pd.Series) -> Law:
    """Estimate the law of durations over scales, with its median at 1."""
    values = copies["duration"].to_numpy(float) / scale[copies["stage"]].to_numpy(float)
    law = law_of(values, copies["complete"].to_numpy(bool))
    middle = float(law.draw(np.array(0.5)))
    return Law(tuple(value / middle for value in law.samples))


def _scales(ordered: dict[int, np.ndarray], law: Law) -> pd.Series:
    """Estimate the scale of each stage under a law."""
    sizes = {values.size for values in ordered.values()}
    estimators = {size: _estimator(size, law) for size in sizes}
    found = {}
    for stage, values in ordered.items():
        weight, shift, _ = estimators[values.size]
        found[stage] = float(np.exp(weight @ np.log(values[: weight.size]) - shift))
    return pd.Series(found)


def _estimator(size: int, law: Law) -> tuple[np.ndarray, float, float]:
    """Return weights of the ordered logarithms, what to take off to be right on average, and the error."""
    fastest = min(size // 2 + 1, _MOST)
    draws = np.random.default_rng([size, 18]).random((max(200, min(_DRAWS, 400_000 // size)), size))
    logs = np.sort(np.log(np.maximum(law.draw(draws), 1e-9)), axis=1)[:, :fastest]
    spread = np.atleast_2d(np.cov(logs.T)) + _RIDGE * np.eye(fastest)
    weight = np.linalg.solve(spread, np.ones(fastest))
    weight /= weight.sum()
    estimate = logs @ weight
    return weight, float(np.log(np.exp(estimate).mean())), float(estimate.std())
