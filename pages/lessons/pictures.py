"""What lessons show: pictures with the answer and a prediction, and runs of a small cluster to watch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pages.lessons import two_logs
from sim.engines.gang.run import GangPolicy
from sim.engines.gang.scenario import GangScenario
from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.model.policy import Policy
from sim.model.scenario import Scenario
from sim.running.experiment import Experiment
from sim.telling.palette import faded
from sim.telling.plot import DASHED, Plot
from sim.telling.scales import named_ticks
from sim.telling.words import counted, plain

#: Pixels of a picture.
HEIGHT = 320
#: Share of a curve's height below which a line is too near to the axis for its name.
NEAR = 0.15
#: Times the height of a curve from which on there is room for a name between it and a line.
FAR = 1.5
#: Draws among which the first picture is found.
MOST_DRAWS = 1000


class LessonPlot(Plot):
    """A picture of a lesson: what is the answer, what was predicted, and what is compared with the answer.

    Parameters
    ----------
    name : str
    dark : bool
    **layout
        As of a `Plot`.
    """

    def __init__(self, name: str, dark: bool, **layout: Any) -> None:
        super().__init__(name, dark, HEIGHT, **layout)
        self.answer, self.yours, self.other, *_ = self.colors.series

    def numbers(self, which: str, title: str, low: float, high: float) -> None:
        """Set a linear axis over a range that stays."""
        self.axis(which, title, {"type": "linear", "range": [low, high], "nticks": 6}, zoom=True)

    def names(
        self, title: str, texts: list[str], *, above: float = 0.0, which: str = "y", **more: Any
    ) -> None:
        """Set an axis with a place for each text, the first one on top, and room for so many more above."""
        places = named_ticks(list(range(len(texts))), texts)
        ends = {"range": [len(texts) - 0.5, -0.5 - above]} | more
        self.axis(which, title, places | ends, showgrid=False, ticks="", zoom=True)

    def between(
        self, rows: np.ndarray, begin: np.ndarray, end: np.ndarray, name: str, color: Any, **more: Any
    ) -> None:
        """Draw bars from `begin` to `end` at these rows."""
        told = f"{name}<br>until %{{customdata:.3~r}}"
        self.bars(end - begin, rows, name, color, told, across=True, base=begin, customdata=end, **more)

    def theory(self, x: np.ndarray, y: Any, name: str = "by theory", color: str = "") -> None:
        """Draw a curve of theory, of the colour of the answer unless told."""
        self.line(x, y, name, color or self.answer, "", line=DASHED)

    def point(self, x: float, y: float, name: str, color: str = "") -> None:
        """Mark a point of a curve, of the colour of the answer unless told."""
        self.dots([x], [y], name, color or self.answer, "", marker={"size": 11})

    def predicted_level(self, value: float | None, text: str, right: float, curve: float) -> None:
        """Draw the line across at the height that was predicted, and its name; nothing for None.

        The name is at the `right` end, on the side away from the answer, whose curve ends there at this
        height, but not on the axis and not above the chart.
        """
        if value is not None:
            away = -11 if NEAR * curve < value < curve or value > FAR * curve else 11
            self.across(value, self.yours, dash="dot", width=2)
            self.note(f"predicted: {text}", x=right, y=value, xanchor="right", yshift=away)

    def predicted_place(self, value: float | None, text: str, y: float, middle: float) -> None:
        """Draw the line up at the predicted place, and its name on the side of the `middle`."""
        if value is not None:
            where = {"xanchor": "right", "xshift": -5} if value > middle else {"xanchor": "left", "xshift": 5}
            self.up(value, self.yours, dash="dot", width=2)
            self.note(f"predicted: {text}", x=value, y=y, **where)

    def predicted_area(self, **ends: float) -> None:
        """Shade the part that was predicted."""
        self.region(faded(self.yours, 0.25), **ends)


def luck(lesson: int, draw: int) -> np.random.Generator:
    """Return the luck of a scene: the same for all visitors of this draw of it."""
    return np.random.default_rng([19, lesson, draw])


def drawn(
    lesson: int,
    draw: int,
    take: Callable[[np.random.Generator], np.ndarray],
    shows: Callable[[np.ndarray], bool],
) -> np.ndarray:
    """Return what a draw of the luck gives.

    The first one, draw 0, shows what the text is about, such as a straggler; those after it are as they come.

    Parameters
    ----------
    lesson, draw : int
    take : callable
        Luck -> what is drawn.
    shows : callable
        Whether that shows what the text is about.
    """
    taken = (take(luck(lesson, place)) for place in range(MOST_DRAWS))
    first = next(place for place, found in enumerate(taken) if shows(found))
    return take(luck(lesson, first + draw))


def how(draw: int) -> str:
    """Say how a scene came about.

    Examples
    --------
    >>> how(0), how(1)
    ('an example', 'drawn at random')
    """
    return "drawn at random" if draw else "an example"


#: Name of a run -> what is run.
Runs = Mapping[str, Experiment]
#: Slots of a cluster that is watched; tasks of a coded job at most, which with as many again fill it.
SLOTS, MOST_CODED = 20, 10
#: A load at which two copies of every task are more than a cluster can do; probes per task.
CROWDED, PROBES = 0.7, (1, 4)


def minutes(**fields: Any) -> SlotScenario:
    """Return a cluster whose tasks take a minute at least and have a heavy tail."""
    return SlotScenario(slots=SLOTS, warm_up=0, time_unit="min").replace(**fields)


def one(scenario: Scenario, policy: Policy) -> Experiment:
    """Return the run of one policy."""
    return Experiment(scenario, (policy,))


def runs(scenario: Scenario, *policies: Policy) -> Runs:
    """Return a run of each policy, called as the menus call it."""
    return {policy.name: one(scenario, policy) for policy in policies}


def in_order(copies: str) -> SlotPolicy:
    """Return FIFO with a rule of copies."""
    return SlotPolicy.of("fifo", copies)


def alone(tail: float) -> Runs:
    """Return jobs that fill the cluster, each nearly alone."""
    few = minutes(load=0.15, jobs=6, tasks="constant", tasks_max=SLOTS, straggle_tail=tail)
    return runs(few, in_order("none"))


def doubled(tail: float) -> Runs:
    """Return jobs that find slots for two copies of every task."""
    few = minutes(slots=16, load=0.3, jobs=12, tasks="constant", tasks_max=8, straggle_tail=tail)
    return with_two(few)


def crowded(scenario: SlotScenario, tail: float) -> Runs:
    """Return the first jobs of the lesson at a load at which two copies are more than the cluster can do."""
    return with_two(scenario.replace(load=CROWDED, jobs=240, warm_up=0, straggle_tail=tail))


def with_two(few: SlotScenario) -> Runs:
    """Return runs without copies and with two of every task."""
    return runs(few, in_order("none"), in_order("clone"))


def late(tail: float, share: float) -> Runs:
    """Return jobs whose stragglers are copied once this share of their work is done."""
    few = minutes(load=0.5, jobs=20, tasks_max=SLOTS, straggle_tail=tail, observe=f"fraction:{plain(share)}")
    return runs(few, in_order("none"), in_order("sda").with_(copies=2))


def aged(tail: float) -> Runs:
    """Return jobs whose tasks are copied when they have run for several times the median."""
    few = minutes(load=0.4, jobs=16, tasks="constant", tasks_max=SLOTS // 2, straggle_tail=tail)
    return runs(few, in_order("none"), in_order("spark"))


def both_logs(share: float) -> Runs:
    """Return jobs as in log A and as in log B, without copies and with copies of stragglers.

    In log A the logarithm of a task's time varies by luck alone. In log B this share of its variance is what
    the task reads: a logarithm times √s has s times the variance.
    """
    here: Any = {"slots": two_logs.HOSTS * two_logs.SLOTS, "jobs": two_logs.JOBS, "tasks": "constant"}
    here |= {"tasks_max": two_logs.TASKS, "time_unit": "s", "observe": "fraction:0.2", "load": 0.3}
    luck: Any = {"straggle": "bounded-pareto"}
    read: Any = {"size": "pareto", "size_per": "task"}
    log_a = minutes(**here, **luck, straggle_tail=two_logs.TAIL, straggle_max=two_logs.MOST)
    log_b = minutes(**here, straggle="deterministic")
    if share < 1:
        part = math.sqrt(1 - share)
        log_b = log_b.replace(**luck, straggle_tail=two_logs.TAIL / part, straggle_max=two_logs.MOST**part)
    if share > 0:
        part = math.sqrt(share)
        log_b = log_b.replace(**read, size_tail=two_logs.TAIL / part, size_max=two_logs.MOST**part)
    log_b = log_b.replace(load=log_a.load * log_b.mean_duration / log_a.mean_duration)  # jobs arrive alike
    logs, copies = {"log A": log_a, "log B": log_b}, (in_order("none"), in_order("sda").with_(copies=2))
    return {f"{policy.name}: {name}": one(log, policy) for policy in copies for name, log in logs.items()}


def in_turn(scenario: SlotScenario, epsilon: float) -> Runs:
    """Return the first jobs of the lesson in order of arrival, and by virtual size."""
    few = scenario.replace(jobs=60, warm_up=0)
    return runs(few, in_order("late"), SlotPolicy.of("hopper").with_(epsilon=epsilon))


def asked(scenario: Scenario, policies: Mapping[int, Policy]) -> Runs:
    """Return few workers and schedulers that ask one of them for each task, or some; policies by probes."""
    few = scenario.replace(workers=SLOTS, schedulers=4, jobs=60, warm_up=0)
    return {f"{policies[d].name}: {counted(d, 'probe')} per task": one(few, policies[d]) for d in PROBES}


def half_of(needed: int, rate: int, tail: float) -> Runs:
    """Return jobs that start more tasks than they need, copied and coded."""
    few = GangScenario(
        nodes=SLOTS,
        capacity=1,
        load=0.2,
        jobs=8,
        tasks="constant",
        tasks_max=min(needed, MOST_CODED),
        size="constant",
        size_min=1,
        straggle_tail=tail,
        warm_up=0,
        time_unit="min",
    )
    policy = GangPolicy.of("all").with_(r=rate)
    return {
        f"{policy.name}: copied": one(few.replace(redundancy="replicated"), policy),
        f"{policy.name}: coded": one(few.replace(redundancy="mds"), policy),
    }
