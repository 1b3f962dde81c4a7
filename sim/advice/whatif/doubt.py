"""The uncertainty that a history leaves: other models that fit it nearly as well, one per replication.

A model learned from few copies is one of many. Each draw of it has

- the exponent of work, the factors of hosts and executors, the spread of luck of each kind of stage and the
  other parts from one draw of the posterior of the fit (`sim.advice.diagnosis.hierarchy`);
- the law of luck from stages of the history drawn again with replacement (copies, where stages are few),
  its end farther out where killed copies hide it (`sim.advice.whatif.doubt`);
- the scale of each stage moved by the error of its estimate;
- a share of the slow tasks that would be as slow again (`sim.advice.diagnosis.repeatable_slowness`): their
  recorded slowness is work and stays with them, and tells nothing of luck. Where all of them are, nothing is
  luck.

A replication has a draw of its own. It is also played under the model itself, with the same luck, so that
what the model does can be told from what luck does: the interval of a change then says how far the true
cluster may lie from the promise, and not only how well the mean over replications is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sim.advice.diagnosis.hierarchy import SLOW, Posterior
from sim.advice.diagnosis.luck import kaplan_meier
from sim.advice.diagnosis.repeatable_slowness import Hidden, shows
from sim.advice.diagnosis.spells import Spell
from sim.model.cached import cached_property

# The law of luck for the engine: observed quantiles, and a Pareto tail for the slowest.
#
# Luck is the duration of a copy over the scale of its stage (`sim.advice.whatif.model`). The body of its
# law is the Kaplan-Meier estimate. For the slowest `FEWEST_OF_TAIL` copies a Pareto tail takes its place,
# with the index that fits them best, killed copies counting as lower bounds. It begins earlier, at most at
# the slowest twentieth, the more of that twentieth were killed: there the estimate has no values. Where
# nothing was killed, values that were seen are better than a law: a Pareto tail from the slowest twentieth
# on promised 5 % too much of the mean job time where durations have a limit (`tests.zoo`, Pareto luck cut
# off at 8 to 15). The tail ends at twice the largest value that was seen: a tail without an end would let
# the mean rest on copies slower than any in the history.
#
# Kinds of stages are unequally noisy. Luck of a kind is luck of the law to a power up to a knee, `KNEE`
# times the spread of the kind: that is its noise. Beyond it stand stragglers, which a fault of a machine
# makes, and a fault does not ask how noisy a stage is: by how much they pass the knee is alike for all
# kinds, unless the copies beyond it show that it grows with the spread (`knee_of`). As a power of the noise
# an 8-fold straggler of a quiet kind let one of a usual kind take 44 times as long. No luck is longer than
# the longest of the law. Where most of the slowest were killed, the largest value tells little of the end:
# other models that the history allows have it farther out.

#: Steps of the table.
STEPS = 2000
#: Fewest finished copies that a tail is fitted to, and how much longer than all of them it goes on.
FEWEST_OF_TAIL, MOST = 10, 2.0
#: Factor by which the end may be farther out if all of the slowest were killed.
FARTHER = 7.0
#: Largest log of luck in units of the usual spread: in a kind without any noise a slow copy has no bound.
LARGEST = 500.0
#: Spreads of a kind up to which luck is its noise, and beyond which a copy is a straggler.
KNEE = 3.0
#: Kinds with stragglers, and log of the likelihood ratio, from which stragglers grow with the noise of kinds.
_KINDS, _GROWS = 5, 2.0


@dataclass(frozen=True)
class Law:
    """A law of luck.

    Parameters
    ----------
    samples : tuple of float
        Quantiles for equal steps of probability, from 0 to 1, of luck of the usual spread.
    longest : float, optional
        Longest luck of any copy, of whatever spread.
    knee : float, optional
        Log of the luck of the usual spread beyond which it is no power.
    """

    samples: tuple[float, ...]
    longest: float = math.inf
    knee: float = math.inf

    @property
    def usual(self) -> tuple[float, ...]:
        """Quantiles of the luck of copies of the usual spread.

        Examples
        --------
        >>> Law((1.0, 2.0, 5.0), longest=3.0).usual
        (1.0, 2.0, 3.0)
        """
        if self.longest >= self.samples[-1]:  # they ascend
            return self.samples
        return tuple(np.minimum(self.samples, self.longest).tolist())

    @property
    def mean(self) -> float:
        """Mean luck of copies of the usual spread.

        Examples
        --------
        >>> Law((1.0, 2.0, 5.0)).mean
        2.5
        """
        return float(np.trapezoid(self.usual, dx=1 / (len(self.samples) - 1)))

    def luck(self, share: np.ndarray, power: np.ndarray) -> np.ndarray:
        """Return the luck at these quantiles of copies; up to the knee it is that of the law to their power.

        Examples
        --------
        >>> share, power = np.array([0.5, 0.5, 1.0]), np.array([1.0, 2.0, 2.0])
        >>> Law((1.0, 2.0, 5.0), longest=8.0).luck(share, power)
        array([2., 4., 8.])
        >>> Law((1.0, 2.0, 5.0), knee=math.log(2.0)).luck(share, power)
        array([ 2.,  4., 10.])
        """
        log = of_kind(np.log(np.maximum(self.draw(share), 1e-300)), power, self.knee)
        return np.minimum(np.exp(np.minimum(log, LARGEST)), self.longest)

    def rank(self, luck: np.ndarray, power: np.ndarray) -> np.ndarray:
        """Return which share of copies has no longer luck; the inverse of `luck`.

        Examples
        --------
        >>> Law((1.0, 2.0, 5.0), knee=math.log(2.0)).rank(np.array([4.0, 10.0]), np.array([2.0, 2.0]))
        array([0.5, 1. ])
        """
        usual = np.exp(of_usual(np.log(np.maximum(luck, 1e-300)), power, self.knee))
        return np.interp(usual, self.samples, np.linspace(0, 1, len(self.samples)))

    def draw(self, share: np.ndarray) -> np.ndarray:
        """Return quantiles, elementwise."""
        return np.interp(share, np.linspace(0, 1, len(self.samples)), self.samples)


def of_kind(log: np.ndarray, power: np.ndarray, knee: float) -> np.ndarray:
    """Return the log of the luck of a kind, of the log of that of the usual spread.

    Up to the knee it is multiplied by the power; beyond it the difference stays.
    """
    return np.asarray(power * np.minimum(log, knee) + np.maximum(log - knee, 0.0))


def of_usual(log: np.ndarray, power: np.ndarray, knee: float) -> np.ndarray:
    """Return the log of the luck of the usual spread, of that of a kind: the inverse of `of_kind`.

    Examples
    --------
    >>> log, power = np.array([-0.2, 0.1, 2.0]), np.array([0.5, 0.5, 0.5])
    >>> of_usual(log, power, 0.6).tolist(), of_kind(of_usual(log, power, 0.6), power, 0.6).round(3).tolist()
    ([-0.4, 0.2, 2.3], [-0.2, 0.1, 2.0])
    """
    beyond = np.maximum(log - power * knee, 0.0) if math.isfinite(knee) else 0.0
    return np.asarray((log - beyond) / power + beyond)


def knee_of(luck: np.ndarray, complete: np.ndarray, power: np.ndarray, scale: float) -> float:
    r"""Return the log of the luck of the usual spread beyond which luck is alike in all kinds; else infinity.

    By how much luck passes the knee of its kind is taken for exponential with mean :math:`\mu p^b`, p the
    power of the kind, lower bounds counted as such. That it grows with the noise, b = 1, needs a likelihood
    of e² times that of b = 0: few kinds, or powers that are nearly alike, are no evidence.

    Parameters
    ----------
    luck : ndarray
        Log of the luck of copies, or lower bounds of it.
    complete : ndarray of bool
        Which are no bounds.
    power : ndarray
        Spread of the kind of each over the usual one.
    scale : float
        The usual spread.

    Examples
    --------
    >>> power = np.repeat([0.5, 0.7, 0.9, 1.1, 1.3, 1.5], 40)
    >>> faults = np.tile(np.r_[np.zeros(30), np.full(10, 2.0)], 6)  # the same in all kinds
    >>> round(knee_of(faults, np.ones(240, bool), power, 0.1), 3)
    0.3
    >>> knee_of(faults * power, np.ones(240, bool), power, 0.1)
    inf
    """
    knee = KNEE * scale
    beyond = luck - power * knee
    slow = beyond > 0
    done, own = slow & complete, power[slow]
    if np.unique(power[done]).size < _KINDS:
        return knee
    log = math.log(beyond[slow].sum()) - math.log((beyond[slow] / own).sum())
    grows = done.sum() * log - float(np.log(power[done]).sum())
    return math.inf if grows > _GROWS else knee


def law_of(values: np.ndarray, complete: np.ndarray, beyond: float = 0.0) -> Law:
    """Estimate the law from values, some of them lower bounds.

    Parameters
    ----------
    values : ndarray
    complete : ndarray of bool
        Which of them are no bounds.
    beyond : float, optional
        How far out the end of the tail is, from 0, at twice the largest value, to 1, at `FARTHER` times that
        where all of the slowest were killed.

    Examples
    --------
    >>> law = law_of(np.array([1.0, 2.0, 3.0]), np.array([True, True, True]))
    >>> law.samples[0], law.samples[-1]
    (1.0, 3.0)
    """
    x, survival = kaplan_meier(values, complete)
    wanted = np.linspace(0, 1, STEPS + 1)
    table = np.interp(wanted, np.concatenate([[0.0], 1 - survival]), np.concatenate([x[:1], x]))
    cut, index, killed = _tail(values, complete)
    end = MOST * float(values.max()) * (1 + (FARTHER - 1) * killed) ** beyond
    share = float(np.interp(cut, x, survival))
    if index > 0 and share > 0:
        kept = (cut / end) ** index  # of the tail, beyond its end
        slowest = wanted > 1 - share
        left = (1 - wanted[slowest]) / share * (1 - kept) + kept
        least = np.finfo(float).tiny  # of a light tail nothing is kept
        table[slowest] = cut * np.maximum(left, least) ** (-1 / index)
    return Law(tuple(np.maximum.accumulate(table).tolist()))


def _tail(values: np.ndarray, complete: np.ndarray) -> tuple[float, float, float]:
    """Return where the slowest copies begin, the index of their tail (0: too few), and the share killed."""
    finished = np.sort(values[complete])
    twentieth = max(FEWEST_OF_TAIL, finished.size // 20)
    if finished.size < 2 * twentieth:
        return float(finished[-1]), 0.0, 0.0
    slowest = values > finished[-twentieth]
    killed = float(np.mean(~complete[slowest])) if slowest.any() else 0.0
    some = FEWEST_OF_TAIL + round(killed * (twentieth - FEWEST_OF_TAIL))
    cut = float(finished[-some])
    logs = float(np.log(values[values > cut] / cut).sum())
    return cut, (some - 1) / logs if logs > 0 else 0.0, killed if logs > 0 else 0.0


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
