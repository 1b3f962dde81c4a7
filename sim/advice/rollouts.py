r"""How many more answers than needed a training step starts: N are awaited, N + k started, any N end it.

The best k has the least

.. math:: E[T_k]\, \Big(1 + c \frac{k}{N}\Big),

the mean time of a step times what its slots cost: a slot-second of an extra answer costs c times as much as
one of the N that are awaited. With the price c = 1 this is the slot-time of a cluster that holds N + k slots
for the whole step, per answer; with a price near 0 slots stand idle anyhow, and only the time counts.

The k answers that are not done are discarded, and their slot-time is wasted, or they are carried over: they
run on, with their age, beside N new ones. Step times with discarding are exact (`theory.rollouts`). With
carrying over they are simulated in the steady state: exponential lengths have the same ones as with
discarding, and for other laws there is no closed form. The simulation starts near the steady state of a large
N, where :math:`\sum_{j \ge 1} P(X > j T) = k / N`, and a curve through the simulated k takes out most of
its noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from sim.advice.waiting.answer import Interval
from sim.advice.waiting.siblings import times_in
from sim.model.cached import cached_property
from sim.model.fields import BadInput
from sim.telling.document import aligned
from sim.telling.words import number, percent, plain, signed, spell
from theory.order_statistics import order_statistic_moment
from theory.quoting import quoted
from theory.rollouts import exponential_step_time, lognormal_step_time, slot_times, step_weights

#: Fewest and most lengths of a list, most answers that are awaited, and most extra ones in those awaited.
FEWEST, MOST_LENGTHS, MOST_AWAITED, MOST_RATE = 5, 2_000, 1_000, 2
#: Resamples of a list.
RESAMPLES = 200
#: Resamples that are simulated with carrying over.
_SIMULATED = 100
#: Law -> its numbers, the values below and above which each has to be, and what they are.
LAWS: dict[str, dict[str, tuple[float, float]]] = {
    "exponential": {"mean": (0.0, 1e9)},
    "pareto": {"shortest": (0.0, 1e9), "tail": (1.0, 100.0)},
    "lognormal": {"median": (0.0, 1e9), "sigma": (0.0, 5.0)},
}
LIST = "list"
#: Rows that are simulated beside each other at first and around the best, answers of a row that are awaited
#: in all, and steps before the first that counts, at least and at most.
_ROWS, _ANSWERS, _WARM_UP = (16, 64), 8_000, (15, 150)
#: Numbers of extra answers that are simulated at first and around the best, and the curve through those.
_KNOTS, _DEGREE = 12, 4


@dataclass(frozen=True)
class Lengths:
    """How long answers take: a law, or a list of which each is as likely.

    Parameters
    ----------
    law : str
        One of `LAWS`, or `LIST`.
    numbers : tuple of float
        Of the law, in the order of `LAWS`, or the lengths of the list; s.

    Raises
    ------
    BadInput
        If there are too few or too many, or one is not accepted.

    Examples
    --------
    >>> Lengths("pareto", (10.0, 2.0)).mean
    20.0
    """

    law: str
    numbers: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse what is not accepted."""
        if self.law == LIST:
            if not FEWEST <= len(self.numbers) <= MOST_LENGTHS:
                raise BadInput(
                    f"list: {len(self.numbers):,} lengths are not accepted; give {FEWEST} to {MOST_LENGTHS:,}"
                )
            names, ends = [LIST], [(0.0, 1e9)]
        else:
            if self.law not in LAWS:
                raise BadInput(f"law: {quoted(self.law)} is not accepted; give one of {', '.join(LAWS)}")
            names, ends = [*LAWS[self.law]], [*LAWS[self.law].values()]
            if len(self.numbers) != len(names):
                raise BadInput(f"law: {self.law} has {' and '.join(names)}")
        for place, value in enumerate(self.numbers):
            name, (low, high) = names[place % len(names)], ends[place % len(names)]
            if not low < value <= high:
                accepted = f"give a number above {low:g} and at most {high:g}"
                raise BadInput(f"{name}: {quoted(value)} is not accepted; {accepted}")

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return self.law == LIST

    @cached_property
    def listed(self) -> np.ndarray:
        """The lengths of a list, the shortest first."""
        return np.sort(np.array(self.numbers))

    @property
    def mean(self) -> float:
        """Mean length, s."""
        if self.is_list:
            return float(self.listed.mean())
        first, second = (*self.numbers, 0.0)[:2]
        if self.law == "pareto":
            return first * second / (second - 1)
        return first * math.exp(second**2 / 2)

    def at(self, p: np.ndarray) -> np.ndarray:
        """Return the lengths that are exceeded with probability p, above 0."""
        if self.is_list:
            return np.asarray(
                self.listed[np.minimum((1 - p) * len(self.listed), len(self.listed) - 1).astype(int)]
            )
        first, second = (*self.numbers, 0.0)[:2]
        if self.law == "pareto":
            return np.asarray(first * p ** (-1 / second))
        return np.asarray(first * (-np.log(p) if self.law == "exponential" else np.exp(-second * ndtri(p))))

    def step_times(self, awaited: int, extra: np.ndarray) -> np.ndarray:
        """Return the mean time of a step whose extra answers are discarded, s; of a law."""
        first, second = (*self.numbers, 0.0)[:2]
        if self.law == "pareto":
            return np.asarray(first * order_statistic_moment(awaited + extra, awaited, second))
        if self.law == "exponential":
            return np.asarray(exponential_step_time(awaited, extra, first))
        return np.asarray(lognormal_step_time(awaited, extra, math.log(first), second))

    def cells(self) -> tuple[np.ndarray, np.ndarray]:
        """Return lengths and their probabilities, far into the tail."""
        if self.is_list:
            return self.listed, np.full(len(self.listed), 1 / len(self.listed))
        edges = np.concatenate([np.linspace(1, 0.01, 1000, endpoint=False), np.geomspace(0.01, 1e-14, 1000)])
        return self.at(np.sqrt(edges[1:] * edges[:-1])), -np.diff(edges) / (1 - 1e-14)


@dataclass(frozen=True)
class Rollouts:
    """The answer.

    Parameters
    ----------
    awaited : int
        Answers that end a step.
    lengths : Lengths
    price : float
        Of a slot-second of an extra answer, in those of the answers that are awaited.
    carry_over : bool
        Whether answers that are not done run on into the next step.
    most : int or None
        Most extra answers: as many as there are slots for, or as old as answers may be; unless given, two for
        each that is awaited.
    seed : int

    Raises
    ------
    BadInput
        If a value is not accepted.

    Examples
    --------
    >>> found = Rollouts(32, Lengths("pareto", (10.0, 2.0)))
    >>> found.best, found.times[[0, found.best]].round(1)
    (16, array([100.7,  17.2]))
    """

    awaited: int
    lengths: Lengths
    price: float = 1.0
    carry_over: bool = False
    most: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what is not accepted."""
        if not 1 <= self.awaited <= MOST_AWAITED:
            accepted = f"give a whole number from 1 to {MOST_AWAITED:,}"
            raise BadInput(f"awaited: {quoted(self.awaited)} is not accepted; {accepted}")
        if not 0 <= self.price <= 100:
            raise BadInput(f"price: {quoted(self.price)} is not accepted; give a number from 0 to 100")
        if self.most is not None and not 1 <= self.most <= MOST_RATE * MOST_AWAITED:
            accepted = f"give a whole number from 1 to {MOST_RATE * MOST_AWAITED:,}"
            raise BadInput(f"most: {quoted(self.most)} is not accepted; {accepted}")

    @property
    def extra(self) -> np.ndarray:
        """Numbers of extra answers that are looked at."""
        return np.arange((self.most or max(MOST_RATE * self.awaited, 8)) + 1)

    @property
    def times(self) -> np.ndarray:
        """Mean time of a step with each of those, s."""
        return self._all_times[0]

    @property
    def _resampled(self) -> np.ndarray | None:
        """The same for each resample of a list."""
        return self._all_times[1]

    @cached_property
    def slot_times(self) -> np.ndarray:
        """Slot-time of a step, while an answer runs and the step does not end, slot-s."""
        if self.carry_over:  # as many answers end in a step as are started in it
            return np.full(len(self.extra), self.awaited * self.lengths.mean)
        return slot_times(self.times, self.awaited, self.lengths.mean)

    @cached_property
    def wasted(self) -> np.ndarray:
        """Share of the slot-time that is of answers which are discarded."""
        return np.zeros(len(self.extra)) if self.carry_over else self.extra * self.times / self.slot_times

    @cached_property
    def costs(self) -> np.ndarray:
        """What the best has the least of: the time of a step times what its slots cost, s."""
        return self._costs(self.times)

    @cached_property
    def best(self) -> int:
        """Best number of extra answers."""
        return int(np.argmin(self.costs))

    @property
    def at_edge(self) -> bool:
        """Whether even more might be better."""
        return self.best == self.extra[-1]

    @cached_property
    def best_interval(self) -> Interval:
        """The best number, with its interval."""
        draws = None if self._resampled is None else self._costs(self._resampled).argmin(axis=1)
        return Interval.of(self.best, draws)

    def computed(self) -> Rollouts:
        """Return the answer with its numbers at hand."""
        assert self.best >= 0
        return self

    def time_of(self, extra: int) -> Interval:
        """Return the mean time of a step, s, with its interval."""
        draws = None if self._resampled is None else self._resampled[:, extra]
        return Interval.of(self.times[extra], draws)

    def wasted_of(self, extra: int) -> Interval:
        """Return the share of the slot-time that is wasted, with its interval."""
        draws = None
        if self._resampled is not None and not self.carry_over:
            slots = slot_times(self._resampled, self.awaited, self._lists.mean(axis=1))
            draws = extra * self._resampled[:, extra] / slots[:, extra]
        return Interval.of(self.wasted[extra], draws)

    @property
    def error(self) -> float:
        """Standard error of the simulation in the mean time of a step with the best number, s; 0 if exact."""
        return float(self._all_times[2] * self.times[self.best]) if self.best else 0.0

    @property
    def age(self) -> float:
        """Steps that an answer is old on average when it is used."""
        return self.best / self.awaited if self.carry_over else 0.0

    def _costs(self, times: np.ndarray) -> np.ndarray:
        return times * (1 + self.price * self.extra / self.awaited)

    @cached_property
    def _lists(self) -> np.ndarray:
        """Resamples of the list, each with the shortest length first."""
        listed = self.lengths.listed
        places = np.random.default_rng([self.seed, 1]).integers(len(listed), size=(RESAMPLES, len(listed)))
        return np.asarray(listed[np.sort(places, axis=1)])

    @cached_property
    def _all_times(self) -> tuple[np.ndarray, np.ndarray | None, float]:
        """Mean times of steps, those of each resample of a list, and their relative standard error."""
        if not self.lengths.is_list:
            exact = self.lengths.step_times(self.awaited, self.extra)
            return self._carried(exact, None) if self.carry_over else (exact, None, 0.0)
        weights = step_weights(self.awaited, int(self.extra[-1]), len(self.lengths.listed))
        exact, resampled = weights @ self.lengths.listed, self._lists @ weights.T
        return self._carried(exact, resampled) if self.carry_over else (exact, resampled, 0.0)

    def _carried(
        self, exact: np.ndarray, resampled: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray | None, float]:
        """Simulate carrying over at some k, then at more of them around the best; without any it is exact."""
        most = int(self.extra[-1])
        first = _some(1, most)
        found = _through(first, self._simulated(first, _ROWS[0]), self.extra, exact[0], 1)[0]
        near = 1 + int(np.argmin(self._costs(found)[1:]))  # none at all is known exactly
        knots = _some(max(near // 2, 1), min(2 * near + 2, most))
        times, error = _through(knots, self._simulated(knots, _ROWS[1]), self.extra, exact[0], _DEGREE, found)
        if resampled is None:
            return times, None, error
        rows = self._simulated(knots, _SIMULATED, self._lists)
        draws = [
            _through(knots, row[None], self.extra, zero, _DEGREE, found)[0]
            for row, zero in zip(rows, resampled[:, 0], strict=False)
        ]
        return times, np.array(draws), error

    def _simulated(self, knots: np.ndarray, rows: int, lists: np.ndarray | None = None) -> np.ndarray:
        """Return mean times of steps for rows, each with its own list if there are any, and for some k."""
        lengths, weights = self.lengths.cells()
        steps = max(_ANSWERS // self.awaited, 40)

        def started(rng: np.random.Generator) -> np.ndarray:
            if lists is None:
                return self.lengths.at(1 - rng.random((rows, self.awaited)))
            places = rng.integers(lists.shape[1], size=(rows, self.awaited))
            return np.take_along_axis(lists[:rows], places, axis=1)

        columns = [
            _steady(started, lengths, weights, (rows, self.awaited, int(k)), steps, self.seed) for k in knots
        ]
        return np.stack(columns, axis=1)


def _some(low: int, high: int) -> np.ndarray:
    """Return whole numbers between two, each about the same multiple of the one before."""
    return np.unique(np.geomspace(low, high, _KNOTS).round().astype(int))


def _through(
    knots: np.ndarray,
    rows: np.ndarray,
    extra: np.ndarray,
    zero: float,
    degree: int,
    beyond: np.ndarray | None = None,
) -> tuple[np.ndarray, float]:
    """Return step times for all numbers of extras from those simulated at some, and a relative error.

    Between the knots it is a polynomial of the logarithms, or with a degree of 1 a line from knot to knot;
    elsewhere what was found before, joined to it.
    """
    logs, means = np.log(knots), np.log(rows.mean(axis=0))
    every = np.log(np.maximum(extra, 1))
    if degree == 1 or beyond is None:
        found = np.exp(np.interp(every, logs, means))
        error = 0.0
    else:
        middle, half = (logs[0] + logs[-1]) / 2, max((logs[-1] - logs[0]) / 2, 1e-9)
        degree = min(degree, len(knots) - 1)
        basis = np.polynomial.chebyshev.chebvander((logs - middle) / half, degree)
        inside = (extra >= knots[0]) & (extra <= knots[-1])
        places = np.polynomial.chebyshev.chebvander((every[inside] - middle) / half, degree)
        fitted = places @ np.linalg.pinv(basis) @ means
        found = beyond.copy()
        found[inside] = np.exp(fitted)
        for side, end in ((extra < knots[0], 0), (extra > knots[-1], -1)):
            found[side] *= np.exp(fitted[end]) / beyond[inside][end]
        spread = rows.std(axis=0, ddof=1) / rows.mean(axis=0) if len(rows) > 1 else np.zeros(1)
        error = float(spread.mean() / math.sqrt(len(rows)))
    found[0] = zero
    return found, error


def _steady(
    started: Callable[[np.random.Generator], np.ndarray],
    lengths: np.ndarray,
    weights: np.ndarray,
    size: tuple[int, int, int],
    steps: int,
    seed: int,
) -> np.ndarray:
    """Return the mean time of a step in each row, with answers that are carried over.

    The same answers are started for every number of extras, so that their noise is shared.
    """
    rows, awaited, extra = size
    rng, other = np.random.default_rng([seed, 2]), np.random.default_rng([seed, 3])
    step = _large(lengths, weights, extra / awaited)
    times = np.ceil(lengths / step) - 1  # how often such an answer is carried over
    carried = other.choice(len(lengths), p=times * weights / (times @ weights), size=(rows, extra))
    ages = step * np.ceil(other.random((rows, extra)) * times[carried])
    left = np.empty((rows, awaited + extra))
    left[:, awaited:] = np.maximum(lengths[carried] - ages, step * 1e-9)
    total = np.zeros(rows)
    usual = lengths[np.searchsorted(np.cumsum(weights), 0.999).clip(max=len(lengths) - 1)]
    warm_up = int(np.clip(2 * usual / step, *_WARM_UP))
    for place in range(warm_up + steps):
        left[:, :awaited] = started(rng)
        left.partition(awaited - 1, axis=1)
        ends = left[:, awaited - 1].copy()
        left[:, awaited:] -= ends[:, None]
        if place >= warm_up:
            total += ends
    return total / steps


def _large(lengths: np.ndarray, weights: np.ndarray, carried: float) -> float:
    """Return the step time of a large N, of which each answer is carried over so often on average."""
    low, high = math.log(lengths.min() / (carried + 2)), math.log(lengths.max())
    for _ in range(60):
        middle = (low + high) / 2
        often = float((np.ceil(lengths / math.exp(middle)) - 1) @ weights)
        low, high = (middle, high) if often > carried else (low, middle)
    return math.exp(low)


def listed(text: str) -> Lengths:
    """Return a list of lengths, as numbers with or without a unit.

    Examples
    --------
    >>> listed("12, 15 s; 1:30 2 min 7").mean
    48.8
    """
    return Lengths(LIST, tuple(times_in(text, "list").tolist()))


def sentence(found: Rollouts) -> str:
    """Return the answer in a sentence.

    Examples
    --------
    >>> sentence(Rollouts(32, Lengths("pareto", (10.0, 2.0)), price=4.0))
    'Start 5 more than the 32 you wait for: a step takes 27 s instead of 100 s (−74 %), and 22 % of the \
slot-time is thrown away.'
    >>> sentence(Rollouts(4, Lengths("exponential", (60.0,)), price=9.0))
    'Start no more than the 4 you wait for: at a price of 9 no extra answer pays. A step takes 2.1 min.'
    """
    k, before = found.best, spell(found.times[0], 2)
    if k == 0:
        pays = f"at a price of {plain(found.price)} no extra answer pays"
        return f"Start no more than the {found.awaited:,} you wait for: {pays}. A step takes {before}."
    change = signed(100 * (found.times[k] / found.times[0] - 1), 0)
    lost = (
        f"nothing is thrown away; an answer is {number(found.age, 2)} steps old on average"
        if found.carry_over
        else f"{percent(found.wasted[k])} of the slot-time is thrown away"
    )
    return (
        f"Start {k:,} more than the {found.awaited:,} you wait for: a step takes {spell(found.times[k], 2)} "
        f"instead of {before} ({change} %), and {lost}."
    )


def notes(found: Rollouts) -> list[str]:
    """Return what limits the answer, a sentence or two each."""
    told = []
    if found.at_edge:
        told.append(f"More than {found.best:,} extra answers are not looked at, and may be better still.")
        if found.carry_over and found.price <= 1:
            told[-1] += (
                f" At a price of {plain(found.price)} carrying over favours ever more answers: nothing is "
                "wasted, and only the age of the answers limits it."
            )
    if found.lengths.is_list:
        count, best = len(found.lengths.numbers), found.best_interval
        told.append(
            f"The list has {count:,} lengths, each as likely as the others: the best number is "
            f"{best.low:,.0f} to {best.high:,.0f} with 90 % probability."
        )
        if count < 2 * found.awaited:
            told.append(
                f"A step of {found.awaited:,} often has a longer answer than any of {count:,}, so a step "
                "without extra answers takes longer than is said here."
            )
    if found.carry_over and found.best:
        told.append(
            f"Carrying over is simulated in its steady state: the time of a step has a standard error of "
            f"{spell(found.error, 2)}."
        )
    return told


def shown(found: Rollouts) -> list[int]:
    """Return numbers of extra answers to tell of: none, some up to the best, and some more."""
    most = int(found.extra[-1])
    around = found.best or found.awaited // 4
    places = (0, 1, around // 4, around // 2, around, 3 * around // 2, 2 * around, found.best, most)
    return sorted({min(place, most) for place in places})


def as_text(found: Rollouts) -> str:
    """Return the answer for a terminal."""
    rows = [["extra answers", "time of a step", "thrown away", "slots held, per answer"]]
    for k in shown(found):
        held = found.times[k] * (1 + k / found.awaited)
        mark = " (best)" if k == found.best else ""
        row = [f"{k:,}{mark}", spell(found.times[k]), percent(found.wasted[k]), f"{number(held)} slot·s"]
        rows.append(row)
    least = f"Best: the least time of a step × (1 + {plain(found.price)} × extra / {found.awaited:,})."
    return "\n".join([sentence(found), *notes(found), "", *aligned(rows), "", least])


def as_json(found: Rollouts) -> dict[str, Any]:
    """Return all numbers of the answer; times in seconds."""
    ends = {"at_best": found.best, "without_extra": 0}
    return {
        "answer": sentence(found),
        "awaited": found.awaited,
        "law": found.lengths.law,
        "lengths": list(found.lengths.numbers),
        "mean_length_s": found.lengths.mean,
        "price": found.price,
        "carry_over": found.carry_over,
        "best_extra": found.best_interval._asdict(),
        "most_extra_looked_at": int(found.extra[-1]),
        "step_time_s": {name: found.time_of(k)._asdict() for name, k in ends.items()},
        "wasted_share": {name: found.wasted_of(k)._asdict() for name, k in ends.items()},
        "standard_error_s": found.error,
        "answers_age_steps": found.age,
        "table": [
            {
                "extra": int(k),
                "step_time_s": float(found.times[k]),
                "slot_time_s": float(found.slot_times[k]),
                "wasted_share": float(found.wasted[k]),
                "cost_s": float(found.costs[k]),
            }
            for k in found.extra
        ],
    }
