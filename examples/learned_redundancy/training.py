"""The settings of a training, as a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim.engines.gang.scenario import GangScenario


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    r"""How a network is trained; the defaults are those of the one that is shipped.

    Attributes
    ----------
    rates : tuple of float
        The actions: expansion rates; the first is 1, no redundancy.
    loads, tails : tuple of float
        Offered loads and size tails (beta); each pair is a run in each round.
    jobs : int
        Of a run, up to the offered load `calm`; beyond, more in proportion to `patience`.
    twins : int
        Runs of the same jobs with the same luck but for their trials; what they share is no merit of a
        decision.
    rounds, kept : int
        Rounds of playing and learning; how many of them the replay holds.
    units : int
        Of each hidden layer of each half of the network.
    horizon : float
        Decisions after which a reward counts 1/e, up to the offered load `calm`; see `patience`.
    trace : float
        Decisions after which what happened is replaced, but for 1/e of it, by what is expected; it grows
        as the horizon does.
    calm : float
        Offered load up to which queues are forgotten soon.
    trials : float
        Probability of a random action at offered load 0.2 in the first round. It falls with the load,
        since trials take slots, and to a third over the rounds.
    batch, step : int and float
        Decisions of a step of the optimiser, and its first step size, which falls to a tenth.
    memory : int
        Steps over which the weights that play are averaged.
    caution : int
        First rounds in which only trials have redundancy; else they would be about clusters in collapse.
    seed : int
        Of all luck.
    """

    rates: tuple[float, ...] = (1.0, 1.5, 2.0, 3.0)
    loads: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    tails: tuple[float, ...] = (3.0, 1.5)
    jobs: int = 5_000
    twins: int = 4
    rounds: int = 50
    kept: int = 8
    units: int = 24
    horizon: float = 300.0
    trace: float = 200.0
    calm: float = 0.8
    trials: float = 0.1
    batch: int = 1024
    step: float = 2e-3
    memory: int = 600
    caution: int = 8
    seed: int = 1

    @property
    def scenarios(self) -> Iterator[GangScenario]:
        """The systems that it is trained in."""
        for tail in self.tails:
            for load in self.loads:
                jobs = round(self.jobs * self.patience(load))
                yield GangScenario(size_tail=tail, load=load, jobs=jobs, seed=self.seed)

    def trials_in(self, round_: int, load: float) -> float:
        """Return the probability of a random action in a run of a round, counted from 0.

        Examples
        --------
        >>> round(Training().trials_in(0, 0.2), 3), round(Training().trials_in(49, 0.2), 3)
        (0.1, 0.033)
        """
        return self.trials * (1 - 2 / 3 * self.share(round_)) * max(1 - load, 0.05) / 0.8

    def patience(self, load: float) -> float:
        r"""Return how many times as long horizon, trace and runs are at an offered load.

        The queue of a busy system forgets as slowly as the heavy-traffic limit, in a time that grows as
        :math:`1 / (1 - \rho)^2`.

        Examples
        --------
        >>> Training().patience(0.5), round(Training().patience(0.9), 2)
        (1.0, 4.0)
        """
        return ((1 - self.calm) / (1 - max(load, self.calm))) ** 2

    def share(self, round_: int) -> float:
        """Return how far the training is in a round: 0 in the first, 1 in the last."""
        return round_ / max(self.rounds - 1, 1)
