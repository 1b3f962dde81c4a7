"""Whose turn it is: which job gets the next slot, and how unfair that may be."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from pages.animation.sandbox import Sandbox
from pages.lessons.lesson import Computed, Illustration, Live
from pages.lessons.pictures import LessonPlot, drawn, how, in_turn
from pages.shared.charts.on_page import figure
from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.model.result import Comparison, change
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.live import RunRequest
from sim.telling.content import Piece
from sim.telling.words import measured
from theory.allocation import hopper_allocation, srpt_allocation
from theory.fairness import fair_hopper_allocation
from theory.service_rate import threshold

#: Most jobs are small and a few are large; a task takes up to 20 times as long as it should.
SCENARIO = SlotScenario(
    slots=20,
    load=0.8,
    jobs=13_000,
    tasks="pareto",
    tasks_max=50,
    tasks_tail=0.7,
    straggle="bounded-pareto",
    straggle_tail=1.5,
    straggle_max=20,
)
EFFORT = Effort(replications=8, precision=5)
SHOWN = 6
#: Remaining tasks of three jobs, and the slots that they share.
JOBS, SLOTS = (6, 12, 30), 36
#: Slots that they have in another exercise.
HELD = (8, 10, 9)
#: Tail index of their tasks, and the unfairness that Hopper may use in an exercise.
HEAVY, UNFAIR = 1.5, 0.25
#: What may be varied, and what the prediction is about.
VALUES, DEFAULT = (1.0, 0.3, 0.1, 0.0), 1.0
QUERY = {
    "preset": "light",
    "slots": "20",
    "load": "0.8",
    "jobs": "13000",
    "tasks": "pareto",
    "tasks_max": "50",
    "tasks_tail": "0.7",
    "straggle": "bounded-pareto",
    "beta": "1.5",
    "straggle_max": "20",
    "policies": "fifo+late;fair+late;srpt+late;hopper+budget",
    "baseline": "fifo+late",
}
SANDBOX = Sandbox(
    load=0.85,
    tail="very wild",
    slots=SCENARIO.slots,
    copies="late",
    varied=True,
    shown=("order", "load", "tail"),
)
#: Slots per remaining task that make up a virtual size.
THETA = float(threshold(SCENARIO.straggle_tail))
watch = partial(in_turn, SCENARIO)


def policies(epsilon: float) -> dict[str, SlotPolicy]:
    """Return item -> what it is for the engine; Hopper has the unfairness that is varied."""
    copied = {item: SlotPolicy.of(item, "late") for item in ("fifo", "fair", "srpt")}
    return copied | {"hopper": SlotPolicy.of("hopper").with_(epsilon=epsilon)}


#: What is measured on the exported page, with sliders.
RULES = tuple(policy.text for policy in policies(DEFAULT).values())
LIVE = Live(
    SCENARIO,
    RULES,
    RULES,
    {
        "load": tuple(k / 20 for k in range(4, 20)),
        "beta": tuple(k / 10 for k in range(11, 41)),
        "epsilon": tuple(k / 20 for k in range(21)),
    },
)
#: Item -> what the menus call it.
NAMES = {item: policy.sharing.title for item, policy in policies(1.0).items()}


def asks(epsilon: float) -> tuple[RunRequest, ...]:
    """Return the run of all rules under the same luck."""
    return (RunRequest(Experiment(SCENARIO, tuple(policies(epsilon).values())), EFFORT),)


def tasks_of_jobs(generator: np.random.Generator) -> np.ndarray:
    """Return the tasks of some jobs."""
    return np.ceil(np.asarray(SCENARIO.task_law.quantile(generator.random(SHOWN)))).astype(int)


def has_a_large_job_before_small_ones(tasks: np.ndarray) -> bool:
    """Tell whether just one job has more tasks than there are slots, and some smaller ones come after it."""
    return int((tasks > SCENARIO.slots).sum()) == 1 and int(tasks.argmax()) < SHOWN / 2


def scene(draw: int, dark: bool) -> Illustration:
    """Draw some jobs that wait for the slots."""
    tasks = drawn(5, draw, tasks_of_jobs, has_a_large_job_before_small_ones)
    plot = LessonPlot(f"whose turn {draw}", dark)
    rows, zero = np.arange(SHOWN, dtype=float), np.zeros(SHOWN)
    plot.between(rows, zero, tasks.astype(float), "tasks", list(plot.colors.jobs[:SHOWN]))
    for row, many in enumerate(tasks):
        plot.note(str(many), x=float(many), y=float(row), xanchor="left", xshift=4)
    plot.numbers("x", "tasks", 0, 52)
    plot.names("jobs, in order of arrival", [str(one + 1) for one in range(SHOWN)])
    said = ", ".join(map(str, tasks))
    return Illustration(
        f"{SHOWN} jobs wait for {SCENARIO.slots} slots",
        figure(plot),
        f"{SHOWN} jobs ({how(draw)}), in order of arrival, have {said} tasks.",
    )


def find(epsilon: float, comparison: Comparison) -> Computed:
    """Return the order of the rules by the mean flowtime of their jobs, as far as it is known."""
    known = {item: policy.text for item, policy in policies(epsilon).items()}
    means = {item: comparison.policies[text].estimate("flowtime", "mean") for item, text in known.items()}
    order = tuple(sorted(means, key=lambda item: (means[item].value is None, means[item].value or 0.0)))
    alike = [
        f"{NAMES[a]} and {NAMES[b]}" for a, b in pairwise(order) if not _apart(comparison, known[a], known[b])
    ]
    unit = comparison.scenario.time_unit
    return Computed(
        answer=order,
        values={
            "ranked": ", ".join(f"{NAMES[item]} {measured(means[item], unit)}" for item in order),
            "unsure": Piece("no sure difference" if alike else ""),
            "replications": comparison.replications,
            "alike": alike,
            "epsilon": epsilon,
        },
        draw=partial(_picture, comparison, known, order),
        predicted=lambda given: ", ".join(NAMES[item] for item in given),
    )


def _apart(comparison: Comparison, one: str, other: str) -> bool:
    found = change(comparison, other, one, "flowtime", "mean")
    return found is not None and found.sign != 0


def _picture(
    comparison: Comparison,
    known: dict[str, str],
    order: tuple[str, ...],
    predicted: tuple[str, ...] | None,
    dark: bool,
) -> Illustration:
    """Draw the mean flowtime of each rule, in the order that was predicted."""
    rows = predicted or order
    means = [comparison.policies[known[item]].estimate("flowtime", "mean") for item in rows]
    values = np.array([one.value or 0.0 for one in means])
    halves = np.array([one.half if np.isfinite(one.half) else 0.0 for one in means])
    unit = comparison.scenario.time_unit
    plot = LessonPlot("whose turn answer", dark)
    where, look = np.arange(len(rows), dtype=float), plot.colors.of(known)
    bars = {"type": "data", "array": halves, "color": plot.colors.ink, "thickness": 1.5}
    colors = [look[item] for item in rows]
    plot.between(where, np.zeros(values.size), values, "mean flowtime", colors, error_x=bars)
    for place, (item, value, half) in enumerate(zip(rows, values, halves, strict=True)):
        told = _place(item, place, order, predicted)
        plot.note(told, x=value + half, y=place, xanchor="left", xshift=6)
    plot.numbers("x", f"mean flowtime ({unit})", 0, 15)  # the last place is written, on a phone, too
    named = [f"{place + 1}. {NAMES[item]}" for place, item in enumerate(rows)]
    plot.names("as predicted" if predicted else "fastest first", named)
    said = "; ".join(f"{NAMES[item]} {measured(one, unit)}" for item, one in zip(rows, means, strict=True))
    return Illustration("How long jobs take under each rule", figure(plot), f"Mean flowtimes: {said}.")


def _place(item: str, place: int, order: tuple[str, ...], predicted: tuple[str, ...] | None) -> str:
    """Say which place an item has, beside the bar in the place where it was predicted."""
    found = order.index(item)
    return "as predicted" if predicted and found == place else f"place {found + 1}"


def smallest_under_srpt() -> float:
    """Return the slots of the job with the fewest tasks, the shortest first."""
    return round(float(srpt_allocation(JOBS, SLOTS)[0]), 2)


def decision(dark: bool) -> Illustration:
    """Draw the tasks and the slots of some jobs."""
    plot = LessonPlot("whose turn decision", dark, barmode="overlay")
    rows, zero = np.arange(len(JOBS), dtype=float), np.zeros(len(JOBS))
    plot.between(rows - 0.2, zero, np.array(JOBS, dtype=float), "tasks left", plot.other, width=0.36)
    plot.between(rows + 0.2, zero, np.array(HELD, dtype=float), "slots now", plot.answer, width=0.36)
    plot.numbers("x", "tasks, slots", 0, 32)
    plot.names("", [f"job {name}" for name in "ABC"])
    said = "; ".join(
        f"job {name} has {tasks} tasks left and {slots} slots"
        for name, tasks, slots in zip("ABC", JOBS, HELD, strict=True)
    )
    return Illustration("Tasks and slots of three jobs", figure(plot), f"{said[0].upper()}{said[1:]}.")


def easy() -> str:
    """Return the job that gets the next slot."""
    wanted = hopper_allocation(JOBS, sum(HELD) + 1, HEAVY)
    return next(name for name, slots, held in zip("abc", wanted, HELD, strict=True) if slots > held)


def medium() -> float:
    """Return the slots of the job with the most tasks, the shortest first."""
    return float(srpt_allocation(JOBS, SLOTS)[-1])


def hard() -> float:
    """Return the slots of that job under fair Hopper."""
    return float(fair_hopper_allocation(JOBS, SLOTS, HEAVY, UNFAIR)[-1])
