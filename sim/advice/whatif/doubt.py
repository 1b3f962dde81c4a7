"""The uncertainty that a history leaves: other models that fit it nearly as well, one per replication.

A model learned from few copies is one of many. Each draw of it has

- the exponent of work, the factors of hosts and executors, the spread of luck of each kind of stage and the
  other parts from one draw of the posterior of the fit (`sim.advice.diagnosis.hierarchy`);
- the law of luck from stages of the history drawn again with replacement (copies, where stages are few),
  its end farther out where killed copies hide it (`sim.advice.whatif.law`);
- the scale of each stage moved by the error of its estimate;
- a share of the slow tasks that would be as slow again (`sim.advice.diagnosis.hidden`): their recorded
  slowness is work and stays with them, and tells nothing of luck. Where all of them are, nothing is luck.

A replication has a draw of its own. It is also played under the model itself, with the same luck, so that
what the model does can be told from what luck does: the interval of a change then says how far the true
cluster may lie from the promise, and not only how well the mean over replications is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sim.advice.diagnosis.hidden import Hidden, shows
from sim.advice.diagnosis.hierarchy import SLOW, Posterior
from sim.advice.diagnosis.spells import Spell
from sim.advice.whatif.law import LARGEST, Law, knee_of, law_of, of_usual
from sim.model.cached import cached_property

#: Stages below which copies are drawn instead.
_FEW_STAGES = 10
#: Models that are drawn: replications share them, so that what luck does is seen within each.
MODELS = 20
#: Variance within a model, as a share of the usual one, up to which its mean is known as it is. Without luck,
#: all replications are nearly alike; of three with the usual variance 1 % are so by chance.
_ALIKE = 0.01
#: Tasks up to which drawn models are kept.
_KEPT = 200_000


@dataclass(frozen=True, eq=False)
class Drawn:
    """One model that the history allows.

    Parameters
    ----------
    law : Law
        Of luck, of the usual spread.
    work : ndarray of float
        Seconds of each task at luck 1 on the median host.
    power : ndarray of float
        Luck of each task is luck of the law to this power: kinds of stages are unequally noisy.
    host : mapping of str to float
        Factor of each host.
    executor : mapping of str to float
        The same of executors, against the others of their host.
    spell : mapping of Spell to float
        Factor of each time in which a host was slow, against its other times.
    """

    law: Law
    work: np.ndarray
    power: np.ndarray
    host: Mapping[str, float]
    executor: Mapping[str, float]
    spell: Mapping[Spell, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the model was learned from.

    Parameters
    ----------
    copies : Posterior
        The fit, on the copies that tell of luck.
    luck : ndarray of float
        Log of the luck of each of them, or a lower bound, to the power of its kind.
    complete : ndarray of bool
        Which it is.
    stage : ndarray of int
        Stage of each of them.
    task_of : ndarray of int
        Row of the task of each of them in `tasks`; -1 for second copies, which tell of the law alone.
    tasks : Posterior
        The fit, on the first copy of each task of the model.
    log_scale : ndarray of float
        Log of the scale of the stage of each task.
    error : ndarray of float
        Standard error of it.
    task_stage : ndarray of int
        Stage of each task.
    hidden : Hidden
        How likely slow tasks are slow by themselves.
    rows : ndarray of int
        Row of each of the copies in the history's table.
    """

    copies: Posterior = field(repr=False)
    luck: np.ndarray = field(repr=False)
    complete: np.ndarray = field(repr=False)
    stage: np.ndarray = field(repr=False)
    task_of: np.ndarray = field(repr=False)
    tasks: Posterior = field(repr=False)
    log_scale: np.ndarray = field(repr=False)
    error: np.ndarray = field(repr=False)
    task_stage: np.ndarray = field(repr=False)
    hidden: Hidden
    rows: np.ndarray = field(repr=False)
    _kept: dict[int, Drawn] = field(default_factory=dict, repr=False)

    @cached_property
    def knee(self) -> float:
        """Log of the luck of the usual spread beyond which luck is alike in all kinds of stages."""
        scale = float(self.copies.draws.scale.mean())
        return knee_of(self.luck, self.complete, self.copies.spread(), scale)

    @cached_property
    def model(self) -> Drawn:
        """The model itself: means of the posterior, and the likeliest share of tasks slow by themselves."""
        shares = self.hidden.likeliest
        log, kept = self._hidden(self._log_work(None), shares, 0)
        law = self._law(self.luck, self.copies.spread(), kept)
        return self._drawn(None, law, log, shares)

    def draw(self, number: int) -> Drawn:
        """Return the model of a replication, one of `MODELS` that the history allows."""
        number %= MODELS
        found = self._kept.get(number)
        if found is None:
            found = self._model(number)
            if self.log_scale.size <= _KEPT:
                self._kept[number] = found
        return found

    def row(self, number: int) -> int:
        """Return which draw of the posterior the model of a replication rests on."""
        number, draws = number % MODELS, len(self.copies.draws)
        return number * draws // MODELS if draws >= MODELS else number % draws

    def _model(self, number: int) -> Drawn:
        draw = self.row(number)
        random = np.random.default_rng([number, 23])
        moved = self.copies.not_luck() - self.copies.not_luck(draw)
        stages = 1 + int(max(self.stage.max(initial=0), self.task_stage.max(initial=0)))
        counts = np.bincount(self.stage, minlength=stages)
        by_stage = np.bincount(self.stage, moved, stages) / np.maximum(counts, 1)
        luck = self.luck + moved - by_stage[self.stage]
        log = self._log_work(draw) + by_stage[self.task_stage]
        normal = random.standard_normal(int(self.task_stage.max(initial=0)) + 1)[self.task_stage]
        log += self.error * normal - self.error**2 / 2
        shares = self.hidden.drawn(number, MODELS)
        log, kept = self._hidden(log, shares, number)
        units = self.stage if np.unique(self.stage).size >= _FEW_STAGES else np.arange(self.stage.size)
        names, of = np.unique(units, return_inverse=True)
        times = np.bincount(random.integers(names.size, size=names.size), minlength=names.size)
        rows = np.repeat(np.arange(of.size), times[of] * kept)
        beyond = (np.random.default_rng(43).permutation(MODELS)[number] + 0.5) / MODELS
        law = self._law(luck, self.copies.spread(draw), rows, beyond)
        return self._drawn(draw, law, log, shares)

    def _log_work(self, draw: int | None) -> np.ndarray:
        tasks = self.tasks
        return np.asarray(self.log_scale + tasks.work(draw) + tasks.first_wave(draw))

    def _hidden(
        self, log: np.ndarray, shares: tuple[float, float], number: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Give some slow tasks their slowness as work; return the work, and which copies tell of luck.

        The shares are of tasks whose work no count shows, and of the others.
        """
        kept = np.ones(self.luck.size, bool)
        if not any(shares):
            return log, kept
        share = np.where(self._shows, shares[1], shares[0])
        # where all slow tasks are slow by themselves, so are those that are a little slow or fast
        whole, slow = share == 1, self.luck > math.log(SLOW)
        chance = np.random.default_rng([number, 31]).random(log.size)
        same = (self.task_of >= 0) & (whole | slow & (chance[self.task_of] < share))
        log = log.copy()
        moved = log[self.task_of[same]] + self.luck[same]
        log[self.task_of[same & whole]] = -np.inf
        np.maximum.at(log, self.task_of[same], moved)
        return log, ~(same | whole)

    @cached_property
    def _shows(self) -> np.ndarray:
        """Of each copy whether counts show its work."""
        return shows(self.copies)

    def _law(self, luck: np.ndarray, spread: np.ndarray, rows: np.ndarray, beyond: float = 0.0) -> Law:
        """Return the law of some copies, with its median at 1, and what luck of any spread ends at."""
        if not luck[rows].size:
            return Law((1.0, 1.0))
        if not self.complete[rows].any():
            rows = np.arange(luck.size)
        usual = np.clip(of_usual(luck, spread, self.knee), -LARGEST, LARGEST)[rows]
        law = law_of(np.exp(usual), self.complete[rows], beyond)
        middle = float(law.draw(np.array(0.5)))
        samples = tuple(value / middle for value in law.samples)
        # as much longer than what was seen as in the units of the law
        longest = samples[-1] * math.exp(float(luck[rows].max() - usual.max()))
        return Law(samples, longest, max(self.knee - math.log(middle), 0.0))

    def _drawn(self, draw: int | None, law: Law, log: np.ndarray, shares: tuple[float, float]) -> Drawn:
        host, executor = (self.copies.factors(name, draw) for name in ("host", "executor"))
        spread = self.tasks.spread(draw)
        elsewhere = self._shows == (shares[0] == 1)
        if 1 in shares and min(shares) < 1 and elsewhere.any():  # a spread that is work is not that of luck
            usual = np.median(self.copies.spread(draw)[elsewhere])
            spread = np.where(shows(self.tasks) == (shares[1] == 1), usual, spread)
        return Drawn(law, np.exp(log), spread, host, executor, self.copies.spells(draw))


def between(values: np.ndarray) -> tuple[float, np.ndarray]:
    """Tell what models do to a figure from what luck does: replication r has model r modulo `MODELS`.

    Parameters
    ----------
    values : ndarray
        A figure in each replication.

    Returns
    -------
    variance : float
        Of the figure's expectation between models (one-way analysis of variance); all of the variance where
        no model has two replications.
    means : ndarray
        The figure's expectation in each model, drawn together to have that variance; a model whose
        replications are alike keeps its own.
    """
    groups = [values[first::MODELS] for first in range(min(MODELS, values.size))]
    means = np.array([group.mean() for group in groups])
    size = values.size / len(groups)
    spare = values.size - len(groups)
    if spare < 1 or len(groups) < 2:
        return (float(values.var(ddof=1)) if values.size > 1 else 0.0), means
    squares = np.array([((group - group.mean()) ** 2).sum() for group in groups])
    within = float(squares.sum()) / spare
    among = float(means.var(ddof=1))
    variance = max(0.0, among - within / size)
    # of an estimate near zero the true value may still be as large as its standard error
    variance = max(variance, 0.5 * within / size * math.sqrt(2 / (len(groups) - 1)))
    drawn = math.sqrt(min(1.0, variance / among)) if among > 0 else 0.0
    alike = np.array([group.size > 1 for group in groups]) & (squares <= _ALIKE * within * (size - 1))
    return variance, np.where(alike, means, values.mean() + drawn * (means - values.mean()))


def interval(values: np.ndarray) -> tuple[float, float, float]:
    """Return the 95 % interval of a figure's expectation, what the model leaves open included.

    Third is the upper end without the highest of the models, one in twenty: 95 % of them lie below it.
    With two replications of each model or more it holds all models that were drawn: they may be of two kinds,
    such as luck and work, or more uncertain on one side. With fewer it is that of a normal law.

    Parameters
    ----------
    values : ndarray
        A figure in each replication, each with its draw of the model.

    Examples
    --------
    >>> low, high, sure = interval(np.array([1.0, 3.0, 2.0, 2.0]))
    >>> round(low, 3), round(high, 3), sure == high
    (0.211, 3.789, True)
    """
    mean = float(values.mean())
    noise = 1.96 * math.sqrt(float(values.var(ddof=1)) / values.size)
    variance, means = between(values)
    if values.size < 2 * MODELS:
        half = math.hypot(1.96 * math.sqrt(variance), noise)
        return mean - half, mean + half, mean + half
    low, sure, high = (float(end) for end in np.sort(means)[[0, -2, -1]] - mean)
    return (
        mean - math.hypot(low, noise),
        mean + math.hypot(high, noise),
        mean + math.hypot(max(sure, 0.0), noise),
    )
