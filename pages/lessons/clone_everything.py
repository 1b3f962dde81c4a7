"""Clone everything: up to which load it pays, and from which load the cluster is overloaded."""

from __future__ import annotations

from functools import partial

import numpy as np

from pages.animation.sandbox import Sandbox
from pages.lessons.lesson import Exercise, Found, Full, Illustration, Lesson, Plan, Variation, Watch
from pages.lessons.pictures import LessonPlot
from pages.lessons.prediction import Number
from pages.lessons.watched import CROWDED, crowded
from pages.shared.charts.chart import figure
from sim.formula import XL
from sim.result import Comparison
from sim.telling.words import number, percent, plain
from theory.cutoff import cloned_delay, cloning_load_limit, cloning_speed_up, cutoff_load, single_copy_delay

#: Tail index of task times.
TAIL = 3.0
#: Second moment of the jobs' mean task times over their squared mean: uniform on [1, 4], as on Detection.
VARIABILITY = 1.12
#: Loads of the picture, and the longest time that is drawn.
LOADS, LONGEST = (0.2, 0.4, 0.6), 6.0
#: The load of an exercise.
LIGHT = 0.3
PREDICTION = Number(
    "clone-everything",
    f"Task times have tail index β = {plain(TAIL)}. Every task runs twice. Up to which offered load (the "
    "share of the slots that is busy without copies) do tasks end sooner, waiting included?",
    0,
    100,
    1,
    "%",
)


def scene(draw: int, dark: bool) -> Illustration:
    """Draw what a cluster has to do at some loads, without copies and with two of every task."""
    more = 1 / float(cloning_load_limit(TAIL))
    plot = LessonPlot("clone everything", dark, barmode="overlay")
    rows, zero = np.arange(len(LOADS), dtype=float), np.zeros(len(LOADS))
    once = 100 * np.array(LOADS)
    plot.between(rows - 0.2, zero, once, "one copy", plot.answer, width=0.36)
    plot.between(rows + 0.2, zero, more * once, "two copies", plot.other, width=0.36)
    plot.up(100, dash="dot", width=1.5)
    plot.note("all slots", x=100, y=-0.6, xanchor="left", xshift=4)
    plot.numbers("x", "busy slots (%)", 0, 120)
    plot.names("offered load", [percent(load) for load in LOADS], above=0.3)
    said = ", ".join(f"{percent(load)} becomes {percent(more * load)}" for load in LOADS)
    return Illustration(
        "How busy two copies of every task make the slots",
        figure(plot),
        f"Busy slots without copies, and with two copies of every task: {said}.",
    )


def find(tail: float, comparison: Comparison | None = None) -> Found:
    """Return the load up to which two copies of every task mean less delay, for a tail index."""
    cutoff, limit = float(cutoff_load(tail, VARIABILITY)), float(cloning_load_limit(tail))
    full = f"{number(100 * limit)} %"
    falls = (
        f"From **{full}** on, a cluster that clones everything cannot keep up."
        if limit - cutoff > 1e-9
        else "From there on, a cluster that clones everything cannot keep up."
    )
    return Found(
        answer=100 * cutoff,
        told=f"Two copies of every task pay up to a load of **{percent(cutoff)}**. {falls}",
        why=(
            f"The faster of two copies takes {percent(1 / float(cloning_speed_up(tail)))} of the mean time "
            "of one, so while slots are idle every task ends sooner.",
            f"But a task uses {number(1 / limit)} times the slot-time, so slots are that much busier, and "
            "tasks wait for one another.",
            f"At a load of {full} all slots are busy, and waiting grows without bound. Cloning "
            "everything stops paying before that: where the longer waiting takes away the gain.",
        ),
        draw=partial(_picture, tail),
    )


def _picture(tail: float, predicted: float | None, dark: bool) -> Illustration:
    """Draw the mean time of a task by load, with one copy and with two, and the load that was predicted."""
    plot = LessonPlot("clone everything answer", dark)
    loads = np.linspace(0, 0.99, 199)
    cutoff = float(cutoff_load(tail, VARIABILITY))
    for delay, name, color in (
        (single_copy_delay, "one copy", plot.colors.ink),
        (cloned_delay, "two copies", plot.other),
    ):
        took = np.asarray(delay(loads, tail, VARIABILITY))
        shown = took <= LONGEST
        plot.theory(100 * loads[shown], took[shown], f"{name}, by theory", color)
    plot.predicted_place(predicted, _text(predicted), 0.94 * LONGEST, 50)
    plot.up(100 * cutoff, plot.answer, width=2)
    side = {"xanchor": "right", "xshift": -5} if cutoff > 0.5 else {"xanchor": "left", "xshift": 5}
    plot.note(f"pays up to {percent(cutoff)}", x=100 * cutoff, y=0.8 * LONGEST, **side)
    plot.numbers("x", "offered load (%)", 0, 100)
    plot.numbers("y", "time in the system (mean task times)", 0, LONGEST)
    idle = [float(delay(0.0, tail, VARIABILITY)) for delay in (single_copy_delay, cloned_delay)]
    said = f" Predicted: {_text(predicted)}." if predicted is not None else ""
    return Illustration(
        "How long a task is in the system, by load",
        figure(plot),
        f"With two copies of every task it is shorter up to a load of {percent(cutoff)} and longer "
        f"beyond. It begins at {number(idle[0])} mean task times with one copy, {number(idle[1])} with "
        f"two.{said}",
    )


def _text(predicted: float | None) -> str:
    return "" if predicted is None else f"{plain(predicted)} %"


def _full_at() -> float:
    return 100 * float(cloning_load_limit(4.0))


def _delay_at() -> float:
    return float(single_copy_delay(LIGHT, TAIL, VARIABILITY))


def _full_at_with_three() -> float:
    return 100 * float(cloning_load_limit(TAIL, 3))


def _mistakes() -> tuple[tuple[str, str], ...]:
    limit, cutoff = float(cloning_load_limit(TAIL)), float(cutoff_load(TAIL, VARIABILITY))
    full = f"{number(100 * limit)} %"
    return (
        (
            "50 %",
            "This assumes that two copies are twice the work, and that they pay until the cluster is full. "
            f"Neither is true: both copies end with the faster one, so it is full at {full}.",
        ),
        (
            full,
            "The load at which the queue grows without bound. But waiting takes away the gain before "
            f"that, at {percent(cutoff)}.",
        ),
        (
            "0 %: never",
            "At a low load slots are idle: a second copy takes a slot that nobody else wants.",
        ),
    )


EXERCISES = (
    Exercise(
        "Task times have tail index β = 4, and every task runs twice. At which load, in percent, is the "
        "cluster full?",
        "%",
        _full_at,
        "Compute first how much slot-time two copies use, compared with one.",
        "It is full where the slot-time of two copies, $4(\\beta - 1)/(2\\beta - 1)$ times that of one, "
        "times the load is 1.",
    ),
    Exercise(
        f"Task times have tail index β = {plain(TAIL)}, κ = {plain(VARIABILITY)}, and every task runs once. "
        f"How long is a task in the system on average at a load of {percent(LIGHT)}, in mean task times?",
        "mean task times",
        _delay_at,
        "Use the first formula. The 1 in it is the task itself, the rest is waiting.",
        f"The first formula with $\\rho_0 = {plain(LIGHT)}$ and $\\beta = {plain(TAIL)}$.",
    ),
    Exercise(
        f"Task times have tail index β = {plain(TAIL)}, and every task runs three times. At which load, in "
        "percent, is the cluster full?",
        "%",
        _full_at_with_three,
        "The shortest of three times has tail index $3\\beta$, and three slots are held for it.",
        "Three copies use $3 \\cdot \\frac{3\\beta}{3\\beta - 1} \\cdot \\frac{\\beta - 1}{\\beta}$ times "
        "the slot-time of one; the cluster is full where this times the load is 1.",
    ),
)

LESSON = Lesson(
    title="Clone everything",
    question="Up to which load does it pay to run every task twice?",
    prediction=PREDICTION,
    minutes=7,
    scene=scene,
    random=False,
    variation=Variation("Tail index β of task times", (2.5, 3.0, 4.0), TAIL),
    find=find,
    formulas=(
        r"\frac{W}{E[s]} = 1"
        r" + \frac{\rho_0 \kappa}{2 (1 - \rho_0)} \cdot \frac{(\beta - 1)^2}{\beta (\beta - 2)}",
        r"\frac{W^c}{E[s]} = \frac{2 (\beta - 1)}{2 \beta - 1}"
        r" + \frac{\rho_0\, \kappa\, (\beta - 1) / \beta}{1 - \frac{4 (\beta - 1)}{2 \beta - 1}\, \rho_0}",
    ),
    source=f"Each slot is a queue of its own; mean task times of jobs are uniform on [1, 4], so κ = "
    f"{plain(VARIABILITY)}. {XL}, section III; they write α for β and ω for ρ₀.",
    full=Full(
        "detection",
        "Detection: the cutoff, and a cluster",
        {"alpha": plain(TAIL), "omega": "0.3"},
    ),
    watch=Watch(f"Without copies {percent(CROWDED)} of the slots are busy.", crowded),
    sandbox=Sandbox(load=0.3, tail="wild", copies="on", shown=("copies", "load", "tail")),
    exercises=EXERCISES,
    plan=Plan(
        (
            "tell two limits apart: where copies stop paying, and where the queue grows without bound;",
            "explain why the same copies help at a low load and hurt at a high one.",
        ),
        _mistakes,
    ),
)
