r"""The probability that a task is an outlier: learned from a machine, or from the law of its duration.

Reference: G. Ananthanarayanan, A. Ghodsi, S. Shenker and I. Stoica, "Why let resources idle?
Aggressive cloning of jobs with Dolly", HotCloud 2012.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from theory.domain import require, within_floats
from theory.shape import Numbers, numbers, plain, single


@within_floats
def learned_outlier_probability(start: float, observed: float | Sequence[float | None] | None) -> float:
    r"""Outlier probability of a machine after some windows of time.

    .. math:: p_{m,t+1} = \frac{p_{m,t} + p_m[t]}{2}

    Parameters
    ----------
    start : float
        Probability believed before the first window, in [0, 1].
    observed : sequence of float or None
        Share of outliers :math:`p_m[t]` among the tasks of each window, in [0, 1], the oldest
        first; None for a window in which the machine ran no task. A single window may be given
        without a list.

    Returns
    -------
    float
        Probability believed after the last window.

    Raises
    ------
    ValueError
        If a probability is outside [0, 1].

    Notes
    -----
    Dolly, section on estimating outliers. With no task in the window the share is 0/0; the old
    belief is kept.

    Examples
    --------
    >>> round(learned_outlier_probability(0.2, [0.4, None, 0.1]), 6)  # 0.3, kept, then (0.3 + 0.1) / 2
    0.2
    """
    belief = single("start", start)
    require(0 <= belief <= 1, "start", start, "from 0 to 1")
    windows = [observed] if observed is None or isinstance(observed, (int, float)) else observed
    for share in windows:
        if share is not None:
            require(0 <= share <= 1, "observed", share, "from 0 to 1, or None for a window without tasks")
            belief = (belief + float(share)) / 2
    return belief


@within_floats
def slow_task_probability(f: ArrayLike, alpha: ArrayLike) -> Numbers:
    r"""Probability that a task takes more than `f` times the median, at equal input.

    .. math:: P(x > f \cdot \text{median}) = \min \Big( 1, \frac{f^{-\alpha}}{2} \Big)

    Parameters
    ----------
    f : array_like of float
        Factor on the median duration, > 0.
    alpha : array_like of float
        Tail index of the Pareto task times, > 0.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability; 1/2 at ``f == 1``, 1 from the shortest time :math:`f = 2^{-1/\alpha}` down.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Links Dolly's outlier, a task whose progress rate is below half the median of its job (the
    paper prints "less than 2x"), to the tail index: ``f=2``. The median is
    :math:`x_m 2^{1/\alpha}`.

    Examples
    --------
    >>> slow_task_probability(2.0, 2.0)  # 1/2 * 1/4
    0.125
    """
    f, alpha = numbers("f", f), numbers("alpha", alpha)
    require(f > 0, "f", f, "positive")
    require((alpha > 0) & np.isfinite(alpha), "alpha", alpha, "positive and finite")
    with np.errstate(over="ignore"):  # then it is cut at 1
        return plain(np.minimum(1.0, f**-alpha / 2))
