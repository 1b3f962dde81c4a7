"""A second copy: when it costs nothing, and when it does."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import optimize

from pages.lessons.lesson import Computed, Illustration
from pages.lessons.pictures import LessonPlot, doubled, drawn, how
from pages.shared.charts.on_page import figure
from sim.telling.content import Piece
from sim.telling.palette import faded
from sim.telling.words import number, plain
from theory.order_statistics import minimum_moment
from theory.pareto import pareto_quantile
from theory.service_rate import blow_up

#: Tail index of task times, which take at least a minute; copies of each; tasks of the picture.
TAIL, COPIES, SHOWN = 1.5, 2, 8
#: Tail index up to which a second copy of every task is free, where `ratio` is 1.
FREE = 1.5
#: How many times as long as its copy a straggler of the first picture takes.
STRAGGLES = 4.0
#: Tail indices of two kinds of jobs in an exercise.
KINDS = (1.2, 3.0)
#: By which share a second copy is dearer in an exercise.
MORE = 0.2
#: Ratios that differ by less are equal: rounding.
SAME = 1e-9
#: What may be varied, and what the prediction is about.
VALUES, DEFAULT = (1.2, 1.5, 2.0, 3.0), TAIL
#: Places of the exported page's slider.
FINE = tuple(k / 10 for k in range(11, 41))
watch = doubled
#: What each option means: the ratios from ... to.
RANGES = {"less": (0.0, 1.0), "same": (1.0, 1.0), "more": (1.0, 2.0), "twice": (2.0, 2.0)}


def ratio(tail: float | np.ndarray) -> float | np.ndarray:
    """Return the slot-time of a task with two copies, divided by that with one.

    Examples
    --------
    >>> float(ratio(FREE)), round(float(ratio(3.0)), 6)  # 4 (b - 1) / (2 b - 1)
    (1.0, 1.6)
    """
    return 1 / blow_up(COPIES, tail)


def times_of_copies(generator: np.random.Generator) -> np.ndarray:
    """Return the times of the two copies of some tasks."""
    return np.asarray(pareto_quantile(generator.random((SHOWN, COPIES)), 1.0, TAIL))


def overtakes_a_straggler(took: np.ndarray) -> bool:
    """Tell whether the second copy of a task ends long before the first, a straggler, would have."""
    return bool((took[:, 0] > STRAGGLES * took[:, 1]).any())


def scene(draw: int, dark: bool) -> Illustration:
    """Draw two copies of some tasks: how long they hold slots, and what the slower one would have needed."""
    took = drawn(2, draw, times_of_copies, overtakes_a_straggler)
    first, last = took.min(axis=1), took.max(axis=1)
    plot = LessonPlot(f"second copy {draw}", dark, barmode="overlay")
    rows, zero = np.arange(SHOWN, dtype=float), np.zeros(SHOWN)
    place = np.where(took[:, 0] <= took[:, 1], -0.2, 0.2)
    end = max(6.0, 2.5 * float(first.max()))
    pale, late = faded(plot.other, 0.25), np.minimum(last, end)
    plot.between(rows + place, zero, first, "first to finish", plot.answer, width=0.36)
    plot.between(rows - place, zero, first, "cancelled", plot.other, width=0.36)
    plot.between(rows - place, first, late, "not needed any more", pale, width=0.36)
    plot.numbers("x", "time (min)", 0, end)
    plot.names("", [""] * SHOWN)
    pairs = "; ".join(f"{number(a, 2)} and {number(b, 2)}" for a, b in zip(first, last, strict=True))
    return Illustration(
        f"{SHOWN} tasks with two copies each, {how(draw)}",
        figure(plot),
        f"Times in minutes of two copies of {SHOWN} tasks, the shorter first: {pairs}. The longer one is "
        "cancelled when the shorter one ends.",
    )


def find(tail: float) -> Computed:
    """Return what a second copy of every task costs, for a tail index of their times."""
    cost = float(ratio(tail))
    one, shorter = float(minimum_moment(1, tail)), float(minimum_moment(COPIES, tail))
    kind = "same" if abs(cost - 1) < SAME else "less" if cost < 1 else "more"
    return Computed(
        answer=kind,
        values={
            "kind": Piece(kind),
            "cost": cost,
            "saved": 1 - cost,
            "one": one,
            "shorter": shorter,
            "both": COPIES * shorter,
            "tail_of_both": COPIES * tail,
        },
        draw=partial(_picture, tail),
    )


def _picture(tail: float, predicted: str | None, dark: bool) -> Illustration:
    """Draw the ratio against the tail index, with the part that was predicted shaded."""
    plot = LessonPlot("second copy answer", dark, showlegend=False)
    tails = np.linspace(1.05, 4.0, 120)
    cost = float(ratio(tail))
    low, high = RANGES[predicted] if predicted else (0.0, 0.0)
    plot.theory(tails, np.asarray(ratio(tails)))
    plot.point(tail, cost, f"β = {plain(tail)}")
    plot.across(1.0, plot.answer, width=1)
    price = "as much" if abs(cost - 1) < SAME else f"{number(cost)} times"
    plot.note(price, x=tail, y=cost, yshift=-14, xanchor="left", xshift=8)
    if predicted:
        if low == high:
            plot.across(low, plot.yours, dash="dot", width=3)
        else:
            plot.predicted_area(y0=low, y1=high)
        middle = (low + high) / 2 + (0.12 if low == high else 0)
        plot.note("predicted", x=4.0, y=middle, xanchor="right")
    plot.numbers("x", "tail index β of task times", 1, 4)
    plot.numbers("y", "slot-time, two copies ÷ one", 0, 2.2)
    return Illustration(
        "What two copies of every task cost",
        figure(plot),
        f"Slot-time of a task with two copies, divided by that with one: {number(cost)} at "
        f"β = {plain(tail)}, 1 at {plain(FREE)}, rising towards 2 for larger β.",
    )


#: In texts: the ratio for some tail indices, and the one that is `MORE`.
HEAVY, AT_TWO, LIGHT, DEARER = (*map(float, map(ratio, (KINDS[0], 2.0, KINDS[1]))), 1 + MORE)


def decision(dark: bool) -> Illustration:
    """Draw the mean time of one copy, and of the faster of two, for two kinds of jobs."""
    plot = LessonPlot("second copy decision", dark, barmode="overlay")
    rows, zero = np.arange(len(KINDS), dtype=float), np.zeros(len(KINDS))
    times = {copies: np.array([float(minimum_moment(copies, tail)) for tail in KINDS]) for copies in (1, 2)}
    plot.between(rows - 0.2, zero, times[1], "one copy", plot.answer, width=0.36)
    plot.between(rows + 0.2, zero, times[2], "the faster of two copies", plot.other, width=0.36)
    plot.numbers("x", "mean time (min)", 0, 7)
    plot.names("", [f"β = {plain(tail)}" for tail in KINDS])
    said = "; ".join(
        f"{number(one)} and {number(two)} at β = {plain(tail)}"
        for tail, one, two in zip(KINDS, *times.values(), strict=True)
    )
    return Illustration(
        "Mean time of a task, and of the faster of two",
        figure(plot),
        f"Mean minutes of one copy and of the faster of two: {said}.",
    )


def easy() -> str:
    """Return the kinds of jobs of which two copies use less slot-time than one."""
    heavy, light = (float(ratio(tail)) < 1 for tail in KINDS)
    return "both" if heavy and light else "heavy" if heavy else "light" if light else "none"


def medium() -> float:
    """Return what a second copy costs with a light tail."""
    return float(ratio(3.0))


def hard() -> float:
    """Return the tail index at which a second copy is so much dearer."""
    return float(optimize.brentq(lambda tail: float(ratio(tail)) - 1 - MORE, FREE, 4.0))
