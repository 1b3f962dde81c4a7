"""The effect of a setting against today's, in pairs of the same luck, and whether it pays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import special

from sim.advice.whatif.doubt import MODELS, Law, interval
from sim.telling.words import in_percent, listed, signed

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
    bets = [one for one in gains if one != best and _is_a_bet(changes[one], objective, budget)]
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


def _is_a_bet(change: Mapping[str, SettingEffect], objective: str, budget: float) -> bool:
    """Say whether it surely gains, and in the worst loses at most `LOST_BY_A_TRIAL` times as much."""
    gain, worst = change[objective].sure, _worst(change, budget)
    return _mostly_pays(change, objective, budget) and gain <= -WORTH and worst <= -LOST_BY_A_TRIAL * gain


def _worst(change: Mapping[str, SettingEffect], budget: float) -> float:
    """Return what a setting loses in the worst of the models: longer jobs, or slot-time over the budget."""
    return max(change["mean"].high, change["slot_time"].high - budget)


# The verdict about settings that somebody advises: harm comes first.

APPROVED, IN_PART, TO_TRY, NOT_APPROVED = "approved", "approved in part", "to be tried", "not approved"
CANNOT_TELL, NOT_MINE, ALREADY = "cannot tell", "not mine", "already so"
#: Share by which jobs may become longer, in the worst of the models, where an advice is approved.
LOSS = 0.05
#: Copies after which a trial may stop, and the chance of a mistake then, on either side.
_COUNTS, _MISTAKEN = (*range(10, 100, 10), *range(100, 1001, 50)), 0.05


@dataclass(frozen=True)
class Watch:
    """When a trial of copies stops.

    Parameters
    ----------
    copies, won : int
        It stops unless so many of the first copies have won.
    hours : float
        Until so many copies have ended, in the worst of the models.
    costs : float
        What the worst of the models has cost by then: longer jobs or slot-time, as a share of an hour's.
    allowed : bool, optional
        Whether that is told within an hour, and costs it no more than what is approved may cost for good.
    """

    copies: int
    won: int
    hours: float
    costs: float
    allowed: bool = True

    @property
    def told(self) -> str:
        """Say when it stops, and what it has cost by then.

        Examples
        --------
        >>> Watch(20, 4, 0.1, 0.008).told[:65]
        'Stop unless 4 of the first 20 copies have won, after about 6 min '
        """
        return (
            f"Stop unless {self.won} of the first {self.copies} copies have won, after about "
            f"{max(1, round(60 * self.hours))} min (sim trace counts them): until then the worst of {MODELS} "
            f"models costs {in_percent(self.costs, 1)} of an hour's job time or slot-time."
        )


def watch_of(
    plays: Sequence[HasFigures],
    today: Sequence[HasFigures],
    change: Mapping[str, SettingEffect],
    budget: float,
) -> Watch | None:
    """Return what tells a model that harms from the others while a trial runs; None if nothing does.

    It is the share of copies that win. Where slow tasks are slow by themselves next to no copy wins, and a
    log without copies cannot exclude that. So the one model that harms must be that in which fewest win.

    The truth may lie between: part of the slow tasks are slow by themselves. Changes and the share of copies
    that win are taken for linear in that part. A trial goes on where copies win as in the model in which
    fewest of the others do, and stops from the part on at which it would lose: jobs as long as today, or
    slot-time beyond the budget.
    """
    groups = [plays[first::MODELS] for first in range(min(MODELS, len(plays)))]
    copies, won, seconds = (
        np.array([sum(one.figures[name] for one in group) for group in groups])
        for name in ("copies", "won", "makespan")
    )
    if len(groups) < MODELS or not copies.all():
        return None
    share, most, part = won / copies, most_allowed(budget), 1.0
    worst, (least, others) = int(np.argmin(share)), np.sort(share)[:2]
    for name, loses in (("mean", 0.0), ("p95", LOSS), ("slot_time", budget)):
        values = differences(plays, today, name)
        means = np.array([values[first::MODELS].mean() for first in range(MODELS)])
        if means.max() > most[name] and np.argmax(means) != worst:
            return None
        usual = float(np.delete(means, worst).mean())
        if means[worst] > loses:
            part = min(part, max(0.0, (loses - usual) / (float(means[worst]) - usual)))
    stops = others - part * (others - least)
    for count in _COUNTS:
        wanted = np.arange(1, count + 1)
        wanted = wanted[special.bdtr(wanted - 1.0, count, others) <= _MISTAKEN]
        if wanted.size and special.bdtr(wanted[-1] - 1.0, count, stops) >= 1 - _MISTAKEN:
            hours = float(count / copies[worst] * seconds[worst] / 3600)
            costs = {name: hours * max(change[name].high, 0.0) for name in most}
            allowed = hours <= 1 and all(costs[name] <= most[name] for name in most)
            return Watch(count, int(wanted[-1]), hours, max(costs.values()), allowed)
    return None


def most_allowed(budget: float) -> dict[str, float]:
    """Return by which share each figure may grow, in the worst of the models, for good."""
    return {"mean": LOSS, "p95": LOSS, "slot_time": (1 + BEYOND) * budget}


def judged(
    change: Mapping[str, SettingEffect], budget: float, *, mends: bool = False, watch: Watch | None = None
) -> tuple[str, str]:
    """Return the verdict of changes and the reason, in sentences.

    Parameters
    ----------
    change : mapping
        Figure -> effect.
    budget : float
    mends : bool, optional
        As of `surely_pays`.
    watch : Watch, optional
        How a trial stops. Without one nothing is to be tried.

    Examples
    --------
    >>> none = SettingEffect(0.0, -0.01, 0.01)
    >>> gain, loss = SettingEffect(-0.3, -0.4, -0.25), SettingEffect(0.2, 0.1, 0.3)
    >>> judged({"mean": gain, "p95": gain, "slot_time": none}, 0.05)
    ('approved', 'it pays in 20 of 20 models that fit this log, and in none do jobs take 5 % longer.')
    >>> judged({"mean": loss, "p95": none, "slot_time": none}, 0.05)
    ('not approved', 'the mean job time surely grows by 10 % or more.')
    """
    mean, p95, slots = (change[name] for name in ("mean", "p95", "slot_time"))
    most = most_allowed(budget)
    pays = [surely_pays(change, name, budget, mends=mends) for name in ("mean", "p95")]
    dear = [name for name in most if change[name].high > most[name]]
    if max(mean.high, p95.high) <= LOSS:
        if any(pays):
            many = MODELS - (max(mean.high, p95.high) >= 0)
            most_longer = f"in none do jobs take {in_percent(LOSS, None)} longer"
            return APPROVED, f"it pays in {many} of {MODELS} models that fit this log, and {most_longer}."
        if slots.sure <= -WORTH and mean.high <= WORTH and not dear:
            return APPROVED, "it surely saves slot-time."
    if any(pays) or any(_is_a_bet(change, name, budget) for name in ("mean", "p95")):
        told = f"it pays in {MODELS - 1} of {MODELS} models that fit this log"
        if dear:
            grow = [f"{_subject(name)} by {in_percent(change[name].high)}" for name in dear]
            told += f"; in the other {listed(grow).replace(' by', ' grows by', 1)}"
        if watch is not None and watch.allowed:
            return TO_TRY, f"{told}. {watch.told}"
        which = "neither this log nor a trial tells which is true"
        if watch is not None:
            which = (
                f"{watch.copies:,} copies would tell which is true, and until then cost up to "
                f"{in_percent(watch.costs)} of an hour's job time or slot-time"
            )
        return CANNOT_TELL, f"{told}; {which}."
    costs = [name for name in ("mean", "p95") if change[name].low > 0 and change[name].value >= WORTH / 3]
    costs += ["slot_time"] * (slots.low > budget)
    if costs:
        grow = [f"{_subject(name)} surely grows by {in_percent(change[name].low)} or more" for name in costs]
        limit = f", and the budget is {in_percent(budget, None)}" if "slot_time" in costs else ""
        return NOT_APPROVED, f"{listed(grow)}{limit}."
    if dear:
        name = dear[0]
        grows = f"{_subject(name)} may grow by {in_percent(change[name].high)}"
        return NOT_APPROVED, f"{grows}, more than {in_percent(most[name], None)}."
    if min(mean.low, p95.low) > -WORTH:
        return NOT_APPROVED, "it changes nothing that is worth it."
    return CANNOT_TELL, "no gain is sure that is worth a change."


def _subject(name: str) -> str:
    return FIGURES[name] if name == "slot_time" else f"the {FIGURES[name]}"
