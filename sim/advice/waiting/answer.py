r"""Wait for a running task, start a copy of it, or restart it: with a probability, while it runs.

Each choice has a time to the end of the task and takes machine time. With :math:`R` what remains of the task,
:math:`X'` the duration of a fresh copy and :math:`s` what it needs to start, these are

=========  =====================  =============================
choice     ends after             takes
=========  =====================  =============================
wait       :math:`R`              :math:`R`
copy       :math:`M = \min(R, s + X')`  :math:`2 M`
restart    :math:`s + X'`         :math:`s + X'`
=========  =====================  =============================

and the best has the least mean of the time plus `PRICES` times the machine time. At most a horizon of them is
counted, so that a stuck task has a mean, too. With machine time alone the choice between waiting and a copy
is the rule of Xu & Lau's SDA. A copy draws its luck anew, and nothing else: it has the same work, and if the
task is slow by itself, with the probability `OWN`, it is as slow again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import trapezoid

from sim.advice.waiting.laws import DRAWS, Laws, laws
from sim.advice.waiting.siblings import Siblings
from sim.model.cached import cached_property
from sim.model.fields import BadInput
from theory.quoting import quoted

#: Siblings that have to be done before anything is said, and running tasks of which each is answered for.
FEWEST, MOST_TASKS = 5, 50
#: What a second of a slot is worth beside a second of the task's end: if slots are idle, and if tasks wait.
PRICES = {"idle": 0.3, "queue": 1.0}
#: Probability that a late task is slow by itself and not by luck: with its work known, and without.
OWN = {True: 0.1, False: 0.25}
#: Probability, over the laws that are allowed, with which an action has to be better than to wait; less by
#: `UNSURE` nothing can be told. And the share of the cost that it has to save.
SURE, UNSURE, WORTH = {"idle": 0.5, "queue": 0.7}, 0.2, 0.05
#: Work from which a task is large, and age up to which it is usual for its work, in those of the middle
#: sibling; probability from which its work explains its age. It is low: a copy has the same work.
LARGE, USUAL, EXPLAINED = 1.5, 1.5, 0.25
_EXPONENTS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
#: How likely each exponent of the work is before anything is seen.
_EXPONENTS_PRIOR = np.array([0.05, 0.05, 0.15, 0.25, 0.5])
#: Ages at which a task is looked at besides, and laws that are drawn for each.
_AGES, _FEW_DRAWS = 25, 100
#: Spread of the logarithms of the factors of hosts before anything is seen.
_HOSTS = 0.25
#: Rest that is counted, in ages of the task or times of the middle sibling.
_COUNTED = 10.0
_LADDER = (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600)
WAIT, COPY, RESTART, UNKNOWN = "wait", "copy", "restart", "cannot tell"


class Interval(NamedTuple):
    """A value, and where it lies with 90 % probability."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: float, draws: np.ndarray | None) -> Interval:
        """Return a value with the middle 90 % of its draws, if it has any; they are made to hold it."""
        low, high = (value, value) if draws is None else np.quantile(draws, [0.05, 0.95])
        return cls(float(value), float(min(low, value)), float(max(high, value)))


#: The factor of a host that is as fast as the others, or of which nothing is known.
ALIKE = Interval(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Choice:
    """A way to go on.

    Parameters
    ----------
    rest : Interval
        Mean time to the end of the task, s, at most the horizon counted.
    slot_time : float
        Mean machine time from now on, slot-s.
    within : tuple of Interval
        Probability that the task is done within each of the times that are asked for.
    """

    rest: Interval
    slot_time: float
    within: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked besides.

    Parameters
    ----------
    deadline : float or None
        Time from now in which the task has to be done, s; without one three times are chosen.
    start : float
        Time that a copy needs to start, s.
    slots : str
        Whether slots are ``idle``, or tasks wait for them in a ``queue``.
    price : float or None
        What a second of a slot is worth beside a second of the task's end; `PRICES` of the slots without one.
    seed : int

    Raises
    ------
    BadInput
        If a value is not accepted.
    """

    deadline: float | None = None
    start: float = 0.0
    slots: str = "idle"
    price: float | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what is not accepted."""
        if self.slots not in PRICES:
            raise BadInput(f"slots: {quoted(self.slots)} is not accepted; give {' or '.join(PRICES)}")
        if not 0 <= self.start < 1e9:
            raise BadInput(f"start: {quoted(self.start)} is not accepted; give seconds, at least 0")
        if self.price is not None and not 0 <= self.price < 1e6:
            raise BadInput(f"price: {quoted(self.price)} is not accepted; give a number, at least 0")
        if self.deadline is not None and not 0 < self.deadline < 1e9:
            raise BadInput(f"deadline: {quoted(self.deadline)} is not accepted; give seconds, above 0")

    @property
    def paid(self) -> float:
        """The price of a second of a slot."""
        return PRICES[self.slots] if self.price is None else self.price


@dataclass(frozen=True, eq=False)
class Task:
    """A running task, and the ways to go on.

    Parameters
    ----------
    name : str
    age : float
        s.
    larger : float
        Its work in that of the middle sibling; NaN where it is not known.
    as_work : float
        Factor by which its work makes it longer.
    host : str
    slower : Interval
        Factor by which its host is slower.
    choices : dict of str to Choice
        Empty where nothing can be told.
    action : str
        `WAIT`, `COPY`, `RESTART` or `UNKNOWN`.
    sure : float
        Probability over the laws that the action is better than to wait; of `WAIT`, that to wait is better.
    counted : float
        Rest that is counted, s.
    place : int
        Which of the siblings that run.
    explained : float
        Probability that its work explains its age.
    late : bool
        Whether it is older than the middle sibling, each as its work and host make it.
    copied : bool
        Whether it has a second copy already.
    """

    name: str
    age: float
    larger: float = np.nan
    as_work: float = 1.0
    host: str = ""
    slower: Interval = ALIKE
    choices: dict[str, Choice] | None = None
    action: str = UNKNOWN
    sure: float = 0.0
    counted: float = np.nan
    place: int = 0
    explained: float = 0.0
    late: bool = True
    copied: bool = False

    @property
    def saves(self) -> float:
        """Mean seconds by which the action ends the task sooner than to wait."""
        if not self.choices or self.action == UNKNOWN:
            return 0.0
        return self.choices[WAIT].rest.value - self.choices[self.action].rest.value


class _Group(NamedTuple):
    """Laws under one exponent of the work."""

    allowed: Laws
    #: Factors by which work and host make each running task longer, and by which its work makes a copy.
    of_task: np.ndarray
    of_copy: np.ndarray
    #: The same of the siblings that are done.
    of_done: np.ndarray


class Older(NamedTuple):
    """A task at another age: the mean rest by choice, s, the action, and :math:`P(t_{rem} > 2 t_{new})`."""

    age: float
    wait: float
    copy: float
    restart: float
    action: str
    mantri: float


class Decided(NamedTuple):
    """Costs of the ways to go on at an age, of each draw; and the machine time and the rest of each."""

    cost: np.ndarray
    rest: np.ndarray
    slot_time: np.ndarray


@dataclass(frozen=True, eq=False)
class Waiting:
    """The answer to the question, for all running tasks of a stage.

    Parameters
    ----------
    siblings : Siblings
    options : Options
    draws : int
        Laws that are drawn.
    """

    siblings: Siblings
    options: Options = Options()
    draws: int = DRAWS

    @cached_property
    def median(self) -> float:
        """Duration of the middle sibling that is done, s."""
        return float(np.median(self.siblings.done)) if len(self.siblings.done) else float("nan")

    @property
    def enough(self) -> bool:
        """Whether enough siblings are done."""
        return len(self.siblings.done) >= FEWEST

    @cached_property
    def horizons(self) -> tuple[float, ...]:
        """Times within which the task may be done, s: the deadline, or three that suit its siblings."""
        if self.options.deadline is not None:
            return (self.options.deadline,)
        first = min(len(_LADDER) - 3, int(np.searchsorted(_LADDER, 0.3 * self.median)))
        return tuple(float(one) for one in _LADDER[first : first + 3])

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The running tasks, the one with the longest rest first; of more than `MOST_TASKS` the oldest."""
        oldest = np.argsort(-self.siblings.ages, kind="stable")[:MOST_TASKS].tolist()
        found = [self._task(place) if self.enough else self._unknown(place) for place in oldest]
        return tuple(
            sorted(found, key=lambda one: -one.choices[WAIT].rest.value if one.choices else -one.age)
        )

    @cached_property
    def all_done(self) -> tuple[Interval, ...]:
        """Probability that all running tasks are done within each of the times, if one waits."""
        if not self.enough:
            return ()
        tails = [self.remaining(place, np.array(self.horizons)) for place in range(len(self.siblings.ages))]
        return tuple(map(_interval, np.prod([1 - one for one in tails], axis=0).T))

    def curves(self, place: int, times: np.ndarray) -> dict[str, np.ndarray]:
        """Return the probability, by draw, that a task runs longer than each of some times, by choice."""
        own = OWN[bool(np.isfinite(self.siblings.work[place]))]
        alone = self.remaining(place, times)
        fresh = self.fresh(place, times - self.options.start)
        return {
            WAIT: alone,
            COPY: own * alone + (1 - own) * alone * fresh,
            RESTART: own * self._again(place, times) + (1 - own) * fresh,
        }

    def decided(self, place: int) -> Decided:
        """Return what each way to go on costs for a running task."""
        times = np.concatenate([[0.0], np.geomspace(1e-4, 1.0, 99)]) * self._counted(place)
        curves = self.curves(place, times)
        rest = np.array([trapezoid(curves[one], times, axis=1) for one in (WAIT, COPY, RESTART)])
        machine = np.array([rest[0], 2 * rest[1], rest[2]])
        return Decided(rest + self.options.paid * machine, rest, machine)

    def advised(self, place: int, found: Decided) -> tuple[str, float]:
        """Return the action for a running task, and how sure it is; some wait whatever a copy would draw."""
        action, sure = chosen(found, self.options.slots)
        explained = self.is_explained(place)
        if explained >= EXPLAINED or not self.is_late(place) or self.siblings.copied[place]:
            return WAIT, max(explained, 1 - sure if action == COPY else sure)
        return action, sure

    def _task(self, place: int) -> Task:
        now = self.decided(place)
        curves = self.curves(place, np.array(self.horizons))
        choices = {
            name: Choice(
                _interval(now.rest[row]),
                float(now.slot_time[row].mean()),
                tuple(map(_interval, 1 - curves[name].T)),
            )
            for row, name in enumerate((WAIT, COPY, RESTART))
        }
        action, sure = self.advised(place, now)
        return Task(
            **self._about(place),
            choices=choices,
            action=action,
            sure=sure,
            counted=self._counted(place),
            place=place,
            explained=self.is_explained(place),
            late=self.is_late(place),
            copied=self.siblings.copied[place],
        )

    @cached_property
    def profile(self) -> tuple[Older, ...]:
        """The first task at other ages, if it still runs then, the youngest first."""
        if not self.enough:
            return ()
        place, now = self.tasks[0].place, self.tasks[0].age
        ages = np.geomspace(min(now, self.median) / 3, 6 * max(now, self.median), _AGES)
        return tuple(self._older(place, float(age)) for age in ages)

    @cached_property
    def changes(self) -> tuple[float, str] | None:
        """Age, s, from which another action is advised for the first task, and that action."""
        first = self.tasks[0]
        later = (one for one in self.profile if one.age > first.age)
        return next(
            ((one.age, one.action) for one in later if one.action not in (first.action, UNKNOWN)), None
        )

    def _older(self, place: int, age: float) -> Older:
        """Return a task at another age, under the laws that its siblings and that age allow."""
        ages = self.siblings.ages.copy()
        ages[place] = age
        older = Waiting(replace(self.siblings, ages=ages), self.options, _FEW_DRAWS)
        found = older.decided(place)
        wait, copy, restart = (float(one.mean()) for one in found.rest)
        return Older(age, wait, copy, restart, older.advised(place, found)[0], older.longer_than_two(place))

    def longer_than_two(self, place: int) -> float:
        """Return the probability that what remains is more than twice the duration of a fresh copy."""
        times = np.concatenate([[0.0], np.geomspace(1e-3, 1.0, 120) * 10 * self.median])
        tail = self.fresh(place, times).mean(axis=0)
        durations = np.interp((np.arange(40) + 0.5) / 40, 1 - tail, times)
        return float(self.remaining(place, 2 * (durations + self.options.start)).mean())

    def is_explained(self, place: int) -> float:
        """Return how likely the work of a task explains its age: it is usual among siblings of its size.

        One in ten of these would be older, or it is up to `USUAL` times as old as the middle one. They
        tell nothing of what work does to a task much larger than all: it is taken to be in proportion.
        0 where its work is not large or not known.
        """
        larger = self._larger[1][place]
        if not larger >= LARGE:
            return 0.0
        age, host = self.siblings.ages[place], self._slower.get(self.siblings.hosts[place], ALIKE).value
        if larger >= LARGE * np.nanmax(self._larger[0]) and age <= USUAL * self.median * larger * host:
            return 1.0
        middle = [float(np.median(self.siblings.done / one.of_done)) for one in self._groups]
        usual = [
            age <= USUAL * half * one.of_task[place]
            or one.allowed.tail(np.array([age / one.of_task[place]])).mean() > 0.1
            for one, half in zip(self._groups, middle, strict=True)
        ]
        return self._averaged(usual)

    def is_late(self, place: int) -> bool:
        """Return whether a task is older than the middle sibling, each as its work and host make it."""
        age = self.siblings.ages[place]
        tails = [one.allowed.tail(np.array([age / one.of_task[place]])).ravel() for one in self._groups]
        return float(np.concatenate(tails).mean()) < 0.5

    def _unknown(self, place: int) -> Task:
        siblings = self.siblings
        return Task(
            siblings.tasks[place], float(siblings.ages[place]), host=siblings.hosts[place], place=place
        )

    def _about(self, place: int) -> dict[str, Any]:
        siblings = self.siblings
        slower = self._slower.get(siblings.hosts[place], ALIKE)
        return {
            "name": siblings.tasks[place],
            "age": float(siblings.ages[place]),
            "larger": float(self._larger[1][place]),
            "as_work": self._averaged([one.of_copy[place] for one in self._groups]),
            "host": siblings.hosts[place],
            "slower": slower,
        }

    def _counted(self, place: int) -> float:
        return _COUNTED * max(float(self.siblings.ages[place]), self.median)

    @cached_property
    def _larger(self) -> tuple[np.ndarray, np.ndarray]:
        """Work of the siblings and of the running tasks in that of the middle sibling; NaN if unknown."""
        done, work = self.siblings.done_work, self.siblings.work
        known = np.isfinite(done) & (done > 0)
        if np.count_nonzero(known) < max(FEWEST, len(done) / 2):
            return np.full(len(done), np.nan), np.full(len(work), np.nan)
        middle = float(np.median(done[known]))
        return np.where(known, done, np.nan) / middle, np.where(work > 0, work, np.nan) / middle

    @cached_property
    def _slower(self) -> dict[str, Interval]:
        """Factor by which each host is slower than the others, shrunk towards 1."""
        return slower_hosts(self.siblings, self._larger[0])

    @cached_property
    def _groups(self) -> list[_Group]:
        """Laws under each exponent of the work that the siblings allow."""
        siblings = self.siblings
        done_work, work = (np.where(np.isfinite(one), one, 1.0) for one in self._larger)
        hosts = [
            np.array([self._slower.get(one, ALIKE).value for one in names] or [1.0])
            for names in (siblings.done_hosts, siblings.hosts)
        ]
        shares = exponents(siblings.done / hosts[0], done_work)
        groups = []
        for exponent, share in zip(_EXPONENTS, shares, strict=True):
            if (draws := round(self.draws * share)) < 1:
                continue
            of_done, of_task = (
                one**exponent * host for one, host in zip((done_work, work), hosts, strict=True)
            )
            # a running task of small work so far may be large: its work makes it longer, and never shorter
            of_task = np.maximum(of_task, hosts[1])
            allowed = laws(siblings.done / of_done, siblings.ages / of_task, self.options.seed, draws)
            groups.append(_Group(allowed, of_task, of_task / hosts[1], of_done))
        return groups

    def _averaged(self, values: Sequence[float]) -> float:
        """Return the mean of a value of each group, which counts as often as laws are drawn for it."""
        return float(np.average(values, weights=[len(one.allowed.apart) for one in self._groups]))

    def remaining(self, place: int, times: np.ndarray) -> np.ndarray:
        """Return the tail of what remains of a running task, by draw."""
        age = self.siblings.ages[place]
        return np.concatenate(
            [
                one.allowed.remaining(age / one.of_task[place], times / one.of_task[place])
                for one in self._groups
            ]
        )

    def fresh(self, place: int, times: np.ndarray) -> np.ndarray:
        """Return the tail of a fresh copy, which has the same work on another host."""
        late = np.maximum(times, 0.0)
        found = np.concatenate([one.allowed.tail(late / one.of_copy[place]) for one in self._groups])
        return np.where(times > 0, found, 1.0)

    def _again(self, place: int, times: np.ndarray) -> np.ndarray:
        """Return the tail of a restart that takes as long as the task would have: its age once more."""
        lost = float(self.siblings.ages[place]) + self.options.start
        return np.where(times > lost, self.remaining(place, np.maximum(times - lost, 0.0)), 1.0)


def chosen(found: Decided, slots: str) -> tuple[str, float]:
    """Return the action, and the probability over the laws that it is better than to wait, or not to.

    An action has to save `WORTH` of what waiting costs on average, and under laws of the probability `SURE`.
    Where it saves on average, by few laws of long rests only, nothing can be told.
    """
    mean = found.cost.mean(axis=1)
    # a copy keeps what is done, and ends no later: a restart only saves a slot that others wait for
    best = 2 if slots == "queue" and mean[2] < (1 - WORTH) * mean[1] else 1
    better = float(np.mean(found.cost[best] < found.cost[0]))
    if mean[best] > (1 - WORTH) * mean[0] or better < SURE[slots] - UNSURE:
        return WAIT, 1 - better
    return ((WAIT, COPY, RESTART)[best], better) if better >= SURE[slots] else (UNKNOWN, better)


def exponents(durations: np.ndarray, work: np.ndarray) -> np.ndarray:
    """Return how likely each exponent is with which work makes tasks longer.

    Examples
    --------
    >>> work = np.geomspace(1, 8, 20)
    >>> exponents(3 * work, work).round(2)
    array([0., 0., 0., 0., 1.])
    """
    if not np.ptp(work):  # as where no work is known
        return np.where(_EXPONENTS == 0, 1.0, 0.0)
    logs = np.log(durations) - _EXPONENTS[:, None] * np.log(work)
    spread = np.mean(np.abs(logs - np.median(logs, axis=1)[:, None]), axis=1) + 1e-3
    weight = np.log(_EXPONENTS_PRIOR) - len(durations) * np.log(spread)
    weight = np.exp(weight - weight.max())
    return np.asarray(
        np.where(weight / weight.sum() < 0.02, 0.0, weight) / weight[weight / weight.sum() >= 0.02].sum()
    )


def slower_hosts(siblings: Siblings, work: np.ndarray) -> dict[str, Interval]:
    """Return the factor by which each host is slower than the others, shrunk towards 1.

    Examples
    --------
    >>> times, hosts = [2.0, 2.2, 1.9, 2.1] * 4 + [4.1, 3.9, 4.2, 4.0], ("a",) * 16 + ("b",) * 4
    >>> slow = Siblings(times, [9.0], done_hosts=hosts)
    >>> found = slower_hosts(slow, np.ones(20))
    >>> bool(1.8 < found["b"].low < found["b"].high < 2.2), round(found["a"].value, 1)
    (True, 1.0)
    """
    hosts = np.array(siblings.done_hosts)
    if len({*hosts.tolist()} - {""}) < 2:
        return {}
    logs = np.log(siblings.done)
    known = np.isfinite(work)
    if np.std(np.log(work[known])) > 0.05 if known.any() else False:
        exponent = float(_EXPONENTS @ exponents(siblings.done[known], work[known]))
        logs = logs - exponent * np.where(known, np.log(np.where(known, work, 1.0)), 0.0)
    middles = {host: float(np.median(logs[hosts == host])) for host in {*hosts.tolist()} - {""}}
    usual = float(np.median([*middles.values()])) if len(middles) > 2 else min(middles.values())
    within = np.concatenate([logs[hosts == host] - middle for host, middle in middles.items()])
    spread = (
        float(1.4826 * np.median(np.abs(within))) * np.sqrt(len(logs) / max(len(logs) - len(middles), 1))
        + 0.02
    )
    found = {}
    for host, middle in middles.items():
        noise = 1.57 * spread**2 / np.count_nonzero(hosts == host)  # of a median
        kept = _HOSTS**2 / (_HOSTS**2 + noise)
        mean, half = kept * (middle - usual), 1.645 * float(np.sqrt(kept * noise))
        value, low, high = np.exp([mean, mean - half, mean + half])
        found[host] = (
            Interval(float(value), float(low), float(high))
            if low > 1 or high < 1
            else Interval(1.0, float(low), float(high))
        )
    return found


def _interval(draws: np.ndarray) -> Interval:
    return Interval.of(float(draws.mean()), draws)


# The rules of papers and systems on the same axis: from which age on each would start a copy.


def rules(waiting: Waiting) -> dict[str, float | None]:
    r"""Return rule -> age, s, from which it copies a task that still runs; None if it never does.

    SDA copies if the rest exceeds the :math:`r` at which :math:`2 E[\min(r, X')] = r` (`pays_from`); it knows
    the rest, here it is the mean one. Mantri copies if :math:`P(t_{rem} > 2 t_{new}) > 0.25`. Spark copies
    above a multiple of the median of those done.
    """
    profile, threshold = waiting.profile, pays_from(waiting)
    return {
        "SDA": next((one.age for one in profile if one.wait > threshold), None),
        "Mantri": next((one.age for one in profile if one.mantri > 0.25), None),
        "Spark 1.5 × median": 1.5 * waiting.median,
        "Spark 3 × median": 3 * waiting.median,
    }


def pays_from(waiting: Waiting) -> float:
    r"""Return the rest, s, from which a copy of a task saves machine time.

    .. math:: 2 \int_0^r P(s + X' > t)\, dt = r

    Under a Pareto law this is :math:`\sigma^* \bar x` of Xu & Lau (equation 28, `theory.sigma_star`).
    """
    times = np.concatenate([[0.0], np.geomspace(1e-3, 1.0, 800) * 100 * waiting.median])
    tail = waiting.fresh(waiting.tasks[0].place, times - waiting.options.start).mean(axis=0)
    used = 2 * np.concatenate([[0.0], np.cumsum((tail[1:] + tail[:-1]) / 2 * np.diff(times))])
    saves = np.flatnonzero(used[1:] < times[1:])
    if not saves.size or saves[0] == 0:
        return float("inf") if not saves.size else 0.0
    place = int(saves[0])  # the difference is nearly a line between two neighbours
    before, after = (times - used)[place : place + 2]
    return float(np.interp(0.0, [before, after], times[place : place + 2]))


def answered(siblings: Siblings, options: Options | None = None) -> Waiting:
    """Return the answer.

    Raises
    ------
    BadInput
        If no task runs.
    """
    if not len(siblings.ages):
        raise BadInput("running: no task is running; give the age of at least one, such as 95 or 1:35")
    return Waiting(siblings, options or Options())
