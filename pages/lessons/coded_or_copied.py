"""Coded or copied: any k of n tasks, or each task twice."""

from __future__ import annotations

from functools import partial

import numpy as np

from pages.lessons.lesson import Decision, Exercise, Found, Full, Illustration, Lesson, Plan, Variation, Watch
from pages.lessons.pictures import LessonPlot, drawn, how
from pages.lessons.prediction import Number, Option
from pages.lessons.watched import MOST_CODED, half_of
from pages.shared.charts.on_page import figure
from sim.model.rule import AKTAS
from sim.telling.words import counted, listed, number, percent, plain, short
from theory.coding import coded_cost
from theory.order_statistics import maximum_moment, minimum_moment, order_statistic_moment
from theory.pareto import pareto_quantile

#: Tail index of task times, which take at least a minute; tasks that a job needs; how many times as
#: many it starts; the largest job that is drawn.
TAIL, NEEDED, RATE, MOST = 3.0, 10, 2, 50
#: Tasks that some jobs of an exercise need, and the minutes that decoding takes.
SIZES, DECODING = (1, 2, 10), 0.2
PREDICTION = Number(
    "coded-or-copied",
    f"Task times have tail index β = {plain(TAIL)}. A job of {NEEDED} tasks starts {RATE * NEEDED} at once. "
    f"Copied: each of the {NEEDED} runs twice. Coded: any {NEEDED} of the {RATE * NEEDED} are enough. How "
    "much less time does the coded job take?",
    0,
    100,
    1,
    "%",
)


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


def find(needed: int) -> Found:
    """Return how much less time the coded job takes, for a job that needs so many tasks."""
    share, cost = gain(needed), float(coded_cost(RATE * needed, needed, TAIL))
    once = needed * float(minimum_moment(1, TAIL))
    pairs = counted(needed, "pair")
    told = (
        f"The coded job takes **{percent(share)} less time**: {number(float(coded(needed)))} min instead of "
        f"{number(float(copied(needed)))} min."
        if needed > 1
        else "A job of one task gains **nothing**: the first of two coded tasks is the faster of two copies."
    )
    return Found(
        answer=100 * share,
        told=told,
        why=(
            f"Copied, the job waits for the slowest of {pairs}, and a pair is slow when both its copies "
            "are; that two copies of another task have already ended does not help.",
            f"Coded, it ends when any {needed} of {RATE * needed} have ended: the {needed} slowest do not "
            "matter, whichever they are.",
            f"It uses {short(cost / once, 2)} times the slot-time of a job without redundancy. On a busy "
            "cluster other jobs wait for that, so small jobs, which take the least, should come first.",
        ),
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
    said = f" Predicted: {text}." if text else ""
    return Illustration(
        "How much faster any k of 2k is than k pairs",
        figure(plot),
        f"It is {number(share, 2)} % less time with {counted(needed, 'task')}, nothing with one, and "
        f"{number(100 * gain(MOST), 2)} % with {MOST}.{said}",
    )


def _any_two_of_four() -> float:
    return float(order_statistic_moment(4, 2, 2.0))


def _slot_time_of_four() -> float:
    return float(coded_cost(4, 2, 2.0))


def _mistakes() -> tuple[tuple[str, str], ...]:
    share = percent(gain(NEEDED))
    return (
        (
            "0 %",
            f"“The same {RATE * NEEDED} tasks run, so it takes as long.” But which of them must end "
            f"differs: a pair whose copies are both slow holds up the copied job alone. It is {share}.",
        ),
        (
            "50 %",
            "“Half of the tasks need not end, so half of the time.” But the later half of the tasks does "
            "not take half of the time. The share grows with the number of tasks, from nothing with one to "
            f"{percent(gain(MOST))} with {MOST}.",
        ),
        (
            "90 % or more",
            f"The coded job still needs {NEEDED} tasks to end, about the faster half, none of them in less "
            "than a minute.",
        ),
    )


def _jobs_of_all_sizes(dark: bool) -> Illustration:
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


def _which_to_code() -> str:
    return ("none", "large", "two", "all")[len(worth_coding())]


EXERCISES = (
    Decision(
        f"Whoever codes must decode in the end, which takes {plain(DECODING)} min more. Task times have tail "
        f"index β = {plain(TAIL)} and are at least a minute. Which of these jobs should be coded?",
        (
            Option("none", "No job"),
            Option("large", f"The job of {SIZES[2]} tasks"),
            Option("two", f"Those of {SIZES[1]} and of {SIZES[2]} tasks"),
            Option("all", "All of them"),
        ),
        _jobs_of_all_sizes,
        _which_to_code,
        "By how many minutes is each job shorter coded, before decoding?",
        "Coding saves "
        + listed([f"{number(gain(k) * float(copied(k)), 2)} min with {counted(k, 'task')}" for k in SIZES])
        + f"; it must save more than {plain(DECODING)} min.",
    ),
    Exercise(
        "Tasks take at least a minute, with tail index β = 2. A job starts 4 tasks and needs any 2 of "
        "them. After how many minutes does it end on average?",
        "min",
        _any_two_of_four,
        "It ends with the second of four times: put $n = 4$ and $k = 2$ into the formula.",
        "$\\frac{4}{4 - 1 / 2} \\cdot \\frac{3}{3 - 1 / 2}$: the factors of the formula from "
        "$j = n - k + 1$ to $n$.",
    ),
    Exercise(
        "Again any 2 of 4 tasks, β = 2. When the second one ends, the other two are cancelled. How much "
        "slot-time, in minutes, does the job use on average?",
        "min",
        _slot_time_of_four,
        "One slot is held until the first task ends, and three until the second one does.",
        "$E[Z_{4:1}] + 3\\,E[Z_{4:2}]$ with $E[Z_{4:1}] = \\frac{4}{4 - 1/2}$ and the time of the exercise "
        "before.",
    ),
)

LESSON = Lesson(
    title="Coded or copied",
    question="If a job may start twice as many tasks, should they be copies?",
    prediction=PREDICTION,
    minutes=8,
    scene=scene,
    variation=Variation("Tasks that the job needs, k", (1, 2, 10, 50), NEEDED),
    find=find,
    formulas=(
        r"E[Z_{n:k}] = \prod_{j = n - k + 1}^{n} \frac{j}{j - 1/\beta} \ (n = 2k), \qquad"
        r" E\big[\max_k \min(Z_1, Z_2)\big] = \prod_{j=1}^{k} \frac{j}{j - 1/(2\beta)}",
    ),
    source=f"{AKTAS}, section 4; they write α for β.",
    full=Full(
        "coding",
        "Coding: which jobs should start more tasks?",
        {"r": plain(RATE), "load": "0.6", "beta": plain(TAIL)},
    ),
    watch=Watch(
        f"Each job starts {RATE} times as many tasks as it needs, here {MOST_CODED} at most.",
        partial(half_of, rate=RATE, tail=TAIL),
    ),
    exercises=EXERCISES,
    plan=Plan(
        (
            "explain why any k of n beats k pairs, and why a job of one task gains nothing;",
            "say what redundancy costs others, and why small jobs come first.",
        ),
        _mistakes,
    ),
)
