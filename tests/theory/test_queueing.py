"""Queueing formulas against balance equations, another integral, and simulated queues."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from tests.agreement import assert_mean
from tests.depth import each
from theory.queueing import erlang_c, erlang_c_limit, mg1_wait, mgc_wait, mmc_sojourn, mmc_wait

INF = float("inf")
servers_drawn = st.floats(0.05, 500)
load_drawn = st.floats(0.001, 0.999)


def occupancy(servers, load, states=4000):
    """Stationary law of an M/M/c queue from its balance equations, cut off far in the tail."""
    up = np.full(states, servers * load)
    down = np.minimum(np.arange(1, states + 1), servers)
    log_weight = np.concatenate([[0.0], np.cumsum(np.log(up / down))])
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum()


def continued_erlang_c(servers, load):
    """Erlang C through the integral that continues Erlang B, 1/B = a int e^(-a t) (1 + t)^c dt."""
    a = servers * load
    integrand = lambda t: a * math.exp(-a * t + servers * math.log1p(t))  # noqa: E731
    reciprocal = integrate.quad(integrand, 0, np.inf, epsabs=0, epsrel=1e-12, limit=500)[0]
    return 1 / (load + (1 - load) * reciprocal)


def waits_at_one_server(rng, load, service, replications, customers):
    """Mean waits of independent runs by Lindley's recursion, in its form without a loop."""
    gaps = rng.exponential(service.mean() / load, size=(replications, customers))
    walk = np.cumsum(service[:, :-1] - gaps[:, 1:], axis=1)
    walk = np.concatenate([np.zeros((replications, 1)), walk], axis=1)
    waits = walk - np.minimum.accumulate(walk, axis=1)
    return waits[:, customers // 5 :].mean(axis=1)  # the first fifth is the way to steady state


# --- the probability to wait ---------------------------------------------------------------------


@each("servers", [1, 2, 3, 10, 57, 200])
@each("load", [0.05, 0.5, 0.8, 0.97])
def test_at_whole_servers_the_probability_solves_the_balance_equations(servers, load):
    busy = occupancy(servers, load)[servers:].sum()
    assert erlang_c(servers, load) == pytest.approx(busy, rel=1e-9)


@each("servers", [0.03, 0.5, 1.5, 7.3, 99.9, 100.1, 333.3])
@each("load", [0.2, 0.7, 0.98])
def test_between_whole_servers_it_is_the_usual_continuation(servers, load):
    assert erlang_c(servers, load) == pytest.approx(continued_erlang_c(servers, load), rel=1e-9)


def test_a_single_server_is_found_busy_with_the_probability_of_its_load():
    load = np.linspace(0, 1, 21)
    np.testing.assert_allclose(erlang_c(1, load), load, rtol=1e-12)


@pytest.mark.parametrize("servers", [1e-200, 0.3, 1, 17.5, 1e6, 1e15])
def test_nobody_waits_without_load_and_everybody_under_overload(servers):
    assert erlang_c(servers, 0) == 0
    assert [erlang_c(servers, load) for load in (1, 1.5, INF)] == [1, 1, 1]


def test_heavy_traffic_makes_the_last_idle_server_vanish():
    servers = np.array([0.3, 1, 17.5, 1e3])
    np.testing.assert_allclose(erlang_c(servers, 1 - 1e-10), 1, atol=1e-7)


def test_formulas_stay_exact_where_the_printed_factors_leave_the_floats():
    with pytest.raises(OverflowError):
        math.exp(900.0) * math.gamma(1000.0)
    assert erlang_c(1000, 0.9) == pytest.approx(occupancy(1000, 0.9, 8000)[1000:].sum(), rel=1e-9)
    assert erlang_c(1e6, 0.1) == 0
    assert mmc_wait(1e300, [0.5, 4]).tolist() == [0, INF]
    assert mmc_wait(1e-300, 0, 1e300) == mg1_wait(0, 2, 1e300) == 0


def test_square_root_staffing_has_the_limit_of_halfin_and_whitt():
    beta, servers = 0.5, 1e12  # 1 - load = beta / sqrt(c)
    limit = 1 / (1 + beta * stats.norm.cdf(beta) / stats.norm.pdf(beta))
    assert erlang_c(servers, 1 - beta / math.sqrt(servers)) == pytest.approx(limit, rel=1e-5)


@given(servers_drawn, load_drawn, load_drawn)
def test_more_load_means_more_waiting(servers, load, other):
    low, high = sorted((load, other))
    assert 0 <= erlang_c(servers, low) <= erlang_c(servers, high) * (1 + 1e-12) <= 1 + 1e-12


@given(servers_drawn, servers_drawn, load_drawn)
def test_at_equal_load_more_servers_mean_less_waiting(servers, other, load):
    few, many = sorted((servers, other))
    assert erlang_c(many, load) <= erlang_c(few, load) * (1 + 1e-9)


# --- equation (5) --------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [0.3, 0.7, 0.9])
def test_the_asymptotic_form_is_approached_as_servers_are_added(load):
    servers = np.array([1e2, 1e3, 1e4])
    # the first neglected term is of order 1 / (c (1 - rho)^2); compare logarithms, both may underflow
    excess = erlang_c_limit(servers, load) / np.maximum(erlang_c(servers, load), 1e-300) - 1
    seen = erlang_c(servers, load) > 1e-290
    assert np.all(np.abs(excess[seen]) < 2 / (servers[seen] * (1 - load) ** 2))
    assert seen.sum() >= (1 if load < 0.5 else 2)


def test_erratum_the_printed_limit_is_that_of_a_single_server():
    load = 0.7
    assert erlang_c_limit(1e4, load, as_printed=True) == load == pytest.approx(erlang_c(1, load))
    assert erlang_c_limit(1e4, load) < 1e-200
    assert occupancy(1000, load)[1000:].sum() < 1e-20  # by the balance equations
    assert erlang_c(1000, load) == pytest.approx(erlang_c_limit(1000, load), rel=0.02)


def test_erratum_the_printed_step_replaces_gamma_of_c_by_something_else():
    # Gamma(c, c rho) ~ Gamma(c), and not (c rho)^(c-1) e^(-c rho)
    c, load = 100, 0.7
    integrand = lambda u: math.exp((c - 1) * math.log(u) - u - math.lgamma(c))  # noqa: E731
    upper = integrate.quad(integrand, c * load, np.inf)[0]
    printed = integrand(c * load)
    assert upper == pytest.approx(1, abs=2e-3)
    assert printed < 2e-3


def test_the_limit_stays_a_probability_at_every_load():
    load = np.array([0, 1e-12, 0.5, 1 - 1e-12, 1, 7, INF])
    for as_printed in (False, True):
        limit = erlang_c_limit(3.0, load, as_printed)
        assert np.all((limit >= 0) & (limit <= 1))
        assert limit[0] == 0
        assert np.all(limit[-3:] == 1)


# --- waiting times -------------------------------------------------------------------------------


@pytest.mark.parametrize("servers", [1, 4, 40])
@pytest.mark.parametrize("load", [0.3, 0.9])
def test_mean_wait_is_the_mean_line_over_the_arrival_rate(servers, load):
    law, service = occupancy(servers, load), 2.5
    line = np.maximum(np.arange(law.size) - servers, 0) @ law
    rate = servers * load / service
    assert mmc_wait(servers, load, service) == pytest.approx(line / rate, rel=1e-9)
    in_system = np.arange(law.size) @ law
    assert mmc_sojourn(servers, load, service) == pytest.approx(in_system / rate, rel=1e-9)


@pytest.mark.parametrize("servers", [0.5, 3.7, 200])
def test_waits_are_zero_without_load_and_infinite_under_overload(servers):
    for wait in (mmc_wait(servers, [0, 1, 2]), mgc_wait(servers, [0, 1, 2], 3.0), mg1_wait([0, 1, 2], 3.0)):
        assert wait.tolist() == [0, INF, INF]
    assert mmc_sojourn(servers, [0, 1], 2.5).tolist() == [2.5, INF]


# Service laws of mean 1: squared coefficient of variation, and how to draw
SERVICES = {
    "constant": (0.0, lambda rng, shape: np.ones(shape)),
    "uniform on [0, 2]": (1 / 3, lambda rng, shape: rng.uniform(0, 2, shape)),
    "exponential": (1.0, lambda rng, shape: rng.exponential(1.0, shape)),
    "two exponentials": (  # mean 1/2 or 5 with chances 8/9, 1/9: E[X^2] = 2 (8/9 / 4 + 25/9) = 6
        5.0,
        lambda rng, shape: rng.exponential(1.0, shape) * np.where(rng.random(shape) < 1 / 9, 5.0, 0.5),
    ),
}


@pytest.mark.parametrize("law", SERVICES)
def test_pollaczek_khinchine_agrees_with_simulated_single_servers(law):
    scv, draw = SERVICES[law]
    rng = np.random.default_rng(20)
    waits = waits_at_one_server(rng, 0.5, draw(rng, (60, 40_000)), 60, 40_000)
    assert_mean(waits, mg1_wait(0.5, scv))
    for wrong in (0.94, 1.06):
        with pytest.raises(AssertionError):
            assert_mean(waits, wrong * mg1_wait(0.5, scv))


@given(load_drawn, st.floats(0, 50), st.floats(0.01, 100))
def test_the_approximation_is_exact_for_one_server(load, scv, service):
    assert mgc_wait(1, load, scv, service) == pytest.approx(mg1_wait(load, scv, service), rel=1e-9)


@given(servers_drawn, load_drawn, st.floats(0.01, 100))
def test_the_approximation_is_exact_for_exponential_service(servers, load, service):
    assert mgc_wait(servers, load, 1.0, service) == pytest.approx(mmc_wait(servers, load, service), rel=1e-12)


def test_the_approximation_is_near_a_simulated_queue_of_constant_service():
    # With constant service customers start in turn: number i waits for number i - c (Kiefer & Wolfowitz).
    servers, load, rng = 4, 0.9, np.random.default_rng(21)
    arrival = rng.exponential(1 / (servers * load), size=(200, 6_000)).cumsum(axis=1)
    start = arrival.copy()
    for i in range(servers, arrival.shape[1]):
        start[:, i] = np.maximum(arrival[:, i], start[:, i - servers] + 1)
    wait = (start - arrival)[:, 2_000:].mean()
    assert mgc_wait(servers, load, 0.0) == pytest.approx(wait, rel=0.08)
    assert mmc_wait(servers, load) > 1.5 * wait


def test_infinite_variation_means_an_infinite_wait_however_light_the_load():
    assert mg1_wait([0, 1e-9, 0.5], INF).tolist() == [0, INF, INF]
    assert mgc_wait(200, [0, 1e-9, 0.5], INF).tolist() == [0, INF, INF]


# --- shapes and refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function", [erlang_c, erlang_c_limit, mmc_wait, mmc_sojourn, lambda c, rho: mgc_wait(c, rho, 2.0)]
)
def test_arrays_give_what_single_numbers_give(function):
    servers, load = np.array([[0.5], [3.0], [250.0]]), np.array([0, 0.3, 0.95, 1.0])
    table = function(servers, load)
    assert table.shape == (3, 4)
    for i in range(3):
        for j in range(4):
            single = function(float(servers[i, 0]), float(load[j]))
            assert type(single) is float
            assert table[i, j] == single


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: erlang_c(0, 0.5), r"servers must be positive and finite \(got 0"),
        (lambda: erlang_c([1, -2], 0.5), "servers must be positive"),
        (lambda: erlang_c(INF, 0.5), "servers must be positive and finite"),
        (lambda: erlang_c(2, -0.1), "load must be at least 0"),
        (lambda: erlang_c(2, float("nan")), "load must be free of NaN"),
        (lambda: erlang_c_limit(0, 0.5), "servers must be positive"),
        (lambda: mmc_wait(2, 0.5, 0), "service must be positive and finite"),
        (lambda: mmc_sojourn(2, 0.5, -1), "service must be positive and finite"),
        (lambda: mg1_wait(-1, 1), "load must be at least 0"),
        (lambda: mg1_wait(0.5, -1), "scv must be at least 0"),
        (lambda: mgc_wait(2, 0.5, float("nan")), "scv must be free of NaN"),
    ],
)
def test_what_is_outside_the_domain_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
