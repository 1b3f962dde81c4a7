"""Luck or skew: which logs have stragglers that a second copy would mend."""

from __future__ import annotations

from functools import partial

import numpy as np

from pages.lessons import two_logs
from pages.lessons.lesson import Decision, Exercise, Found, Full, Illustration, Lesson, Plan, Variation, Watch
from pages.lessons.pictures import LessonPlot
from pages.lessons.prediction import Choice, Option
from pages.lessons.two_logs import TASKS, mendable, tasks
from pages.lessons.watched import both_logs
from pages.shared.charts.on_page import figure
from sim.telling.words import number, percent, plain, short
from theory.order_statistics import order_statistic_quantile, order_statistic_tail

#: Share of the tasks of each log whose time is what they read; of the lost time from which copies help.
LOG_A, LOG_B, HELPS = 0.0, 1.0, 0.5
#: The logs that a choice names.
NAMED = {"a": (0,), "b": (1,), "both": (0, 1), "neither": ()}
PREDICTION = Choice(
    "luck-or-skew",
    f"Two logs of the same {two_logs.JOBS} jobs: the same task times, a few of them far longer than the "
    "others. In log A all tasks read alike, in log B all slow tasks read more. In which log could second "
    f"copies of the slow tasks save at least {percent(HELPS)} of the lost time?",
    (
        Option("a", "In log A"),
        Option("b", "In log B"),
        Option("both", "In both logs"),
        Option("neither", "In neither"),
    ),
)


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


def find(skewed: float) -> Found:
    """Return in which log copies help, for a share of tasks of log B whose time is what they read."""
    saved = mendable(LOG_A), mendable(skewed)
    helped = tuple(place for place, share in enumerate(saved) if share >= HELPS)
    answer = next(key for key, places in NAMED.items() if places == helped)
    shares = two_logs.diagnosed(LOG_A).shares, two_logs.diagnosed(skewed).shares
    luck, work = ([getattr(one, part).value for one in shares] for part in ("luck", "work"))
    return Found(
        answer=answer,
        told=f"Second copies could at best save **{percent(saved[0])}** of the lost time in log A, and "
        f"**{percent(saved[1])}** in log B.",
        why=(
            f"The slowest task takes {short(times_as_long(), 2)} times as long as the median task of its "
            f"job. In log A it reads {short(times_as_much(LOG_A), 2)} times as much, in log B "
            f"{short(times_as_much(skewed), 2)} times.",
            "A copy draws luck anew, such as a busy disk or a pause of the machine; but it reads the same "
            "input and needs as long for that. So where slow tasks read more, divide the input more evenly "
            "instead.",
            "Diagnose splits how unequal the times of a stage are: luck makes up "
            f"{percent(luck[0])} of it in log A and {percent(luck[1])} in log B, unequal input "
            f"{percent(work[0])} and {percent(work[1])}.",
        ),
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
    said = f" Predicted: {PREDICTION.shown(predicted)}." if predicted else ""
    return Illustration(
        "What second copies could save at best",
        figure(plot),
        f"{percent(saved[0])} of the lost time in log A and {percent(saved[1])} in log B. Dotted: "
        f"{percent(HELPS)}.{said}",
    )


#: In exercises: seconds and megabytes of a usual task, megabytes of a slow one; how many times the median is
#: long; seconds that two slow tasks have run and take in all, and megabytes that they read.
USUAL, READ, READ_BY_SLOW, LONG, RUN, SLOW, SLOW_READ = 20.0, 100.0, 350.0, 3.0, 30.0, 80.0, (100.0, 400.0)


def _time_by_input() -> float:
    return new_copy(READ_BY_SLOW)


def _one_long_by_luck() -> float:
    median = float(order_statistic_quantile(0.5, 1, 1, two_logs.TAIL))
    return 100 * float(order_statistic_tail(LONG * median, TASKS, TASKS, two_logs.TAIL))


def _two_slow_tasks(dark: bool) -> Illustration:
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


def _which_to_copy() -> str:
    p, q = (new_copy(read) < SLOW - RUN for read in SLOW_READ)
    return "both" if p and q else "p" if p else "q" if q else "none"


EXERCISES = (
    Decision(
        f"Tasks P and Q have run for {plain(RUN)} s and will take {plain(SLOW)} s in all. Of which would a "
        "copy that starts now end before it?",
        (
            Option("p", "Of P"),
            Option("q", "Of Q"),
            Option("both", "Of both"),
            Option("none", "Of none"),
        ),
        _two_slow_tasks,
        _which_to_copy,
        "How long does a new copy of each take, if all goes well?",
        f"Both have {plain(SLOW - RUN)} s left. A copy of P takes about {plain(new_copy(SLOW_READ[0]))} s, "
        f"one of Q about {plain(new_copy(SLOW_READ[1]))} s, since it reads as much as Q does.",
    ),
    Exercise(
        f"The tasks of a job read {plain(READ)} MB and take {plain(USUAL)} s; one reads "
        f"{plain(READ_BY_SLOW)} MB. Time grows in proportion to the input. How many seconds does that task "
        "take?",
        "s",
        _time_by_input,
        "How many times as much as the others does it read?",
        f"${plain(READ_BY_SLOW)} / {plain(READ)}$ times {plain(USUAL)} s: it is slow, and not by bad luck.",
    ),
    Exercise(
        f"A job has {TASKS} tasks that read alike; their times have tail index β = {plain(two_logs.TAIL)}. "
        f"With which probability, in percent, does at least one take more than {plain(LONG)} times the "
        "median, by luck alone?",
        "%",
        _one_long_by_luck,
        "Half of the tasks take longer than the median. What share of those takes "
        f"{plain(LONG)} times as long?",
        f"One task does with probability $p = \\frac{{1}}{{2}} \\cdot {plain(LONG)}^{{-\\beta}}$, at least "
        f"one of {TASKS} with $1 - (1 - p)^{{{TASKS}}}$: a straggler in a job is no sign of skew.",
    ),
)


def _mistakes() -> tuple[tuple[str, str], ...]:
    return (
        (
            "In log B",
            "“Its slow tasks stand out.” They do since they read more: the slowest one reads "
            f"{short(times_as_much(LOG_B), 2)} times as much as the median task, and so would its copy.",
        ),
        (
            "In both logs",
            "“Slow is slow.” The times are the same indeed, so they cannot tell the logs apart; what the "
            f"tasks read can. In log B copies could save {percent(mendable(LOG_B))} at best.",
        ),
        (
            "In neither",
            "“A copy starts too late.” Not if the original is so slow: in log A copies could save up to "
            f"{percent(mendable(LOG_A))} of the lost time.",
        ),
    )


LESSON = Lesson(
    title="Luck or skew?",
    question="Would a second copy of a slow task be any faster?",
    prediction=PREDICTION,
    minutes=8,
    scene=scene,
    random=False,
    variation=Variation(
        "Tasks of log B that are slow by their input",
        {1.0: "all", 0.5: "every other one", 0.0: "none"},
        LOG_B,
    ),
    find=find,
    formulas=(
        r"\log t = \log w + \log \ell, \qquad \text{share of luck} = \frac{\operatorname{Var}(\log \ell)}"
        r"{\operatorname{Var}(\log w) + \operatorname{Var}(\log \ell)}",
    ),
    source="$t$ is the time of a task, $w$ the part due to its input and $\\ell$ its luck; variances are "
    "within stages. Diagnose also splits off slow machines and cold slots.",
    full=Full("diagnose", "Diagnose: a log with two slow hosts", {"log": "slurm"}),
    watch=Watch(
        f"Jobs of {TASKS} tasks as in both logs, without copies and with a copy of each slow task.", both_logs
    ),
    exercises=EXERCISES,
    files=(
        ("Log A (CSV)", "log-a.csv", partial(two_logs.log, LOG_A)),
        ("Log B (CSV)", "log-b.csv", partial(two_logs.log, LOG_B)),
    ),
    plan=Plan(
        (
            "tell from a log whether slow tasks read more than others;",
            "say what a second copy avoids, and what it repeats.",
        ),
        _mistakes,
    ),
)
