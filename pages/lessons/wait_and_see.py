"""Wait and see: which tasks to copy once their remaining time is known."""

from __future__ import annotations

from functools import partial

import numpy as np

from pages.lessons.lesson import Decision, Exercise, Found, Full, Illustration, Lesson, Plan, Variation, Watch
from pages.lessons.pictures import LessonPlot, drawn, how
from pages.lessons.prediction import Number, Option
from pages.lessons.watched import late
from pages.shared.charts.on_page import figure
from sim.model.rule import XL
from sim.telling.palette import faded
from sim.telling.words import number, percent, plain
from theory.detection import detection_probability, detection_resource, sigma_star
from theory.pareto import pareto_partial_moment, pareto_quantile, pareto_tail

#: Tail index of task times; share of its work after which a task is looked at; copies of a straggler,
#: with the original; tasks of the picture.
TAIL, SHARE, COPIES, SHOWN = 2.0, 0.2, 2, 10
#: The longest remaining time of the picture, in mean task times.
LONGEST = 5.0
#: In exercises: minutes that a share of a task has taken, mean task times that a straggler has left.
DONE, LEFT = 3.0, 3.0
#: In another: mean task times that nine tasks took, that the tenth has run, and that it still takes.
ENDED, RUN, STILL = (0.5, 0.52, 0.55, 0.6, 0.65, 0.7, 0.8, 0.95, 1.05), 1.2, 1.4
PREDICTION = Number(
    "wait-and-see",
    f"Task times have tail index β = {plain(TAIL)}. After {percent(SHARE)} of a task’s work its remaining "
    "time is known. If that is more than σ mean task times, the task gets a second copy, which starts from "
    "the beginning. Which σ uses the least slot-time?",
    0,
    5,
    0.1,
    "mean task times",
)


def times_of_tasks(generator: np.random.Generator) -> np.ndarray:
    """Return the times of some tasks of mean 1."""
    return np.asarray(pareto_quantile(generator.random(SHOWN), (TAIL - 1) / TAIL, TAIL))


def has_all_kinds(took: np.ndarray) -> bool:
    """Tell whether one task has far more left than a new copy takes, another a little more, most less."""
    left = (1 - SHARE) * took
    far, more = left > float(sigma_star(TAIL, COPIES)), left > 1
    return int(far.sum()) == 1 and int(more.sum()) == 2 and float(left.max()) < LONGEST


def scene(draw: int, dark: bool) -> Illustration:
    """Draw what some tasks have done and what they still have to do when they are looked at."""
    took = drawn(4, draw, times_of_tasks, has_all_kinds)
    left = (1 - SHARE) * took
    plot = LessonPlot(f"wait and see {draw}", dark, barmode="overlay")
    rows, zero = np.arange(SHOWN, dtype=float), np.zeros(SHOWN)
    plot.between(rows, zero - SHARE * took, zero, "done", faded(plot.other, 0.4))
    plot.between(rows, zero, left, "remaining", plot.answer)
    plot.up(1, dash="dot", width=1.5)
    plot.note("a new copy, on average", x=1, y=-1, xanchor="left", xshift=4)
    plot.numbers("x", "time from now (mean task times)", -1, LONGEST)
    plot.names("", [""] * SHOWN, above=1)
    said = ", ".join(number(one, 2) for one in np.sort(left))
    return Illustration(
        f"{SHOWN} tasks after {percent(SHARE)} of their work",
        figure(plot),
        f"What {SHOWN} tasks still take ({how(draw)}): {said} mean task times.",
    )


def used(sigma: float | np.ndarray, tail: float) -> np.ndarray:
    """Return the slot-time of a task with this threshold, by that without copies."""
    return np.asarray(detection_resource(COPIES, sigma, tail, SHARE))


def find(tail: float) -> Found:
    """Return the threshold at which least slot-time is used, for a tail index."""
    best = float(sigma_star(tail, COPIES))
    least, copied = float(used(best, tail)), float(detection_probability(best, tail, SHARE))
    return Found(
        answer=best,
        told=f"The least slot-time is used at **σ\\* = {number(best)}** mean task times: "
        f"{percent(1 - least)} less than without copies, though only {percent(copied)} of the tasks are "
        "copied.",
        why=(
            "A copy starts from the beginning, and until one of the two ends they hold two slots.",
            "A task that would soon end by itself uses less slot-time alone than with a copy. With a "
            "threshold above σ\\*, tasks that would use less with a copy are left alone.",
            "σ\\* solves the equation below. It grows with β, from "
            f"{number(float(sigma_star(1.5)))} at β = 1.5 to {number(float(sigma_star(3.0)))} at β = 3, and "
            "never exceeds 2.",
        ),
        draw=partial(_picture, tail),
        yours=lambda predicted: (
            f"At σ = {plain(predicted)} a task uses {_changed(float(used(predicted, tail)))}."
        ),
    )


def _changed(share: float) -> str:
    if abs(share - 1) < 5e-4:
        return "as much slot-time as without copies"
    return f"{percent(abs(1 - share))} {'more' if share > 1 else 'less'} slot-time than without copies"


def _picture(tail: float, predicted: float | None, dark: bool) -> Illustration:
    """Draw the slot-time of a task by the threshold, and the one that was predicted."""
    plot = LessonPlot("wait and see answer", dark, showlegend=False)
    sigma = np.linspace(0, LONGEST, 251)
    best = float(sigma_star(tail, COPIES))
    least = 100 * float(used(best, tail))
    text = "" if predicted is None else plain(predicted)
    plot.theory(sigma, 100 * used(sigma, tail))
    plot.point(best, least, "least")
    said = ""
    if predicted is not None:
        share = 100 * float(used(predicted, tail))
        plot.point(predicted, share, "predicted", plot.yours)
        said = f" Predicted: {text}, where it is {number(share)} %."
    plot.predicted_place(predicted, text, 128, 0.5 * LONGEST)
    plot.across(100, width=1)
    plot.note(f"σ* = {number(best)}", x=best, y=least, yshift=-14)
    plot.numbers("x", "threshold σ (mean task times)", 0, LONGEST)
    plot.numbers("y", "slot-time (% of that without copies)", 50, 135)
    return Illustration(
        "What a task uses, by the threshold",
        figure(plot),
        f"Slot-time falls to {number(least)} % of that without copies at a threshold of {number(best)} mean "
        f"task times, then rises back towards 100 %.{said}",
    )


def _still_takes() -> float:
    return DONE / SHARE - DONE


def _used_by_both() -> float:
    return both_use(LEFT)


def _mistakes() -> tuple[tuple[str, str], ...]:
    best = number(float(sigma_star(TAIL, COPIES)))
    return (
        (
            "1: as soon as a new copy is faster on average",
            "That is right for the job, but not for slot-time: while both run, two slots are held. The "
            f"threshold is {best}.",
        ),
        (
            "2: twice the mean",
            f"Nearly right, and the limit for light tails. With β = {plain(TAIL)} a new copy is often much "
            f"shorter than its mean, so it pays a little earlier, from {best} on.",
        ),
        (
            "4 or more",
            "“Copy only what is surely a straggler.” Then nearly nothing is copied, and nearly nothing "
            "is saved.",
        ),
    )


def both_use(left: float) -> float:
    """Return the slot-time that a task and a copy of it use from now on, if so much of the task is left.

    Examples
    --------
    >>> both_use(2.0)  # 2 (1 - 1 / (4 a)) for tail index 2
    1.75
    """
    new = (TAIL - 1) / TAIL, TAIL  # a copy of mean 1
    return COPIES * float(pareto_partial_moment(*new, left) + left * pareto_tail(left, *new))


def _tenth(dark: bool) -> Illustration:
    """Draw nine tasks that are done, and a tenth that runs."""
    plot = LessonPlot("wait and see decision", dark, barmode="overlay")
    rows, zero = np.arange(SHOWN, dtype=float), np.zeros(SHOWN)
    plot.between(rows, zero, np.array([*ENDED, RUN]), "done", faded(plot.other, 0.4))
    plot.between(rows[-1:], zero[-1:] + RUN, zero[-1:] + RUN + STILL, "remaining", plot.answer)
    plot.up(RUN, dash="dot", width=1.5)
    plot.note("now", x=RUN, y=-1, xanchor="left", xshift=4)
    plot.numbers("x", "time (mean task times)", -0.1, 3)
    plot.names("", [""] * SHOWN, above=1)
    return Illustration(
        "Nine of ten tasks are done",
        figure(plot),
        f"Nine tasks are done by now, {plain(RUN)} mean task times after the start; the tenth still takes "
        f"{plain(STILL)}.",
    )


def _copy_it_or_not() -> str:
    return "copy" if both_use(STILL) < STILL else "leave"


EXERCISES = (
    Decision(
        f"Task times have tail index β = {plain(TAIL)}. Nine of ten tasks are done, the tenth still takes "
        f"{plain(STILL)} mean task times. A slot is free, and other jobs could use it. Would a copy of the "
        "tenth save slot-time?",
        (Option("copy", "Yes: copy it"), Option("leave", "No: leave it alone")),
        _tenth,
        _copy_it_or_not,
        "Both would hold a slot until the first of them ends.",
        f"Alone it uses {plain(STILL)} mean task times from now on. With a copy both use "
        f"{number(both_use(STILL))}, though the job would end sooner.",
    ),
    Exercise(
        f"A task has done {percent(SHARE)} of its work after {plain(DONE)} minutes and goes on at this "
        "pace. How many minutes does it still take?",
        "min",
        _still_takes,
        f"How long does the whole task take, if {plain(DONE)} minutes are {percent(SHARE)} of it?",
        f"The whole task takes {plain(DONE)} / {plain(SHARE)} minutes, and {plain(DONE)} of them are over.",
    ),
    Exercise(
        f"A straggler has {plain(LEFT)} mean task times left; β = {plain(TAIL)}. A copy starts now, and the "
        "slower of the two is cancelled. How much slot-time do both use from now on, in mean task times?",
        "mean task times",
        _used_by_both,
        f"Both hold a slot until the copy ends, but at most for {plain(LEFT)} mean task times.",
        "$2\\,E[\\min(a, y)]$, and the mean of the shorter time is the integral of its tail: "
        "$\\int_0^a P(y > t)\\,dt = 1 - 1/(4a)$ for this tail.",
    ),
)

LESSON = Lesson(
    title="Wait and see",
    question="How slow must a task be before a copy of it saves slot-time?",
    prediction=PREDICTION,
    minutes=7,
    scene=scene,
    variation=Variation("Tail index β of task times", (1.5, 2.0, 3.0), TAIL),
    find=find,
    formulas=(
        r"2\, E[\min(a, y)] = a = \sigma^* E[x], \qquad 2 \beta u - 2 u^\beta = \beta - 1, \quad"
        r" u = \frac{\beta - 1}{\beta \sigma^*}",
    ),
    source=f"{XL}, section V, equation (28); they write α for β.",
    full=Full(
        "detection",
        "Detection: the threshold, and a cluster",
        {"beta": plain(TAIL), "sigma": "1.7", "copies": str(COPIES), "share": plain(SHARE)},
    ),
    watch=Watch(
        f"What a task still takes is known after {percent(SHARE)} of its work; a copy starts from the "
        "beginning.",
        partial(late, share=SHARE),
    ),
    exercises=EXERCISES,
    plan=Plan(
        (
            "weigh what a late copy saves against the second slot it holds;",
            "say why there is a best threshold, and why it is near two mean task times for most tails.",
        ),
        _mistakes,
    ),
)
