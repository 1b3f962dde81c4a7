"""Coded or copied: any k of n tasks, or each task twice."""

from __future__ import annotations

from functools import partial

import numpy as np

from pages.lessons.lesson import Computed, Illustration
from pages.lessons.pictures import MOST_CODED as MOST_CODED
from pages.lessons.pictures import LessonPlot, drawn, half_of, how
from pages.shared.charts.on_page import figure
from sim.telling.content import Piece
from sim.telling.words import counted, number, plain
from theory.coding import coded_cost
from theory.order_statistics import maximum_moment, minimum_moment, order_statistic_moment
from theory.pareto import pareto_quantile

#: Tail index of task times, which take at least a minute; tasks that a job needs; how many times as
#: many it starts; the largest job that is drawn.
TAIL, NEEDED, RATE, MOST = 3.0, 10, 2, 50
#: Tasks that some jobs of an exercise need, and the minutes that decoding takes.
SIZES, DECODING = (1, 2, 10), 0.2
#: Of a slider: from, to, step, unit.
RANGE = (0, 100, 1, "%")
#: What may be varied, and what the prediction is about.
VALUES, DEFAULT = (1, 2, 10, 50), NEEDED
#: Places of the exported page's slider.
FINE = tuple(range(1, 51))
QUERY = {"r": plain(RATE), "load": "0.6", "beta": plain(TAIL)}
STARTED = RATE * NEEDED
watch = partial(half_of, rate=RATE, tail=TAIL)


def copied(needed: int) -> np.ndarray:
    """Return the mean time of a job whose every task runs twice: the slowest of so many pairs."""
    return np.asarray(maximum_moment(needed, RATE * TAIL))


def coded(needed: int) -> np.ndarray:
    """Return the mean time of a job that needs any half of its tasks."""
    return np.asarray(order_statistic_moment(RATE * needed, needed, TAIL))


def gain(needed: int) -> float:
    """Return by what share coding is faster; nothing for a job of one task, where both are the same."""
    return 1 - float(coded(needed)) / float(copied(needed)) if needed > 1 else 0.0


def times_of_pairs(generator: np.random.Generator) -> np.ndarray:
    """Return when the two copies of each task would end."""
    return np.asarray(pareto_quantile(generator.random((NEEDED, RATE)), 1.0, TAIL))


def has_a_slow_pair(took: np.ndarray) -> bool:
    """Tell whether one task alone has two slow copies: both take over twice as long as half of all tasks."""
    return int((took.min(axis=1) > 2 * np.sort(took, axis=None)[NEEDED - 1]).sum()) == 1


def scene(draw: int, dark: bool) -> Illustration:
    """Draw when the two copies of each task would end."""
    took = drawn(7, draw, times_of_pairs, has_a_slow_pair)
    plot = LessonPlot(f"coded or copied {draw}", dark)
    rows, end = np.arange(NEEDED, dtype=float), 8.0
    first, copies = np.minimum(took, end).T
    plot.dots(first, rows, "started as task", plot.answer, "")
    plot.dots(copies, rows, "started as its copy", plot.other, "", marker={"symbol": "diamond"})
    if (took > end).any():
        plot.note("or later", x=end, y=NEEDED - 0.9, xanchor="right", xshift=-6)
    plot.numbers("x", "time at which it ends (min)", 0, end + 0.3)
    plot.names("task", [str(one + 1) for one in range(NEEDED)])
    pairs = "; ".join(f"{number(a, 2)} and {number(b, 2)}" for a, b in took)
    return Illustration(
        f"When {RATE * NEEDED} started tasks end, {how(draw)}",
        figure(plot),
        f"When the two copies of each of {NEEDED} tasks would end, in minutes: {pairs}.",
    )


#: In texts: by what share coding is faster in the prediction, and for the largest job.
GAIN, MOST_GAIN = gain(NEEDED), gain(MOST)


def find(needed: int) -> Computed:
    """Return how much less time the coded job takes, for a job that needs so many tasks."""
    share, cost = gain(needed), float(coded_cost(RATE * needed, needed, TAIL))
    return Computed(
        answer=100 * share,
        values={
            "gained": Piece("less time" if needed > 1 else "nothing"),
            "share": share,
            "coded": float(coded(needed)),
            "copied": float(copied(needed)),
            "needed": needed,
            "started": RATE * needed,
            "times": cost / (needed * float(minimum_moment(1, TAIL))),
        },
        draw=partial(_picture, needed),
    )


def _picture(needed: int, predicted: float | None, dark: bool) -> Illustration:
    """Draw by how much coding is faster, by the tasks that a job needs, and what was predicted."""
    plot = LessonPlot("coded or copied answer", dark, showlegend=False)
    tasks = np.arange(1, MOST + 1)
    share = 100 * gain(needed)
    text = "" if predicted is None else f"{plain(predicted)} %"
    plot.theory(tasks, [100 * gain(int(one)) for one in tasks])
    plot.point(needed, share, counted(needed, "task"))
    plot.predicted_level(predicted, text, MOST + 2, 100 * gain(MOST))
    plot.note(f"{number(share, 2)} %", x=needed, y=share, yshift=-16, xshift=22)
    plot.numbers("x", "tasks that the job needs, k", 0, MOST + 2)
    plot.numbers("y", "less time coded than copied (%)", 0, 105)
    return Illustration(
        "How much faster any k of 2k is than k pairs",
        figure(plot),
        f"It is {number(share, 2)} % less time with {counted(needed, 'task')}, nothing with one, and "
        f"{number(100 * gain(MOST), 2)} % with {MOST}.",
    )


def decision(dark: bool) -> Illustration:
    """Draw the mean times of some jobs, copied and coded."""
    plot = LessonPlot("coded or copied decision", dark, barmode="overlay")
    rows, zero = np.arange(len(SIZES), dtype=float), np.zeros(len(SIZES))
    times = [np.array([float(of(size)) for size in SIZES]) for of in (copied, coded)]
    plot.between(rows - 0.2, zero, times[0], "copied", plot.other, width=0.36)
    plot.between(rows + 0.2, zero, times[1], "coded, before decoding", plot.answer, width=0.36)
    plot.numbers("x", "mean time of the job (min)", 0, 2)
    plot.names("", [counted(size, "task") for size in SIZES])
    said = "; ".join(
        f"{counted(size, 'task')}, {number(one)} copied and {number(two)} coded"
        for size, one, two in zip(SIZES, *times, strict=True)
    )
    return Illustration("Mean times of three jobs", figure(plot), f"Mean minutes of jobs: {said}.")


def worth_coding() -> list[int]:
    """Return which of the jobs are shorter coded, with the time that decoding takes."""
    return [size for size in SIZES if float(coded(size)) + DECODING < float(copied(size))]


def minutes_saved() -> list[str]:
    """Return the minutes that coding saves each of the jobs."""
    return [
        f"{number(gain(size) * float(copied(size)), 2)} min with {counted(size, 'task')}" for size in SIZES
    ]


def easy() -> str:
    """Return which jobs should be coded: so many of the largest."""
    return ("none", "large", "two", "all")[len(worth_coding())]


def medium() -> float:
    """Return the mean time until two of four tasks have ended."""
    return float(order_statistic_moment(4, 2, 2.0))


def hard() -> float:
    """Return the slot-time of these four tasks."""
    return float(coded_cost(4, 2, 2.0))
