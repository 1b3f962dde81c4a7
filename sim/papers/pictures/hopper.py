"""Pictures of Hopper's figures."""

from __future__ import annotations

import numpy as np

from sim.model.statistics import Estimate
from sim.papers.hopper import (
    HEADLINE,
    LATENCIES,
    LOADS,
    OF_PROBES,
    PERCENTAGES,
    PROBES,
    REFUSALS,
    hopper,
    runs,
)
from sim.papers.picture import Curve, Mark, Panel, picture
from sim.papers.record import outcomes

#: Tail index of task times, and tasks of three jobs.
BETA, TASKS = 1.5, (10, 20, 40)


def note(quick: bool) -> tuple[Curve, ...]:
    """Return the service rate and its slope for three jobs."""
    from theory.service_rate import marginal_rate, service_rate

    slots = np.linspace(0.5, 100, 400)
    curves = []
    for tasks in TASKS:
        name = f"{tasks} tasks left"
        curves.append(Curve.of_theory(name, slots, service_rate(slots, tasks, BETA)))
        curves.append(Curve.of_theory(name, slots, marginal_rate(slots, tasks, BETA), 1))
    return tuple(curves)


#: Mean transfer time in task sizes -> what the choice is called; the judged one has no name.
TRANSFERS = {0.25: "transfers a quarter as long", 1.0: "", 4.0: "transfers four times as long"}
WEIGHTS = "hopper-section42-weights"


def weights(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claim at each mean transfer time."""
    found = outcomes(WEIGHTS)
    saved = tuple(found[name] for name in TRANSFERS.values())
    return (Curve("saved of the mean flowtime", tuple(TRANSFERS), saved),)


EPSILONS = (0.0, 0.1, 0.3, 0.5, 1.0)
FAIRNESS = "hopper-section43-fairness"


def fairness(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claim at each unfairness; the judged one is 0.3."""
    found = outcomes(FAIRNESS)
    return (
        Curve(
            "jobs that are no slower",
            EPSILONS,
            tuple(found["" if one == 0.3 else f"epsilon = {one:g}"] for one in EPSILONS),
        ),
    )


LOCALITY = "hopper-section44-locality"


def locality(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claim at each percentage, 5 % being 1."""
    found = outcomes(LOCALITY)
    points = {float(one): found[f"{one} % against 5 %"] for one in PERCENTAGES} | {
        5.0: Estimate(1.0, 1.0, 1.0)
    }
    return (Curve("mean flowtime", tuple(sorted(points)), tuple(points[one] for one in sorted(points))),)


#: Probes of Sparrow that are tried; it was built with two.
SPARROW = (2, 4)
ACROSS, UPWARDS = "probes per task, d", "mean flowtime ÷ centralised"


def fig5a(quick: bool) -> tuple[Curve, ...]:
    """Return the ratios of both systems at each utilisation, Hopper in the first panel."""
    curves = []
    for load in LOADS:
        found = runs(load, quick, HEADLINE, OF_PROBES)
        name = f"{load:.0%}"
        curves.append(Curve(name, PROBES, tuple(found.ratio(hopper(d)) for d in PROBES)))
        sparrow = (found.ratio("sparrow" if d == 2 else f"sparrow:probes={d}") for d in SPARROW)
        curves.append(Curve(name, SPARROW, tuple(sparrow), 1))
    return tuple(curves)


OVERHEADS = "hopper-section51-overheads"


def overheads(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claim at each latency, in percent of a mean task."""
    found = outcomes(OVERHEADS)
    ratios = tuple(found[f"latency {100 * one:.2g} % of a task"] for one in LATENCIES)
    return (Curve("largest over the utilisations", tuple(100 * one for one in LATENCIES), ratios),)


TWO_REFUSALS = "hopper-fig5b-two-refusals"


def fig5b(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claim at each utilisation and number of refusals."""
    found = outcomes(TWO_REFUSALS)
    return tuple(
        Curve(f"{load:.0%}", REFUSALS, tuple(found[f"{one} refusals, {load:.0%}"] for one in REFUSALS))
        for load in LOADS
    )


PIGGYBACK = "hopper-section53-piggyback"


def piggyback(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claim at each utilisation."""
    found = outcomes(PIGGYBACK)
    ratios = tuple(found[f"utilisation {load:.0%}"] for load in LOADS)
    return (Curve("mean flowtime", tuple(100 * load for load in LOADS), ratios),)


PICTURES = (
    picture(
        "hopper-note",
        panels=(
            Panel("slots that the job holds", "service rate μ (plain slots)"),
            Panel("slots that the job holds", "value of one more slot", ylim=(0, 1.3)),
        ),
        draw=note,
        marks=(
            Mark("threshold 2T/β of 10 tasks", x=40 / 3, panel=1),
            Mark("of 20", x=80 / 3, panel=1),
            Mark("of 40", x=160 / 3, panel=1),
        ),
    ),
    picture(
        "hopper-section42",
        panels=(Panel("mean transfer time (task sizes)", "saved of the mean flowtime", ylim=(-0.15, 0.05)),),
        draw=weights,
        marks=(Mark("not slower", y=0.0),),
    ),
    picture(
        "hopper-section43",
        panels=(Panel("unfairness ε", "share of the jobs", xlim=(-0.02, 1.05), ylim=(0.5, 1.02)),),
        draw=fairness,
        marks=(Mark("nearly all, read as nine in ten", y=0.9),),
    ),
    picture(
        "hopper-section44",
        panels=(
            Panel("k (% of the jobs)", "mean flowtime ÷ that at k = 5 %", xlim=(-2, 103), ylim=(0.8, 1.1)),
        ),
        draw=locality,
        marks=(Mark("k of at most 5 % is enough", x=5.0, y=1.0),),
    ),
    picture(
        "hopper-fig5a",
        panels=(
            Panel(ACROSS, UPWARDS, "Hopper", xlim=(1.5, 10.5), ylim=(0.9, 2.3)),
            Panel(ACROSS, UPWARDS, "Sparrow", xlim=(1.5, 10.5), ylim=(0.9, 2.3)),
        ),
        draw=fig5a,
        marks=(
            Mark("at most 1.15 from d = 4 on", x=4, y=1.15),
            Mark("more than 2 at medium utilisation", x=2, y=2.0, panel=1),
        ),
        simulated=True,
    ),
    picture(
        "hopper-section51",
        panels=(
            Panel("latency of a message (% of a mean task)", UPWARDS, xlim=(-0.2, 10.5), ylim=(0.9, 3.3)),
        ),
        draw=overheads,
        marks=(Mark("within 15 %, without overheads", y=1.15),),
    ),
    picture(
        "hopper-fig5b",
        panels=(Panel("refusals before a job must accept", "mean flowtime ÷ centralised", ylim=(0.9, 1.3)),),
        draw=fig5b,
        marks=(Mark("1.10", x=2, y=1.10), Mark("1.15", x=3, y=1.15)),
    ),
    picture(
        "hopper-section53",
        panels=(Panel("utilisation (%)", "mean flowtime ÷ with sizes known at once", ylim=(0.95, 1.05)),),
        draw=piggyback,
        marks=(Mark("enough", y=1.0),),
    ),
)
