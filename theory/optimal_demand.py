r"""The demand up to which jobs should be coded, d*: the minimum of Claim 1.

:math:`E[T](d)` is continuous with kinks where :math:`d / k` meets the smallest or largest task size,
and may have several local minima. So it is searched on a logarithmic grid that holds the kinks,
every local minimum there is refined, and the best is compared with coding nothing (:math:`d = 0`)
and coding everything (:math:`d = \infty`).

Reference: Aktas & Soljanin, "Learning Effective Straggler Mitigation from Experience and
Modeling", section 4.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import elementwise

from theory.domain import require, within_floats
from theory.response_time import Cluster, Moments, cluster, queue_of
from theory.shape import Numbers, numbers, plain, single

#: Response times that agree to this, relatively, are equal: what rounding may do to a constant.
TIE = 1e-12
#: How close to a kink, relatively, a bend is looked for: a valley that is closer is less deep than 1e-11.
BESIDE = 1e-6


@within_floats
def optimal_demand(
    load: ArrayLike,
    r: float,
    alpha: float,
    size_tail: float,
    k_max: int = 10,
    size_min: float = 10,
    size_max: float = np.inf,
    capacity: float = 200,
    moments: Moments = "two",
    as_printed: bool = False,
) -> Numbers:
    r"""Largest demand to be coded, for the shortest response time by Claim 1.

    .. math:: d^* = \arg\min_{d \in [0, \infty]} E[T](d)

    Parameters
    ----------
    load : array_like of float
        Offered load :math:`\rho_0`, without redundancy, >= 0.
    r : float
        Expansion rate, >= 1.
    alpha : float
        Tail index :math:`\alpha` of the slowdown, > 1.
    size_tail : float
        Tail index :math:`\beta` of the task size, > 0; > 2 if sizes are unbounded, or > 1 for
        ``moments="one"``.
    k_max : int, optional
        Largest number of tasks of a job, from 1 to 10000.
    size_min : float, optional
        Smallest task size :math:`b_\min`, > 0.
    size_max : float, optional
        Largest task size :math:`b_\max`, > `size_min`.
    capacity : float, optional
        Capacity of the cluster :math:`NC`, > 0, in tasks.
    moments : {"two", "one"}, optional
        As in `theory.response_time.response_time`.
    as_printed : bool, optional
        As in `theory.response_time.response_time`.

    Returns
    -------
    float or ndarray, shape of `load`
        Demand :math:`d^*` in the unit of `size_min`: 0 if coding nothing is best, and infinite if
        coding everything is.

    Raises
    ------
    ValueError
        If an argument is outside its domain, or if :math:`E[T]` is infinite for every :math:`d`: the
        load is too high, or the second moment of the latency infinite.

    Notes
    -----
    Aktas & Soljanin, after Claim 1. Erratum: for unbounded sizes of the printed tail
    :math:`\beta = 3/2` Claim 1 is infinite for every :math:`d`, and :math:`d^*` undefined. With a
    finite `size_max` it depends strongly on that choice (a larger one gives a smaller :math:`d^*`),
    so report the two together.

    Examples
    --------
    >>> optimal_demand([0.3, 0.95], 2, 3.0, 3.0)  # a quiet cluster codes all jobs, a busy one none
    array([inf,  0.])
    >>> 80 < optimal_demand(0.65, 2, 3.0, 3.0) < 100
    True
    """
    given = cluster(r, alpha, size_tail, k_max, size_min, size_max, capacity, moments, as_printed)
    unit, given = given.unit, replace(given, unit=1.0)
    loads = numbers("load", load).ravel()[:, None]
    nothing, everything = (_response(given, end, loads)[:, 0] for end in (0.0, np.inf))
    grid = _grid(given)
    times = _response(given, grid, loads)
    found = np.isfinite(np.column_stack([nothing, everything, times])).any(axis=1)
    if not found.all():
        _refuse(given, grid, loads[~found, 0], single("alpha", alpha))
    demand, shortest = _refined(given, grid, times, loads)
    # on a plateau that reaches an end, that end is meant; without any gain, code nothing
    demand = np.where(everything <= shortest * (1 + TIE), np.inf, demand)
    demand = np.where(nothing <= np.minimum(everything, shortest) * (1 + TIE), 0.0, demand)
    return plain(unit * demand.reshape(np.shape(load)))


def _response(given: Cluster, d: ArrayLike, load: ArrayLike) -> np.ndarray:
    queue = queue_of(given, d, load)
    return np.asarray(queue.latency + queue.wait)


def _grid(given: Cluster) -> np.ndarray:
    """Demands, in units of the smallest task size, close enough to see every bend."""
    sizes = given.sizes
    order = 1 if given.squared_latency is None else 2
    # farther out the moments are those of coding everything, to the last digit
    decades = min(12 / max(sizes.size_tail - order, 0.12), 100.0)
    far = sizes.tasks[-1] * min(sizes.size_max, 10.0**decades)
    near = min(100 * sizes.tasks[-1], far)
    some = sizes.tasks[:100]  # those of more tasks are no more noticeable than the grid is fine
    kinks = np.concatenate([some, some * min(sizes.size_max, far)])
    beside = np.outer(kinks, [1 - BESIDE, 1, 1 + BESIDE]).ravel()
    grid = np.concatenate([np.geomspace(1, near, 600), np.geomspace(near, far, 400), beside])
    grid = np.unique(np.minimum(grid, far))
    return grid[np.diff(grid, prepend=0.0) > 1e-9 * grid]  # a kink may all but coincide with a point


def _refined(
    given: Cluster, grid: np.ndarray, times: np.ndarray, loads: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Demand of the shortest response time between the ends, and that time, for each load."""
    demand, times = np.broadcast_to(grid, times.shape).copy(), times.copy()
    row, column = _valleys(times)
    x = np.log(grid)
    bracket = x[column - 1], x[column], x[column + 1]
    with np.errstate(divide="ignore", invalid="ignore"):  # a valley flat to the last digit divides 0 by 0
        valley = elementwise.find_minimum(partial(_negative_rate, given), bracket, args=(loads[row, 0],))
    lower = -1 / valley.f_x < times[row, column]
    row, column = row[lower], column[lower]
    demand[row, column], times[row, column] = np.exp(valley.x[lower]), -1 / valley.f_x[lower]
    best = times.argmin(axis=1)[:, None]
    return np.take_along_axis(demand, best, 1)[:, 0], np.take_along_axis(times, best, 1)[:, 0]


def _valleys(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the local minima, those of rounding on a plateau left out."""
    left, here, right = times[:, :-2], times[:, 1:-1], times[:, 2:]
    low = np.isfinite(here) & (here <= left) & (here <= right)
    row, column = np.nonzero(low & (np.maximum(left, right) > here * (1 + TIE)))
    return row, column + 1


def _negative_rate(given: Cluster, log_d: np.ndarray, load: np.ndarray) -> np.ndarray:
    """Rise and fall with the response time, but stay finite where that is infinite."""
    return -1 / _response(given, np.exp(log_d), load)


def _refuse(given: Cluster, grid: np.ndarray, load: np.ndarray, alpha: float) -> None:
    """Say why the response time is infinite for every demand."""
    limit = 1 / np.min(queue_of(given, np.append(grid, np.inf), 1.0).load)
    require(load < limit, "load", load, f"below {limit:.6g}, for the queue to be stable at some d")
    tail, bounded = given.sizes.size_tail, given.sizes.size_max < np.inf
    cure = "for Claim 1 to be finite at some d (moments='one' asks for less)"
    require(tail > 2 or bounded, "size_tail", tail, f"above 2 unless size_max is finite, {cure}")
    raise ValueError(f"alpha must be above 2, {cure} (got {alpha})")
