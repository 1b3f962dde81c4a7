"""Coded jobs and the queue that stands for a cluster of them: averages of integrals, and chains of states."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from tests.theory.references import reference
from tests.theory.references.laws import INF, integral, order_statistic_moment, part

# --- one job ---


@reference((3, 1.1), (10, 1.1), (7, 2.0))
def expanded_tasks(k, r):
    return math.ceil(Fraction(str(r)) * k)


@cache
@reference((4, 4, 3.0), (2, 1, 3.0), (5, 3, 1.5), (4, 2, 0.8))
def coded_cost(n, k, alpha):
    """The sum over tasks: those that end before the job, and the others, which end with it."""
    return sum(order_statistic_moment(n, min(i, k), alpha, 1) for i in range(1, n + 1))


# --- rollouts ---


def step(awaited, extra, law):
    """Integrate the probability that fewer than are awaited are done."""
    late = lambda t: stats.binom.cdf(awaited - 1, awaited + extra, law.cdf(t))  # noqa: E731
    ends = [0.0, *law.ppf([0.01, 0.3, 0.7, 0.9, 0.99, 1 - 1e-4, 1 - 1e-8, 1 - 1e-13])]
    return sum(quad(late, *part, limit=200)[0] for part in pairwise(ends))


@reference((3, 0), (3, 1, 2.5), (20, 4, 10.0))
def exponential_step_time(awaited, extra, mean=1.0):
    return step(awaited, extra, stats.expon(scale=mean))


@reference((3, 1, 0.0, 1.0), (20, 4, 1.5, 0.3), (2, 0, -1.0, 1.2))
def lognormal_step_time(awaited, extra, mu, sigma):
    return step(awaited, extra, stats.lognorm(sigma, scale=math.exp(mu)))


@reference((1, 1, 2), (2, 3, 3), (3, 0, 4))
def step_weights(awaited, most, count):
    """Count all draws in which the awaited-th smallest is a given one of the list."""
    rows = []
    for n in range(awaited, awaited + most + 1):
        ends = Counter(sorted(draw)[awaited - 1] for draw in product(range(count), repeat=n))
        rows.append([ends[j] / count**n for j in range(count)])
    return rows


@reference(([1.5, 2 / 3, 5 / 12], 2, 1.0), ([5 / 2, 3 / 2, 1.0, 3 / 4], 1, 2.5))
def slot_times(step_times, awaited, mean):
    """Give the mean of each place of the order from those of one place, for each number of answers."""
    means = {(awaited, awaited + k): time for k, time in enumerate(step_times)}
    for n in range(awaited + 1, awaited + len(step_times)):
        for i in range(awaited, n):  # the identity of three neighbours, upwards
            means[i + 1, n] = (n * means[i, n - 1] - (n - i) * means[i, n]) / i
    found = []
    for k, time in enumerate(step_times):
        n = awaited + k
        later = sum(means[i, n] for i in range(awaited + 1, n + 1))
        found.append(n * mean - later + k * time)  # all places together have the mean of the law
    return found


# --- jobs of all sizes ---


@reference((2, 5), (5, 5), (6, 5))
def task_count_probability(k, k_max=10):
    return float(Fraction(1, k) / sum(Fraction(1, j) for j in range(1, k_max + 1))) if k <= k_max else 0.0


def average(d, quantity, k_max):
    """Sum over the numbers of tasks; a job is small where its tasks are of at most d / k."""
    return sum(task_count_probability(k, k_max) * quantity(k, d / k) for k in range(1, k_max + 1))


@reference((20.0, 1.0, 2), (35.0, 2.5, 3, 10.0, 15.0))
def small_job_probability(d, size_tail, k_max=10, size_min=10, size_max=INF):
    return average(d, lambda k, most: part(size_min, size_tail, size_min, most, 0.0, size_max), k_max)


def mixed(d, r, tail, power, k_max, low, high, coded, uncoded):
    def one(k, most):
        small = part(low, tail, low, most, power, high)
        large = part(low, tail, most, INF, power, high)
        return (coded(k) * small if small else 0.0) + (uncoded(k) * large if large else 0.0)

    return average(d, one, k_max)


@cache
@reference(
    (0.0, 2.0, 3.0, 3.0),
    (30.0, 2.0, 3.0, 3.0, 1, 3),
    (30.0, 1.5, 2.5, 1.5, 2.0, 3, 10.0, 90.0),
    (INF, 2.0, 3.0, 3.0),
)
def redundant_latency(d, r, alpha, size_tail, power=1, k_max=10, size_min=10, size_max=INF):

    def moment(n, k):
        return order_statistic_moment(n, k, alpha, power)

    coded, uncoded = lambda k: moment(expanded_tasks(k, r), k), lambda k: moment(k, k)
    return mixed(d, r, size_tail, power, k_max, size_min, size_max, coded, uncoded)


@cache
@reference(
    (0.0, 2.0, 3.0, 3.0), (30.0, 2.0, 3.0, 3.0, 3), (30.0, 1.5, 2.5, 1.5, 3, 10.0, 90.0), (INF, 2.0, 3.0, 3.0)
)
def redundant_cost(d, r, alpha, size_tail, k_max=10, size_min=10, size_max=INF):
    coded, uncoded = lambda k: coded_cost(expanded_tasks(k, r), k, alpha), lambda k: coded_cost(k, k, alpha)
    return mixed(d, r, size_tail, 1, k_max, size_min, size_max, coded, uncoded)


@reference((30.0, 2.0, 3.0, 3.0, 1, 3), (50.0, 1.5, 2.5, 1.5, 2.0, 3, 10.0, 90.0))
def small_job_latency(d, r, alpha, size_tail, power=1, k_max=10, size_min=10, size_max=INF):
    """Jobs that are not small count nothing; what is left is divided by the share of those that are."""

    def moment(k):
        return order_statistic_moment(expanded_tasks(k, r), k, alpha, power)

    total = mixed(d, r, size_tail, power, k_max, size_min, size_max, moment, lambda k: 0.0)
    return total / small_job_probability(d, size_tail, k_max, size_min, size_max)


@reference((30.0, 2.0, 3.0, 3.0, 3), (50.0, 1.5, 2.5, 1.5, 3, 10.0, 90.0))
def small_job_cost(d, r, alpha, size_tail, k_max=10, size_min=10, size_max=INF):

    def held(k):
        return coded_cost(expanded_tasks(k, r), k, alpha)

    total = mixed(d, r, size_tail, 1, k_max, size_min, size_max, held, lambda k: 0.0)
    return total / small_job_probability(d, size_tail, k_max, size_min, size_max)


# --- queues ---


@cache
def customers(servers: int, load: float) -> np.ndarray:
    """Probabilities of 0, 1, 2, ... customers: what goes up from a number comes down to it."""
    ratio = [1.0]
    for n in range(1, servers + round(60 / -math.log(load))):
        ratio.append(ratio[-1] * servers * load / min(n, servers))
    return np.array(ratio) / math.fsum(ratio)


@cache
@reference((2, 0.5), (20, 0.9), (3.7, 0.8), (0.5, 0.6), (3, 1.2))
def erlang_c(servers, load):
    """Erlang's loss is an integral, for any number of servers; the share that waits follows from it."""
    if load >= 1:
        return 1.0
    work = servers * load
    far = 80 / work + 80 * servers / work**2
    served = work * integral(lambda t: math.exp(servers * math.log1p(t) - work * t), 0, far)
    return 1 / (load + (1 - load) * served)


@reference((100, 0.8), (1000, 0.9), (2, 0.99), (100, 0.8, True))
def erlang_c_limit(servers, load, as_printed=False):
    """Stirling's form of the Poisson probability of as many as there are servers, over what is idle."""
    if as_printed:
        return load
    term = 1.0
    for _ in range(servers):
        term *= load * math.e ** (1 - load)
    return min(1.0, term / math.sqrt(2 * math.pi * servers) / (1 - load))


def in_line(servers: int, load: float) -> float:
    found = customers(servers, load)
    return float(np.maximum(np.arange(found.size) - servers, 0) @ found)


@reference((1, 0.75), (2, 0.5, 3.0), (20, 0.9, 2.0))
def mmc_wait(servers, load, service=1.0):
    """Little's law: those in line, over the rate at which they come."""
    return in_line(servers, load) * service / (servers * load)


@reference((1, 0.75), (2, 0.5, 3.0), (20, 0.9, 2.0))
def mmc_sojourn(servers, load, service=1.0):
    found = customers(servers, load)
    return float(np.arange(found.size) @ found) * service / (servers * load)


@reference((0.5, 1.0), (0.5, 0.5), (0.8, 0.25, 3.0))
def mg1_wait(load, scv, service=1.0):
    """A service of 1 / scv exponential phases: a chain of the phases left, each arrival brings as many."""
    phases = round(1 / scv)
    size = phases * round(40 / -math.log(load))
    rates = np.zeros((size, size))
    for left in range(size):
        if left:
            rates[left, left - 1] = phases / service
        if left + phases < size:
            rates[left, left + phases] = load / service
    rates -= np.diag(rates.sum(axis=1))
    rates[:, 0] = 1.0  # instead of one balance: probabilities add up to 1
    found = np.linalg.solve(rates.T, np.eye(size)[0])
    return float(np.arange(size) @ found) * service / phases  # an arrival waits for the phases it finds


@reference((1, 0.5, 3.0), (2, 0.5, 3.0), (20, 0.9, 0.5, 2.0))
def mgc_wait(servers, load, scv, service=1.0):
    """Lee and Longton scale the wait as the variation scales it where there is one server."""
    return mmc_wait(servers, load, service) * (1 + scv) / 2


# --- the cluster ---


@reference((2.0, 3.0, 3), (1.5, 1.5, 4))
def redundancy_load_limit(r, alpha, k_max=10):
    """The offered load at which the work of coding everything fills the cluster."""
    return redundant_cost(0.0, r, alpha, 3.0, k_max) / redundant_cost(INF, r, alpha, 3.0, k_max)


@reference((INF, 2.0, 0.5, 3.0, 3.0, 3), (30.0, 2.0, 0.5, 3.0, 1.5, 3, 10.0, 90.0))
def redundant_load(d, r, load, alpha, size_tail, k_max=10, size_min=10, size_max=INF):
    job = (r, alpha, size_tail, k_max, size_min, size_max)
    return load * redundant_cost(d, *job) / redundant_cost(0.0, *job)


@reference(
    (30.0, 2.0, 0.5, 3.0, 3.0, 3, 10.0, INF, 20.0),
    (30.0, 2.0, 0.5, 3.0, 1.5, 3, 10.0, 90.0, 20.0),
    (30.0, 2.0, 0.5, 3.0, 3.0, 3, 10.0, INF, 20.0, "one"),
)
def redundant_queue(
    d, r, load, alpha, size_tail, k_max=10, size_min=10, size_max=INF, capacity=200, moments="two"
):
    sizes = (k_max, size_min, size_max)
    latency, square = (redundant_latency(d, r, alpha, size_tail, power, *sizes) for power in (1, 2))
    cost = redundant_cost(d, r, alpha, size_tail, *sizes)
    busy = redundant_load(d, r, load, alpha, size_tail, *sizes)
    servers, scv = capacity * latency / cost, square / latency**2 - 1 if moments == "two" else 1.0
    waits = erlang_c(servers, busy)
    wait = waits * latency / servers / (1 - busy) * (1 + scv) / 2
    return {
        "latency": latency,
        "cost": cost,
        "load": busy,
        "servers": servers,
        "scv": scv,
        "waiting_probability": waits,
        "wait": wait,
    }


@reference((30.0, 2.0, 0.5, 3.0, 3.0, 3, 10.0, INF, 20.0), (0.0, 2.0, 0.0, 3.0, 3.0, 1))
def response_time(d, r, load, *rest):
    if load == 0:  # nobody waits
        return redundant_latency(d, r, *rest[:2], 1, *rest[2:5])
    queue = redundant_queue(d, r, load, *rest)
    return queue["latency"] + queue["wait"]


@reference((0.62, 2.0, 3.0, 3.0, 2, 10.0, 90.0, 20.0), (0.1, 2.0, 3.0, 3.0, 2, 10.0, 90.0, 20.0), close=1e-4)
def optimal_demand(load, r, alpha, size_tail, k_max, size_min, size_max, capacity):
    """Look at many demands, then around the best of them."""
    rest = (alpha, size_tail, k_max, size_min, size_max, capacity)

    def time(d):
        return response_time(d, r, load, *rest) if redundant_load(d, r, load, *rest[:-1]) < 1 else INF

    grid = np.geomspace(size_min, k_max * size_max, 120)
    times = [time(d) for d in grid]
    best = int(np.argmin(times))
    if best == len(grid) - 1:
        return INF
    around = (grid[max(best - 1, 0)], grid[best + 1])
    return float(minimize_scalar(time, bounds=around, method="bounded", options={"xatol": 1e-7}).x)
