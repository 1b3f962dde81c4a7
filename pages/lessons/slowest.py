"""Why a job waits for its slowest task."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from pages.animation.sandbox import Sandbox
from pages.lessons.lesson import Decision, Exercise, Found, Full, Illustration, Lesson, Plan, Variation, Watch
from pages.lessons.pictures import LessonPlot, drawn
from pages.lessons.prediction import Number, Option
from pages.lessons.watched import alone
from pages.shared.charts.on_page import figure
from sim.model.rule import AKTAS
from sim.telling.words import number, percent, plain, short
from theory.order_statistics import maximum_moment, minimum_moment, order_statistic_quantile
from theory.pareto import pareto_quantile, pareto_tail

#: Tail index of task times, which take at least a minute; tasks of the job, and of the picture.
TAIL, TASKS, SHOWN = 1.5, 50, 10
#: Mean time of a task, in minutes.
MEAN = float(minimum_moment(1, TAIL))
#: A time that is long for a task, in minutes.
LONG = 10.0
PREDICTION = Number(
    "slowest",
    f"A task takes at least a minute, {plain(MEAN)} minutes on average, with a heavy tail "
    f"(β = {plain(TAIL)}). A job has {TASKS} such tasks, and all run at once. How long does the job take on "
    "average?",
    0,
    100,
    1,
    "min",
)


def times_of_tasks(generator: np.random.Generator) -> np.ndarray:
    """Return the times of a few tasks, the shortest first."""
    return np.sort(np.asarray(pareto_quantile(generator.random(SHOWN), 1.0, TAIL)))


def has_a_straggler(took: np.ndarray) -> bool:
    """Tell whether just one task takes long."""
    return int((took > LONG).sum()) == 1


def scene(draw: int, dark: bool) -> Illustration:
    """Draw the times of a few tasks; one of the first ones is a straggler."""
    took = drawn(1, draw, times_of_tasks, has_a_straggler)
    plot = LessonPlot(f"slowest {draw}", dark)
    end = max(12.0, 1.1 * float(took.max()))
    plot.between(np.arange(SHOWN), np.zeros(SHOWN), took, "a task", plot.answer)
    plot.up(MEAN, plot.answer, dash="dot", width=1.5)
    plot.note(f"mean of all tasks: {plain(MEAN)} min", x=MEAN, y=-1, xanchor="left", xshift=4)
    plot.numbers("x", "time (min)", 0, end)
    plot.names("", [""] * SHOWN, above=1)
    said = ", ".join(number(one, 2) for one in took)
    return Illustration(
        f"{SHOWN} tasks, drawn at random" if draw else f"{SHOWN} tasks, one of them a straggler",
        figure(plot),
        f"Bars of {SHOWN} tasks that take {said} minutes; the mean of all tasks is {plain(MEAN)}.",
    )


def find(tail: float) -> Found:
    """Return how long the job takes, on average, for a tail index of the tasks' times."""
    job, one = float(maximum_moment(TASKS, tail)), float(minimum_moment(1, tail))
    typical = float(order_statistic_quantile(0.5, 1, 1, tail))
    none_long = (1 - float(pareto_tail(LONG, 1.0, tail))) ** TASKS
    doubled = float(maximum_moment(2 * TASKS, tail)) / job
    return Found(
        answer=job,
        told=f"The job takes **{number(job)} min** on average, {short(job / one, 2)} times as long as one "
        f"of its tasks ({number(one)} min).",
        why=(
            f"A job is done when its last task is, so its time is the **largest** of {TASKS} times, not "
            "their mean.",
            f"Half of all tasks end within {number(typical, 2)} min, but the chance that none of {TASKS} "
            f"takes more than {plain(LONG)} min is {percent(none_long)}.",
            f"With twice as many tasks the job takes {number(doubled)} times as long: the smaller the tail "
            f"index β, here {plain(tail)}, the faster the largest time grows with the number of tasks.",
        ),
        draw=partial(_picture, tail),
    )


def _picture(tail: float, predicted: float | None, dark: bool) -> Illustration:
    """Draw the mean time of a job by its tasks, and what was predicted."""
    plot = LessonPlot("slowest answer", dark, showlegend=False)
    tasks = np.arange(1, TASKS + 11)
    mean = np.asarray(maximum_moment(tasks, tail))
    job, text = float(mean[TASKS - 1]), "" if predicted is None else f"{plain(predicted)} min"
    plot.theory(tasks, mean, "mean, by theory")
    plot.point(TASKS, job, f"{TASKS} tasks")
    plot.predicted_level(predicted, text, tasks[-1], mean[-1])
    plot.note(f"{number(job)} min", x=TASKS, y=job, yshift=14)
    plot.numbers("x", "tasks of the job, n", 0, TASKS + 10)
    plot.numbers("y", "time of the job (min)", 0, PREDICTION.high)
    said = f" Predicted: {text}." if text else ""
    return Illustration(
        "How long a job takes, by its number of tasks",
        figure(plot),
        f"The mean time of a job rises from {number(float(mean[0]))} minutes with one task to {number(job)} "
        f"with {TASKS}.{said}",
    )


def _two_tasks() -> float:
    return float(maximum_moment(2, 2.0))


def _tasks_for_a_long_one() -> float:
    return math.ceil(math.log(0.5) / math.log1p(-float(pareto_tail(LONG, 1.0, 2.0))))


def _mistakes() -> tuple[tuple[str, str], ...]:
    job = float(maximum_moment(TASKS, TAIL))
    return (
        (
            f"{plain(MEAN)} min",
            "All tasks run at once, so the job seems to take as long as a mean task. But it waits for the "
            "last one.",
        ),
        (
            "6 to 10 min",
            f"“A bit more than the mean”, as with times that vary little. It is {number(job)} min: the "
            "largest of many heavy-tailed times is far from their mean.",
        ),
        (
            f"{plain(TASKS * MEAN)} min or “as much as possible”",
            "The times are added up, as if tasks ran one after the other.",
        ),
    )


def job_if(others: float, slowest_one: float) -> float:
    """Return the time of the first picture's job if its times are multiplied: the slowest one's, and others'.

    Examples
    --------
    >>> job_if(0.5, 1.0) == job_if(1.0, 1.0) > job_if(1.0, 0.8)
    True
    """
    *took, last = drawn(1, 0, times_of_tasks, has_a_straggler)
    return float(max(others * max(took), slowest_one * last))


def _shorter() -> str:
    return "slowest" if job_if(1, 0.8) < job_if(0.5, 1) else "others"


EXERCISES = (
    Decision(
        "These ten tasks are a job, and all run at once. Which of the two makes the job shorter?",
        (
            Option("others", "All tasks but the slowest take half the time"),
            Option("slowest", "The slowest task takes a fifth less"),
        ),
        partial(scene, 0),
        _shorter,
        "When is the job done?",
        f"The job is done when its slowest task is: after {number(job_if(1, 1))} min, or "
        f"{number(job_if(1, 0.8))} min if that task takes a fifth less. Faster others do not matter.",
    ),
    Exercise(
        "Task times have tail index β = 2 and are at least a minute. A job has 2 tasks, which run at once. "
        "How long does it take on average?",
        "min",
        _two_tasks,
        "Put $n = 2$ into the formula: a product of two factors.",
        "$\\frac{1}{1 - 1/2} \\cdot \\frac{2}{2 - 1/2}$: a mean task time, and a third more for waiting.",
    ),
    Exercise(
        "Task times have tail index β = 2. How many tasks must a job have so that at least one of them "
        f"takes more than {plain(LONG)} min with a probability of one half or more?",
        "tasks",
        _tasks_for_a_long_one,
        f"With which probability does one task take at most {plain(LONG)} min? And all $n$ of them?",
        f"No task is that long with probability $(1 - {plain(LONG)}^{{-2}})^n$; this is one half at $n = "
        f"\\ln 0.5 / \\ln(1 - {plain(LONG)}^{{-2}})$, rounded up.",
    ),
)

LESSON = Lesson(
    title="The slowest task",
    question="Why does a job take so much longer than its tasks?",
    prediction=PREDICTION,
    minutes=6,
    scene=scene,
    variation=Variation("Tail index β of task times", (1.5, 2.0, 3.0), TAIL),
    find=find,
    formulas=(
        r"P(Z > t) = t^{-\beta}, \qquad E[Z_{n:n}] = \prod_{j=1}^{n} \frac{j}{j - 1/\beta}"
        r" \approx \Gamma(1 - 1/\beta)\; n^{1/\beta}",
    ),
    source=f"{AKTAS}, section 4; they write α for β.",
    full=Full("start", "Start: pull a task, and see its job wait", {}),
    watch=Watch("A job has as many tasks as there are slots. See what it waits for in the end.", alone),
    sandbox=Sandbox(load=0.3, tail="very wild", shown=("load", "tail")),
    exercises=EXERCISES,
    plan=Plan(
        (
            "say why the time of a job is a maximum, and what that does to its mean;",
            "read the tail index β as how fast the maximum grows with the number of tasks.",
        ),
        _mistakes,
    ),
)
