"""Clone everything: up to which load it pays, with one queue and with a queue for every slot."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from pages.animation.sandbox import Sandbox
from pages.lessons.lesson import Computed, Illustration, Live
from pages.lessons.pictures import CROWDED as CROWDED
from pages.lessons.pictures import LessonPlot, crowded
from pages.shared.charts.on_page import figure
from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.model.result import Comparison, change
from sim.model.statistics import Estimate
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.live import RunRequest
from sim.telling.content import Piece
from sim.telling.palette import faded
from sim.telling.words import number, percent, plain
from theory.cutoff import cloned_delay, cloning_load_limit, cloning_speed_up, cutoff_load, single_copy_delay

#: Tail index of task times.
TAIL = 3.0
#: The cluster: all slots share one queue, and a job is one task, as in the law for a queue at every slot.
SCENARIO = SlotScenario(slots=20, jobs=16_000, tasks="constant", tasks_max=1, straggle_tail=TAIL)
ONCE, TWICE = SlotPolicy.of("fifo", "none"), SlotPolicy.of("fifo", "clone")
EFFORT = Effort(replications=8)
#: Loads that are simulated, as shares of the one at which two copies of every task fill the cluster.
SWEPT = (0.3, 0.6, 0.75, 0.81, 0.85, 0.89, 0.93, 0.96)
#: Loads of the picture, and the longest time that is drawn.
LOADS, LONGEST = (0.2, 0.4, 0.6), 2.5
#: Loads of a cluster at three times of the day, in an exercise.
DAY = {"night": 0.15, "evening": 0.3, "noon": 0.45}
#: Of a slider: from, to, step, unit.
RANGE = (0, 100, 1, "%")
#: What may be varied, and what the prediction is about.
VALUES, DEFAULT = (2.5, 3.0, 4.0), TAIL
RANDOM = False
QUERY = {
    "preset": "light",
    "slots": str(SCENARIO.slots),
    "load": "0.5",
    "jobs": str(SCENARIO.jobs),
    "tasks": SCENARIO.tasks,
    "tasks_max": str(SCENARIO.tasks_max),
    "beta": plain(TAIL),
    "policies": f"{ONCE.text};{TWICE.text}",
    "baseline": ONCE.text,
}
SANDBOX = Sandbox(
    load=0.3,
    tail=TAIL,
    copies="on",
    slots=SCENARIO.slots,
    tasks=SCENARIO.tasks_max,
    shown=("copies", "load"),
)
#: What is measured on the exported page, with sliders; all tails have a variance.
LIVE = Live(
    SCENARIO.replace(load=0.3),
    (ONCE.text, TWICE.text),
    (ONCE.text, TWICE.text),
    {
        "load": tuple(k / 20 for k in range(1, 19)),
        "beta": tuple(k / 10 for k in range(21, 61)),
        "slots": (2, 5, 10, 20, 50),
    },
)
watch = partial(crowded, SCENARIO)


def asks(tail: float) -> tuple[RunRequest, ...]:
    """Return the runs of both on the same jobs with the same luck, at loads up to nearly the limit."""
    limit = float(cloning_load_limit(tail))
    swept = (SCENARIO.replace(straggle_tail=tail, load=round(share * limit, 3)) for share in SWEPT)
    return tuple(RunRequest(Experiment(one, (ONCE, TWICE)), EFFORT) for one in swept)


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


def longer(comparison: Comparison) -> Estimate:
    """Return by which share tasks take longer with two copies, paired, at one load."""
    found = change(comparison, TWICE.text, ONCE.text, "flowtime", "mean")
    return found.share if found else Estimate(None)


def rises_above_zero(loads: list[float], values: list[float]) -> float:
    """Return the load at which values rise above 0, on the line between two of them; the last if none does.

    Examples
    --------
    >>> rises_above_zero([0.2, 0.4, 0.6], [-2.0, -1.0, 1.0]), rises_above_zero([0.2, 0.4], [-2.0, -1.0])
    (0.5, 0.4)
    """
    for (left, below), (right, above) in pairwise(zip(loads, values, strict=True)):
        if below <= 0 < above:
            return left + (right - left) * below / (below - above)
    return loads[0] if values[0] > 0 else loads[-1]


def pays_up_to(comparisons: tuple[Comparison, ...]) -> Estimate:
    """Return the load up to which two copies pay, where the paired difference of the means changes its sign.

    The interval has the loads at which the 95 % interval of the difference holds 0: below it two copies are
    surely better, above it surely worse.
    """
    loads = [one.scenario.load for one in comparisons]
    found = [longer(one) for one in comparisons]
    value = rises_above_zero(loads, [one.value or 0.0 for one in found])
    lows, highs = [one.low for one in found if one.low is not None], [one.high for one in found if one.high]
    if len(lows) < len(loads) or len(highs) < len(loads):
        return Estimate(value)
    return Estimate(value, rises_above_zero(loads, highs), rises_above_zero(loads, lows))


#: In texts: the load up to which copies pay with a queue for each slot, the percent that fill the cluster,
#: and the slot-time of two copies by that of one.
OWN, FULL, WORK = (
    float(cutoff_load(TAIL)),
    100 * float(cloning_load_limit(TAIL)),
    1 / float(cloning_load_limit(TAIL)),
)


def find(tail: float, *comparisons: Comparison) -> Computed:
    """Return the load up to which two copies of every task mean less time, for a tail index."""
    found, limit = pays_up_to(comparisons), float(cloning_load_limit(tail))
    assert found.value is not None
    issure = found.low is not None and found.high is not None
    return Computed(
        answer=100 * found.value,
        values={
            "load": Piece("interval" if issure else "not sure"),
            "here": found.value,
            "low": 100 * (found.low or 0.0),
            "high": 100 * (found.high or 0.0),
            "own": float(cutoff_load(tail)),
            "faster": 1 / float(cloning_speed_up(tail)),
            "work": 1 / limit,
            "full": 100 * limit,
        },
        draw=partial(_picture, tail, comparisons, found),
    )


def _picture(
    tail: float, comparisons: tuple[Comparison, ...], found: Estimate, predicted: float | None, dark: bool
) -> Illustration:
    """Draw the mean time of a task by load, with one copy and with two, and the load that was predicted."""
    plot = LessonPlot("clone everything answer", dark)
    loads = np.linspace(0, 0.99, 199)
    own, here = float(cutoff_load(tail)), found.value or 0.0
    for delay, policy, name, color in (
        (single_copy_delay, ONCE, "one copy", plot.colors.ink),
        (cloned_delay, TWICE, "two copies", plot.other),
    ):
        took = np.asarray(delay(loads, tail))
        shown = took <= LONGEST
        plot.line(
            [100 * one.scenario.load for one in comparisons],
            [_took(one, policy) for one in comparisons],
            name,
            color,
            "",
            mode="lines+markers",
            marker={"size": 7, "color": color},
        )
        plot.theory(100 * loads[shown], took[shown], f"{name}, queue per slot (theory)", color)
    text = "" if predicted is None else f"{plain(predicted)} %"
    plot.predicted_place(predicted, text, 0.94 * LONGEST, 50)
    if found.low is not None and found.high is not None:
        plot.region(faded(plot.answer, 0.25), x0=100 * found.low, x1=100 * found.high)
    plot.up(100 * here, plot.answer, width=2)
    plot.up(100 * own, plot.answer, dash="dash", width=1.5)
    plot.note(f"one queue: {percent(here)}", x=100 * here, y=0.12 * LONGEST, xanchor="left", xshift=5)
    plot.note(f"a queue per slot: {percent(own)}", x=100 * own, y=0.12 * LONGEST, xanchor="right", xshift=-5)
    plot.numbers("x", "offered load (%)", 0, 100)
    plot.numbers("y", "time (mean task times)", 0, LONGEST)
    idle = [float(delay(0.0, tail)) for delay in (single_copy_delay, cloned_delay)]
    ends = "; ".join(
        f"{number(_took(one, ONCE))} with one copy and {number(_took(one, TWICE))} with two at a load of "
        f"{percent(one.scenario.load)}"
        for one in (comparisons[0], comparisons[-1])
    )
    return Illustration(
        "How long a task is in the system, by load",
        figure(plot),
        f"With one queue two copies of every task mean less time up to a load of {percent(here)}, with a "
        f"queue per slot up to {percent(own)}. With one queue it is, in mean task times, {ends}. With a "
        f"queue per slot it begins at {number(idle[0])} with one copy and {number(idle[1])} with two.",
    )


def _took(comparison: Comparison, policy: SlotPolicy) -> float:
    """Return the mean time of a task in the system, in mean task times."""
    mean = comparison.policies[policy.text].estimate("flowtime", "mean").value
    return (mean or 0.0) / comparison.scenario.mean_duration


def decision(dark: bool) -> Illustration:
    """Draw how busy a cluster is without copies at some times of the day."""
    plot = LessonPlot("clone everything decision", dark)
    loads = 100 * np.array([*DAY.values()])
    plot.between(np.arange(loads.size, dtype=float), np.zeros(loads.size), loads, "offered load", plot.answer)
    plot.numbers("x", "offered load (%)", 0, 100)
    plot.names("", [*DAY])
    said = ", ".join(f"{percent(load)} at {when}" for when, load in DAY.items())
    return Illustration("How busy a cluster is without copies", figure(plot), f"Offered loads: {said}.")


def easy() -> str:
    """Return the last time of the day at which copies pay."""
    return ("never", *DAY)[sum(load < float(cutoff_load(TAIL)) for load in DAY.values())]


def medium() -> float:
    """Return the load in percent at which two copies fill the cluster, with a light tail."""
    return 100 * float(cloning_load_limit(4.0))


def hard() -> float:
    """Return the load in percent at which three copies fill the cluster."""
    return 100 * float(cloning_load_limit(TAIL, 3))
