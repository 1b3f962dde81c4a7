"""Load and response time of Redundant-small against the equations written out, exact queues, simulations."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.theory.test_queueing import continued_erlang_c
from theory.coding import coded_cost
from theory.response_time import redundancy_load_limit, redundant_load, redundant_queue, response_time
from theory.small_jobs import redundant_cost, redundant_latency

INF = float("inf")


def claim_1(d, r, load, alpha, tail, capacity=200.0, **sizes):
    """Claim 1 letter by letter: through the arrival rate, with Erlang C from its integral."""
    cost = redundant_cost(d, r, alpha, tail, **sizes)
    rate = load * capacity / redundant_cost(0, r, alpha, tail, **sizes)
    rho = rate * cost / capacity
    first, second = (redundant_latency(d, r, alpha, tail, power=p, **sizes) for p in (1, 2))
    servers = capacity * first / cost
    assert rho == pytest.approx(rate * first / servers)
    queueing = continued_erlang_c(servers, rho)
    return first + second / (2 * first**2) * queueing * rho / (rate * (1 - rho))


def pollaczek_khinchine(load, *factors):
    """Sojourn in an M/G/1 queue whose service time is a product of independent Pareto variables."""
    first = np.prod([law.mean() for law in factors])
    second = np.prod([law.moment(2) for law in factors])
    return first + load / first * second / (2 * (1 - load))


# --- load ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("r", "alpha", "k_max"), [(2, 3.0, 10), (1.5, 1.3, 4), (3, 2.0, 1), (1, 2.0, 10)])
def test_the_limit_is_the_offered_load_at_which_coding_everything_fills_the_cluster(r, alpha, k_max):
    limit = redundancy_load_limit(r, alpha, k_max)
    assert redundant_load(INF, r, limit, alpha, 2.5, k_max=k_max) == pytest.approx(1, rel=1e-12)
    assert redundant_load(INF, r, limit, alpha, 0.5, k_max=k_max, size_max=99) == pytest.approx(1, rel=1e-12)


def test_the_limit_is_a_ratio_of_mean_costs_and_agrees_with_the_figure_of_the_paper():
    k = np.arange(1, 11)
    weight = stats.zipfian(1, 10).pmf(k)
    plain, coded = np.dot(weight, 1.5 * k), np.dot(weight, coded_cost(2 * k, k, 3.0))
    assert redundancy_load_limit(2, 3.0) == pytest.approx(plain / coded, rel=1e-12)
    stable = response_time(INF, 2, [0.6, 0.7], 3.0, 3.0) < INF
    assert stable.tolist() == [True, False]


def test_under_heavy_slowdowns_coding_makes_room_for_more_than_a_full_load():
    limit = redundancy_load_limit(1.5, 1.2)
    assert limit > 1.05
    times = response_time([0, INF], 1.5, 1.05, 1.2, 3.0, moments="one")
    assert times[0] == INF
    assert times[1] < INF


def test_load_is_proportional_to_the_offered_load_and_equal_to_it_without_coding():
    load = np.linspace(0, 2, 5)
    np.testing.assert_allclose(redundant_load(0, 2, load, 3.0, 1.5), load, rtol=1e-14)
    np.testing.assert_allclose(redundant_load(10, 2, load, 3.0, 1.5), load, rtol=1e-14)
    cost = redundant_cost(70, 2, 3.0, 1.5) / redundant_cost(0, 2, 3.0, 1.5)
    np.testing.assert_allclose(redundant_load(70, 2, load, 3.0, 1.5), load * cost, rtol=1e-12)


# --- response time -------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [0, 15, 60, 200, 1e5])
@pytest.mark.parametrize(("load", "capacity"), [(0.3, 20.0), (0.6, 200.0), (0.62, 3.0)])
def test_response_time_is_claim_1_letter_by_letter(d, load, capacity):
    expected = claim_1(d, 2, load, 3.0, 3.0, capacity)
    assert response_time(d, 2, load, 3.0, 3.0, capacity=capacity) == pytest.approx(expected, rel=1e-8)
    sizes = {"k_max": 4, "size_min": 3.0, "size_max": 500.0}
    expected = claim_1(d, 1.5, load, 2.5, 1.5, capacity, **sizes)
    found = response_time(d, 1.5, load, 2.5, 1.5, capacity=capacity, **sizes)
    assert found == pytest.approx(expected, rel=1e-8)
    assert abs(found / expected - 1) < 1e-6 < 0.03  # an error of 3 percent would be seen


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9])
def test_single_tasks_on_a_cluster_of_one_are_an_exact_single_server_queue(load):
    size, slowdown = stats.pareto(3.0, scale=10), stats.pareto(4.0)
    exact = pollaczek_khinchine(load, size, slowdown)
    assert response_time(0, 2, load, 4.0, 3.0, k_max=1, capacity=1) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("load", [0.1, 0.5])
def test_pairs_on_a_cluster_of_two_are_an_exact_single_server_queue(load):
    size, fastest = stats.pareto(3.0, scale=10), stats.pareto(8.0)
    raised = load * 2 * fastest.mean() / stats.pareto(4.0).mean()  # each job holds both units while it runs
    exact = pollaczek_khinchine(raised, size, fastest)
    queue = redundant_queue(INF, 2, load, 4.0, 3.0, k_max=1, capacity=2)
    assert (queue.servers, queue.load) == (pytest.approx(1), pytest.approx(raised))
    assert response_time(INF, 2, load, 4.0, 3.0, k_max=1, capacity=2) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(("d", "load", "simulated"), [(0, 0.5, 29.96), (INF, 0.5, 20.1), (0, 0.9, 32.1)])
def test_the_approximation_is_near_independent_simulators(d, load, simulated):
    # 200 units of capacity, task sizes Pareto(10, 3), slowdowns Pareto(1, 3): means on which several agree
    assert response_time(d, 2, load, 3.0, 3.0) == pytest.approx(simulated, rel=0.08)


def test_the_parts_make_up_the_response_time():
    d, load = np.array([0, 30, 100.0, INF]), 0.6
    queue = redundant_queue(d, 2, load, 3.0, 3.0)
    np.testing.assert_allclose(queue.latency, redundant_latency(d, 2, 3.0, 3.0), rtol=1e-12)
    np.testing.assert_allclose(queue.cost, redundant_cost(d, 2, 3.0, 3.0), rtol=1e-12)
    np.testing.assert_allclose(queue.load, redundant_load(d, 2, load, 3.0, 3.0), rtol=1e-12)
    squared = redundant_latency(d, 2, 3.0, 3.0, power=2)
    np.testing.assert_allclose(queue.scv, squared / queue.latency**2 - 1, rtol=1e-12)
    np.testing.assert_allclose(queue.servers, 200 * queue.latency / queue.cost, rtol=1e-12)
    np.testing.assert_array_equal(response_time(d, 2, load, 3.0, 3.0), queue.latency + queue.wait)
    rate = load * 200 / queue.cost[0]
    exponential = queue.waiting_probability * queue.load / (rate * (1 - queue.load))
    np.testing.assert_allclose(queue.wait, (queue.scv + 1) / 2 * exponential, rtol=1e-12)


def test_one_moment_waits_as_under_exponential_latency():
    d = np.array([0, 30, 100.0])
    one = redundant_queue(d, 2, 0.6, 3.0, 3.0, moments="one")
    two = redundant_queue(d, 2, 0.6, 3.0, 3.0)
    np.testing.assert_allclose(two.wait / one.wait, (two.scv + 1) / 2, rtol=1e-12)
    assert one.scv.tolist() == [1, 1, 1]


def test_as_printed_the_moments_are_the_printed_ones():
    d, load = 40.0, 0.5
    queue = redundant_queue(d, 2, load, 3.0, 3.0, as_printed=True)
    assert queue.latency == pytest.approx(redundant_latency(d, 2, 3.0, 3.0, as_printed=True))
    assert queue.cost == pytest.approx(redundant_cost(d, 2, 3.0, 3.0, as_printed=True))
    second = redundant_latency(d, 2, 3.0, 3.0, power=2, as_printed=True)
    assert queue.scv == pytest.approx(second / queue.latency**2 - 1)
    assert queue.load == pytest.approx(load * queue.cost / redundant_cost(0, 2, 3.0, 3.0))
    assert queue.load == pytest.approx(redundant_load(d, 2, load, 3.0, 3.0, as_printed=True))
    printed = response_time(d, 2, load, 3.0, 3.0, as_printed=True)
    assert abs(printed / response_time(d, 2, load, 3.0, 3.0) - 1) > 0.15


# --- what is finite ------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [1e-9, 0.3, 0.9])
def test_erratum_in_the_printed_configuration_claim_1_is_infinite_for_every_demand(load):
    d = np.array([0, 10, 40, 1e5, 1e100, INF])
    assert np.all(response_time(d, 2, load, 3.0, 1.5) == INF)
    queue = redundant_queue(d[:4], 2, load, 3.0, 1.5)
    for finite in (queue.latency, queue.cost, queue.load, queue.servers, queue.waiting_probability):
        assert np.all(np.isfinite(finite))
    assert np.all(response_time(d[:2], 2, load, 3.0, 1.5, moments="one") < INF)
    assert np.all(response_time(d[:2], 2, load, 3.0, 1.5, size_max=1e5) < INF)


def test_an_empty_cluster_responds_within_the_latency_whatever_its_variation():
    d = np.array([0, 40, INF])
    assert response_time(d, 2, 0, 3.0, 1.5) == pytest.approx(redundant_latency(d, 2, 3.0, 1.5))


def test_an_overloaded_cluster_never_responds():
    d = np.array([0, 40, INF])
    times = response_time(d, 2, np.array([[0.6], [0.8], [1.0], [3.0]]), 3.0, 3.0)
    stable = redundant_load(d, 2, np.array([[0.6], [0.8], [1.0], [3.0]]), 3.0, 3.0) < 1
    np.testing.assert_array_equal(np.isfinite(times), stable)
    assert stable.sum() == 5


def test_heavy_slowdowns_leave_only_coding_everything_finite():
    assert response_time([0, 1e3, 1e200, INF], 1.5, 0.3, 1.8, 3.0)[:3].tolist() == [INF] * 3
    assert response_time(INF, 1.5, 0.3, 1.8, 3.0) < INF
    assert response_time(INF, 1, 0.3, 1.8, 3.0) == INF  # no job has a spare task


# --- properties, shapes, refusals ----------------------------------------------------------------


@given(st.floats(0, 300), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_more_load_means_a_longer_response(d, load, other):
    low, high = sorted((load, other))
    assert response_time(d, 2, low, 3.0, 3.0) <= response_time(d, 2, high, 3.0, 3.0) * (1 + 1e-12)


@given(st.floats(1e-150, 1e150), st.floats(0, 200), st.sampled_from(["two", "one"]))
def test_the_unit_of_time_is_the_task_size_however_large_or_small(unit, d, moments):
    one = response_time(d, 2, 0.6, 3.0, 3.0, moments=moments, size_max=90.0)
    sizes = {"size_min": 10 * unit, "size_max": 90 * unit}
    other = response_time(d * unit, 2, 0.6, 3.0, 3.0, moments=moments, **sizes)
    assert other / unit == pytest.approx(one, rel=1e-6)


def test_demand_and_load_broadcast_and_single_numbers_stay_single():
    d, load = np.array([0, 50, INF]), np.array([[0.2], [0.5]])
    table = response_time(d, 2, load, 3.0, 3.0)
    loads = redundant_load(d, 2, load, 3.0, 3.0)
    assert table.shape == loads.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            one = response_time(float(d[j]), 2, float(load[i, 0]), 3.0, 3.0)
            assert type(one) is float
            assert table[i, j] == one
            assert loads[i, j] == redundant_load(float(d[j]), 2, float(load[i, 0]), 3.0, 3.0)
    queue = redundant_queue(50, 2, 0.5, 3.0, 3.0)
    assert all(type(getattr(queue, name)) is float for name in queue.__slots__)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: response_time(-1, 2, 0.5, 3.0, 3.0), "d must be at least 0"),
        (lambda: response_time(20, 0.9, 0.5, 3.0, 3.0), "r must be at least 1 and finite"),
        (lambda: response_time(20, 2, -0.5, 3.0, 3.0), r"load must be at least 0 and finite \(got -0.5"),
        (lambda: response_time(20, 2, INF, 3.0, 3.0), "load must be at least 0 and finite"),
        (lambda: response_time(20, 2, float("nan"), 3.0, 3.0), "load must be free of NaN"),
        (lambda: response_time(20, 2, 0.5, 1.0, 3.0), "alpha must be finite and above 1"),
        (lambda: response_time(20, 2, 0.5, 3.0, 1.0), "size_tail must be above 1 unless size_max is finite"),
        (lambda: response_time(20, 2, 0.5, 3.0, 3.0, capacity=0), "capacity must be positive and finite"),
        (lambda: response_time(20, 2, 0.5, 3.0, 3.0, moments="3"), r"moments must be 'two' or 'one' .*3"),
        (lambda: response_time(20, 2, 0.5, 3.0, 3.0, size_min=-1), "size_min must be positive and finite"),
        (lambda: response_time(20, 2, 0.5, 3.0, 3.0, size_max=5), r"size_max must be above size_min \(got 5"),
        (lambda: response_time(20, 2, 0.5, 3.0, 3.0, k_max=0), "k_max must be a whole number"),
        (lambda: redundant_load(20, 2, 0.5, 3.0, 0.9), "size_tail must be above 1 unless size_max is finite"),
        (lambda: redundant_load(20, 2, 0.5, 0.9, 3.0), "alpha must be finite and above 1"),
        (lambda: redundancy_load_limit(2, 1.0), "alpha must be finite and above 1"),
        (lambda: redundancy_load_limit(0.5, 3.0), "r must be at least 1"),
    ],
)
def test_what_is_outside_the_domain_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.speed
def test_a_curve_of_400_points_takes_less_than_30_milliseconds():
    d, best = np.geomspace(5, 1e5, 400), INF
    for _ in range(5):
        start = time.perf_counter()
        response_time(d, 2, 0.6, 3.0, 3.0)
        best = min(best, time.perf_counter() - start)
    assert best < 0.03
