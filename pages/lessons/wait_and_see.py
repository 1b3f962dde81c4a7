"""Wait and see: which tasks to copy once their remaining time is known."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from pages.lessons.lesson import Computed, Illustration
from pages.lessons.pictures import LessonPlot, drawn, how, late
from pages.shared.charts.on_page import figure
from sim.telling.content import Piece
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
#: Of a slider: from, to, step, unit.
RANGE = (0, 5, 0.1, "mean task times")
#: What may be varied, and what the prediction is about.
VALUES, DEFAULT = (1.5, 2.0, 3.0), TAIL
#: Places of the exported page's slider, whose answers the picture has room for.
FINE = tuple(k / 10 for k in range(12, 41))
QUERY = {"beta": plain(TAIL), "sigma": "1.7", "copies": str(COPIES), "share": plain(SHARE)}
watch = partial(late, share=SHARE)


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


#: In texts: the best threshold of the prediction, of a heavy tail, and of a light one.
BEST, HEAVY, LIGHT = (float(sigma_star(tail, COPIES)) for tail in (TAIL, 1.5, 3.0))


def find(tail: float) -> Computed:
    """Return the threshold at which least slot-time is used, for a tail index."""
    best = float(sigma_star(tail, COPIES))
    copied = float(detection_probability(best, tail, SHARE))
    return Computed(
        answer=best,
        values={"best": best, "saved": 1 - float(used(best, tail)), "copied": copied},
        draw=partial(_picture, tail),
        predicted=lambda given: f"{plain(given)}, where it is {number(100 * float(used(given, tail)))} %",
        yours=partial(_with, tail),
    )


def _with(tail: float, predicted: float) -> Mapping[str, Any]:
    """Return what a task uses with the threshold that was predicted."""
    more = float(used(predicted, tail)) - 1
    change = Piece("as much" if abs(more) < 5e-4 else "more" if more > 0 else "less")
    return {"predicted": predicted, "change": change, "share": abs(more)}


def _picture(tail: float, predicted: float | None, dark: bool) -> Illustration:
    """Draw the slot-time of a task by the threshold, and the one that was predicted."""
    plot = LessonPlot("wait and see answer", dark, showlegend=False)
    sigma = np.linspace(0, LONGEST, 251)
    best = float(sigma_star(tail, COPIES))
    least = 100 * float(used(best, tail))
    text = "" if predicted is None else plain(predicted)
    plot.theory(sigma, 100 * used(sigma, tail))
    plot.point(best, least, "least")
    if predicted is not None:
        plot.point(predicted, 100 * float(used(predicted, tail)), "predicted", plot.yours)
    plot.predicted_place(predicted, text, 128, 0.5 * LONGEST)
    plot.across(100, width=1)
    plot.note(f"σ* = {number(best)}", x=best, y=least, yshift=-14)
    plot.numbers("x", "threshold σ (mean task times)", 0, LONGEST)
    plot.numbers("y", "slot-time (% of that without copies)", 50, 135)
    return Illustration(
        "What a task uses, by the threshold",
        figure(plot),
        f"Slot-time falls to {number(least)} % of that without copies at a threshold of {number(best)} mean "
        f"task times, then rises back towards 100 %.",
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


def decision(dark: bool) -> Illustration:
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


with_a_copy = partial(both_use, STILL)


def easy() -> str:
    """Return whether a copy of the tenth task uses less than the task alone."""
    return "copy" if both_use(STILL) < STILL else "leave"


def medium() -> float:
    """Return the minutes that a task still takes."""
    return DONE / SHARE - DONE


def hard() -> float:
    """Return what a straggler and its copy use."""
    return both_use(LEFT)
