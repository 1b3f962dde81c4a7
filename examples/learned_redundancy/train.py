r"""Deep-Q learning of how much redundancy a job starts with; needs PyTorch.

Each job is a decision. The reward is minus the slowdown that it leads to: how long the job runs, and how
long jobs wait until the next decision, each in units of its size. These add up to the slowdowns of all
jobs. A decision is answered for late, since it fills slots that others need long afterwards, and many
overlap. What makes that learnable:

- The run of a job depends on its own luck and its own redundancy only, so two parts of the value are
  learned apart and added (van Seijen et al., "Hybrid reward architecture", NeurIPS 2017): what a job gains,
  and what those behind it lose, which is about in proportion to its demand. In the second, a later job counts
  with what it is expected to forgo of the most it could gain, instead of with how long it ran: the same but
  for luck and for what no decision moves.
- The second part is learned from the lambda-return of Peng and Williams (Machine Learning 22, 1996), over
  a replay of the last rounds (Mnih et al., Nature 518, 2015; Daley and Amato, "Reconciling lambda-returns
  with experience replay", NeurIPS 2019). One step would not do: the network sees how much is running, not
  for how long. Averaged weights play, which change slowly as a target network does.
- How far a return looks ahead grows with the offered load, which the network is told: what a decision costs
  those behind it depends on it, and in a busy system comes late.
- Most of a return is neither merit nor fault of the decision. What usually follows the load that was found is
  subtracted, so that the second part says what an action changes (Wang et al., "Dueling network
  architectures", ICML 2016). So is what came differently from the usual in other runs of the same jobs with
  the same luck, which differ in their trials only: such a baseline leaves no bias (Mao et al., "Variance
  reduction for reinforcement learning in input-driven environments", ICLR 2019). Without it the long returns
  of a busy system would be noise.
- Few trials do: what one of them changes is then hidden less by others. They are learned from as often as
  everything else.
"""

from __future__ import annotations

import copy
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch
from exploring import Decisions, play
from returns import beside_twins, lambda_returns, usual
from training import Training

from sim.engines.gang.learning.network import Layer, Network, observed, weights

#: Least standard deviation that errors are weighed by.
LEAST = 0.1


class Half(torch.nn.Sequential):
    """Two rectified layers and a linear one, for one part of the value."""

    def __init__(self, inputs: int, units: int, actions: int) -> None:
        linear, rectify = torch.nn.Linear, torch.nn.ReLU
        super().__init__(
            linear(inputs, units), rectify(), linear(units, units), rectify(), linear(units, actions)
        )

    def layers(self) -> tuple[Layer, ...]:
        """Return weights (inputs, outputs) and biases."""
        linear = (layer for layer in self if isinstance(layer, torch.nn.Linear))
        return tuple((layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in linear)

    @torch.no_grad()
    def follow(self, other: Half, memory: int) -> None:
        """Move the weights a little towards those of another one."""
        for mean, weight in zip(self.parameters(), other.parameters(), strict=True):
            mean.lerp_(weight, 1 / memory)

    @torch.no_grad()
    def values(self, seen: np.ndarray) -> np.ndarray:
        """Return its values at observations."""
        return np.asarray(self(torch.as_tensor(seen)).double().numpy())


def cautious(network: Network) -> Network:
    """Return a network that never chooses redundancy."""
    *hidden, (weights, bias) = network.others
    never = np.where(np.arange(bias.size) > 0, -1e9, 0.0)
    return replace(network, others=(*hidden, (np.zeros_like(weights), never)))


class Learner:
    """Both halves, the replay and the optimiser."""

    def __init__(self, training: Training) -> None:
        torch.manual_seed(training.seed)
        torch.set_num_threads(1)  # layers are small, and sums must not depend on the number of cores
        self.training = training
        actions = len(training.rates)
        self.gain, self.loss = Half(1, training.units, actions), Half(3, training.units, actions)
        with torch.no_grad():
            for last in list(self.loss.parameters())[-2:]:
                last.zero_()
        self.averaged_gain, self.averaged_loss = copy.deepcopy(self.gain), copy.deepcopy(self.loss)
        parameters = [*self.gain.parameters(), *self.loss.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=training.step)
        self.replay: deque[list[list[Decisions]]] = deque(maxlen=training.kept)
        #: Of each scenario what usually follows a load, as nodes to interpolate between.
        self.usual = [(np.zeros(1), np.zeros(1)) for _ in training.scenarios]
        self.shuffle = np.random.default_rng([training.seed, 1])

    def network(self, notes: dict[str, Any] | None = None) -> Network:
        """Return what has been learned so far."""
        own, others = self.averaged_gain.layers(), self.averaged_loss.layers()
        return Network(self.training.rates, own, others, notes or {})

    def play(self, round_: int) -> list[list[Decisions]]:
        """Run every scenario with new luck, once for each twin."""
        network, training = self.network(), self.training
        if round_ < training.caution:
            network = cautious(network)
        return [
            [
                play(scenario, round_, network, training.trials_in(round_, scenario.load), twin)
                for twin in range(training.twins)
            ]
            for scenario in training.scenarios
        ]

    def learn(self, round_: int, played: list[list[Decisions]]) -> list[float]:
        """Learn from what was played, now and before; return the mean squared errors of both halves."""
        training = self.training
        for group in self.optimizer.param_groups:
            group["lr"] = training.step * 0.1 ** training.share(round_)
        self.replay.append(played)
        lessons = [
            lesson
            for which, scenario in enumerate(training.scenarios)
            for lesson in self.lessons(which, scenario.load)
        ]
        seen, action, run, change, weight = (
            torch.as_tensor(np.concatenate(column)) for column in zip(*lessons, strict=True)
        )
        size = torch.as_tensor(weights(seen.numpy()))
        order = self.shuffle.permutation(len(action))
        errors = []
        for part in np.array_split(order, max(1, len(order) // training.batch)):
            x, a = seen[part], action[part, None]
            own = torch.nn.functional.mse_loss(self.gain(x[:, :1]).gather(1, a)[:, 0], run[part])
            lost = (size[part] * self.loss(x)).gather(1, a)[:, 0]
            others = (weight[part] * (lost - change[part]) ** 2).mean()
            self.optimizer.zero_grad()
            (own + others).backward()
            self.optimizer.step()
            self.averaged_gain.follow(self.gain, training.memory)
            self.averaged_loss.follow(self.loss, training.memory)
            errors.append((own.item(), others.item()))
        return [float(error) for error in np.mean(errors, axis=0)]

    def lessons(self, which: int, offered: float) -> Iterator[tuple[np.ndarray, ...]]:
        """Return, of each run of a scenario: observations, actions, what both halves should say, weights.

        The halves should say minus the run of the job, and what the action changed for those behind.
        Decisions weigh less where these changes are noisier.
        """
        training = self.training
        patience = training.patience(offered)
        horizon, trace = training.horizon * patience, training.trace * patience
        groups = [kept[which] for kept in self.replay]
        nodes = self.usual[which]
        later, changes = [], []
        for twins in groups:
            forgone = np.array([self.forgone(one) for one in twins])
            reward = forgone - [one.waited for one in twins]
            reward -= reward.mean()
            value = [np.append(np.interp(one.load, *nodes), 0.0) for one in twins]
            found = [lambda_returns(*pair, horizon, trace) for pair in zip(reward, value, strict=True)]
            later.append(np.array(found))
            changes.append(later[-1] - forgone)
        load = np.array([[one.load for one in twins] for twins in groups])
        self.usual[which] = nodes = usual(load.ravel(), np.ravel(later))
        changes = [beside_twins(own - np.interp(at, *nodes)) for own, at in zip(changes, load, strict=True)]
        weight = 1 / max(float(np.std(changes)), LEAST)
        for twins, found in zip(groups, changes, strict=True):
            for one, change in zip(twins, found.astype(np.float32), strict=True):
                kept = self.chosen(one.tried)
                seen = observed(one.demand[kept], one.load[kept], offered).astype(np.float32)
                run, weigh = -one.run[kept].astype(np.float32), np.full(kept.size, weight, np.float32)
                yield seen, one.action[kept], run, change[kept], weigh

    def chosen(self, tried: np.ndarray) -> np.ndarray:
        """Return which decisions of a run are learned from: all trials, and as many others."""
        trials, others = np.flatnonzero(tried), np.flatnonzero(~tried)
        return np.append(trials, self.shuffle.choice(others, min(trials.size, others.size), replace=False))

    def forgone(self, played: Decisions) -> np.ndarray:
        """Return how much less jobs are expected to gain by what was done than they could: 0 or below."""
        seen = observed(played.demand, 0.0, 0.0)[:, :1].astype(np.float32)
        gained = self.averaged_gain.values(seen)
        return np.asarray(gained[np.arange(len(gained)), played.action] - gained.max(axis=1))


def train(training: Training, tell: Callable[[dict[str, Any]], object]) -> Network:
    """Train a network.

    Parameters
    ----------
    training : Training
    tell : callable
        Called after each round with a line of the learning curve: `round`, `decisions` so far, `slowdown`
        (size tail -> offered load -> mean over the jobs, trials included), `errors` of both halves,
        `seconds` so far.

    Returns
    -------
    Network
        The same for the same `training`, on machines that round alike.
    """
    learner = Learner(training)
    begun = time.perf_counter()
    decisions = 0
    for round_ in range(training.rounds):
        played = learner.play(round_)
        decisions += sum(one.action.size for twins in played for one in twins)
        errors = learner.learn(round_, played)
        slowdown: dict[str, dict[str, float]] = {}
        for scenario, twins in zip(training.scenarios, played, strict=True):
            by_load = slowdown.setdefault(f"{scenario.size_tail:g}", {})
            mean = np.mean([one.run + one.waited for one in twins])
            by_load[f"{scenario.load:g}"] = round(float(mean), 4)
        tell(
            {
                "round": round_ + 1,
                "decisions": decisions,
                "slowdown": slowdown,
                "errors": [round(error, 4) for error in errors],
                "seconds": round(time.perf_counter() - begun, 1),
            }
        )
    return learner.network({**asdict(training), "decisions": decisions})
