"""Copies of all tasks, of whole jobs and of stragglers: integrals, all combinations, step by step."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np
from scipy.optimize import brentq

from tests.theory.references import reference
from tests.theory.references.laws import INF, beyond, integral, law, part, survival

# --- Xu & Lau: when every task has two copies ---


def mean_of(alpha: float, copies: float = 1.0, power: float = 1.0) -> float:
    """Moment of the fastest of some copies, of a task whose own mean is 1."""
    shortest = 1 / part(1.0, alpha, 1.0, INF, 1.0, INF)
    return part(shortest, copies * alpha, shortest, INF, power, INF)


@reference((6.0, 300.0, 5.0, 2.5), (30.0, 100.0, 4.0, 2.0))
def offered_load(rate, machines, tasks, mean):
    """Count the work that arrives in a unit of time."""
    return sum(mean for _ in range(int(rate)) for _ in range(int(tasks))) / machines


def waiting(rate: float, mean: float, square: float) -> float:
    """Pollaczek and Khinchine: the residual work found, over the share of time that is idle."""
    return rate * square / 2 / (1 - rate * mean) if rate * mean < 1 else INF


@reference((0.5, 3.0), (0.3, 2.5, 1.12), (0.5, 2.0), (1.0, 3.0))
def single_copy_delay(omega, alpha, size_variability=1.0):
    return 1 + waiting(omega, 1.0, size_variability * mean_of(alpha, 1, 2))


@reference((0.5, 2.0), (0.3, 2.5, 1.12), (0.8, 2.0))
def cloned_delay(omega, alpha, size_variability=1.0):
    return mean_of(alpha, 2) + waiting(2 * omega, mean_of(alpha, 2), size_variability * mean_of(alpha, 2, 2))


@reference((2.0,), (1.3, 3))
def cloning_speed_up(alpha, copies=2):
    return mean_of(alpha) / mean_of(alpha, copies)


@reference((2.0,), (1.3, 3))
def cloning_load_limit(alpha, copies=2):
    return brentq(lambda omega: copies * omega * mean_of(alpha, copies) - 1, 0, 9)


@reference((1.7,), (2.0,), (3.0,), (2.5, 1.12))
def cutoff_load(alpha, size_variability=1.0):
    limit = cloning_load_limit(alpha)
    if alpha <= 2:
        return limit

    def longer(omega):
        return cloned_delay(omega, alpha, size_variability) - single_copy_delay(
            omega, alpha, size_variability
        )

    return brentq(longer, 1e-9, min(limit, 1.0) * (1 - 1e-9), xtol=1e-12)


@reference((3.0, 300.0, 5.0, 2.5), (2.5, 100.0, 4.0, 2.0, 1.12))
def cutoff_rate(alpha, machines, tasks, mean, size_variability=1.0):
    return brentq(lambda rate: rate * tasks * mean / machines - cutoff_load(alpha, size_variability), 0, 1e6)


# --- Xu & Lau: one job, and several that share the machines ---


@reference((2, 1, 1.0, 2.0), (10, 2, 3.0, 1.5), (3, 1.5, 2.0, 1.2))
def cloned_job_duration(m, c, scale, alpha):
    tail = survival(1.0, alpha)

    def some_runs(t):
        return -math.expm1(m * math.log1p(-(tail(t) ** c))) if t > 1 else 1.0

    return scale * (1 + beyond(some_runs, 1.0, c * alpha - 1))


@reference((10, 2, 1.0, 1.5), (3, 1.5, 2.0, 1.2))
def cloned_job_resource(m, c, scale, alpha):
    return m * c * part(scale, c * alpha, scale, INF, 1.0, INF)


def cost(c, m, scale, alpha, gamma):
    """Duration, one factor for each task, and weighted resource; the number of copies may be complex."""
    y = 1 / (c * alpha)
    duration = math.prod((j / (j - y) for j in range(1, m + 1)), start=1.0 + 0 * c)
    return scale * (duration + gamma * m * c / (1 - y))


def cost_slope(c, *job):
    """Its derivative, by a step so small, and imaginary, that nothing cancels."""
    return cost(complex(c, 1e-30), *job).imag / 1e-30


@reference((10, 1.0, 2.0, 8, 0.01), (10, 1.0, 2.0, 8, 1.0), (3, 2.0, 1.2, 8, 0.1))
def optimal_job_clones(m, scale, alpha, limit, gamma):
    return min(range(1, limit + 1), key=lambda c: cost(c, m, scale, alpha, gamma))


def wanted(price: float, job, limit: float) -> float:
    """Copies of each task of a job at a price of a machine."""

    def at(c):
        return cost_slope(c, *job) + price * job[0]

    return 1.0 if at(1.0) >= 0 else limit if at(limit) <= 0 else brentq(at, 1.0, limit, xtol=1e-14)


def demand(price: float, jobs, limit: float) -> float:
    return sum(job[0] * wanted(price, job, limit) for job in jobs)


def jobs_of(m, scale, alpha, gamma):
    return [(tasks, one, alpha, gamma) for tasks, one in zip(m, scale, strict=True)]


FIG1 = ([10, 20, 5, 10], [1.0, 2.0, 1.0, 2.0], 2.0)


def price_of(jobs, machines, limit) -> float:

    def spare(price):
        return demand(price, jobs, limit) - machines

    return 0.0 if spare(0.0) <= 0 else brentq(spare, 0.0, 1e3, xtol=1e-15)


@reference(
    (*FIG1, 100, 8, 0.01),
    (*FIG1, 1000, 3, 0.01),
    (*FIG1, 60, 8, 0.01, True),
    ([3, 2], [1.0, 4.0], 1.3, 17, 8, 0.1, True),
)
def optimal_cloning(m, scale, alpha, machines, limit, gamma, integer=False):
    """Whole copies: all combinations. Others: the price at which as many machines are wanted as there are."""
    jobs = jobs_of(m, scale, alpha, gamma)
    price = price_of(jobs, machines, limit)
    copies = [wanted(price, job, limit) for job in jobs]

    def total(chosen):
        return sum(cost(c, *job) for c, job in zip(chosen, jobs, strict=True))

    if integer:
        fits = [c for c in product(range(1, limit + 1), repeat=len(m)) if np.dot(c, m) <= machines]
        copies = min(fits, key=total)
    return {"copies": copies, "objective": total(copies), "price": price}


@reference((*FIG1, 100, 8, 0.01), (*FIG1, 60, 8, 0.01), (*FIG1, 1000, 8, 0.1), close=1e-4)
def largest_stable_step(m, scale, alpha, machines, limit, gamma):
    """Beyond twice the inverse slope of the demand a step overshoots by more than the error it mends."""
    jobs = jobs_of(m, scale, alpha, gamma)
    price = price_of(jobs, machines, limit)
    step = 1e-4 * price
    return (
        INF
        if price == 0
        else 4 * step / (demand(price - step, jobs, limit) - demand(price + step, jobs, limit))
    )


@reference((*FIG1, 100, 8, 0.01, (0.002, 0.3, 0.4), 0.0, 4), (*FIG1, 100, 8, 0.01, (0.2, 0.3, 0.4), 1.0, 4))
def gradient_projection(m, scale, alpha, machines, limit, gamma, steps, decay, iterations):
    """Each job answers its price alone; then each multiplier takes its step, in plain loops."""
    jobs, count = jobs_of(m, scale, alpha, gamma), range(len(m))
    price, tops, floors = [0.1], [[0.1 for _ in count]], [[0.1 for _ in count]]
    copies = [[1.0 for _ in count]]
    for k in range(iterations):
        one, two, three = (step / (1 + decay * k) for step in steps)
        slopes = [price[-1] + (tops[-1][i] - floors[-1][i]) / m[i] for i in count]
        copies.append([wanted(slopes[i], jobs[i], limit) for i in count])
        price.append(max(0.0, price[-1] + one * (sum(m[i] * copies[-1][i] for i in count) - machines)))
        tops.append([max(0.0, tops[-1][i] + two * (copies[-1][i] - limit)) for i in count])
        floors.append([max(0.0, floors[-1][i] + three * (1 - copies[-1][i])) for i in count])
    moves = [max(abs(a - b) for a, b in zip(*pair, strict=True)) for pair in pairwise(copies)]
    stopped = next((k + 1 for k, move in enumerate(moves) if move < 1e-3), None)
    return {
        "copies": copies,
        "price": price,
        "limit_price": tops,
        "floor_price": floors,
        "stopped": stopped,
        "unbounded": None,
    }


# --- Xu & Lau: copies for stragglers only; times in units of the mean ---


@cache
def shortest_of(alpha: float) -> float:
    return 1 / part(1.0, alpha, 1.0, INF, 1.0, INF)


def least(limit: float, copies: float, alpha: float) -> float:
    """E[min(limit, fastest of some copies)]."""
    x_m = shortest_of(alpha)
    tail = survival(x_m, alpha)
    return min(limit, x_m) + (integral(lambda t: tail(t) ** copies, x_m, limit) if limit > x_m else 0.0)


@reference((1.0, 2.0), (0.9, 1.5, 0.3), (0.1, 2.0, 0.3))
def detection_probability(sigma, alpha, s=0.0):
    """What remains of the task, (1 - s) of it, is longer than sigma."""
    return law(shortest_of(alpha), alpha).sf(sigma / (1 - s))


@cache
@reference((2, 1.0, 2.0), (3, 0.9, 1.5, 0.3), (1, 3.0, 2.0), (2, 0.1, 2.0, 0.5))
def tau(c, sigma, alpha, s=0.0):
    """Average over what remains: all copies run until the first ends, sure to be one of them."""
    x_m, q = shortest_of(alpha), c - 1
    tail = survival(x_m, alpha)
    found = tail(sigma / (1 - s))
    corners = sorted({sigma, max(sigma, (1 - s) * x_m), max(sigma, x_m)})
    ends = list(pairwise(corners))

    def together(t):
        return tail(t) ** q * tail(t / (1 - s)) / found

    until = sigma if q == 0 else least(sigma, q, alpha)
    late = beyond(together, corners[-1], c * alpha - 1)
    return c * (until + sum(integral(together, *pair) for pair in ends) + late)


@reference((2, 1.0, 2.0, 0.0), (3, 0.9, 1.5, 0.3))
def detection_resource(c, sigma, alpha, s):
    return 1 + detection_probability(sigma, alpha, s) * (tau(c, sigma, alpha, s) - tau(1, sigma, alpha, s))


@cache
@reference((2.0,), (1.3,), (1.5, 3))
def sigma_star(alpha, copies=2):
    """A copy is worth it where all copies would use less than what remains of the original."""
    return brentq(
        lambda a: copies * least(a, copies - 1, alpha) - a, 1.001 * shortest_of(alpha), 60, xtol=1e-12
    )


@reference((2.0,), (1.5,), (1.3, 8))
def detection_optimum(alpha, limit=8):
    """Of all numbers of copies the best, each with its threshold; six and more are never best."""
    found = []
    for copies in range(2, min(limit, 5) + 1):
        best = sigma_star(alpha, copies)
        found.append((detection_resource(copies, best, alpha, 0.0), copies, best))
    resource, copies, sigma = min(found)
    return {"copies": copies, "sigma": sigma, "resource": resource}


@reference((), close=1e-5)
def critical_tail_index():

    def gain(alpha, c):
        return detection_resource(c, sigma_star(alpha, c), alpha, 0.0)

    return brentq(lambda alpha: gain(alpha, 2) - gain(alpha, 3), 1.4, 1.7, xtol=1e-7)


@reference((1.0, 2.0), (1.7, 1.5), (0.2, 2.0))
def ese_resource(sigma, alpha):
    """With what remains, t, the time of two copies grows by 2 P(y > t), that of one by 1; average that."""
    x_m = shortest_of(alpha)
    tail = survival(x_m, alpha)

    def remains(t: float) -> float:  # P(more than t remains at a time uniform over the run)
        split = max(0.0, 1 - t / x_m)
        return split + t * beyond(lambda z: tail(z) / z**2, max(t, x_m), alpha + 1)

    def gain(t):
        return 2 * tail(t) - 1

    first = 2 * least(sigma, 1, alpha) - sigma
    middle = integral(lambda t: gain(t) * remains(t), sigma, x_m) if sigma < x_m else 0.0
    late = beyond(lambda t: gain(t) * remains(t), max(sigma, x_m), alpha - 1)
    return 1 + first * remains(sigma) + middle + late


@reference((2.0, 0.75), (1.5, 0.25))
def mantri_sigma(alpha, delta):
    """So long must remain that twice a new copy is shorter with the probability asked for."""
    new = law(shortest_of(alpha), alpha).cdf
    return brentq(lambda remains: new(remains / 2) - delta, 1e-9, 1e3, xtol=1e-13)


# --- Dolly: all outcomes of a few tasks; then one copy, or task, more until it is enough ---


@reference((0.3, 2, 3), (0.1, 3, 2))
def job_outlier_probability(p, n, c):
    return outcomes(p, n * c, lambda bad: all(any(bad[i : i + n]) for i in range(0, n * c, n)))


@reference((0.3, 2, 3), (0.1, 3, 2))
def task_outlier_probability(p, n, c):
    return outcomes(p, n * c, lambda bad: any(all(bad[i : i + c]) for i in range(0, n * c, c)))


def outcomes(p, size, happens):
    """Add the probabilities of all outcomes of some tasks, each an outlier or not."""
    every = product((False, True), repeat=size)
    return sum(p ** sum(bad) * (1 - p) ** (size - sum(bad)) for bad in every if happens(bad))


def first(enough, start=1):
    while not enough(start):
        start += 1
    return start


@reference((0.1, 1, 0.011), (0.1, 10, 0.05), (0.3, 7, 0.01))
def job_level_copies(p, n, epsilon):
    return first(lambda c: (1 - (1 - p) ** n) ** c <= epsilon)


@reference((0.1, 10, 0.05), (0.3, 70, 0.01), (0.001, 1, 0.1))
def task_level_copies(p, n, epsilon):
    return first(lambda c: 1 - (1 - p**c) ** n <= epsilon)


@reference((0.1, 10, 0.05), (0.5, 10, 0.5))
def misread_task_level_copies(p, n, epsilon):
    """Until no task is an outlier at least so often, which the target was not."""
    return first(lambda c: (1 - p**c) ** n >= epsilon)


@reference((0.5, 2, 0.57), (0.05, 3, 0.05), (0.5, 1, 0.1))
def job_level_tasks(p, c, epsilon):
    return first(lambda n: (1 - (1 - p) ** (n + 1)) ** c > epsilon, start=0)


@reference((0.5, 2, 0.44), (0.05, 3, 0.05), (0.5, 1, 0.1))
def task_level_tasks(p, c, epsilon):
    return first(lambda n: 1 - (1 - p**c) ** (n + 1) > epsilon, start=0)


@reference((2, 2, 0.5625), (10, 3, 0.05))
def job_level_limit(n, c, epsilon):
    return brentq(lambda p: (1 - (1 - p) ** n) ** c - epsilon, 0, 1, xtol=1e-14)


@reference((2, 2, 0.4375), (10, 3, 0.05))
def task_level_limit(n, c, epsilon):
    return brentq(lambda p: 1 - (1 - p**c) ** n - epsilon, 0, 1, xtol=1e-14)


@reference((4, 10, 45, 100, 0.7), (2, 10, 0, 100, 0.7), (4, 10, 90, 100, 0.7))
def capped_copies(copies, n, running, slots, ceiling):
    return max([1, *(c for c in range(1, copies + 1) if running + c * n <= ceiling * slots)])


@reference(
    ([0.5, 0.2, 0.1, 0.4], [1, 1, 1, 1], [0], 0.05, 4, 10, 1.0),
    ([0.5, 0.2, 0.1, 0.4], [1, 1, 0, 1], [0], 0.05, 4, 10, 1.0),
    ([0.5, 0.2, 0.1, 0.4], [2, 2, 2, 2], [1], 0.15, 1, 9, 0.5),
)
def clone_placement(outlier, free, original, epsilon, running, slots, ceiling):
    """One task: of all sets of machines that reach the target the smallest, and of these the best."""
    (home,) = original
    target = 1 - (1 - epsilon)
    machines = [k for k in range(len(free)) if free[k] and k != home]
    sets = [some for size in range(len(machines) + 1) for some in combinations(machines, size)]

    def reached(some):
        return outlier[home] * math.prod(outlier[k] for k in some)

    best = min(
        (some for some in sets if reached(some) <= target), key=lambda some: (len(some), reached(some))
    )
    order = sorted(best, key=lambda k: outlier[k])
    return {"machines": [order], "outlier": [reached(best)], "target": target, "running": running + len(best)}


@reference((0.2, [0.4, None, 0.1]), (0.5, [0.0, 1.0, 0.25]))
def learned_outlier_probability(start, observed):
    """The last window counts half, the one before a quarter, and so on; what is left the start has."""
    seen = [share for share in observed if share is not None][::-1]
    return sum(share / 2**age for age, share in enumerate(seen, start=1)) + start / 2 ** len(seen)


@reference((2.0, 2.0), (1.5, 1.2), (0.5, 3.0))
def slow_task_probability(f, alpha):
    return law(1.0, alpha).sf(f * law(1.0, alpha).median())
