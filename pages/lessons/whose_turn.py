"""Whose turn it is: which job gets the next slot, and how unfair that may be."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from pages.animation.sandbox import Sandbox
from pages.lessons.lesson import Decision, Exercise, Found, Full, Illustration, Lesson, Plan, Variation, Watch
from pages.lessons.pictures import LessonPlot, drawn, how
from pages.lessons.prediction import Option, Order
from pages.lessons.watched import in_turn
from pages.shared.charts.on_page import figure
from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.model.result import Comparison, change
from sim.model.rule import HOPPER
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.live import RunRequest
from sim.telling.words import counted, listed, measured, number, percent, plain
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
_JOBS = f"Three jobs have {listed([*map(str, JOBS)])} tasks left and share {SLOTS} slots"


def policies(epsilon: float) -> dict[str, SlotPolicy]:
    """Return item -> what it is for the engine; Hopper has the unfairness that is varied."""
    copied = {item: SlotPolicy.of(item, "late") for item in ("fifo", "fair", "srpt")}
    return copied | {"hopper": SlotPolicy.of("hopper").with_(epsilon=epsilon)}


#: Item -> what the menus call it.
NAMES = {item: policy.sharing.title for item, policy in policies(1.0).items()}
PREDICTION = Order(
    "whose-turn",
    f"A cluster has {SCENARIO.slots} slots and a load of {percent(SCENARIO.load)}. Jobs have up to "
    f"{SCENARIO.tasks_max} tasks, most of them few (tail index {plain(SCENARIO.tasks_tail)}). Task times "
    f"have tail index β = {plain(SCENARIO.straggle_tail)}, up to {plain(SCENARIO.straggle_max)} times the "
    "shortest. Stragglers are copied, under Hopper with unfairness ε = 1, under the others by LATE. Under "
    "which rule do jobs take the least time on average? Put the rules in order, the fastest first.",
    (
        Option("fifo", f"{NAMES['fifo']}: first come, first served"),
        Option("fair", f"{NAMES['fair']}: the same for every job"),
        Option("hopper", f"{NAMES['hopper']}: small jobs first, with room for copies"),
        Option("srpt", f"{NAMES['srpt']} (SRPT): small jobs first"),
    ),
)


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


def find(epsilon: float, comparison: Comparison) -> Found:
    """Return the order of the rules by the mean flowtime of their jobs, as far as it is known."""
    known = {item: policy.text for item, policy in policies(epsilon).items()}
    means = {item: comparison.policies[text].estimate("flowtime", "mean") for item, text in known.items()}
    order = tuple(sorted(means, key=lambda item: (means[item].value is None, means[item].value or 0.0)))
    alike = [
        f"{NAMES[a]} and {NAMES[b]}" for a, b in pairwise(order) if not _apart(comparison, known[a], known[b])
    ]
    unit = comparison.scenario.time_unit
    told = ", ".join(f"{NAMES[item]} {measured(means[item], unit)}" for item in order)
    theta = float(threshold(SCENARIO.straggle_tail))
    return Found(
        answer=order,
        told=f"Mean flowtime, the fastest first: **{told}**."
        + (f" No sure difference {_so_far(comparison)}: {listed(alike)}." if alike else ""),
        why=(
            "Most jobs are small. Under FIFO they wait behind large ones; under fair shares they wait less, "
            "and under shortest first (SRPT), where the least remaining work goes first, hardly at all.",
            "But with T slots for its T tasks a job has none for copies: when it sees a straggler, the "
            "free slots have gone to other jobs.",
            f"Hopper gives a job up to θ = {number(theta)} slots per remaining task (its virtual size) "
            "before the next one gets any, and holds nobody below (1 − ε) of the fair share; here ε = "
            f"{plain(epsilon)}.",
        ),
        draw=partial(_picture, comparison, known, order),
    )


def _apart(comparison: Comparison, one: str, other: str) -> bool:
    found = change(comparison, other, one, "flowtime", "mean")
    return found is not None and found.sign != 0


def _so_far(comparison: Comparison) -> str:
    return f"after {counted(comparison.replications, 'replication')}"


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
    given = f" Predicted: {', '.join(NAMES[item] for item in predicted)}." if predicted else ""
    return Illustration("How long jobs take under each rule", figure(plot), f"Mean flowtimes: {said}.{given}")


def _place(item: str, place: int, order: tuple[str, ...], predicted: tuple[str, ...] | None) -> str:
    """Say which place an item has, beside the bar in the place where it was predicted."""
    found = order.index(item)
    return "as predicted" if predicted and found == place else f"place {found + 1}"


def _largest_under_srpt() -> float:
    return float(srpt_allocation(JOBS, SLOTS)[-1])


def _largest_under_fair_hopper() -> float:
    return float(fair_hopper_allocation(JOBS, SLOTS, HEAVY, UNFAIR)[-1])


def _mistakes() -> tuple[tuple[str, str], ...]:
    small = plain(round(float(srpt_allocation(JOBS, SLOTS)[0]), 2))
    theta = number(float(threshold(1.5)))
    return (
        (
            "FIFO first",
            "It seems just. But many small jobs wait for a few large ones.",
        ),
        (
            "Fair shares before shortest first",
            "“Unfair must mean slow for most.” Most jobs are small and leave early under shortest first; "
            "the few large ones hardly notice.",
        ),
        (
            "Shortest first before Hopper",
            f"Right without stragglers. Shortest first gives a job of {JOBS[0]} tasks {small} slots, Hopper "
            f"{theta} times as many, so that its stragglers are copied at once.",
        ),
    )


def _held(dark: bool) -> Illustration:
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


def _next_slot() -> str:
    wanted = hopper_allocation(JOBS, sum(HELD) + 1, HEAVY)
    return next(name for name, slots, held in zip("abc", wanted, HELD, strict=True) if slots > held)


EXERCISES = (
    Decision(
        f"A slot becomes free; β = {plain(HEAVY)}. Which job gets it under Hopper?",
        tuple(Option(name.lower(), f"Job {name}") for name in "ABC"),
        _held,
        _next_slot,
        "Compute the virtual size of job A. Has it enough?",
        f"Job A has {HELD[0]} slots, its virtual size: enough for its tasks and their copies. Of the others "
        "the smaller one goes first, and it has less than its virtual size.",
    ),
    Exercise(
        f"{_JOBS}. Under shortest first (SRPT), how many slots go to the job of {JOBS[-1]} tasks?",
        "slots",
        _largest_under_srpt,
        "The job with the fewest tasks goes first and takes a slot for each task.",
        f"The jobs of {JOBS[0]} and {JOBS[1]} tasks take a slot per task, and the largest gets what is left.",
    ),
    Exercise(
        f"{_JOBS}; β = {plain(HEAVY)}. Hopper with unfairness ε = {plain(UNFAIR)} holds no job below 1 − ε "
        f"of the fair share. How many slots does the job of {JOBS[-1]} tasks get?",
        "slots",
        _largest_under_fair_hopper,
        "Compute the fair share and the virtual sizes. Which job is held up by its guarantee?",
        "The guarantee is $(1 - \\varepsilon) S / N$. The first job gets it, since it is more than its "
        "virtual size; the second gets its virtual size, and the third what is left, if that is its "
        "guarantee or more.",
    ),
)

LESSON = Lesson(
    title="Whose turn",
    question="Which job should get the next free slot?",
    prediction=PREDICTION,
    minutes=8,
    scene=scene,
    variation=Variation(
        "Unfairness ε that Hopper may use",
        {1.0: "1: performance only", 0.3: "0.3", 0.1: "0.1", 0.0: "0: fair"},
        1.0,
    ),
    find=find,
    asks=asks,
    formulas=(
        r"\theta = \max\Big(1, \frac{2}{\beta}\Big), \qquad V_i = \theta\, T_i, \qquad"
        r" S_i \ge (1 - \varepsilon) \frac{S}{N}",
    ),
    source=f"{HOPPER}, sections 3 and 4.3.",
    full=Full(
        "compare",
        "Compare: the same jobs under the same rules",
        {
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
        },
    ),
    watch=Watch("The first jobs of one run, copies included.", partial(in_turn, SCENARIO)),
    sandbox=Sandbox(
        load=0.85,
        tail="very wild",
        slots=SCENARIO.slots,
        copies="late",
        varied=True,
        shown=("order", "load", "tail"),
    ),
    exercises=EXERCISES,
    plan=Plan(
        (
            "rank FIFO, fair shares, shortest first and Hopper by mean flowtime, and say who pays;",
            "compute a virtual size and share slots by it.",
        ),
        _mistakes,
    ),
)
