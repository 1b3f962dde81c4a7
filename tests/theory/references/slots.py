"""Hopper: the value of slots to one job, and how several jobs share them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from scipy.optimize import brentq, linprog, minimize_scalar

from tests.theory.references import reference
from tests.theory.references.laws import beyond, survival

#: Slots are given out in drops of this size where one job after the other gets them.
DROP = 0.25


@cache
def speed(k: float, beta: float) -> float:
    """How much sooner the fastest of k copies ends than one: the ratio of areas below survival functions."""
    tail = survival(1.0, beta)
    one, fastest = (1 + beyond(lambda t, c=c: tail(t) ** c, 1.0, c * beta - 1) for c in (1.0, k))
    return one / fastest


def highest(value: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one peak is highest."""
    exact = {"xatol": 1e-9}
    return minimize_scalar(lambda x: -value(x), bounds=(low, high), method="bounded", options=exact).x


@reference((1.7, 1.5), (3.0, 2.5), (0.9, 1.5))
def blow_up(k, beta):
    return speed(k, beta) / k


@cache
@reference((1.3,), (3.0,), (3.0, False), close=1e-4)
def threshold(beta, physical=True):
    least = 1.0 if physical else 1.2 / beta
    best = highest(lambda k: blow_up(k, beta), least, 4.0)
    return least if blow_up(least, beta) >= blow_up(best, beta) else best


@reference((1.3,), (3.0,), (3.0, False))
def rate_per_slot(beta, physical=True):
    return blow_up(threshold(beta, physical), beta)


@reference((10.0, 20.0, 1.3), (60.0, 20.0, 1.3), (30.0, 20.0, 3.0), close=1e-4)
def optimal_copies(S, T, beta):
    """Try every number: so many copies run min(T, S / k) tasks at once."""
    return highest(lambda k: min(T, S / k) * speed(k, beta), 1.0, 9.0)


@cache
@reference((8.0, 9.0, 1.5), (30.0, 9.0, 1.5), (5.0, 9.0, 3.0), (30.0, 9.0, 3.0), (5.0, 9.0, 3.0, False))
def service_rate(S, T, beta, physical=True):
    k = max(threshold(beta, physical), S / T)
    return min(T, S / k) * speed(k, beta)


def slope(value: Callable[[float], float], at: float, step: float = 1e-3) -> float:
    """Return the derivative, exact to the fourth power of the step."""
    near, far = (value(at + k * step) - value(at - k * step) for k in (1, 2))
    return (8 * near - far) / (12 * step)


@reference((6.0, 9.0, 1.5), (24.0, 9.0, 1.5), (24.0, 9.0, 3.0))
def marginal_rate(S, T, beta):
    return slope(lambda slots: service_rate(slots, T, beta), S)


@reference((4 / 3, 1.5), (2.0, 1.2), (2.6, 2.5))
def mixed_blow_up(k, beta):
    return np.interp(k, range(1, 6), [speed(c, beta) for c in range(1, 6)]) / k


@reference((1.2,), (1.49,), (1.51,), (2.5,))
def whole_threshold(beta):
    return max(range(1, 9), key=lambda c: speed(c, beta) / c)


@cache
@reference((10.0, 10.0, 2.0), (15.0, 10.0, 2.0), (12.0, 10.0, 1.2), (27.0, 10.0, 1.2))
def whole_service_rate(S, T, beta):
    """The best mixture of tasks with 0, 1, 2, ... copies is a linear program."""
    copies = np.arange(9.0)
    speeds = [0.0, *(speed(c, beta) for c in range(1, 9))]
    found = linprog(-np.array(speeds), [copies, np.ones(9)], [S / T, 1.0], method="highs")
    return -T * found.fun


@reference((5.0, 10.0, 2.0), (15.0, 10.0, 2.0), (15.0, 10.0, 1.2), (25.0, 10.0, 1.2))
def whole_marginal_rate(S, T, beta):
    return slope(lambda slots: whole_service_rate(slots, T, beta), S, 0.1)


@reference(([4.0, 8.0], 1.6), ([4.0, 8.0], 3.0), close=1e-4)
def virtual_sizes(T, beta):
    return [tasks * threshold(beta) for tasks in T]


@reference(([10.0, 40.0, 25.0], 60.0))
def fair_allocation(T, S):
    """The largest share that every job can have."""
    jobs = len(T)
    found = linprog(
        [*[0] * jobs, -1],
        np.c_[-np.eye(jobs), np.ones(jobs)],
        np.zeros(jobs),
        [[*[1] * jobs, 0]],
        [S],
        method="highs",
    )
    return found.x[:jobs]


def in_turn(want: Sequence[float], order: Sequence[int], S: float) -> list[float]:
    """Drop after drop to the first job that still wants one."""
    given = [0.0] * len(want)
    for _ in range(round(S / DROP)):
        waiting = [job for job in order if given[job] + DROP / 2 < want[job]]
        if waiting:
            given[waiting[0]] += DROP
    return given


def by_size(T: Sequence[float]) -> list[int]:
    return sorted(range(len(T)), key=lambda job: (T[job], job))


@reference(([10.0, 40.0, 25.0, 10.0], 60.0), ([10.0, 40.0, 25.0], 90.0, 2.0), ([10.0, 4.0], 60.0))
def srpt_allocation(T, S, copies=1.0):
    return in_turn([copies * tasks for tasks in T], by_size(T), S)


def two_shares(value: Callable[[float, float], float], S: float) -> list[float]:
    """Of all ways to share slots among two jobs the best, if there is one such."""
    first = highest(lambda slots: value(slots, S - slots), 0.0, S)
    return [first, S - first]


@reference(
    ([10.0, 40.0, 25.0], 60.0, 1.6), ([10.0, 40.0], 130.0, 1.6), ([10.0, 40.0], 130.0, 3.0), close=1e-4
)
def hopper_allocation(T, S, beta):
    """Drop after drop up to the virtual sizes; where slots are many, the best of all ways."""
    want = [round(tasks * threshold(beta) / DROP) * DROP for tasks in T]
    if sum(want) >= S:
        return in_turn(want, by_size(T), S)
    return two_shares(lambda *slots: sum(map(service_rate, slots, T, [beta] * 2)), S)


@reference(([12.5, 16.25, 31.25], [12.0, 15.0, 30.0]), ([3.0, 9.0], [0.0, 8.0]))
def next_job(target, held):
    short = [wanted - given for wanted, given in zip(target, held, strict=True)]
    return short.index(max(short))


def water(T: Sequence[float], S: float, floor: float) -> float:
    """The common level of slots per task at which all slots are used, none below the floor."""
    return brentq(lambda level: sum(max(floor, level * tasks) for tasks in T) - S, 0, S, xtol=1e-12)


@reference(
    ([30.0, 52.5], 100.0, 1.5, 0.5),
    ([3.0, 45.0], 128.0, 1.5, 0.5),
    ([3.0, 45.0], 128.0, 1.5, 1.0),
    close=1e-4,
)
def fair_regime(T, S, beta, epsilon):
    floor = S * (1 - epsilon) / len(T)
    short = sum(max(floor, threshold(beta) * tasks) for tasks in T) >= S
    return {
        "guarantee": floor,
        "constrained": short,
        "level": threshold(beta) if short else water(T, S, floor),
    }


@reference(
    ([36.0, 52.0, 20.0], 120.0, 1.6, 0.5),
    ([3.0, 45.0], 128.0, 1.5, 0.5),
    ([4.0, 6.0], 60.0, 1.6, 1.0),
    close=1e-4,
)
def fair_hopper_allocation(T, S, beta, epsilon):
    floor = S * (1 - epsilon) / len(T)
    want = [round(max(0.0, threshold(beta) * tasks - floor) / DROP) * DROP for tasks in T]
    if sum(want) + floor * len(T) >= S:
        return [floor + more for more in in_turn(want, by_size(T), S - floor * len(T))]
    return [max(floor, water(T, S, floor) * tasks) for tasks in T]


@reference(([36.0, 36.0, 36.0], 100.0, 1.6, 0.1), ([36.0, 12.0], 50.0, 1.6, 0.4), close=1e-4)
def projected_fair_allocation(T, S, beta, epsilon):
    floor, raised = S * (1 - epsilon) / len(T), set()
    while True:
        others = [job for job in range(len(T)) if job not in raised]
        shares = (
            hopper_allocation([T[job] for job in others], S - floor * len(raised), beta) if others else []
        )
        given = dict.fromkeys(raised, floor) | dict(zip(others, shares, strict=True))
        below = {job for job in given if given[job] < floor - 1e-9}
        if not below:
            return [given[job] for job in range(len(T))]
        raised |= below


def dag(T, weight, S, beta):
    """Order, virtual sizes in it, and least weights among the first: the terms of Algorithm 3."""
    order = sorted(range(len(T)), key=lambda i: (max(T[i], weight[i] * T[i]), -weight[i], i))
    size = [threshold(beta) * T[i] * math.sqrt(weight[i]) for i in order]
    least = [math.sqrt(min(weight[i] for i in order[: k + 1])) for k in range(len(T))]
    return order, size, least


JOBS = ([12.0, 60.0, 96.0], [4.0, 1.0, 0.25])


@reference(*((*JOBS, S, 1.5) for S in (20.0, 50.0, 140.0, 300.0, 700.0)))
def dag_cases(T, weight, S, beta):
    """Walk up through the bounds in their order and stop at the first that S does not exceed."""
    _, size, least = dag(T, weight, S, beta)
    last = len(T) - 1
    bounds = [(size[0] / least[1], {"case": 1, "k": 0})]
    for k in range(1, last + 1):
        bounds.append((sum(size[: k + 1]) / least[k], {"case": 2, "k": k}))
        if k < last:
            bounds.append((sum(size[: k + 1]) / least[k + 1], {"case": 3, "k": k}))
    return [next((case for bound, case in bounds if bound >= S), {"case": 4, "k": 0})]


@reference(*((*JOBS, S, 1.5) for S in (20.0, 50.0, 140.0, 300.0, 700.0)), close=1e-4)
def dag_allocation(T, weight, S, beta):
    """By decreasing weight, as here, it is the best weighted sum: lower the price until all slots are bought.

    At the price at which a job begins to buy it takes what is left.
    """
    theta, kappa = threshold(beta), rate_per_slot(beta)

    def held(price: float) -> list[float]:
        found = []
        for tasks, value in zip(T, weight, strict=True):
            some = theta * tasks if value * kappa > price else 0.0
            worth = math.sqrt(value / (beta - 1) / price) * tasks  # where one slot more is worth its price
            found.append(max(some, worth) if some else 0.0)
        return found

    low, high = 1e-9, 1e3
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if sum(held(middle)) > S else (low, middle)
    given = held(high)
    hungry = int(np.argmax(np.array(held(low)) - given))
    given[hungry] += S - sum(given)
    return given


@reference(
    ([12.0, 12.0], [4.0, 1.0], 20.0, 1.5),
    ([12.0, 12.0], [4.0, 1.0], 54.0, 1.5),
    ([9.0, 12.0], [1.0, 2.0], 40.0, 3.0),
    close=1e-4,
)
def weighted_optimum(T, weight, S, beta):
    return two_shares(lambda *slots: weighted(T, slots, beta, weight), S)


def weighted(T, slots, beta, weight):
    return sum(w * service_rate(s, t, beta) for t, s, w in zip(T, slots, weight, strict=True))


@reference(([12.0, 12.0], [4.0, 1.0], 10.0, 1.5), ([12.0, 12.0], [4.0, 1.0], 54.0, 1.5), close=1e-4)
def slot_price(T, weight, S, beta):
    """What the best sum gains with the slots."""
    return slope(lambda slots: weighted(T, weighted_optimum(T, weight, slots, beta), beta, weight), S, 0.1)


@reference(([9.0, 9.0], [8.0, 18.0], 1.5), ([9.0, 9.0], [8.0, 18.0], 3.0, [3.0, 1.0]))
def total_rate(T, allocation, beta, weight=(1.0, 1.0)):
    return weighted(T, allocation, beta, weight)


@reference(([12.0, 12.0], [32.0, 0.0], 1.5), ([12.0, 12.0], [8.0, 30.0], 1.5, [3.0, 1.0]))
def distance_from_optimum(T, allocation, beta, weight=(1.0, 1.0)):
    value = weighted(T, allocation, beta, weight)
    best = weighted(T, weighted_optimum(T, weight, sum(allocation), beta), beta, weight)
    return {"value": value, "optimum": best, "shortfall": 1 - value / best}


@reference(
    ([10.0, 20.0, 30.0, 40.0], [False, False, True, True], 75.0),
    ([4.0, 0.0, 3.0], [True, True, False], 100.0),
)
def locality_order(T, local, percent):
    """Jobs leave one by one: the smallest local one of the window, else the smallest."""
    left = [job for job in by_size(T) if T[job] > 0]
    window = left[: math.ceil(len(left) * percent / 100)]
    near = [job for job in window if local[job]]
    return [*near, *(job for job in left if job not in near), *(job for job in range(len(T)) if T[job] == 0)]
