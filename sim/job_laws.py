"""Laws of what a job asks for: how many tasks it has, and how long a task takes on a healthy slot.

A law is drawn from by its quantile, so that a job keeps its luck when a law or a parameter changes.
Nothing here needs a compiled kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sim.fields import BadInput
from theory.pareto import pareto_moment, pareto_quantile

if TYPE_CHECKING:
    from sim.scenario import Scenario


def mean_tasks(scenario: Scenario) -> float:
    r"""Mean number of tasks in a job, from the closed form or the exact sum.

    .. math:: E[K] = \sum_{k \ge 1} \Pr(K \ge k)

    Parameters
    ----------
    scenario : Scenario
        Its `tasks`, `tasks_min`, `tasks_max` and `tasks_tail` are read.

    Returns
    -------
    float
        At least 1.

    Raises
    ------
    BadInput
        If the tasks come from a trace, whose mean is known only with the file.

    Examples
    --------
    >>> from sim.scenario import Scenario
    >>> mean_tasks(Scenario(tasks="uniform", tasks_min=1, tasks_max=100))
    50.5
    >>> mean_tasks(Scenario(tasks="zipf", tasks_max=2, tasks_tail=1.0))  # (1 + 2/2) / (1 + 1/2)
    1.3333333333333333
    """
    low, high = scenario.tasks_min, scenario.tasks_max
    if scenario.tasks == "constant":
        return float(high)
    if scenario.tasks == "uniform":
        return (low + high) / 2
    if scenario.tasks == "zipf":
        counts, weight = _zipf(scenario)
        return float(np.sum(counts * weight) / np.sum(weight))
    if scenario.tasks == "pareto":
        return low + float(np.sum(_pareto_reaches(scenario, np.arange(low + 1, high + 1))))
    raise BadInput("tasks: 'trace' has no mean of its own; read the workload file first")


def tasks_quantile(scenario: Scenario, share: ArrayLike) -> np.ndarray:
    r"""Return the number of tasks that is not exceeded with probability `share` or a little more.

    Pareto counts are the whole part of a Pareto number bounded to [tasks_min, tasks_max + 1), so
    that :math:`\Pr(K \ge k)` is the Pareto tail at every whole :math:`k`.

    Parameters
    ----------
    scenario : Scenario
        Its `tasks`, `tasks_min`, `tasks_max` and `tasks_tail` are read.
    share : array_like of float
        Probabilities, in [0, 1).

    Returns
    -------
    ndarray of int64, shape of `share`

    Raises
    ------
    BadInput
        If the tasks come from a trace.

    Examples
    --------
    >>> from sim.scenario import Scenario
    >>> tasks_quantile(Scenario(tasks="uniform", tasks_max=4), [0, 0.25, 0.99])
    array([1, 2, 4])
    """
    share = np.asarray(share, dtype=float)
    low, high = scenario.tasks_min, scenario.tasks_max
    if scenario.tasks == "constant":
        return np.full(share.shape, high, dtype=np.int64)
    if scenario.tasks == "uniform":
        drawn = low + share * (high - low + 1)
    elif scenario.tasks == "zipf":
        cumulative = np.cumsum(_zipf(scenario)[1])
        drawn = 1 + np.searchsorted(cumulative / cumulative[-1], share, side="right")
    elif scenario.tasks == "pareto":
        drawn = np.asarray(pareto_quantile(share, low, scenario.tasks_tail, high + 1))
    else:
        raise BadInput("tasks: 'trace' is not a law to draw from; give a workload file")
    # The whole part of a number that rounding has lifted to its bound would be one too many.
    return np.asarray(np.minimum(np.floor(drawn), high).astype(np.int64))


def mean_size(scenario: Scenario) -> float:
    """Mean task size of the scenario's size law.

    Parameters
    ----------
    scenario : Scenario
        Its `size`, `size_min`, `size_max` and `size_tail` are read.

    Returns
    -------
    float
        In `time_unit`, positive and finite.

    Raises
    ------
    BadInput
        If the sizes come from a trace, whose mean is known only with the file.

    Examples
    --------
    >>> from sim.scenario import Scenario
    >>> mean_size(Scenario(size="uniform", size_min=1, size_max=4))
    2.5
    """
    low, high = scenario.size_min, scenario.size_max
    if scenario.size == "uniform":
        return (low + high) / 2
    if scenario.size == "pareto":
        return float(pareto_moment(low, scenario.size_tail, x_max=high))
    if scenario.size == "trace":
        raise BadInput("size: 'trace' has no mean of its own; read the workload file first")
    return low


def size_quantile(scenario: Scenario, share: ArrayLike) -> np.ndarray:
    """Return the task size that is not exceeded with probability `share`.

    Parameters
    ----------
    scenario : Scenario
        Its `size`, `size_min`, `size_max` and `size_tail` are read.
    share : array_like of float
        Probabilities, in [0, 1).

    Returns
    -------
    ndarray of float, shape of `share`
        In `time_unit`.

    Raises
    ------
    BadInput
        If the sizes come from a trace.

    Examples
    --------
    >>> from sim.scenario import Scenario
    >>> size_quantile(Scenario(size="uniform", size_min=1, size_max=4), [0, 0.5])
    array([1. , 2.5])
    """
    share = np.asarray(share, dtype=float)
    low, high = scenario.size_min, scenario.size_max
    if scenario.size == "constant":
        return np.full(share.shape, low)
    if scenario.size == "uniform":
        return np.asarray(low + share * (high - low))
    if scenario.size == "exponential":
        return np.asarray(-low * np.log1p(-share))
    if scenario.size == "pareto":
        return np.asarray(pareto_quantile(share, low, scenario.size_tail, high))
    raise BadInput("size: 'trace' is not a law to draw from; give a workload file with sizes")


def _zipf(scenario: Scenario) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of tasks 1..tasks_max and their Zipf weights."""
    counts = np.arange(1, scenario.tasks_max + 1, dtype=float)
    return counts, np.asarray(counts**-scenario.tasks_tail)


def _pareto_reaches(scenario: Scenario, counts: np.ndarray) -> np.ndarray:
    """Probability that a Pareto number of tasks is at least `counts`, without loss at a small tail index."""
    rooms = np.log((scenario.tasks_max + 1) / np.asarray(counts, dtype=float))
    room = np.log((scenario.tasks_max + 1) / scenario.tasks_min)
    return np.asarray(np.expm1(scenario.tasks_tail * rooms) / np.expm1(scenario.tasks_tail * room))
