r"""Hopper's relaxed order of jobs, for tasks that run faster where their data is.

Reference: Ren et al., "Hopper: Decentralized Speculation-aware Cluster Scheduling at Scale",
SIGCOMM 2015, section 4.4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.allocation import smallest_first, tasks
from theory.domain import guarded_ceil, require, within_floats
from theory.shape import single


@within_floats
def locality_order(T: ArrayLike, local: ArrayLike, percent: float) -> np.ndarray:
    r"""Order in which jobs are offered a free slot if local ones may overtake a little.

    Among the smallest :math:`\lceil N k / 100 \rceil` of the :math:`N` jobs that have tasks, those with
    a task whose data is local to the slot come first; otherwise the order is by :math:`T_i`.

    Parameters
    ----------
    T : array_like of float
        Remaining tasks of each job, >= 0.
    local : array_like of bool
        Whether the job has a task whose data is local to the free slot.
    percent : float
        Share :math:`k` of the jobs among which locality decides, in [0, 100].

    Returns
    -------
    ndarray of int, shape of `T`
        Indices of the jobs, first choice first; jobs without tasks come last. Equal jobs keep
        the given order.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Hopper (SIGCOMM 2015), section 4.4: "picking any of the smallest k % of jobs". Which of them is left
    open; here the smallest. The paper finds that 5 % is enough; 0 % is the order of Algorithm 1.

    Examples
    --------
    >>> locality_order([10, 20, 30, 40], [False, False, True, True], percent=75)
    array([2, 0, 1, 3])
    >>> locality_order([10, 20, 30, 40], [False, False, True, True], percent=50)  # 3 and 4 are too large
    array([0, 1, 2, 3])
    """
    jobs, percent = tasks(T), single("percent", percent)
    near = np.atleast_1d(np.asarray(local))
    require(near.shape == jobs.shape, "local", local, f"one truth value a job, {jobs.size} in all")
    require(np.isin(near, (0, 1)), "local", local, "true or false for each job")
    require(0 <= percent <= 100, "percent", percent, "from 0 to 100")
    present = jobs > 0
    order = smallest_first(np.where(present, jobs, np.inf))
    window = guarded_ceil(present.sum() * percent / 100)
    overtaking = near[order[:window]].astype(bool)
    return np.concatenate([order[:window][overtaking], order[:window][~overtaking], order[window:]])
