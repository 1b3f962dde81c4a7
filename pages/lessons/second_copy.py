"""A second copy: when it costs nothing, and when it does."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import optimize

from pages.lessons.lesson import Decision, Exercise, Found, Full, Illustration, Lesson, Plan, Variation, Watch
from pages.lessons.pictures import LessonPlot, drawn, how
from pages.lessons.prediction import Choice, Option
from pages.lessons.watched import doubled
from pages.shared.charts.on_page import figure
from sim.model.rule import RAWY
from sim.telling.palette import faded
from sim.telling.words import number, percent, plain
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
PREDICTION = Choice(
    "second-copy",
    f"Task times have a heavy tail (β = {plain(TAIL)}). Now every task is started twice at once: the first "
    "copy to finish counts, the other is cancelled. How much slot-time does a task use, compared with one "
    "copy?",
    (
        Option("less", "Less than with one copy"),
        Option("same", "As much as with one copy"),
        Option("more", "More, but less than twice as much"),
        Option("twice", "Twice as much"),
    ),
)
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


def find(tail: float) -> Found:
    """Return what a second copy of every task costs, for a tail index of their times."""
    cost = float(ratio(tail))
    one, shorter = float(minimum_moment(1, tail)), float(minimum_moment(COPIES, tail))
    kind = "same" if abs(cost - 1) < SAME else "less" if cost < 1 else "more"
    told = {
        "same": "The second copy costs **no slot-time at all** here: a task uses as much as with one copy.",
        "less": "The second copy even **saves** slot-time: a task uses "
        f"{percent(1 - cost)} less than with one copy.",
        "more": "The second copy costs slot-time here: a task uses "
        f"**{number(cost)} times** as much as with one copy.",
    }
    return Found(
        answer=kind,
        told=told[kind],
        why=(
            f"Both copies hold a slot until the faster one ends: {COPIES} × {number(shorter)} min = "
            f"{number(COPIES * shorter)} min of slot-time. With one copy it is {number(one)} min.",
            f"The shorter of two times has tail index 2β = {plain(COPIES * tail)}: a second copy "
            "shortens the longest times most, and these make up most of the mean if the tail is heavy.",
            f"Up to β = {plain(FREE)} that makes up for the second slot; the lighter the tail, the nearer "
            "the cost is to twice the slot-time. A copy that costs no slot-time still needs a free slot.",
        ),
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
    said = f" Predicted: {PREDICTION.shown(predicted)}." if predicted else ""
    return Illustration(
        "What two copies of every task cost",
        figure(plot),
        f"Slot-time of a task with two copies, divided by that with one: {number(cost)} at "
        f"β = {plain(tail)}, 1 at {plain(FREE)}, rising towards 2 for larger β.{said}",
    )


def _light_tail() -> float:
    return float(ratio(3.0))


def _tail_for_a_fifth_more() -> float:
    return float(optimize.brentq(lambda tail: float(ratio(tail)) - 1 - MORE, FREE, 4.0))


def _mistakes() -> tuple[tuple[str, str], ...]:
    return (
        (
            "Twice as much",
            "This forgets that both copies end when the faster one does. It is right only if all times are "
            "equal.",
        ),
        (
            "More, but less than twice as much",
            f"Right for lighter tails: at β = 2 it is {number(float(ratio(2.0)))} times, at β = 3 "
            f"{number(_light_tail())} times. At β = {plain(TAIL)} the long times that are "
            "shortened make up for all of it.",
        ),
        (
            "Less than with one copy",
            f"The right idea, too far: below β = {plain(FREE)}, at β = 1.2 for example, it is "
            f"{number(float(ratio(1.2)))} times.",
        ),
    )


def _pairs(dark: bool) -> Illustration:
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


def _worth_two() -> str:
    heavy, light = (float(ratio(tail)) < 1 for tail in KINDS)
    return "both" if heavy and light else "heavy" if heavy else "light" if light else "none"


EXERCISES = (
    Decision(
        "A cluster has two kinds of jobs. Both copies of a task hold a slot until the faster one ends. Of "
        "which jobs should every task start twice, so that as little slot-time as possible is used?",
        (
            Option("heavy", f"Of those with β = {plain(KINDS[0])}"),
            Option("light", f"Of those with β = {plain(KINDS[1])}"),
            Option("both", "Of both"),
            Option("none", "Of none"),
        ),
        _pairs,
        _worth_two,
        "Compare twice the lower bar with the upper one.",
        f"Two copies use {number(float(ratio(KINDS[0])))} times the slot-time of one at β = "
        f"{plain(KINDS[0])}, and {number(float(ratio(KINDS[1])))} times at β = {plain(KINDS[1])}.",
    ),
    Exercise(
        "Task times have tail index β = 3. By which factor does a second copy increase a task’s slot-time?",
        "",
        _light_tail,
        "Two copies hold a slot each until the faster one ends: twice the mean of the shorter of two times.",
        "$4(\\beta - 1) / (2\\beta - 1)$ with $\\beta = 3$.",
    ),
    Exercise(
        f"At which tail index β does a second copy of every task increase its slot-time by {percent(MORE)}?",
        "",
        _tail_for_a_fifth_more,
        f"Set the factor of the formula to {plain(1 + MORE)}, and solve for β.",
        "$4(\\beta - 1) = c\\,(2\\beta - 1)$ with the factor $c$, so $\\beta = (4 - c) / (4 - 2c)$.",
    ),
)

LESSON = Lesson(
    title="A second copy",
    question="What does a second copy of every task cost?",
    prediction=PREDICTION,
    minutes=6,
    scene=scene,
    variation=Variation("Tail index β of task times", (1.2, 1.5, 2.0, 3.0), TAIL),
    find=find,
    formulas=(
        r"\frac{2\,E[\min(Z_1, Z_2)]}{E[Z]} = \frac{2 \cdot 2\beta / (2\beta - 1)}{\beta / (\beta - 1)}"
        r" = \frac{4(\beta - 1)}{2\beta - 1} \le 1 \iff \beta \le \tfrac{3}{2}",
    ),
    source=f"{RAWY}, section 2.",
    full=Full("start", "Start: let every task run twice", {}),
    watch=Watch("The first copy of a task to finish cancels the other.", doubled),
    exercises=EXERCISES,
    plan=Plan(
        (
            "compute what two copies cost from the mean of a minimum;",
            "say for which tails a second copy of every task is free, and why heavy tails make it cheap.",
        ),
        _mistakes,
    ),
)
