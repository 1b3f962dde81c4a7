"""Two ways to tell whether an allocation is the best, neither of which knows Hopper's algorithms."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from theory.service_rate import marginal_rate


def best_total_rate(T, S, beta, weight=None, floor=0.0, least_copies=1.0):
    """Largest weighted rate by a linear programme written from RAWY's equation (1) alone.

    Each job may run parts of its slots at any of many levels k of speculation, x[i, k] slots at
    level k doing B(k) work each and holding x / k tasks, of which there are T; slots may also idle.
    The grid of levels is so fine that its error is below 1e-4 of the value.
    """
    T = np.asarray(T, dtype=float)
    weight = np.ones(T.size) if weight is None else np.asarray(weight, dtype=float)
    k = np.geomspace(least_copies, 3000.0, 700)
    work = (k * beta - 1) / (k**2 * (beta - 1))
    jobs, levels = T.size, k.size
    value = np.concatenate([np.outer(weight, work).ravel(), np.zeros(jobs)])  # last: idle slots of a job
    running = sparse.kron(sparse.eye(jobs), np.ones((1, levels)))
    tasks = sparse.hstack([sparse.kron(sparse.eye(jobs), (1 / k)[None, :]), sparse.csr_matrix((jobs, jobs))])
    held = sparse.hstack([running, sparse.eye(jobs)])
    everything = sparse.csr_matrix(np.ones((1, value.size)))
    solved = linprog(
        -value,
        A_ub=sparse.vstack([tasks, -held, everything]).tocsr(),
        b_ub=np.concatenate([T, np.full(jobs, -floor), [S]]),
        method="highs",
    )
    assert solved.status == 0, solved.message
    return -solved.fun


def assert_no_slot_is_worth_more_elsewhere(T, allocation, beta, weight=None, floor=0.0, physical=True):
    """Assert that no job would gain more from a slot than some other one loses (all rates are concave).

    A job loses its left-hand derivative, unless it is at its guarantee and has nothing to give; and
    gains its right-hand one.
    """
    T, given = np.asarray(T, dtype=float), np.asarray(allocation, dtype=float)
    weight = np.ones(T.size) if weight is None else np.asarray(weight, dtype=float)
    gain = weight * marginal_rate(given * (1 + 1e-9), T, beta, physical)
    loss = weight * marginal_rate(given * (1 - 1e-9), T, beta, physical)
    may_give = given > floor + 1e-9 * max(given.max(), 1.0)
    if may_give.any():
        cheapest = loss[may_give].min()
        assert gain.max() <= cheapest * (1 + 1e-6), f"{gain} to gain, {loss} to lose, held {given}"
