"""The best sum of service rates by a general solver, independent of Hopper's algorithms."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linprog

#: Levels of speculation that a job may mix, and the highest: so fine that the error is below 1e-4.
LEVELS, HIGHEST = 700, 3000.0


def best_total_rate(
    T: ArrayLike,
    S: float,
    beta: float,
    weight: ArrayLike | None = None,
    floor: float = 0.0,
    least_copies: float = 1.0,
) -> float:
    """Return the largest weighted rate by a linear programme written from the note's equation (1) alone.

    Each job may run parts of its slots at any of many levels k of speculation, x[i, k] slots at
    level k doing B(k) work each and holding x / k tasks, of which there are T; slots may also idle.

    Parameters
    ----------
    T : array_like
        Tasks left of each job.
    S : float
        Slots.
    beta : float
        Tail index of task times, > 1.
    weight : array_like, optional
        Of each job's rate.
    floor : float, optional
        Slots that every job must hold.
    least_copies : float, optional
        Copies that a running task has at least.

    Examples
    --------
    >>> round(best_total_rate([10], 10, 1.5), 3)  # 9/8 a slot below the threshold
    11.25
    """
    tasks_left = np.asarray(T, dtype=float)
    weights = np.ones(tasks_left.size) if weight is None else np.asarray(weight, dtype=float)
    k = np.geomspace(least_copies, HIGHEST, LEVELS)
    work = (k * beta - 1) / (k**2 * (beta - 1))
    jobs, levels = tasks_left.size, k.size
    value = np.concatenate([np.outer(weights, work).ravel(), np.zeros(jobs)])  # last: idle slots of a job
    running = sparse.kron(sparse.eye(jobs), np.ones((1, levels)))
    tasks = sparse.hstack([sparse.kron(sparse.eye(jobs), (1 / k)[None, :]), sparse.csr_matrix((jobs, jobs))])
    held = sparse.hstack([running, sparse.eye(jobs)])
    everything = sparse.csr_matrix(np.ones((1, value.size)))
    solved = linprog(
        -value,
        A_ub=sparse.vstack([tasks, -held, everything]).tocsr(),
        b_ub=np.concatenate([tasks_left, np.full(jobs, -floor), [S]]),
        method="highs",
    )
    if solved.status != 0:
        raise ValueError(f"the linear programme has no solution: {solved.message}")
    return float(-solved.fun)
