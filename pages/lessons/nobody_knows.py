"""No scheduler knows everything: probes and refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from pages.lessons.lesson import Computed, Illustration
from pages.lessons.pictures import LessonPlot, Runs, asked, drawn, how
from pages.shared.charts.on_page import figure
from sim.engines.probes.policy import ProbePolicy
from sim.engines.registry import preset
from sim.model.result import Comparison, change
from sim.running.execution import Effort
from sim.running.experiment import Experiment
from sim.running.live import RunRequest
from sim.telling.content import Piece
from sim.telling.scales import ticked_log
from sim.telling.words import counted, plain

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
#: How likely all are busy that are asked.
TWO_BUSY, FOUR_BUSY, EIGHT_BUSY = LOAD**2, LOAD**4, LOAD**8
#: What may be varied, and what the prediction is about.
VALUES, DEFAULT = (0, 1, 3, 10), REFUSALS
QUERY = {
    "workers": str(WORKERS),
    "schedulers": str(SCHEDULERS),
    "tasks_max": "10",
    "length": "160",
    "probes": "4",
    "refusals": str(REFUSALS),
    "load": plain(LOAD),
    "rivals": "hopper+budget",
}


def watch(refusals: int) -> Runs:
    """Return runs of fewer workers, of which one is asked, or some."""
    return asked(SCENARIO, policies(refusals))


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


def find(refusals: int, comparison: Comparison) -> Computed:
    """Return how many probes are enough, as far as it is known."""
    ratios, halves = _ratios(comparison, policies(refusals))
    enough = [d for d, ratio in zip(PROBES, ratios, strict=True) if ratio <= ENOUGH]
    near = [d for d, ratio, half in zip(PROBES, ratios, halves, strict=True) if abs(ratio - ENOUGH) <= half]
    best = enough[0] if enough else PROBES[-1]
    longer = {d: _compared(ratio) for d, ratio in zip(PROBES, ratios, strict=True)}
    return Computed(
        answer=str(best) if enough else "none",
        values={
            "best": best,
            "enough": Piece(
                "too few" if not enough else "one is enough" if best == 1 else "so many are enough"
            ),
            "longer": longer[best],
            "others": [f"{text} with {counted(d, 'probe')}" for d, text in longer.items() if d != best],
            "doubt": Piece("near" if near else ""),
            "near": near[0] if near else 0,
            "refusing": Piece("some refusals" if refusals else "no refusals"),
            "refusals": refusals,
        },
        draw=partial(_picture, ratios, halves),
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
    return Illustration(
        "A typical job, compared with central knowledge",
        figure(plot),
        f"Median flowtime divided by that under one scheduler: {said}. Dotted: a tenth longer.",
    )


def finds(busy: int, asked: int) -> float:
    """Return the probability that at least one of the workers that are asked is free, of few workers."""
    return 1 - math.comb(busy, asked) / math.comb(FEW, asked)


def decision(dark: bool) -> Illustration:
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


#: In texts: the probabilities to find a free one, workers that are asked, and few workers without one.
(ASKED_IN_A, ASKED_IN_B), ONE_FEWER, ONE_FEWER_BUSY = (
    (one for _, one in CLUSTERS.values()),
    FEW - 1,
    FEW_BUSY - 1,
)
found_in_a, found_in_b = (partial(finds, *one) for one in CLUSTERS.values())


def easy() -> str:
    """Return the cluster in which more often a free worker is found."""
    a, b = (finds(*one) for one in CLUSTERS.values())
    return "same" if math.isclose(a, b) else "a" if a > b else "b"


def medium() -> float:
    """Return the probability in percent that one of four workers is free."""
    return 100 * (1 - BUSY**ASKED)


def hard() -> float:
    """Return the probability in percent that one of two workers is free, of few."""
    return 100 * finds(FEW_BUSY, 2)
