r"""Whether luck is heavier than exponential, when some of its values are lower bounds.

What lies above the median by :math:`y` is compared under two laws: exponential, and generalised Pareto,
which is exponential for shape :math:`\xi = 0` and has a heavy tail for :math:`\xi > 0`,

.. math:: P(Y > y) = (1 + \theta y)^{-1 / \xi}.

For a given :math:`\theta` the likeliest shape is :math:`\xi = \sum \log(1 + \theta y_i) / D` with D the
complete values, and the likelihoods differ by
:math:`-D \log(\xi / \theta) - \sum_{complete} \log(1 + \theta y_i)` where the mean of the exponential law
is 1. The statistic is the largest difference over :math:`\theta`, by a grid and a parabola. It needs no
choice of a threshold and does not stumble over ties, so that times in whole seconds raise no false alarm.

Dividing by the median of a small stage makes any luck look heavier, and killed copies make it look
lighter. So the statistic is compared with histories of the same stages that are simulated with exponential
luck, in which copies are killed as in the real one (the bounds are drawn from their own Kaplan-Meier
estimate).
"""

from __future__ import annotations

import numpy as np

from sim.advice.diagnosis.survival import kaplan_meier

#: Simulated histories: chances are told to half a percent.
SIMULATED = 199
#: Copies on which the test is made, which find any tail worth the name; it is repeated on simulated ones.
TESTED = 2_000
_THETAS = np.geomspace(0.02, 30, 16)


def heavier_than_exponential(stage: np.ndarray, x: np.ndarray, complete: np.ndarray, seed: int = 1) -> float:
    """Return the chance that exponential luck looks at least as heavy as this.

    Parameters
    ----------
    stage : ndarray of int, shape (n,)
        Stage of each copy.
    x : ndarray of float, shape (n,)
        Ratio to the median of the complete copies of its stage.
    complete : ndarray of bool, shape (n,)
        Whether it is a whole duration and no lower bound.
    seed : int
        Of the simulated histories.

    Returns
    -------
    float
        A p value: under exponential luck it is at most p with probability p.
    """
    random = np.random.default_rng([seed, 19])
    if stage.size > TESTED:
        first = random.permutation(stage.max() + 1)[stage]  # whole stages in random order, the last one cut
        chosen = np.lexsort((random.random(stage.size), first))[:TESTED]
        stage, x, complete = stage[chosen], x[chosen], complete[chosen]
    sizes = np.bincount(np.unique(stage, return_inverse=True)[1])
    simulated = heaviness(*_exponential(sizes, x, complete, random))
    return float(1 + np.count_nonzero(simulated >= heaviness(x, complete))) / (1 + SIMULATED)


def heaviness(x: np.ndarray, complete: np.ndarray) -> np.ndarray:
    """Return how much likelier the generalised Pareto law is above 1, in log likelihood; 0 if it is not.

    Examples
    --------
    >>> quantiles = (np.arange(200) + 0.5) / 200
    >>> everything = np.ones(200, bool)
    >>> light, heavy = quantiles / 0.5, (2 - 2 * quantiles) ** (-1 / 1.5)
    >>> heaviness(np.array([light, heavy]), everything).round(1)
    array([ 0. , 26.9])
    """
    above = np.maximum(x - 1, 0.0)
    complete = complete & (x > 1)
    died = np.maximum(complete.sum(axis=-1), 1)
    mean = above.sum(axis=-1) / died
    above = above / np.where(mean > 0, mean, 1.0)[..., None]
    likelier = np.empty((_THETAS.size, *died.shape))
    for place, theta in enumerate(_THETAS):
        log = np.log1p(theta * above)
        shape = np.where(mean > 0, log.sum(axis=-1) / died, theta)
        likelier[place] = -died * np.log(shape / theta) - np.sum(log, axis=-1, where=complete)
    return np.maximum(_top(likelier), 0.0)


def _top(values: np.ndarray) -> np.ndarray:
    """Return the largest value along the first axis, by a parabola through it and its neighbours."""
    place = np.clip(values.argmax(axis=0), 1, len(values) - 2)
    left, middle, right = (np.take_along_axis(values, place[None] + step, 0)[0] for step in (-1, 0, 1))
    bend = 2 * middle - left - right
    top = middle + np.where(bend > 0, (right - left) ** 2 / (8 * np.where(bend > 0, bend, 1.0)), 0.0)
    return np.where(bend > 0, top, values.max(axis=0))


def _exponential(
    sizes: np.ndarray, x: np.ndarray, complete: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return ratios and completeness of histories of stages of these sizes with exponential luck."""
    bounds, survival = kaplan_meier(x, ~complete)
    ratios, whole = [], []
    for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
        drawn = random.standard_exponential((SIMULATED, count, size)) / np.log(2)
        bound = np.full(drawn.shape, np.inf)
        if bounds.size:
            place = np.searchsorted(-survival, -random.random(drawn.shape), side="left")
            bound = np.append(bounds, np.inf)[place]
        ended = drawn <= bound
        drawn = np.minimum(drawn, bound)
        ratios.append((drawn / _median(drawn, ended)[..., None]).reshape(SIMULATED, -1))
        whole.append(ended.reshape(SIMULATED, -1))
    return np.concatenate(ratios, axis=1), np.concatenate(whole, axis=1)


def _median(values: np.ndarray, complete: np.ndarray) -> np.ndarray:
    """Return the median of the complete values along the last axis; the largest bound if there are none."""
    ranked = np.sort(np.where(complete, values, np.inf), axis=-1)
    number = complete.sum(axis=-1)
    places = np.stack([np.maximum(number - 1, 0) // 2, number // 2], axis=-1)
    middle = np.take_along_axis(ranked, places, axis=-1).mean(axis=-1)
    return np.where(np.isfinite(middle), middle, values.max(axis=-1))
