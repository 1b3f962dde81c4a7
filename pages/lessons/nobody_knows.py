"""No scheduler knows everything: probes and refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from pages.lessons.lesson import Decision, Exercise, Found, Full, Illustration, Lesson, Plan, Variation, Watch
from pages.lessons.pictures import LessonPlot, drawn, how
from pages.lessons.prediction import Choice, Option
from pages.lessons.watched import asked
from pages.shared.charts.on_page import figure
from sim.engines.probes.policy import ProbePolicy
from sim.engines.registry import preset
from sim.model.result import Comparison, change
from sim.model.rule import HOPPER
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.live import RunRequest
from sim.telling.scales import ticked_log
from sim.telling.words import counted, listed, percent, plain

#: Probes per task that are tried; how many times as long jobs may take, and the most that is drawn.
PROBES, ENOUGH, MOST = (1, 2, 4, 8), 1.1, 30.0
WORKERS, SCHEDULERS, LOAD, REFUSALS = 50, 5, 0.8, 3
#: Jobs of up to ten tasks, on a smaller cluster than the paper's: 160 tasks per slot.
SCENARIO = preset("hopper-fig5a").scenario.replace(
    workers=WORKERS,
    schedulers=SCHEDULERS,
    load=LOAD,
    tasks_max=10,
    observe="age:0.5",
    latency=0.001,
    jobs=1455,
)
#: In exercises: how likely a worker is busy, how many are asked; few workers, how many of them are busy.
BUSY, ASKED, FEW, FEW_BUSY = 0.9, 4, 10, 8
#: Two clusters of few workers in an exercise: how many are busy, and how many are asked.
CLUSTERS = {"A": (9, 4), "B": (FEW_BUSY, 2)}
EFFORT = Effort(replications=8, precision=2)
CENTRAL = ProbePolicy.of("central")
ANSWERS = ("One", "Two", "Four", "Eight", "Even eight are too few")
PREDICTION = Choice(
    "nobody-knows",
    f"{SCHEDULERS} schedulers share {WORKERS} workers at a load of {percent(LOAD)}. Jobs have up to "
    f"{SCENARIO.tasks_max} tasks; task times have tail index β = {plain(SCENARIO.straggle_tail)}. For every "
    f"task a scheduler asks some workers at random (Hopper, with up to {counted(REFUSALS, 'refusal')}). How "
    "many must it ask so that a typical job takes at most a tenth longer than under one scheduler that knows "
    "everything?",
    tuple(Option(*one) for one in zip(("1", "2", "4", "8", "none"), ANSWERS, strict=True)),
)


def policies(refusals: int) -> dict[int, ProbePolicy]:
    """Return probes per task -> Hopper with so many."""
    hopper = ProbePolicy.of("hopper")
    return {d: hopper.with_(probes=d, refusal_threshold=refusals) for d in PROBES}


def asks(refusals: int) -> tuple[RunRequest, ...]:
    """Return the run of the scheduler that knows everything, and of those that ask."""
    experiment = Experiment(SCENARIO, (CENTRAL, *policies(refusals).values()))
    return (RunRequest(experiment, EFFORT),)


def states(generator: np.random.Generator) -> np.ndarray:
    """Return which workers are busy, and which two of them are asked."""
    busy = generator.random(WORKERS) < LOAD
    return np.array([busy, np.isin(np.arange(WORKERS), generator.choice(WORKERS, 2, replace=False))])


def asks_in_vain(found: np.ndarray) -> bool:
    """Tell whether the two that are asked are busy, and as many workers as the load says."""
    busy, asked = found
    return bool(busy[asked].all()) and int(busy.sum()) == round(LOAD * WORKERS)


def scene(draw: int, dark: bool) -> Illustration:
    """Draw the workers; a scheduler has asked two of them."""
    wide = 10
    busy, asked = drawn(6, draw, states, asks_in_vain)
    plot = LessonPlot(f"nobody knows {draw}", dark)
    x, y = np.arange(WORKERS) % wide, np.arange(WORKERS) // wide
    full, ring = {"size": 14}, {"size": 24, "symbol": "circle-open", "line": {"width": 3}}
    free = {"size": 14, "symbol": "circle-open", "line": {"width": 2}}
    for of, name, color, marker in (
        (busy, "busy", plot.answer, full),
        (~busy, "free", plot.answer, free),
        (asked, "asked", plot.yours, ring),
    ):
        plot.dots(x[of], y[of], name, color, marker=marker)
    plot.axis("x", visible=False, range=[-0.7, wide - 0.3], zoom=True)
    plot.axis("y", visible=False, range=[WORKERS // wide - 0.3, -0.7], zoom=True)
    found = int((~busy[asked]).sum())
    said = f"{int(busy.sum())} of {WORKERS} workers are busy. Of the two that were asked, {found} are free."
    return Illustration(f"{WORKERS} workers, two of them asked, {how(draw)}", figure(plot), said)


def find(refusals: int, comparison: Comparison) -> Found:
    """Return how many probes are enough, as far as it is known."""
    ratios, halves = _ratios(comparison, policies(refusals))
    enough = [d for d, ratio in zip(PROBES, ratios, strict=True) if ratio <= ENOUGH]
    near = [d for d, ratio, half in zip(PROBES, ratios, halves, strict=True) if abs(ratio - ENOUGH) <= half]
    best = enough[0] if enough else PROBES[-1]
    all_told = {d: _compared(ratio) for d, ratio in zip(PROBES, ratios, strict=True)}
    others = listed([f"{text} with {counted(d, 'probe')}" for d, text in all_told.items() if d != best])
    told = "are still too few" if not enough else "suffices" if best == 1 else "suffice"
    doubt = f" (With {near[0]} it is too near to a tenth to be sure.)" if near else ""
    return Found(
        answer=str(best) if enough else "none",
        told=f"**{counted(best, 'probe')}** per task {told}: compared with one scheduler that knows "
        f"everything, a typical job takes **{all_told[best]}**; {others}.{doubt}",
        why=(
            f"At a load of {percent(LOAD)} a worker is busy with probability {percent(LOAD)}, two are both "
            f"busy with {percent(LOAD**2)}, four with {percent(LOAD**4)}: asking a few workers finds most of "
            "the free slots.",
            "A probe waits in the worker's queue, and a slot that becomes free asks the jobs of its queue, "
            "the smallest first: the decision comes late, when more is known.",
            _refusing(refusals),
        ),
        draw=partial(_picture, ratios, halves),
    )


def _refusing(refusals: int) -> str:
    """Say what refusals do, where there are some."""
    if not refusals:
        return (
            "Here no job may refuse a slot. A job that has enough of them takes one more, and small jobs "
            "of other schedulers wait for it."
        )
    return (
        "A job that has enough slots refuses one more, and its scheduler names its smallest job that needs "
        f"one; after {counted(refusals, 'refusal')} the slot goes to the smallest job it has heard of."
    )


def _ratios(comparison: Comparison, probes: dict[int, ProbePolicy]) -> tuple[list[float], list[float]]:
    """Return the median flowtimes by that of the central scheduler, and half widths of their intervals."""
    found = [change(comparison, one.text, CENTRAL.text, "flowtime", "p50") for one in probes.values()]
    ratios = [1 + one.relative if one else math.inf for one in found]
    halves = [one.share.half if one and np.isfinite(one.share.half) else 0.0 for one in found]
    return ratios, halves


def _compared(ratio: float) -> str:
    """Say how long a job takes, compared with what the ratio is to."""
    more = round(100 * (min(ratio, MOST) - 1))
    if more >= 100:
        return f"{_times(ratio)} times as long"
    return f"{abs(more)} % {'longer' if more > 0 else 'shorter'}" if more else "as long"


def _times(ratio: float) -> str:
    return f"over {MOST:g}" if ratio > MOST else f"{ratio:.3g}" if ratio < 10 else f"{ratio:.0f}"


def _picture(ratios: list[float], halves: list[float], predicted: str | None, dark: bool) -> Illustration:
    """Draw the ratios by probes, with what was predicted shaded."""
    plot = LessonPlot("nobody knows answer", dark, showlegend=False)
    shown, top = np.minimum(ratios, MOST), np.log10(MOST)
    tried = [str(d) for d in PROBES]
    plot.line(
        np.arange(len(PROBES), dtype=float),
        shown,
        "a typical job",
        plot.answer,
        "",
        mode="lines+markers",
        marker={"size": 10, "color": plot.answer},
        error_y={"type": "data", "array": halves, "color": plot.answer},
    )
    plot.across(ENOUGH, dash="dot")
    if predicted in tried:
        at = tried.index(predicted)
        plot.predicted_area(x0=at - 0.4, x1=at + 0.4)
        plot.note("predicted", x=at, y=top, yanchor="top")
    elif predicted:
        plot.note("predicted: none of them", x=1.5, y=top, yanchor="top")
    plot.note("a tenth longer", x=-0.55, y=np.log10(ENOUGH), xanchor="left", yshift=9)
    for place, (ratio, value) in enumerate(zip(ratios, shown, strict=True)):
        plot.note(_times(ratio), x=place, y=float(np.log10(value)), yshift=16, xshift=14)
    plot.names("probes per task, d", tried, which="x", range=[-0.6, len(PROBES) - 0.4])
    log = ticked_log(0.9, MOST, [1.0, 1.5, 2.0, 5.0, 10.0, 30.0])
    plot.axis("y", "times as long as with one scheduler", log, zoom=True)
    said = "; ".join(f"{_times(ratio)} with d = {d}" for d, ratio in zip(PROBES, ratios, strict=True))
    given = f" Predicted: {PREDICTION.shown(predicted)}." if predicted else ""
    return Illustration(
        "A typical job, compared with central knowledge",
        figure(plot),
        f"Median flowtime divided by that under one scheduler: {said}. Dotted: a tenth longer.{given}",
    )


def _one_of_four_is_free() -> float:
    return 100 * (1 - BUSY**ASKED)


def _one_of_two_is_free() -> float:
    return 100 * finds(FEW_BUSY, 2)


def _mistakes() -> tuple[tuple[str, str], ...]:
    return (
        (
            "One",
            f"“The load is only {percent(LOAD)}.” But then one worker is busy {percent(LOAD)} of the time, "
            "and the task waits in its queue while others are free.",
        ),
        ("Two", f"Far better than one, but both are busy with probability {percent(LOAD**2)}."),
        (
            "Even eight are too few",
            f"Eight of {WORKERS} workers seem few. But all eight are busy with probability "
            f"{percent(LOAD**8)} only, and refusals correct what probes have missed. Without refusals this "
            "answer is right.",
        ),
    )


def finds(busy: int, asked: int) -> float:
    """Return the probability that at least one of the workers that are asked is free, of few workers."""
    return 1 - math.comb(busy, asked) / math.comb(FEW, asked)


def _two_clusters(dark: bool) -> Illustration:
    """Draw the workers of two clusters, and how many of them are asked."""
    plot = LessonPlot("nobody knows decision", dark)
    for row, (busy, _) in enumerate(CLUSTERS.values()):
        for name, workers, symbol in (
            ("busy", range(busy), "circle"),
            ("free", range(busy, FEW), "circle-open"),
        ):
            x, look = [float(one) for one in workers], {"size": 16, "symbol": symbol, "line": {"width": 2}}
            plot.dots(x, [float(row)] * len(x), name, plot.answer, marker=look, showlegend=row == 0)
    plot.axis("x", visible=False, range=[-0.7, FEW - 0.3], zoom=True)
    plot.names("", [f"{name}: asks {asked}" for name, (_, asked) in CLUSTERS.items()])
    said = "; ".join(
        f"in cluster {name} {busy} of {FEW} workers are busy and {asked} are asked"
        for name, (busy, asked) in CLUSTERS.items()
    )
    return Illustration("Workers of two clusters", figure(plot), f"{said[0].upper()}{said[1:]}.")


def _finds_more() -> str:
    a, b = (finds(*one) for one in CLUSTERS.values())
    return "same" if math.isclose(a, b) else "a" if a > b else "b"


EXERCISES = (
    Decision(
        "A scheduler asks different workers at random, in cluster A more of them. In which cluster does it "
        "more often find a free one?",
        (
            Option("a", f"In A, where it asks {counted(CLUSTERS['A'][1], 'worker')}"),
            Option("b", f"In B, where it asks {counted(CLUSTERS['B'][1], 'worker')}"),
            Option("same", "Equally often"),
        ),
        _two_clusters,
        _finds_more,
        "In A only one worker is free. How likely is it among those that are asked?",
        f"In A it finds one with probability {percent(finds(*CLUSTERS['A']))}, in B with "
        f"{percent(finds(*CLUSTERS['B']))}. More probes can make up for fewer free workers.",
    ),
    Exercise(
        f"Each worker is busy with probability {percent(BUSY)}, independently of the others. A scheduler "
        f"asks {ASKED} of them at random. With which probability, in percent, is at least one free?",
        "%",
        _one_of_four_is_free,
        f"Compute first the probability that all {ASKED} are busy.",
        f"All {ASKED} are busy with probability ${plain(BUSY)}^{ASKED}$.",
    ),
    Exercise(
        f"{FEW_BUSY} of {FEW} workers are busy. A scheduler asks two different ones at random. With which "
        "probability, in percent, is at least one free?",
        "%",
        _one_of_two_is_free,
        "The two are not independent: if the first is busy, fewer of the others are.",
        f"Both are busy with probability $\\frac{{{FEW_BUSY}}}{{{FEW}}} \\cdot "
        f"\\frac{{{FEW_BUSY - 1}}}{{{FEW - 1}}}$, which is less than $({FEW_BUSY}/{FEW})^2$.",
    ),
)

LESSON = Lesson(
    title="Nobody knows everything",
    question="How many workers must a scheduler ask if none knows the whole cluster?",
    prediction=PREDICTION,
    minutes=7,
    scene=scene,
    variation=Variation("Refusals before a job must accept", (0, 1, 3, 10), REFUSALS),
    find=find,
    asks=asks,
    formulas=(r"P(\text{at least one of } d \text{ workers is free}) = 1 - \rho^d",),
    source=f"{HOPPER}, section 5. The formula takes workers for busy independently of one another.",
    full=Full(
        "decentralised",
        "Decentralised: the same cluster",
        {
            "workers": str(WORKERS),
            "schedulers": str(SCHEDULERS),
            "tasks_max": "10",
            "length": "160",
            "probes": "4",
            "refusals": str(REFUSALS),
            "load": plain(LOAD),
            "rivals": "hopper+budget",
        },
    ),
    watch=Watch("Each slot is a worker; here there are fewer.", lambda many: asked(SCENARIO, policies(many))),
    exercises=EXERCISES,
    plan=Plan(
        (
            "explain why a few random probes do nearly as well as knowing everything;",
            "say what a refusal adds to a probe.",
        ),
        _mistakes,
    ),
)
