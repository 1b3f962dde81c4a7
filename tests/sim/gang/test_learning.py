"""Learning in the simulator: the environment, the return of decisions, the network, and its gain."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.__main__ import main
from sim.experiment import Experiment, compare
from sim.fields import BadInput
from sim.gang.learning.exploring import play
from sim.gang.learning.forward import best_rate
from sim.gang.learning.network import CURVE, Network, observed, read_network
from sim.gang.learning.returns import beside_twins, lambda_returns, usual, waited_by
from sim.gang.learning.training import Training
from sim.gang.scenario import GangScenario
from sim.gang.sweep import redundant_small
from sim.workload import generate
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


# What a decision led to.


@given(
    reward=st.lists(numbers, min_size=1, max_size=12),
    data=st.data(),
    horizon=st.sampled_from([0.5, 3, 40, math.inf]),
    trace=st.sampled_from([0.01, 2, 30, math.inf]),
)
def test_returns_are_those_of_the_recursion(reward, data, horizon, trace):
    size = len(reward) + 1
    value = data.draw(st.lists(numbers, min_size=size, max_size=size))
    discount, share = math.exp(-1 / horizon), math.exp(-1 / trace)
    expected, later = [], value[-1]
    for r, v in zip(reversed(reward), reversed(value[1:]), strict=True):
        later = r + discount * ((1 - share) * v + share * later)
        expected.append(later)
    found = lambda_returns(np.array(reward), np.array(value), horizon, trace)
    np.testing.assert_allclose(found, expected[::-1], rtol=1e-9, atol=1e-9)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=8))
def test_waits_are_counted_as_they_pass(rows):
    """Against a sum over all jobs at each decision."""
    gaps, delays, sizes = map(np.array, zip(*rows, strict=True))
    arrival = np.cumsum(gaps).astype(float)
    start = np.maximum.accumulate(arrival + delays)  # in turn
    found = waited_by(arrival, start, sizes.astype(float))
    for j in range(arrival.size):
        now = max(arrival[j], start[j - 1] if j else -math.inf)
        passed = sum((min(s, now) - a) / b for a, s, b in zip(arrival, start, sizes, strict=True) if a < now)
        assert found[j] == pytest.approx(passed, abs=1e-9)
    assert found[-1] == pytest.approx(((start - arrival) / sizes).sum())


@given(st.lists(st.tuples(st.floats(0, 2), numbers), min_size=1, max_size=30))
def test_what_usually_follows_a_load_is_a_mean_over_loads_like_it(rows):
    load, later = map(np.array, zip(*rows, strict=True))
    loads, means = usual(load, later, 0.5)
    assert (np.diff(loads) > 0).all()
    for at, mean in zip(loads, means, strict=True):
        alike = (load + 5e-10) // 0.5 == (at + 5e-10) // 0.5
        assert mean == pytest.approx(later[alike].mean(), abs=1e-9)


@given(
    shared=st.lists(numbers, min_size=1, max_size=6),
    twins=st.integers(2, 4),
    data=st.data(),
)
def test_what_twins_share_is_taken_away_and_what_one_does_is_not(shared, twins, data):
    own = data.draw(st.lists(numbers, min_size=len(shared), max_size=len(shared)))
    surprises = np.tile(shared, (twins, 1))
    surprises[0] += own
    found = beside_twins(surprises)
    np.testing.assert_allclose(found[0], own, atol=1e-9)
    np.testing.assert_allclose(found[1:], np.tile(-np.array(own) / (twins - 1), (twins - 1, 1)), atol=1e-9)
    np.testing.assert_array_equal(beside_twins(surprises[:1]), surprises[:1])


def test_trials_fall_with_the_load_and_the_rounds():
    training = Training(rounds=9)
    by_load = [training.trials_in(0, load) for load in training.loads]
    by_round = [training.trials_in(round_, 0.5) for round_ in range(9)]
    for shares in (by_load, by_round):
        assert all(0 < later < earlier < 0.4 for earlier, later in itertools.pairwise(shares))


def test_a_return_looks_farther_ahead_the_busier_the_system():
    training = Training(calm=0.8, jobs=100)
    assert [training.patience(load) for load in (0.1, 0.8)] == [1, 1]
    assert training.patience(0.9) == pytest.approx(4)
    assert training.patience(0.95) == pytest.approx(16)
    jobs = {scenario.load: scenario.jobs for scenario in training.scenarios}
    assert (jobs[0.3], jobs[0.9]) == (100, 400)


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


def test_the_network_is_what_torch_makes_of_it():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from sim.gang.learning.train import Half

    torch.manual_seed(3)
    gain, loss = Half(1, 5, len(RATES)), Half(3, 5, len(RATES))
    drawn = np.random.default_rng(0).uniform([[1.0], [0]], [[400.0], [3]], (2, 500))
    seen = observed(*drawn, 0.7)
    x = torch.as_tensor(seen.astype(np.float32))
    with torch.no_grad():
        expected = (gain(x[:, :1]) + torch.exp(3 * x[:, :1]) / 10 * loss(x)).numpy()
    network = Network(RATES, gain.layers(), loss.layers(), {})
    np.testing.assert_allclose(network.values(seen), expected, atol=1e-4)
    packed = network.packed(0.7)
    gaps = np.diff(np.sort(expected, axis=1))[:, -1] > 1e-3
    chosen = np.array([best_rate(packed, 0, *one)[0] for one in drawn.T])
    np.testing.assert_array_equal(chosen[gaps], expected.argmax(axis=1)[gaps])


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
    assert set(Training.__dataclass_fields__) < set(network.notes)
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


# What the engine plays, and what an environment tells.


def replayed(trials: float):
    """Decisions of a run of an unknowing network, and the same jobs run by somebody else."""
    network = random_network(3)
    decisions = play(BUSY, 3, network, trials)
    return network, decisions, generate(BUSY, 3)


@pytest.mark.parametrize("trials", [0, 0.5, 1])
def test_decisions_are_what_the_network_says_but_for_the_trials(trials):
    network, decisions, jobs = replayed(trials)
    np.testing.assert_allclose(decisions.demand, jobs.tasks * jobs.size / BUSY.size_min)
    best = network.values(observed(decisions.demand, decisions.load, BUSY.load)).argmax(axis=1)
    same = best == decisions.action
    assert same[~decisions.tried].all()
    assert decisions.tried.mean() == pytest.approx(trials, abs=0.25)
    assert same.mean() == pytest.approx(1 - 0.75 * trials, abs=0.25)
    assert len(set(decisions.action)) > 1


def test_twins_differ_in_their_trials_only():
    network = random_network(3)
    for trials, alike in ((0, True), (0.3, False)):
        one, other = (play(BUSY, 3, network, trials, twin) for twin in (0, 1))
        np.testing.assert_array_equal(one.demand, other.demand)
        assert np.array_equal(one.action, other.action) == alike
        assert np.array_equal(one.run, other.run) == alike
        assert np.array_equal(one.tried, other.tried) == alike


def test_what_is_played_adds_up_to_the_slowdowns():
    """Against a run of the same network as a policy."""
    packed = read_network()
    jobs = generate(BUSY, 3)
    decisions = play(BUSY, 3, packed, 0)
    outcome = run_to_end(BUSY, "redundant-rl", jobs, replication=3)
    slowdown = (outcome.finish - outcome.arrival) / jobs.size
    assert decisions.run.sum() + decisions.waited.sum() == pytest.approx(slowdown.sum(), rel=1e-9)
    assert decisions.waited.sum() > 1
    np.testing.assert_allclose(decisions.run, (outcome.finish - outcome.start) / jobs.size, rtol=1e-12)


@pytest.mark.parametrize("trials", [0, 1])
def test_the_environment_tells_what_the_engine_plays(trials):
    """Step by step the same observations and, for the same actions, the same rewards."""
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    from sim.gang.learning.environment import CodingEnvironment

    _, decisions, jobs = replayed(trials)
    environment = CodingEnvironment(BUSY, RATES)
    for _ in range(4):  # replications 0 to 3
        seen, info = environment.reset()
    rewards, last = [], False
    for j in range(jobs.n):
        assert info["job"] == j
        assert environment.observation_space.contains(seen)
        expected = observed(decisions.demand[j], decisions.load[j], BUSY.load)
        np.testing.assert_allclose(seen, expected, rtol=1e-6)
        assert not last
        seen, reward, last, cut, info = environment.step(decisions.action[j])
        assert not cut
        rewards.append(reward)
    assert last
    np.testing.assert_allclose(rewards, -decisions.run - decisions.waited, rtol=1e-9, atol=1e-7)


def test_gymnasium_finds_nothing_wrong_with_the_environment():
    checker = pytest.importorskip("gymnasium.utils.env_checker", reason="Gymnasium is not installed")
    from sim.gang.learning.environment import CodingEnvironment

    checker.check_env(CodingEnvironment(BUSY), skip_render_check=True)


@pytest.mark.parametrize("fields", [{"decide": "arrival"}, {"delay": 1}, {"drain": 0}])
def test_an_environment_refuses_what_it_could_not_reward(fields):
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    from sim.gang.learning.environment import CodingEnvironment

    (name,) = fields
    with pytest.raises(BadInput, match=f"^{name}: .* is not accepted in an environment"):
        CodingEnvironment(GangScenario(**fields))


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


# Training.


def test_the_shell_says_what_training_needs(capsys, tmp_path, monkeypatch):
    assert main(["train-rl"]) == 2
    assert "--network" in capsys.readouterr().err
    assert main(["train-rl", "--rounds", "0", "--network", "n.json"]) == 2
    assert "rounds: '0' is not accepted; give a whole number from 1" in capsys.readouterr().err
    assert main(["train-rl", "--network", str(tmp_path / "no" / "n.json")]) == 2
    assert "folder" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "sim.gang.learning.train", raising=False)
    assert main(["train-rl", "--network", str(tmp_path / "n.json")]) == 2
    assert "pip install '.[rl]'" in capsys.readouterr().err


def test_training_can_be_repeated(capsys, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    kept = []
    for seed in (1, 1, 2):
        files = tmp_path / "network.json", tmp_path / "curve.json"
        line = ["train-rl", "--rounds", "2", "--jobs", "200", "--seed", str(seed)]
        assert main([*line, "--network", str(files[0]), "--curve", str(files[1])]) == 0
        assert "round 2, 38,400 decisions" in capsys.readouterr().err
        curve = json.loads(files[1].read_text())
        assert set(curve[0]) == {"round", "decisions", "slowdown", "errors", "seconds"}
        kept.append(files[0].read_text())
    assert kept[0] == kept[1] != kept[2]
