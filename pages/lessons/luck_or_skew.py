"""Luck or skew: which logs have stragglers that a second copy would mend."""

from __future__ import annotations

from functools import partial

import numpy as np

from pages.lessons import two_logs
from pages.lessons.lesson import Computed, Illustration
from pages.lessons.pictures import LessonPlot, both_logs
from pages.lessons.two_logs import TASKS, mendable, tasks
from pages.shared.charts.on_page import figure
from sim.telling.words import number, percent, plain
from theory.order_statistics import order_statistic_quantile, order_statistic_tail

#: Share of the tasks of each log whose time is what they read; of the lost time from which copies help.
LOG_A, LOG_B, HELPS = 0.0, 1.0, 0.5
#: The logs that a choice names.
NAMED = {"a": (0,), "b": (1,), "both": (0, 1), "neither": ()}
#: What may be varied, and what the prediction is about.
VALUES, DEFAULT = (1.0, 0.5, 0.0), LOG_B
RANDOM = False
QUERY = {"log": "slurm"}
FILES = (
    ("Log A (CSV)", "log-a.csv", partial(two_logs.log, LOG_A)),
    ("Log B (CSV)", "log-b.csv", partial(two_logs.log, LOG_B)),
)
watch = both_logs


def slowest() -> tuple[int, int]:
    """Return the job and the task that takes longest, in both logs."""
    seconds = tasks(LOG_A).seconds
    job, task = np.unravel_index(int(seconds.argmax()), seconds.shape)
    return int(job), int(task)


def times_as_much(skewed: float) -> float:
    """Return how many times as much as the median of its job the slowest task reads."""
    job, task = slowest()
    read = tasks(skewed).read[job]
    return float(read[task] / np.median(read))


def times_as_long() -> float:
    """Return how many times as long as the median of its job the slowest task takes, in both logs."""
    job, task = slowest()
    seconds = tasks(LOG_A).seconds[job]
    return float(seconds[task] / np.median(seconds))


def scene(draw: int, dark: bool) -> Illustration:
    """Draw what the tasks of one job read and how long they take, in both logs."""
    plot = LessonPlot("luck or skew", dark)
    job, task = slowest()
    seconds = tasks(LOG_A).seconds[job]
    read = [tasks(one).read[job] / 1e6 for one in (LOG_A, LOG_B)]
    most = max(float(one.max()) for one in read)
    plot.dots(read[0], seconds, "log A", plot.answer, "")
    plot.dots(read[1], seconds, "log B", plot.other, "", marker={"symbol": "diamond"})
    plot.numbers("x", "read by a task (MB)", 0, 1.08 * most)
    plot.numbers("y", "time of the task (s)", 0, 1.15 * float(seconds.max()))
    told = "; ".join(
        f"in log {name} it reads {number(float(one[task]))} MB, the median task "
        f"{number(float(np.median(one)))} MB"
        for name, one in zip("AB", read, strict=True)
    )
    return Illustration(
        f"The {TASKS} tasks of one job, in both logs",
        figure(plot),
        f"The slowest task takes {number(float(seconds.max()))} s, the median task "
        f"{number(float(np.median(seconds)))} s; {told}.",
    )


#: In texts, of the logs of the prediction: what the slowest task reads, and what copies could save.
usual_much_in_b = partial(times_as_much, LOG_B)
usual_saved_in_a, usual_saved_in_b = partial(mendable, LOG_A), partial(mendable, LOG_B)


def find(skewed: float) -> Computed:
    """Return in which log copies help, for a share of tasks of log B whose time is what they read."""
    saved = mendable(LOG_A), mendable(skewed)
    helped = tuple(place for place, share in enumerate(saved) if share >= HELPS)
    shares = two_logs.diagnosed(LOG_A).shares, two_logs.diagnosed(skewed).shares
    luck, work = (tuple(getattr(one, part).value for one in shares) for part in ("luck", "work"))
    return Computed(
        answer=next(key for key, places in NAMED.items() if places == helped),
        values={
            "saved_in_a": saved[0],
            "saved_in_b": saved[1],
            "much_in_a": times_as_much(LOG_A),
            "much_in_b": times_as_much(skewed),
            "luck": luck,
            "work": work,
        },
        draw=partial(_picture, saved),
    )


def _picture(saved: tuple[float, float], predicted: str | None, dark: bool) -> Illustration:
    """Draw how much of the lost time copies could save in each log, with the logs that were predicted."""
    plot = LessonPlot("luck or skew answer", dark)
    rows, values = np.arange(2, dtype=float), 100 * np.array(saved)
    picked = NAMED[predicted] if predicted else ()
    plot.between(rows, np.zeros(2), values, "saved at best", [plot.answer, plot.other])
    for row in picked:
        plot.predicted_area(y0=row - 0.48, y1=row + 0.48)
    plot.up(100 * HELPS, dash="dot")
    for row, share in enumerate(saved):
        plot.note(percent(share), x=100 * share, y=row, xanchor="left", xshift=6)
    if predicted:
        text = "predicted" if picked else "predicted: neither"
        plot.note(text, x=118, y=picked[0] - 0.38 if picked else 0.5, xanchor="right")
    plot.numbers("x", "lost time that copies could save (%)", 0, 120)
    plot.names("", ["log A", "log B"])
    return Illustration(
        "What second copies could save at best",
        figure(plot),
        f"{percent(saved[0])} of the lost time in log A and {percent(saved[1])} in log B. Dotted: "
        f"{percent(HELPS)}.",
    )


#: In exercises: seconds and megabytes of a usual task, megabytes of a slow one; how many times the median is
#: long; seconds that two slow tasks have run and take in all, and megabytes that they read.
USUAL, READ, READ_BY_SLOW, LONG, RUN, SLOW, SLOW_READ = 20.0, 100.0, 350.0, 3.0, 30.0, 80.0, (100.0, 400.0)


def decision(dark: bool) -> Illustration:
    """Draw what usual tasks and two slow ones read, and how long they take."""
    plot = LessonPlot("luck or skew decision", dark)
    usual = READ * np.array([0.7, 0.85, 1.0, 1.15, 1.3])
    seconds = USUAL * usual / READ
    plot.dots(usual, seconds, "done", plot.other, "")
    plot.dots(SLOW_READ, [SLOW] * 2, "running", plot.answer, "", marker={"size": 11, "symbol": "diamond"})
    for name, read in zip("PQ", SLOW_READ, strict=True):
        plot.note(name, x=read, y=SLOW, yshift=16)
    plot.numbers("x", "read by a task (MB)", 0, 450)
    plot.numbers("y", "time of the task (s)", 0, 100)
    return Illustration(
        "Tasks of a job, two of them slow",
        figure(plot),
        f"Usual tasks read about {plain(READ)} MB and take {number(float(seconds.min()))} to "
        f"{number(float(seconds.max()))} s. P reads "
        f"{plain(SLOW_READ[0])} MB, Q {plain(SLOW_READ[1])} MB; both take {plain(SLOW)} s.",
    )


def new_copy(read: float) -> float:
    """Return the seconds that a new copy takes of a task that reads so much, with usual luck.

    Examples
    --------
    >>> new_copy(100.0), new_copy(200.0)
    (20.0, 40.0)
    """
    return USUAL * read / READ


#: In texts: seconds that both still take, and that a copy of each takes.
STILL = SLOW - RUN
copy_of_p, copy_of_q = (partial(new_copy, read) for read in SLOW_READ)


def easy() -> str:
    """Return the tasks whose new copy would end before them."""
    p, q = (new_copy(read) < STILL for read in SLOW_READ)
    return "both" if p and q else "p" if p else "q" if q else "none"


def medium() -> float:
    """Return the seconds of a task that reads more."""
    return new_copy(READ_BY_SLOW)


def hard() -> float:
    """Return the probability in percent that one task of a job is long by luck."""
    median = float(order_statistic_quantile(0.5, 1, 1, two_logs.TAIL))
    return 100 * float(order_statistic_tail(LONG * median, TASKS, TASKS, two_logs.TAIL))
