"""The trainer of the learned redundancy: returns, the environment, what is played."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from exploring import play
from hypothesis import given
from hypothesis import strategies as st
from returns import beside_twins, lambda_returns, usual, waited_by
from training import Training

from sim.engines.gang.learning.network import Network, best_rate, observed, read_network
from sim.engines.gang.scenario import GangScenario
from sim.model.fields import BadInput
from sim.model.workload import generate
from tests.sim.gang.runs import run_to_end

ROOT = Path(__file__).parents[2]
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


def test_the_network_is_what_torch_makes_of_it():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from train import Half

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
    from environment import CodingEnvironment

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
    from environment import CodingEnvironment

    checker.check_env(CodingEnvironment(BUSY), skip_render_check=True)


@pytest.mark.parametrize("fields", [{"decide": "arrival"}, {"delay": 1}, {"drain": 0}])
def test_an_environment_refuses_what_it_could_not_reward(fields):
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    from environment import CodingEnvironment

    (name,) = fields
    with pytest.raises(BadInput, match=f"^{name}: .* is not accepted in an environment"):
        CodingEnvironment(GangScenario(**fields))


def test_training_can_be_repeated(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    kept = []
    for seed in (1, 1, 2):
        files = tmp_path / "network.json", tmp_path / "curve.json"
        sizes = ["--rounds", "2", "--jobs", "200", "--seed", str(seed)]
        line = [sys.executable, str(Path(__file__).parent), str(files[0]), "--curve", str(files[1]), *sizes]
        done = subprocess.run(line, check=True, capture_output=True, text=True, cwd=ROOT)
        assert "round 2, 38,400 decisions" in done.stderr
        curve = json.loads(files[1].read_text())
        assert set(curve[0]) == {"round", "decisions", "slowdown", "errors", "seconds"}
        kept.append(files[0].read_text())
    assert kept[0] == kept[1] != kept[2]
