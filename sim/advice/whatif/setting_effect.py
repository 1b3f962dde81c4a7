"""The effect of a setting against today's, in pairs of the same luck, and whether it pays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sim.advice.whatif.doubt import MODELS, Law, interval
from sim.telling.words import in_percent, signed

# The conditions of one replication: the tasks, their work, the luck of every copy, the slots' slowness.


@dataclass(frozen=True, eq=False)
class Conditions:
    """What a replication is played with.

    Parameters
    ----------
    tasks : ndarray of int
        Tasks of each stage.
    work : ndarray of float
        Seconds of each task at luck 1 on a slot of slowness 1, stage after stage.
    luck : ndarray of float, shape (copies, tasks)
        Of each copy.
    power : ndarray of float
        Luck of each task is luck of the law to this power.
    slowness : ndarray of float
        By how much longer copies take, for each number of a slot.
    law : Law
        Of luck.
    slow_times : tuple of (float, float, ndarray of int, float)
        When some slots are slow for a time: from, until, their numbers, and the factor.
    beside : ndarray of float, shape (copies, tasks), optional
        Seconds of each copy beside its work: of failed attempts before the first, and of waits.
    """

    tasks: np.ndarray
    work: np.ndarray
    luck: np.ndarray
    power: np.ndarray
    slowness: np.ndarray
    law: Law
    slow_times: tuple[tuple[float, float, np.ndarray, float], ...] = ()
    beside: np.ndarray | float = 0.0

    @property
    def durations(self) -> np.ndarray:
        """Seconds of every copy of each task on a slot of slowness 1, shape (tasks, copies)."""
        return np.ascontiguousarray((self.work * self.luck + self.beside).T)

    @property
    def first(self) -> np.ndarray:
        """Number of the first task of each stage."""
        return np.cumsum(self.tasks) - self.tasks

    @property
    def stage(self) -> np.ndarray:
        """Stage of each task."""
        return np.repeat(np.arange(self.tasks.size), self.tasks)


#: Figures whose change is shown; those of small and large jobs where there are both.
CHANGES = ("mean", "p50", "p95", "small_jobs", "large_jobs", "slot_time")
#: Names of figures.
FIGURES = {"mean": "mean job time", "p95": "p95 of the job time", "slot_time": "slot-time"}
#: What a simulator of a cluster leaves out, as an error of every change (half a 95 % interval): so much of
#: today's figure, and so much of the change. On a real Spark as many more or fewer copies were started.
ERROR, ERROR_OF_CHANGE = 0.005, 0.15
#: The least that a change can be: times and slot-time are at least 0, so no interval reaches below.
LEAST = -1.0
#: Share of the budget by which slot-time may exceed it in the worst of the models.
BEYOND = 0.2
#: Share of the sure gain by which that of a remedy which mends a cause may exceed it. Such a remedy runs each
#: task once: its slot-time is an estimate of the same work, of which a log often leaves several percent open.
#: Without it, a setting of copies that gained 5 % was advised where a split surely gained 25 %.
BEYOND_BY_GAIN = 0.2
#: Gain, as a share of today's figure, below which no change of a setting is advised.
WORTH = 0.03
#: Gain in 95 % of the models from which a setting is worth a trial although the worst of them costs more.
WORTH_A_TRIAL = 0.05
#: How many times the gain in 95 % of the models may be lost in the worst, one of twenty: by what is set for
#: good (longer jobs), and by a trial (longer jobs, or slot-time beyond the budget).
LOST, LOST_BY_A_TRIAL = 2, 3


class HasFigures(Protocol):
    """A replication, or what is kept of one."""

    @property
    def figures(self) -> Mapping[str, float]:
        """The figures that are compared."""


@dataclass(frozen=True)
class SettingEffect:
    """A change against today's setting as a share of today's mean, with a paired 95 % interval.

    Shares are those of each model that the history allows, and their mean is the value. 95 % of the models
    lie below `sure`; the interval holds all that were drawn.

    The interval holds what luck and the model leave open (`sim.advice.whatif.doubt`), and the error that
    every model has (`ERROR`).
    """

    value: float
    low: float
    high: float
    sure: float = math.nan

    def __post_init__(self) -> None:
        """Where nothing is known of single models, all lie below the upper end."""
        if math.isnan(self.sure):
            object.__setattr__(self, "sure", self.high)

    @property
    def percent(self) -> str:
        """The change and its interval in percent, with their signs.

        Examples
        --------
        >>> SettingEffect(-0.25, -0.375, 0.125).percent, SettingEffect(-0.0001, -0.01, 0.01).percent
        ('-25.0 % (-37.5 to +12.5)', '+0.0 % (-1.0 to +1.0)')
        """
        value, low, high = (
            in_percent(one, 1, signed=True, mark="") for one in (self.value, self.low, self.high)
        )
        return f"{value} % ({low} to {high})"

    @property
    def decrease(self) -> str:
        """The interval of the decrease, in percent.

        Examples
        --------
        >>> SettingEffect(-0.312, -0.36, 0.0).decrease
        '0.0 to 36.0'
        """
        return f"{-100 * self.high:z.1f} to {-100 * self.low:z.1f}"

    @property
    def told(self) -> str:
        """The change and its interval in percent, as print has them.

        Examples
        --------
        >>> effects = (-0.183, -0.22, -0.141), (0.0, 0.0, 0.0), (2.5, 2.1, 2.9)
        >>> tuple(SettingEffect(*one).told for one in effects)
        ('−18.3 % (−22.0 to −14.1)', '0.0 % (0.0 to 0.0)', '+250 % (+210 to +290)')
        """
        decimals = 1 if max(abs(self.value), abs(self.low), abs(self.high)) < 1 else 0
        value, low, high = (signed(100 * part, decimals) for part in (self.value, self.low, self.high))
        return f"{value} % ({low} to {high})"


def differences(plays: Sequence[HasFigures], reference: Sequence[HasFigures], name: str) -> np.ndarray:
    """Compare a figure pair by pair, as shares of the reference's mean under the same model."""
    ours, theirs = (np.array([play.figures[name] for play in one]) for one in (plays, reference))
    found = np.empty(ours.size)
    for first in range(min(MODELS, ours.size)):
        found[first::MODELS] = (ours - theirs)[first::MODELS] / (float(theirs[first::MODELS].mean()) or 1.0)
    return found


def changes(plays: Sequence[HasFigures], today: Sequence[HasFigures]) -> dict[str, SettingEffect]:
    """Compare replications of a policy with those of today's under the same models and luck."""
    found = {}
    for name in (name for name in CHANGES if name in today[0].figures):
        values = differences(plays, today, name)
        found[name] = _with_error(SettingEffect(float(values.mean()), *interval(values)))
    return found


def _with_error(change: SettingEffect) -> SettingEffect:
    """Return a change whose interval holds the error of every model; of none where nothing changed at all."""
    if change.low == change.high:
        return change
    error = ERROR + ERROR_OF_CHANGE * abs(change.value)
    ends = (change.low, change.high, change.sure)
    low, high, sure = (math.hypot(end - change.value, error) for end in ends)
    below = max(LEAST, change.value - low)
    return SettingEffect(change.value, below, change.value + high, change.value + sure)


def widened(change: Mapping[str, SettingEffect], factor: float) -> dict[str, SettingEffect]:
    """Return changes with intervals of so many times their width, but for what cannot be.

    Examples
    --------
    >>> widened({"mean": SettingEffect(-0.5, -0.75, -0.25, -0.375)}, 2.0)["mean"]
    SettingEffect(value=-0.5, low=-1.0, high=0.0, sure=-0.25)
    """

    def wider(one: SettingEffect, end: float) -> float:
        return max(LEAST, one.value + factor * (end - one.value))

    return {
        name: SettingEffect(one.value, *(wider(one, end) for end in (one.low, one.high, one.sure)))
        for name, one in change.items()
    }


def pays(change: Mapping[str, SettingEffect], objective: str, budget: float) -> bool:
    """Say whether a figure gets smaller, the mean job time no longer, and slot-time stays in the budget."""
    return change[objective].value < 0 and change["mean"].value <= 0 and change["slot_time"].value <= budget


def surely_pays(
    change: Mapping[str, SettingEffect], objective: str, budget: float, *, mends: bool = False
) -> bool:
    """Say whether it pays in at least 95 % of the models that the history allows, and is worth a change.

    In none of them, that without luck included, may slot-time be beyond the budget by more than `BEYOND`: a
    budget is what others can bear, whatever is true. Nor may jobs become longer by more than `LOST` times the
    gain of the 95 %. Without that, advice harmed 2 and 1 of 120 generated clusters (`tests.zoo`). What mends
    a cause, in place of a second copy, may exceed it by `BEYOND_BY_GAIN` times the gain of the 95 %.

    Examples
    --------
    >>> split = {"mean": SettingEffect(-0.3, -0.4, -0.25), "slot_time": SettingEffect(0.02, 0.0, 0.07)}
    >>> surely_pays(split, "mean", 0.05), surely_pays(split, "mean", 0.05, mends=True)
    (False, True)
    >>> dear = split | {"slot_time": SettingEffect(0.02, 0.0, 0.11)}
    >>> surely_pays(dear, "mean", 0.05, mends=True)
    False
    """
    gain = -change[objective].sure
    most = budget + BEYOND_BY_GAIN * max(gain, 0.0) if mends else budget
    return (
        _mostly_pays(change, objective, budget, most)
        and change["slot_time"].high <= max((1 + BEYOND) * budget, most)
        and change["mean"].high <= LOST * gain
    )


def chosen(
    gains: Mapping[str, float],
    changes: Mapping[str, Mapping[str, SettingEffect]],
    objective: str,
    budget: float,
) -> tuple[str, bool]:
    """Choose what to advise: what surely pays, or a trial where that gains little.

    A trial is to tell more than to gain: nineteen chances of the gain are more than one of three times as
    much lost (`LOST_BY_A_TRIAL`), and the log of an hour tells which of them is true. It is advised where
    nothing that surely pays gains `WORTH` in 95 % of the models, and a setting would gain `WORTH_A_TRIAL` or
    more there. The setting that is tried gains most there against what the worst of them would lose: that
    which costs least in the worst took 56, 38 and 32 % of what could be gained in three sets of generated
    clusters, this one 68, 55 and 45 %, with no more harm (`tests.zoo.steps`).

    Parameters
    ----------
    gains : mapping
        Setting -> change of the objective on other replications than those of `changes`, for the order.
    changes : mapping
        Setting -> figure -> Change.
    objective : str
        Figure that is to become small.
    budget : float
        Most extra slot-time, as a share of today's.

    Returns
    -------
    setting : str
        Empty where there is none.
    trial : bool
        Whether it is to be tried.

    Examples
    --------
    >>> sure = {"mean": SettingEffect(-0.3, -0.4, -0.25), "slot_time": SettingEffect(0.0, -0.1, 0.05)}
    >>> bet = {"mean": SettingEffect(-0.5, -0.7, 0.3, -0.4), "slot_time": SettingEffect(-0.1, -0.2, 0.2, 0.0)}
    >>> chosen({"3/0.9": -0.3, "1.5/0.75": -0.5}, {"3/0.9": sure, "1.5/0.75": bet}, "mean", 0.05)
    ('3/0.9', False)
    >>> chosen({"1.5/0.75": -0.5}, {"1.5/0.75": bet}, "mean", 0.05)
    ('1.5/0.75', True)
    """

    def gain(setting: str) -> float:
        return -changes[setting][objective].sure if setting else 0.0

    paying = (one for one in gains if surely_pays(changes[one], objective, budget))
    best = min(paying, key=gains.__getitem__, default="")
    if gain(best) >= WORTH:
        return best, False
    bets = [one for one in gains if one != best and is_a_bet(changes[one], objective, budget)]
    if all(gain(one) < WORTH_A_TRIAL for one in bets):
        return best, False
    return max(bets, key=lambda one: gain(one) - _worst(changes[one], budget)), True


def _mostly_pays(
    change: Mapping[str, SettingEffect], objective: str, budget: float, most: float | None = None
) -> bool:
    """Say whether it pays, for `most` slot-time in at least 95 % of the models, and is worth a change."""
    gain, cost = change[objective], change["slot_time"]
    sure = gain.value <= -WORTH and gain.sure < 0 and cost.sure <= (budget if most is None else most)
    return pays(change, objective, budget) and sure


def is_a_bet(change: Mapping[str, SettingEffect], objective: str, budget: float) -> bool:
    """Say whether it surely gains, and in the worst loses at most `LOST_BY_A_TRIAL` times as much."""
    gain, worst = change[objective].sure, _worst(change, budget)
    return _mostly_pays(change, objective, budget) and gain <= -WORTH and worst <= -LOST_BY_A_TRIAL * gain


def _worst(change: Mapping[str, SettingEffect], budget: float) -> float:
    """Return what a setting loses in the worst of the models: longer jobs, or slot-time over the budget."""
    return max(change["mean"].high, change["slot_time"].high - budget)
