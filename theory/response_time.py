r"""Redundant-small in a busy cluster: its load, and the response time by Claim 1.

A cluster of capacity :math:`NC` is taken for an M/G/c queue in which a job is a customer, its latency
the service time, and :math:`c = NC\, E[\mathrm{Latency}] / E[\mathrm{Cost}]` the number of servers,
which need not be whole. The offered load :math:`\rho_0` is the load without redundancy; it fixes the
arrival rate :math:`\lambda`, so that all policies meet the same jobs.

Reference: Aktas & Soljanin, "Learning Effective Straggler Mitigation from Experience and
Modeling", section 4, equations (2) to (6).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from theory.domain import require, within_floats
from theory.queueing import erlang_c, mgc_wait
from theory.shape import Numbers, numbers, plain, single
from theory.small_jobs import Branches, JobSizes, cost_branches, job_sizes, latency_branches, mix

#: Whether Claim 1 takes the variation of the latency from two moments, or from none but the mean.
Moments = Literal["two", "one"]


@dataclass(frozen=True, slots=True)
class RedundantQueue:
    """The M/G/c queue that stands for the cluster; times in the unit of the task size."""

    latency: Numbers  # mean, as are cost and wait
    cost: Numbers
    load: Numbers
    servers: Numbers
    scv: Numbers  # squared coefficient of variation of the latency
    waiting_probability: Numbers
    wait: Numbers


@dataclass(frozen=True, slots=True)
class Cluster:
    """What the response time depends on, apart from the demand that is coded and the offered load."""

    unit: float  # the smallest task size; the others are multiples of it
    sizes: JobSizes
    cost: Branches
    latency: Branches
    squared_latency: Branches | None  # None: take the variation of an exponential
    capacity: float
    as_printed: bool


@within_floats
def redundancy_load_limit(r: float, alpha: float, k_max: int = 10) -> float:
    r"""Offered load from which the cluster is unstable if every job is coded.

    .. math:: \rho_0^{\max} = \frac{E[\mathrm{Cost}]_{d=0}}{E[\mathrm{Cost}]_{d=\infty}}
              = \frac{\frac{\alpha}{\alpha - 1} \sum_k p_k k}{\sum_k p_k E[C_{n,k}]}

    Parameters
    ----------
    r : float
        Expansion rate, >= 1.
    alpha : float
        Tail index :math:`\alpha` of the slowdown, > 1.
    k_max : int, optional
        Largest number of tasks of a job, from 1 to 10000.

    Returns
    -------
    float
        Offered load. Above 1 where redundancy saves work: heavy slowdowns and a modest `r`.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Aktas & Soljanin, equation (2) with :math:`\rho = 1`. The task size, being independent of all
    else, cancels.

    Examples
    --------
    >>> round(redundancy_load_limit(2, 3.0, k_max=1), 6)  # a task of mean 3/2, or two for 6/5 each
    0.625
    >>> 0.6 < redundancy_load_limit(2, 3.0) < 0.7  # in the paper's figure 0.6 is stable, 0.7 is not
    True
    """
    sizes = job_sizes(2.0, k_max, 1.0, np.inf)
    cost = _finite_cost(sizes, r, alpha)
    return float(np.sum(sizes.probability * cost.plain) / np.sum(sizes.probability * cost.coded))


@within_floats
def redundant_load(
    d: ArrayLike,
    r: float,
    load: ArrayLike,
    alpha: float,
    size_tail: float,
    k_max: int = 10,
    size_min: float = 10,
    size_max: float = np.inf,
    as_printed: bool = False,
) -> Numbers:
    r"""Load of the cluster when jobs of demand up to d are coded.

    .. math:: \rho = \frac{\lambda}{NC} E[\mathrm{Cost}]
              = \rho_0\, \frac{E[\mathrm{Cost}]}{E[\mathrm{Cost}]_{d=0}}

    Parameters
    ----------
    d : array_like of float
        Largest demand that is coded, >= 0, perhaps infinite.
    r : float
        Expansion rate, >= 1.
    load : array_like of float
        Offered load :math:`\rho_0`, without redundancy, >= 0.
    alpha : float
        Tail index :math:`\alpha` of the slowdown, > 1.
    size_tail : float
        Tail index :math:`\beta` of the task size, > 0, and > 1 if sizes are unbounded.
    k_max : int, optional
        Largest number of tasks of a job, from 1 to 10000.
    size_min : float, optional
        Smallest task size :math:`b_\min`, > 0.
    size_max : float, optional
        Largest task size :math:`b_\max`, > `size_min`.
    as_printed : bool, optional
        Whether the cost is as printed, see `theory.small_jobs.redundant_cost`.

    Returns
    -------
    float or ndarray, of the broadcast shape of `d` and `load`
        Load; the queue is unstable from 1 on.

    Raises
    ------
    ValueError
        If an argument is outside its domain. At an infinite mean cost no arrival rate gives a load.

    Notes
    -----
    Aktas & Soljanin, equation (2).

    Examples
    --------
    >>> round(redundant_load(float("inf"), 2, 0.5, 3.0, 3.0, k_max=1), 6)  # 0.5 * 2.4 / 1.5
    0.8
    """
    sizes = job_sizes(size_tail, k_max, size_min, size_max)
    cost = _finite_cost(sizes, r, alpha)
    relative = mix(sizes, d, 1, cost, as_printed) / mix(sizes, 0.0, 1, cost)
    return plain(_offered(load) * relative)


@within_floats
def response_time(
    d: ArrayLike,
    r: float,
    load: ArrayLike,
    alpha: float,
    size_tail: float,
    k_max: int = 10,
    size_min: float = 10,
    size_max: float = np.inf,
    capacity: float = 200,
    moments: Moments = "two",
    as_printed: bool = False,
) -> Numbers:
    r"""Mean time from a job's arrival to its end, when jobs of demand up to d are coded (Claim 1).

    .. math:: E[T] \approx E[\mathrm{Latency}]
              + \frac{E[\mathrm{Latency}^2]}{2 E[\mathrm{Latency}]^2}\, P_q\, \frac{\rho}{\lambda (1 - \rho)}

    Parameters
    ----------
    d : array_like of float
        Largest demand that is coded, >= 0, perhaps infinite.
    r : float
        Expansion rate, >= 1.
    load : array_like of float
        Offered load :math:`\rho_0`, without redundancy, >= 0; it fixes :math:`\lambda`.
    alpha : float
        Tail index :math:`\alpha` of the slowdown, > 1.
    size_tail : float
        Tail index :math:`\beta` of the task size, > 0, and > 1 if sizes are unbounded.
    k_max : int, optional
        Largest number of tasks of a job, from 1 to 10000.
    size_min : float, optional
        Smallest task size :math:`b_\min`, > 0.
    size_max : float, optional
        Largest task size :math:`b_\max`, > `size_min`.
    capacity : float, optional
        Capacity of the cluster :math:`NC`, > 0, in tasks.
    moments : {"two", "one"}, optional
        ``"two"`` is Claim 1; ``"one"`` puts 1 for the factor before :math:`P_q`, as under
        exponential latency.
    as_printed : bool, optional
        Whether the moments are as printed, see `theory.small_jobs.redundant_latency`.

    Returns
    -------
    float or ndarray, of the broadcast shape of `d` and `load`
        Time in the unit of `size_min`; infinite where the queue is unstable or, under any load and
        for ``moments="two"``, the second moment of the latency is infinite.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Aktas & Soljanin, Claim 1, equation (6), which is equation (3) for
    :math:`\mathcal{C}^2 = E[\mathrm{Latency}^2] / E[\mathrm{Latency}]^2 - 1`.

    Erratum: with unbounded sizes and :math:`\beta \le 2`, the printed :math:`\beta = 3/2` among
    them, :math:`E[\mathrm{Latency}^2] = \infty` for every :math:`d`, and Claim 1 is infinite. The
    infinity is that of the approximation, not necessarily of the queue. A finite `size_max` or
    ``moments="one"`` gives a number, which then depends on that choice; ``size_max = size_min *
    m**(1 / size_tail)``, about the largest of m task sizes, mimics a run of m jobs.

    Examples
    --------
    >>> response_time(0, 2, 0.5, 3.0, 1.5)
    inf
    >>> round(response_time(0, 2, 0.0, 3.0, 3.0, k_max=1), 6)  # an empty cluster: the latency alone
    22.5
    """
    given = cluster(r, alpha, size_tail, k_max, size_min, size_max, capacity, moments, as_printed)
    queue = queue_of(given, d, load)
    return plain(queue.latency + queue.wait)


@within_floats
def redundant_queue(
    d: ArrayLike,
    r: float,
    load: ArrayLike,
    alpha: float,
    size_tail: float,
    k_max: int = 10,
    size_min: float = 10,
    size_max: float = np.inf,
    capacity: float = 200,
    moments: Moments = "two",
    as_printed: bool = False,
) -> RedundantQueue:
    r"""Parts of the response time: the M/G/c queue that stands for the cluster.

    .. math:: c = NC \frac{E[\mathrm{Latency}]}{E[\mathrm{Cost}]}, \qquad
              \rho = \frac{\lambda}{NC} E[\mathrm{Cost}] = \frac{\lambda}{c} E[\mathrm{Latency}]

    Parameters
    ----------
    d : array_like of float
        Largest demand that is coded, >= 0, perhaps infinite.
    r : float
        Expansion rate, >= 1.
    load : array_like of float
        Offered load :math:`\rho_0`, without redundancy, >= 0.
    alpha : float
        Tail index :math:`\alpha` of the slowdown, > 1.
    size_tail : float
        Tail index :math:`\beta` of the task size, > 0, and > 1 if sizes are unbounded.
    k_max : int, optional
        Largest number of tasks of a job, from 1 to 10000.
    size_min : float, optional
        Smallest task size :math:`b_\min`, > 0.
    size_max : float, optional
        Largest task size :math:`b_\max`, > `size_min`.
    capacity : float, optional
        Capacity of the cluster :math:`NC`, > 0, in tasks.
    moments : {"two", "one"}, optional
        As in `response_time`.
    as_printed : bool, optional
        As in `response_time`.

    Returns
    -------
    RedundantQueue
        Fields `latency` and `cost` (means of a job), `load`, `servers`, `scv` (squared coefficient of
        variation of the latency), `waiting_probability` and `wait` (mean), each a float or an
        ndarray of the shape of what it depends on.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Aktas & Soljanin, section 4, "M/G/c approximation".

    Examples
    --------
    >>> queue = redundant_queue(0, 2, 0.5, 3.0, 3.0, k_max=1)  # single tasks: a server each
    >>> queue.servers, queue.load
    (200.0, 0.5)
    """
    given = cluster(r, alpha, size_tail, k_max, size_min, size_max, capacity, moments, as_printed)
    return queue_of(given, d, load)


def cluster(
    r: float,
    alpha: float,
    size_tail: float,
    k_max: int,
    size_min: float,
    size_max: float,
    capacity: float,
    moments: Moments,
    as_printed: bool,
) -> Cluster:
    """Return the cluster, each parameter within its domain.

    Examples
    --------
    >>> cluster(2, 1.0, 3.0, 10, 10, float("inf"), 200, "two", False)
    Traceback (most recent call last):
        ...
    ValueError: alpha must be finite and above 1, for a task to have a mean time (got 1.0)
    """
    checked = job_sizes(size_tail, k_max, size_min, size_max)
    capacity = single("capacity", capacity)
    require(0 < capacity < np.inf, "capacity", capacity, "positive and finite")
    require(moments in get_args(Moments), "moments", moments, "'two' or 'one'")
    unit = checked.size_min
    sizes = job_sizes(checked.size_tail, k_max, 1.0, checked.size_max / unit)
    cost = _finite_cost(sizes, r, alpha)
    latency, squared = (latency_branches(sizes, r, alpha, power) for power in (1, 2))
    return Cluster(unit, sizes, cost, latency, squared if moments == "two" else None, capacity, as_printed)


def queue_of(given: Cluster, d: ArrayLike, load: ArrayLike) -> RedundantQueue:
    """Return the M/G/c queue of a cluster.

    Examples
    --------
    >>> given = cluster(2, 3.0, 3.0, 1, 10, float("inf"), 200, "one", False)
    >>> queue_of(given, float("inf"), 0.5).servers  # every job holds two units
    100.0
    """
    with np.errstate(over="ignore"):  # beyond the floats every job is small
        d = numbers("d", d) / given.unit
    latency = mix(given.sizes, d, 1, given.latency, given.as_printed)
    cost = mix(given.sizes, d, 1, given.cost, given.as_printed)
    load = _offered(load) * cost / mix(given.sizes, 0.0, 1, given.cost)
    servers, scv = given.capacity * latency / cost, _variation(given, d, latency)
    wait = mgc_wait(servers, load, scv, latency)
    return RedundantQueue(
        latency=plain(latency * given.unit),
        cost=plain(cost * given.unit),
        load=plain(load),
        servers=plain(servers),
        scv=plain(scv),
        waiting_probability=erlang_c(servers, load),
        wait=plain(np.asarray(wait) * given.unit),
    )


def _variation(given: Cluster, d: np.ndarray, latency: np.ndarray) -> np.ndarray:
    if given.squared_latency is None:
        return np.ones_like(latency)
    squared = mix(given.sizes, d, 2, given.squared_latency, given.as_printed)
    # rounding may take the variation of an all but constant latency below 0
    return np.asarray(np.maximum(squared / latency**2 - 1, 0.0))


def _offered(load: ArrayLike) -> np.ndarray:
    load = numbers("load", load)
    require((load >= 0) & np.isfinite(load), "load", load, "at least 0 and finite")
    return load


def _finite_cost(sizes: JobSizes, r: float, alpha: float) -> Branches:
    """Return the costs, refusing an infinite mean without redundancy, which leaves the load undefined."""
    alpha = single("alpha", alpha)
    require(1 < alpha < np.inf, "alpha", alpha, "finite and above 1, for a task to have a mean time")
    accepted = "above 1 unless size_max is finite, for a task to have a mean size"
    require(sizes.size_tail > 1 or sizes.size_max < np.inf, "size_tail", sizes.size_tail, accepted)
    return cost_branches(sizes, r, alpha)
