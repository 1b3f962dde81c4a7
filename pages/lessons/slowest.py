"""Why a job waits for its slowest task."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from pages.animation.sandbox import Sandbox
from pages.lessons.lesson import Computed, Illustration
from pages.lessons.pictures import LessonPlot, alone, drawn
from pages.shared.charts.on_page import figure
from sim.telling.words import number, plain
from theory.order_statistics import maximum_moment, minimum_moment, order_statistic_quantile
from theory.pareto import pareto_quantile, pareto_tail

#: Tail index of task times, which take at least a minute; tasks of the job, and of the picture.
TAIL, TASKS, SHOWN = 1.5, 50, 10
#: Mean time of a task, in minutes.
MEAN = float(minimum_moment(1, TAIL))
#: A time that is long for a task, in minutes.
LONG = 10.0
#: Of a slider: from, to, step, unit.
RANGE = (0, 100, 1, "min")
#: What may be varied, and what the prediction is about.
VALUES, DEFAULT = (1.5, 2.0, 3.0), TAIL
#: Places of the exported page's slider, whose answers the picture has room for.
FINE = tuple(k / 10 for k in range(13, 41))
SANDBOX = Sandbox(load=0.3, tail="very wild", shown=("load", "tail"))
watch = alone


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


def find(tail: float) -> Computed:
    """Return how long the job takes, on average, for a tail index of the tasks' times."""
    job, one = float(maximum_moment(TASKS, tail)), float(minimum_moment(1, tail))
    return Computed(
        answer=job,
        values={
            "job": job,
            "one": one,
            "times": job / one,
            "typical": float(order_statistic_quantile(0.5, 1, 1, tail)),
            "none_long": (1 - float(pareto_tail(LONG, 1.0, tail))) ** TASKS,
            "doubled": float(maximum_moment(2 * TASKS, tail)) / job,
            "tail": tail,
        },
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
    plot.numbers("y", "time of the job (min)", 0, RANGE[1])
    return Illustration(
        "How long a job takes, by its number of tasks",
        figure(plot),
        f"The mean time of a job rises from {number(float(mean[0]))} minutes with one task to {number(job)} "
        f"with {TASKS}.",
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


#: In texts: the mean time of the usual job, its tasks' minutes in all, and times of the first picture's job.
USUAL_JOB, IN_ALL = float(maximum_moment(TASKS, TAIL)), TASKS * MEAN
as_it_is, with_a_faster_slowest = partial(job_if, 1, 1), partial(job_if, 1, 0.8)
decision = partial(scene, 0)


def easy() -> str:
    """Return what makes the job of the first picture shorter."""
    return "slowest" if job_if(1, 0.8) < job_if(0.5, 1) else "others"


def medium() -> float:
    """Return the mean time of a job of two tasks."""
    return float(maximum_moment(2, 2.0))


def hard() -> float:
    """Return the tasks of which one is long as often as not."""
    return math.ceil(math.log(0.5) / math.log1p(-float(pareto_tail(LONG, 1.0, 2.0))))
