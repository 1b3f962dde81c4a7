"""The last task: what its age tells of what remains, and whether a copy ends it sooner."""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

import numpy as np

from pages.lessons.lesson import Computed, Illustration
from pages.lessons.pictures import LessonPlot, Runs, aged
from pages.shared.charts.on_page import figure
from sim.advice.waiting.answer import COPY, OWN, RESTART, UNKNOWN, WAIT, Interval, Waiting, answered
from sim.advice.waiting.siblings import Siblings
from sim.telling.content import Piece
from sim.telling.palette import faded
from sim.telling.words import number, plain
from theory.pareto import pareto_quantile
from theory.remaining_time import copied_mean, remaining_mean

#: Minutes that nine tasks took, and that the tenth has run; in other cases; mean of an exponential task.
NINE = (1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.4)
SHORTEST, LONGEST, AGE, EARLY, OLD, MEAN = NINE[0], NINE[-1], 4.0, 2.5, 8.0, 2.0
#: Tail index of the heavy tail, of an exercise, and of what is watched in other cases.
HEAVY, TAIL, LIGHT = 2.0, 2.25, 3.0
#: Ages of three exponential tasks of an exercise, min.
RUNNING = {"young": 1.0, "middle": 4.0, "old": 8.0}
RANDOM = False
QUERY = {"done": " ".join(f"{plain(one)}min" for one in NINE), "running": f"{plain(AGE)}min"}


class Case(NamedTuple):
    """What nine tasks took, and how long the tenth has run, min."""

    nine: tuple[float, ...]
    age: float


def heavy_nine() -> tuple[float, ...]:
    """Return nine times of a heavy tail with the same median: the middles of nine equally likely parts."""
    shortest = float(np.median(NINE)) * 0.5 ** (1 / HEAVY)
    return tuple(np.asarray(pareto_quantile((np.arange(9) + 0.5) / 9, shortest, HEAVY)).tolist())


CASES = {
    "late": Case(NINE, AGE),
    "heavy": Case(heavy_nine(), AGE),
    "early": Case(NINE, EARLY),
    "old": Case(NINE, OLD),
}
#: What may be varied, and what the prediction is about.
VALUES, DEFAULT = tuple(CASES), "late"
#: An option of the prediction -> what is advised.
ACTIONS = {"wait": WAIT, "copy": COPY, "restart": RESTART, "unsure": UNKNOWN}


def watch(case: str) -> Runs:
    """Return jobs without copies and with those of Spark, of the tail of the case."""
    return aged(HEAVY if case == "heavy" else LIGHT)


@cache
def asked(case: str) -> Waiting:
    """Return what the lab answers, which counts in seconds."""
    nine, age = CASES[case]
    return answered(Siblings(60 * np.array(nine), np.array([60 * age])))


def rests(case: str) -> dict[str, Interval]:
    """Return way to go on -> mean minutes until the tenth is done, with the 90 % interval."""
    choices = asked(case).tasks[0].choices or {}
    return {name: Interval(*(one / 60 for one in choice.rest)) for name, choice in choices.items()}


def usual_rest(name: str) -> float:
    """Return the mean minutes until the tenth is done, in the case of the prediction."""
    return rests(DEFAULT)[name].value


#: In texts: those of each way, and what is held likely before anything is seen.
waited, copied, restarted = (partial(usual_rest, name) for name in (WAIT, COPY, RESTART))
SLOW_BY_ITSELF = OWN[False]


def surely() -> float:
    """Return the probability that the advice is right, in the case of the prediction."""
    return asked(DEFAULT).tasks[0].sure


def heavy_rest(age: float, tail: float = HEAVY) -> float:
    """Return what a task of some age still takes on average if its law has a heavy tail, min.

    Examples
    --------
    >>> heavy_rest(4.0), heavy_rest(4.0, 3.0)  # age / (tail index - 1)
    (4.0, 2.0)
    """
    return float(remaining_mean(age - 1, scale=1 / tail, shape=1 / tail))  # whatever the shortest takes


def exponential_rest(age: float) -> float:
    """Return what a task of some age still takes on average if its law is exponential, min."""
    return float(remaining_mean(age, scale=MEAN, shape=0.0))


def scene(draw: int, dark: bool) -> Illustration:
    """Draw nine tasks that are done, and the tenth that runs."""
    return _drawn("last task", CASES[DEFAULT], dark)


def _drawn(name: str, case: Case, dark: bool) -> Illustration:
    plot = LessonPlot(name, dark, barmode="overlay")
    rows, zero = np.arange(10, dtype=float), np.zeros(10)
    plot.between(rows[:9], zero[:9], np.array(case.nine), "done", faded(plot.other, 0.4))
    plot.between(rows[9:], zero[9:], np.array([case.age]), "still running", plot.answer)
    plot.numbers("x", "time since its start (min)", 0, 1.5 * case.age)
    plot.names("", [""] * 10)
    times = ", ".join(number(one, 2) for one in case.nine)
    return Illustration(
        "Nine of ten tasks are done",
        figure(plot),
        f"Nine tasks took {times} minutes. The tenth has run for {plain(case.age)} minutes.",
    )


def find(case: str) -> Computed:
    """Return what is best for the tenth task of a case."""
    task, age = asked(case).tasks[0], CASES[case].age
    action = next(key for key, name in ACTIONS.items() if name == task.action)
    found = rests(case)
    return Computed(
        answer=action,
        values={
            "action": Piece(action),
            "sure": task.sure,
            "wait": found[WAIT].value,
            "low": found[WAIT].low,
            "high": found[WAIT].high,
            "copy": found[COPY].value,
            "restart": found[RESTART].value,
            "median": float(np.median(CASES[case].nine)),
            "longest": CASES[case].nine[-1],
            "age": age,
            "counted": task.counted / 60,
            "heavy": heavy_rest(age),
            "exponential": exponential_rest(age),
        },
        draw=partial(_picture, case, action),
    )


def _picture(case: str, action: str, predicted: str | None, dark: bool) -> Illustration:
    """Draw how long the tenth takes under each choice, and the one that was predicted."""
    plot = LessonPlot("last task answer", dark, showlegend=False)
    found = {key: rests(case)[name] for key, name in ACTIONS.items() if name != UNKNOWN}
    means = np.array([one.value for one in found.values()])
    colors = [plot.answer if key == action else plot.other for key in found]
    plot.between(np.arange(3.0), np.zeros(3), means, "mean", colors)
    for row, one in enumerate(found.values()):
        told = f"{number(one.value, 2)} ({number(one.low, 2)} to {number(one.high, 2)})"
        plot.note(told, x=one.value, y=row, xanchor="left", xshift=6)
    right = 1.6 * float(means.max())
    if predicted in found:
        row = [*found].index(predicted)
        plot.predicted_area(y0=row - 0.48, y1=row + 0.48)
        plot.note("predicted", x=right, y=row - 0.38, xanchor="right")
    elif predicted:
        plot.note("predicted: nobody can tell", x=right, y=-0.75, xanchor="right")
    plot.numbers("x", "mean time until the tenth is done (min)", 0, right)
    plot.names("", ["wait", "copy", "restart"], above=0.5)
    said = ", ".join(f"{number(one.value, 2)} if one decides to {key}" for key, one in found.items())
    return Illustration(
        "What the tenth still takes",
        figure(plot),
        f"Mean minutes until the tenth is done, in brackets with 90 % intervals: {said}.",
    )


def decision(dark: bool) -> Illustration:
    """Draw three tasks that still run."""
    plot = LessonPlot("last task decision", dark)
    ages = np.array([*RUNNING.values()])
    plot.between(np.arange(3.0), np.zeros(3), ages, "still running", plot.answer)
    plot.numbers("x", "time since its start (min)", 0, 12)
    plot.names("", ["youngest", "", "oldest"])
    told = ", ".join(plain(one) for one in RUNNING.values())
    return Illustration("Three tasks still run", figure(plot), f"Three tasks have run for {told} minutes.")


def easy() -> str:
    """Return which of three exponential tasks takes least from now on."""
    left = {name: round(exponential_rest(age), 9) for name, age in RUNNING.items()}
    return "same" if len({*left.values()}) == 1 else min(left, key=lambda name: left[name])


def medium() -> float:
    """Return the mean minutes that a task of a heavy tail still takes."""
    return heavy_rest(AGE, TAIL)


def hard() -> float:
    """Return the mean minutes until a task or its copy is done, if the shortest takes a minute."""
    return float(copied_mean(AGE, HEAVY))
