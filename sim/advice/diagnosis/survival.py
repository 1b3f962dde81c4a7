"""Survival of right-censored, weighted durations: the estimator of Kaplan and Meier (1958)."""

from __future__ import annotations

import numpy as np


def kaplan_meier(
    values: np.ndarray, complete: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the chance that a duration is longer than each of the complete ones.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Durations, or lower bounds of them.
    complete : array_like of bool, shape (n,)
        Whether each is a whole duration; a bound of the same value is taken to last longer.
    weights : array_like of float, shape (n,), optional
        Weight of each, > 0; all 1 unless given.

    Returns
    -------
    x : ndarray, shape (k,)
        Distinct complete values, ascending.
    survival : ndarray, shape (k,)
        Estimated probability of more than `x`.

    Examples
    --------
    >>> x, survival = kaplan_meier([1.0, 2.0, 2.0, 3.0], [True, True, False, True])
    >>> x, survival
    (array([1., 2., 3.]), array([0.75, 0.5 , 0.  ]))
    """
    values, complete = np.asarray(values, float), np.asarray(complete, bool)
    weights = np.ones(values.size) if weights is None else np.asarray(weights, float)
    order = np.argsort(values, kind="stable")
    values, complete, weights = values[order], complete[order], weights[order]
    at_risk = np.cumsum(weights[::-1])[::-1]
    x, first = np.unique(values[complete], return_index=True)
    if not x.size:
        return x, x
    deaths = np.add.reduceat(weights[complete], first)
    risk = at_risk[np.searchsorted(values, x, side="left")]
    return x, np.cumprod(np.clip(1 - deaths / risk, 0, 1))


def beyond(x: np.ndarray, survival: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of a value that is known to exceed each of some bounds.

    What the estimate leaves beyond the largest complete value is put there.

    Examples
    --------
    >>> mean, variance = beyond(np.array([1.0, 2.0, 4.0]), np.array([0.75, 0.5, 0.0]), np.array([1.5, 9.0]))
    >>> mean.round(6), variance.round(6)
    (array([3.333333, 9.      ]), array([0.888889, 0.      ]))
    """
    mass = -np.diff(np.concatenate([[1.0], survival]))
    mass[-1] += survival[-1]
    above = [np.concatenate([np.cumsum((mass * x**power)[::-1])[::-1], [0.0]]) for power in range(3)]
    place = np.searchsorted(x, bounds, side="right")
    known = above[0][place] > 1e-12
    total = np.where(known, above[0][place], 1.0)
    mean = np.where(known, above[1][place] / total, bounds)
    return mean, np.where(known, np.maximum(above[2][place] / total - mean**2, 0), 0.0)
