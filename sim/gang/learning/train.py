r"""Deep-Q learning of how much redundancy a job starts with; needs PyTorch (``pip install .[rl]``).

Each job is a decision. The reward is minus the slowdown that it leads to: how long the job runs, and how
long jobs wait until the next decision, each in units of its size. These add up to the slowdowns of all
jobs. A decision is answered for late, since it fills slots that others need long afterwards, and many
overlap. What makes that learnable:

- The run of a job depends on its own luck and its own redundancy only, so two parts of the value are
  learned apart and added (van Seijen et al., "Hybrid reward architecture", NeurIPS 2017): what a job gains,
  and what those behind it lose. In the second, a later job counts with what it is expected to forgo of the
  most it could gain, instead of with how long it ran: the same but for luck and for what no decision moves.
- The second part is learned from the lambda-return of Peng and Williams (Machine Learning 22, 1996), over
  a replay of the last rounds (Mnih et al., Nature 518, 2015; Daley and Amato, "Reconciling lambda-returns
  with experience replay", NeurIPS 2019). One step would not do: the network sees how much is running, not
  for how long. Values are expected from averaged weights, which change slowly as a target network does.
- Rewards are taken relative to their mean in the run, so that values say what an action changes and not
  under which offered load it was tried.
"""

from __future__ import annotations

import copy
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from sim.gang.learning.exploring import Decisions, play
from sim.gang.learning.forward import HIGHEST
from sim.gang.learning.network import Network, observed
from sim.gang.learning.returns import decisions_before, lambda_returns
from sim.gang.learning.training import Training

#: Weight of the errors of the second half in the sum that is made small: they are noisier.
SHARE = 0.1


class Half(torch.nn.Sequential):
    """Two rectified layers and a linear one, for one part of the value."""

    def __init__(self, inputs: int, units: int, actions: int) -> None:
        linear, rectify = torch.nn.Linear, torch.nn.ReLU
        super().__init__(
            linear(inputs, units), rectify(), linear(units, units), rectify(), linear(units, actions)
        )

    def layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return weights (inputs, outputs) and biases."""
        linear = (layer for layer in self if isinstance(layer, torch.nn.Linear))
        return [(layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in linear]

    @torch.no_grad()
    def follow(self, other: Half, memory: int) -> None:
        """Move the weights a little towards those of another one."""
        for mean, weight in zip(self.parameters(), other.parameters(), strict=True):
            mean.lerp_(weight, 1 / memory)

    @torch.no_grad()
    def values(self, seen: np.ndarray) -> np.ndarray:
        """Return its values at observations."""
        return np.asarray(self(torch.as_tensor(seen)).double().numpy())


def joined(gain: Half, loss: Half, rates: tuple[float, ...], notes: dict[str, Any]) -> Network:
    """Put both halves side by side as one network, whose values are their sums."""
    own, others = gain.layers(), loss.layers()
    apart = np.zeros_like(own[1][0])
    unseen = np.zeros_like(own[0][0])  # what a job gains does not depend on the load
    weights = (
        np.hstack([np.vstack([own[0][0], unseen]), others[0][0]]),
        np.block([[own[1][0], apart], [apart, others[1][0]]]),
        np.vstack([own[2][0], others[2][0]]),
    )
    biases = (
        np.concatenate([own[0][1], others[0][1]]),
        np.concatenate([own[1][1], others[1][1]]),
        own[2][1] + others[2][1],
    )
    return Network(rates, tuple(zip(weights, biases, strict=True)), notes)


class Learner:
    """Both halves, the replay and the optimiser."""

    def __init__(self, training: Training) -> None:
        torch.manual_seed(training.seed)
        torch.set_num_threads(1)  # layers are small, and sums must not depend on the number of cores
        self.training = training
        actions = len(training.rates)
        self.gain, self.loss = Half(1, training.units, actions), Half(2, training.units, actions)
        with torch.no_grad():
            last = list(self.loss.parameters())[-2:]
            last[0].zero_()
            last[1].fill_(-training.caution)[0] = 0
        self.averaged_gain, self.averaged_loss = copy.deepcopy(self.gain), copy.deepcopy(self.loss)
        parameters = [*self.gain.parameters(), *self.loss.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=training.step)
        self.replay: deque[list[Decisions]] = deque(maxlen=training.kept)
        self.shuffle = np.random.default_rng([training.seed, 1])

    def network(self, notes: dict[str, Any] | None = None) -> Network:
        """Return what has been learned so far."""
        return joined(self.averaged_gain, self.averaged_loss, self.training.rates, notes or {})

    def play(self, round_: int) -> list[Decisions]:
        """Run every scenario once, with new luck."""
        network, training = self.network(), self.training
        return [
            play(scenario, round_, network, training.trials_in(round_, scenario.load))
            for scenario in training.scenarios
        ]

    def learn(self, round_: int, played: list[Decisions]) -> list[float]:
        """Learn from what was played, now and before; return the mean squared errors of both halves."""
        training = self.training
        for group in self.optimizer.param_groups:
            group["lr"] = training.step * 0.1 ** training.share(round_)
        self.replay.append(played)
        lessons = [self.lesson(run) for kept in self.replay for run in kept]
        seen, action, run, later = (
            torch.as_tensor(np.concatenate(column)) for column in zip(*lessons, strict=True)
        )
        order = self.shuffle.permutation(len(action))
        order = order[: training.passes * sum(one.action.size for one in played)]
        errors = []
        for part in np.array_split(order, max(1, len(order) // training.batch)):
            x, a = seen[part], action[part, None]
            own = torch.nn.functional.mse_loss(self.gain(x[:, :1]).gather(1, a)[:, 0], run[part])
            others = torch.nn.functional.mse_loss(self.loss(x).gather(1, a)[:, 0], later[part])
            self.optimizer.zero_grad()
            (own + SHARE * others).backward()
            self.optimizer.step()
            self.averaged_gain.follow(self.gain, training.memory)
            self.averaged_loss.follow(self.loss, training.memory)
            errors.append((own.item(), others.item()))
        return [float(error) for error in np.mean(errors, axis=0)]

    def lesson(self, played: Decisions) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return observations, actions, and what both halves should have said: minus run and loss."""
        kept = decisions_before(played.load, HIGHEST)
        seen = observed(played.demand[:kept], played.load[:kept]).astype(np.float32)
        own = self.averaged_gain.values(seen[:, :1])
        gained = own - own[:, :1]
        total = gained + self.averaged_loss.values(seen)
        rows, best, most = np.arange(kept), total.argmax(axis=1), gained.max(axis=1)
        forgone = gained[rows, best] - most
        reward = forgone - played.waited[:kept]
        end = 0.0 if kept == played.load.size else -self.training.collapse
        value = np.append(total[rows, best] - most, end)
        later = lambda_returns(reward - reward.mean(), value, self.training.horizon, self.training.trace)
        lost = (later - forgone).astype(np.float32)
        return seen, played.action[:kept], -played.run[:kept].astype(np.float32), lost


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
        decisions += sum(run.action.size for run in played)
        errors = learner.learn(round_, played)
        slowdown: dict[str, dict[str, float]] = {}
        for scenario, run in zip(training.scenarios, played, strict=True):
            by_load = slowdown.setdefault(f"{scenario.size_tail:g}", {})
            by_load[f"{scenario.load:g}"] = round(float((run.run + run.waited).mean()), 4)
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
