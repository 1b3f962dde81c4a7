"""The learned redundancy: its network, compiled and as data, and its gain."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.gang.learning.network import CURVE, Network, best_rate, observed, read_network
from sim.engines.gang.scenario import GangScenario
from sim.model.workload import generate
from sim.running.experiment import Experiment, compare
from sim.running.gang_sweep import redundant_small
from tests.depth import every
from tests.sim.gang.runs import run_to_end
from tests.strategies import search

RATES = (1.0, 1.5, 2.0, 3.0)
BUSY = GangScenario(nodes=6, capacity=3, tasks_max=4, load=0.9, jobs=80, size_tail=3, seed=4)
numbers = st.floats(-5, 5, allow_subnormal=False)


def random_network(seed: int, units: int = 7) -> Network:
    """A network that knows nothing, and does not always do the same."""
    rng = np.random.default_rng(seed)
    own, others = (
        tuple((rng.normal(size=shape), rng.normal(size=shape[1])) for shape in shapes)
        for shapes in ([(inputs, units), (units, units + 2), (units + 2, len(RATES))] for inputs in (1, 3))
    )
    return Network(RATES, own, others, {})


# The network.


@pytest.mark.small
@search(100)
@given(
    seed=st.integers(0, 10**6),
    demand=st.floats(1e-3, 1e6, allow_subnormal=False),
    load=st.floats(0, 3, allow_subnormal=False),
    offered=st.floats(1e-3, 4, allow_subnormal=False),
)
def test_the_compiled_network_decides_as_numpy_does(seed, demand, load, offered):
    network = random_network(seed)
    packed = np.concatenate([[7.0], network.packed(offered)])
    action, rate = best_rate(packed, 1, demand, load)
    values = network.values(observed(demand, load, offered))
    assert values[action] == pytest.approx(values.max(), rel=1e-12, abs=1e-12)
    assert rate == RATES[action]
    room = packed[-len(RATES) :]
    np.testing.assert_allclose(room, values, rtol=1e-9, atol=1e-9)
    assert packed[0] == 7


def test_a_network_survives_being_kept(tmp_path):
    network = random_network(1)
    file = tmp_path / "network.json"
    file.write_text(network.as_json())
    again = read_network(file)
    assert again.rates == network.rates
    x = observed([2.0, 20.0], [0.5, 1.0], 0.9)
    np.testing.assert_allclose(again.values(x), network.values(x), atol=1e-3)
    assert again.as_json() == Network(again.rates, again.own, again.others, {}).as_json()


def test_the_shipped_network_is_small_and_says_how_it_was_trained():
    network = read_network()
    assert network.packed(0.5).size < 5000
    assert {"rounds", "jobs", "seed", "decisions"} < set(network.notes)
    curve = json.loads(CURVE.read_text())
    assert len(curve) == network.notes["rounds"]
    assert curve[-1]["decisions"] == network.notes["decisions"]


def test_small_enough_jobs_have_redundancy_at_low_enough_load():
    """AS, section 3: gracefully less redundancy for larger demands or loads, found or offered."""
    network = read_network()
    demands, loads, offered = (
        np.geomspace(1, 100, 60),
        np.linspace(0.4, 1.4, 60),
        np.array([0.6, 0.7, 0.8, 0.9]),
    )
    rates = network.best(demands, loads[:, None], offered[:, None, None])
    assert (rates[:, 0] > 1).all()
    assert (rates[:, -1] == 1).all()
    by_load, by_demand, by_offered = rates.mean(axis=2), rates.mean(axis=1), rates.mean(axis=(1, 2))
    assert np.diff(by_load, axis=1).max() < 0.25
    assert (by_demand[:, :10].mean(axis=1) > by_demand[:, 30:40].mean(axis=1)).all()
    assert (by_demand[:, 30:40].mean(axis=1) > by_demand[:, -10:].mean(axis=1)).all()
    assert (np.diff(by_offered) < 0).all()
    assert len(set(rates.ravel())) >= 3


def test_the_offered_load_can_be_told():
    jobs = generate(BUSY, 1)
    rates = {
        load: run_to_end(BUSY, f"redundant-rl:load={load}", jobs, replication=1).copies
        for load in (0, 0.9, 0.3)
    }
    np.testing.assert_array_equal(rates[0], rates[0.9])
    assert rates[0.3].sum() > rates[0.9].sum()


# What it is worth.


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("load", "demand", "size_tail"),
    every(3, [(*case, tail) for case in ((0.3, math.inf), (0.6, 90), (0.8, 45)) for tail in (3, 1.5)]),
)
def test_the_learned_policy_is_as_good_as_redundant_small(size_tail, load, demand):
    """With a demand that is good at that load; jobs and luck are not those of the training."""
    small = redundant_small(demand, 2).text  # as good: worse by less than one percent, if at all
    scenario = GangScenario(size_tail=size_tail, load=load, jobs=20_000, seed=2024)
    experiment = Experiment.of_texts(scenario, (small, "none", "redundant-rl"))
    found = compare(experiment, replications=8).with_all_intervals()
    margin = 0.01 * found.policies[small].estimate("slowdown", "mean").value
    assert found.difference("redundant-rl", "slowdown", "mean").high < margin
    assert found.difference("none", "slowdown", "mean").high > margin


@pytest.mark.compiled
@pytest.mark.parametrize("size_tail", [3, 1.5])
def test_where_redundancy_hardly_pays_it_knows_that(size_tail):
    """At an offered load of 0.9, where no fixed demand does much better than none."""
    scenario = GangScenario(size_tail=size_tail, load=0.9, jobs=60_000, seed=2024)
    others = ("none", "redundant-small:d=20")
    experiment = Experiment.of_texts(scenario, (*others, "redundant-rl"))
    found = compare(experiment, replications=6).with_all_intervals()
    for other in others:
        against = dataclasses.replace(found, baseline=other)
        assert against.difference("redundant-rl", "slowdown", "mean").high < 0


def test_loads_and_demands_beyond_the_largest_look_alike():
    np.testing.assert_array_equal(observed([300, 900], [3.0, 3.6], [3.0, 7.0])[0], observed(900, 3.6, 7.0))
    assert not np.array_equal(observed(299, 3.0, 3.0), observed(300, 3.0, 3.0))
    assert not np.array_equal(observed(300, 2.9, 3.0), observed(300, 3.0, 3.0))
