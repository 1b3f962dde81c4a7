"""d* against a dense scan, and where it is 0, infinite, undefined, or missed by a single descent."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import optimize

from theory.optimal_demand import optimal_demand
from theory.response_time import redundancy_load_limit, response_time

INF = float("inf")


def scan(load, r, alpha, tail, points=40_001, **rest):
    """Least response time over a dense grid of demands, coding nothing and everything included."""
    low, k_max = rest.get("size_min", 10), rest.get("k_max", 10)
    high = min(rest.get("size_max", INF), 1e8 * low)
    d = np.concatenate([[0.0], np.geomspace(low, k_max * high, points), [INF]])
    times = response_time(d, r, load, alpha, tail, **rest)
    return float(d[times.argmin()]), float(times.min())


CASES = {
    "as in the figure, but with two moments": (0.65, 2, 3.0, 3.0, {}),
    "busy": (0.8, 2, 3.0, 3.0, {}),
    "a long run of the printed tail": (0.7, 2, 3.0, 1.5, {"size_max": 1e4}),
    "one moment": (0.65, 2, 3.0, 1.5, {"moments": "one"}),
    "a small cluster": (0.5, 2, 3.0, 2.8, {"capacity": 15.0, "k_max": 5}),
    "as printed": (0.65, 2, 3.0, 3.0, {"as_printed": True}),
    "other units": (0.65, 2, 3.0, 3.0, {"size_min": 1e-3}),
    "a tail just heavy enough": (0.65, 2, 3.0, 2.05, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_no_scanned_demand_does_better(case):
    *scenario, rest = CASES[case]
    load, r, alpha, tail = scenario
    d = optimal_demand(load, r, alpha, tail, **rest)
    found = response_time(d, r, load, alpha, tail, **rest)
    at, least = scan(load, r, alpha, tail, **rest)
    assert found <= least * (1 + 1e-12)
    assert d == pytest.approx(at, rel=2e-3)
    # a step of three percent to either side is worse, so an error in d of that size would be seen
    assert np.all(response_time(d * np.array([0.97, 1.03]), r, load, alpha, tail, **rest) > found)


@settings(max_examples=25, deadline=None)
@given(
    load=st.floats(0.05, 0.98),
    r=st.sampled_from([1.2, 1.5, 2, 3]),
    alpha=st.floats(2.1, 5),
    tail=st.floats(1.1, 4),
    k_max=st.sampled_from([1, 2, 5, 10]),
    spread=st.floats(1.5, 1e4),
    capacity=st.floats(2, 1000),
)
@example(load=0.9414, r=1.2, alpha=4.25, tail=2.0, k_max=1, spread=4.0, capacity=475.0)  # close to a kink
def test_no_scanned_demand_does_better_in_drawn_clusters(load, r, alpha, tail, k_max, spread, capacity):
    rest = {"k_max": k_max, "size_max": 10 * spread, "capacity": capacity}
    d = optimal_demand(load, r, alpha, tail, **rest)
    _, least = scan(load, r, alpha, tail, points=3001, **rest)
    assert response_time(d, r, load, alpha, tail, **rest) <= least * (1 + 1e-11)


def test_one_descent_is_not_enough_where_there_are_several_valleys():
    r, load, alpha, tail, rest = 1.5, 0.77, 2.7, 2.9, {"size_max": 9e4, "capacity": 46.0}
    assert response_time(INF, r, load, alpha, tail, **rest) < INF  # stable whatever is coded

    def of_logarithm(x):
        return response_time(np.exp(x), r, load, alpha, tail, **rest)

    descent = optimize.minimize_scalar(of_logarithm, bounds=np.log([10, 9e5]), method="bounded")
    d = optimal_demand(load, r, alpha, tail, **rest)
    assert response_time(d, r, load, alpha, tail, **rest) < 0.5 * descent.fun


def test_a_quiet_cluster_codes_everything_and_a_busy_one_less_and_less():
    load = np.linspace(0, 0.99, 34)
    d = optimal_demand(load, 2, 3.0, 3.0)
    assert d[0] == INF
    assert d[-1] == 0
    assert np.all(d[1:] <= d[:-1])
    assert np.sum((d > 0) & (d < INF)) > 5
    assert np.all(d[load >= redundancy_load_limit(2, 3.0)] < INF)  # coding everything would be unstable


def test_plateaus_are_reported_by_their_ends():
    assert optimal_demand(0.95, 2, 3.0, 3.0) == 0  # anything up to the smallest size is as good
    assert optimal_demand(0.3, 2, 3.0, 1.5, size_max=50.0) == INF  # so is anything from 500 on
    times = response_time([500, 600, INF], 2, 0.3, 3.0, 1.5, size_max=50.0)
    assert times[0] == times[1] == times[2]


def test_where_nothing_is_gained_nothing_is_coded():
    assert optimal_demand([0, 0.3, 0.9], 1, 3.0, 3.0).tolist() == [0, 0, 0]


def test_only_coding_everything_is_finite_under_heavy_slowdowns():
    assert optimal_demand(0.3, 1.5, 1.8, 3.0) == INF


def test_a_cluster_that_is_stable_only_with_coding_codes():
    load = 1.02
    d = optimal_demand(load, 1.5, 1.2, 3.0, moments="one")
    assert response_time(0, 1.5, load, 1.2, 3.0, moments="one") == INF
    assert response_time(d, 1.5, load, 1.2, 3.0, moments="one") < INF


def test_the_larger_the_largest_task_the_smaller_the_demand_to_code():
    most = [300.0, 3e3, 3e4, 3e5]
    d = [optimal_demand(0.7, 2, 3.0, 1.5, size_max=size) for size in most]
    assert all(small < 0.85 * large for large, small in pairwise(d))


def test_demand_scales_with_the_size_of_tasks():
    for size in (1e-120, 0.3, 1e120):
        d, one = (optimal_demand(0.65, 2, 3.0, 1.5, size_min=b, size_max=100 * b) for b in (size, 1.0))
        assert d / size == pytest.approx(one, rel=1e-6)


def test_arrays_of_loads_give_what_single_loads_give():
    load = np.array([[0.2, 0.62], [0.7, 0.95]])
    table = optimal_demand(load, 2, 3.0, 3.0)
    assert table.shape == load.shape
    for i, value in np.ndenumerate(load):
        single = optimal_demand(float(value), 2, 3.0, 3.0)
        assert type(single) is float
        assert table[i] == pytest.approx(single, rel=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: optimal_demand(0.5, 2, 3.0, 1.5), r"size_tail must be above 2 unless size_max.*\(got 1.5\)"),
        (lambda: optimal_demand(0.5, 2, 3.0, 2.0), "size_tail must be above 2"),
        (lambda: optimal_demand([0.5, 1.0], 2, 3.0, 3.0), r"load must be below 1, .* \(got \[1.0\]\)"),
        (lambda: optimal_demand(2.1, 1.5, 1.2, 3.0, moments="one"), "load must be below 2.03"),
        (lambda: optimal_demand(0.5, 1, 1.8, 3.0), r"alpha must be above 2.* \(got 1.8\)"),
        (lambda: optimal_demand(0.99, 3, 1.9, 3.0), "alpha must be above 2"),  # finite only where unstable
        (lambda: optimal_demand(-0.5, 2, 3.0, 3.0), "load must be at least 0"),
        (lambda: optimal_demand(0.5, 2, 3.0, 1.0, moments="one"), "size_tail must be above 1"),
        (lambda: optimal_demand(0.5, 2, 3.0, 3.0, moments="none"), "moments must be 'two' or 'one'"),
    ],
)
def test_what_has_no_answer_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.speed
def test_the_search_takes_less_than_a_second():
    start = time.perf_counter()
    optimal_demand(0.65, 2, 3.0, 3.0)
    assert time.perf_counter() - start < 1
