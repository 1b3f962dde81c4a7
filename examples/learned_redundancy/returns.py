"""The return of each decision: arithmetic of the learner that needs only arrays."""

from __future__ import annotations

import numpy as np
from scipy.signal import lfilter


def lambda_returns(reward: np.ndarray, value: np.ndarray, horizon: float, trace: float) -> np.ndarray:
    r"""Return the lambda-returns of a run (Peng and Williams, Machine Learning 22, 1996).

    .. math:: G_t = r_t + \gamma ((1 - \lambda) V_{t+1} + \lambda G_{t+1})

    Parameters
    ----------
    reward : ndarray, shape (decisions,)
        :math:`r_t`.
    value : ndarray, shape (decisions + 1,)
        :math:`V_t`, the value of the best action; the last one is that of the end, which is also
        its return.
    horizon, trace : float
        :math:`\gamma = e^{-1/horizon}`, :math:`\lambda = e^{-1/trace}`; above 0, may be infinite.

    Returns
    -------
    ndarray, shape (decisions,)

    Examples
    --------
    >>> lambda_returns(np.array([1.0, 1.0, 1.0]), np.array([0, 0, 0, 5.0]), np.inf, np.inf).tolist()
    [8.0, 7.0, 6.0]
    """
    discount, share = np.exp(-1 / horizon), np.exp(-1 / trace)
    step = reward + discount * (1 - share) * value[1:]
    step[-1] += discount * share * value[-1]
    return np.asarray(lfilter([1.0], [1.0, -discount * share], step[::-1])[::-1])


def usual(load: np.ndarray, later: np.ndarray, width: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Return what usually follows a load: means over classes of loads, as nodes to interpolate between.

    Parameters
    ----------
    load, later : ndarray, shape (decisions,)
        Load that was found, at least 0, and what followed.
    width : float, optional
        Of a class.

    Returns
    -------
    tuple of ndarray
        Mean load, increasing, and mean of what followed, of each class that has a decision.

    Examples
    --------
    >>> [part.tolist() for part in usual(np.array([0.5, 0.52, 0.9]), np.array([1.0, 2.0, 4.0]))]
    [[0.51, 0.9], [1.5, 4.0]]
    """
    kind = (load / width + 1e-9).astype(np.int64)
    count = np.bincount(kind)
    held = count > 0
    loads, means = (np.bincount(kind, weights=part)[held] / count[held] for part in (load, later))
    return loads, means


def beside_twins(surprises: np.ndarray) -> np.ndarray:
    """Return advantages: TD errors minus the mean over twin runs, shape (twins, decisions).

    Examples
    --------
    >>> beside_twins(np.array([[5.0, 1.0], [4.0, 1.0], [4.0, 4.0]])).tolist()
    [[1.0, -1.5], [-0.5, -1.5], [-0.5, 3.0]]
    """
    twins = len(surprises)
    if twins == 1:
        return surprises
    return np.asarray((twins * surprises - surprises.sum(axis=0)) / (twins - 1))


def waited_by(arrival: np.ndarray, start: np.ndarray, size: np.ndarray) -> np.ndarray:
    r"""Return how long jobs had waited when each came to the head of the queue, summed in units of sizes.

    .. math:: \sum_i \frac{\min(start_i, t_j) - \min(arrival_i, t_j)}{size_i}

    where job j is decided on at :math:`t_j`: on its arrival, or when the one before it starts.

    Parameters
    ----------
    arrival, start, size : ndarray, shape (jobs,)
        Of jobs that start in the order of their arrival.

    Returns
    -------
    ndarray, shape (jobs + 1,)
        The last one is what they waited in all.

    Examples
    --------
    >>> waited_by(np.array([0.0, 1.0, 2.0]), np.array([0.0, 5.0, 5.0]), np.array([1.0, 1.0, 2.0])).tolist()
    [0.0, 0.0, 5.5, 5.5]
    """
    head = np.maximum(arrival, np.concatenate([[-np.inf], start[:-1]]))
    behind = np.searchsorted(arrival, head, side="right")
    own = np.arange(arrival.size)
    over = np.concatenate([[0.0], np.cumsum((start - arrival) / size)])
    weight = np.concatenate([[0.0], np.cumsum(1 / size)])
    moment = np.concatenate([[0.0], np.cumsum(arrival / size)])
    still = head * (weight[behind] - weight[own]) - (moment[behind] - moment[own])
    return np.concatenate([over[:-1] + still, over[-1:]])
