"""How a network is trained, as a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim.gang.scenario import GangScenario


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
        Of a run.
    rounds, kept : int
        Rounds of playing and learning; how many of them the replay holds.
    passes : int
        Decisions learned from in a round, of each that is new.
    units : int
        Of each hidden layer of each half of the network.
    horizon : float
        Decisions after which a reward counts 1/e.
    trace : float
        Decisions after which what happened is replaced, but for 1/e of it, by what is expected.
    trials : float
        Probability of a random action at offered load 0.2 in the first round. It falls with the load,
        since trials take slots, and to a third over the rounds.
    batch, step : int and float
        Decisions of a step of the optimiser, and its first step size, which falls to a tenth.
    memory : int
        Steps over which weights are averaged: what plays, and what values are expected from.
    collapse : float
        What is lost when a run is over for the learner, because more is in the system than it can see.
    caution : float
        What redundancy is taken to cost those behind before anything is known, more than it gains.
        Without it the first rounds would be about clusters in collapse.
    seed : int
        Of all luck.
    """

    rates: tuple[float, ...] = (1.0, 1.5, 2.0, 3.0)
    loads: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    tails: tuple[float, ...] = (3.0, 1.5)
    jobs: int = 20_000
    rounds: int = 60
    kept: int = 8
    passes: int = 3
    units: int = 24
    horizon: float = 150.0
    trace: float = 40.0
    trials: float = 0.3
    batch: int = 4096
    step: float = 2e-3
    memory: int = 300
    collapse: float = 100.0
    caution: float = 3.0
    seed: int = 1

    @property
    def scenarios(self) -> Iterator[GangScenario]:
        """The systems that it is trained in."""
        for tail in self.tails:
            for load in self.loads:
                yield GangScenario(size_tail=tail, load=load, jobs=self.jobs, seed=self.seed)

    def trials_in(self, round_: int, load: float) -> float:
        """Return the probability of a random action in a run of a round, counted from 0.

        Examples
        --------
        >>> Training().trials_in(0, 0.2), round(Training().trials_in(59, 0.2), 3)
        (0.3, 0.1)
        """
        return self.trials * (1 - 2 / 3 * self.share(round_)) * max(1.2 - load, 0.1)

    def share(self, round_: int) -> float:
        """Return how far the training is in a round: 0 in the first, 1 in the last."""
        return round_ / max(self.rounds - 1, 1)
