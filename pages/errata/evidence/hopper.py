"""Hopper: the theory note (its model, Algorithms 1 to 3, weights of pipelined phases), and SIGCOMM 2015."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pages.errata.evidence import OTHER, PRINTED, Line, Numbers, Picture, by_name
from sim.telling.plot import Part
from sim.telling.words import counted, counted_slots, in_slots, number, percent, worth
from theory.allocation import hopper_allocation, virtual_sizes
from theory.dag_allocation import dag_allocation, dag_cases
from theory.fairness import fair_hopper_allocation, fair_regime, projected_fair_allocation
from theory.objective import distance_from_optimum, total_rate
from theory.service_rate import blow_up, marginal_rate, rate_per_slot, service_rate, threshold
from theory.weighted_optimum import weighted_optimum
from theory.whole_copies import mixed_blow_up

BETA = 1.5
#: Three jobs of a pipeline.
JOBS, WEIGHT = [12, 60, 96], [4, 1, 0.25]
SLOTS = np.arange(1, 451)
#: Values in the small slips.
SLIPS = {"rate": worth(float(rate_per_slot(BETA)))}


def shares(slots: np.ndarray) -> str:
    """Write shares as a list.

    Examples
    --------
    >>> shares(np.array([40.0, 70 / 3]))
    '(40, 23.3)'
    """
    return f"({', '.join(in_slots(float(s)) for s in slots)})"


def no_jump() -> Numbers:
    """Return the value of a slot by the slots per task, for a heavy and a light tail."""
    slots = np.linspace(0, 4, 401)
    heavy, light = marginal_rate(slots, 1, BETA), marginal_rate(slots, 1, 3.0)
    theta, jump = float(threshold(BETA)), (float(marginal_rate(s, 1, 3.0)) for s in (1 - 1e-9, 1))
    at, double = (float(marginal_rate(k * theta, 1, BETA)) for k in (1, 2))
    before, after = map(worth, jump)
    lines = (Line(f"β = {BETA}", slots, heavy), Line("β = 3", slots, light, OTHER))
    marks = ((theta, "θ for β = 1.5"), (1.0, "θ for β = 3"))
    values = {"at": worth(at), "theta": worth(theta), "double": worth(double), "before": before}
    return Numbers(
        values | {"beta": f"{BETA}", "after": after},
        picture=Picture(lines, "slots per task", "value of one more slot", marks),
    )


def fewer_than_one() -> Numbers:
    """Return the rate of a job by its slots, with at least one copy of each task and without that bound."""
    beta, tasks = 4.0, 20
    slots = np.linspace(0, 60, 241)
    right = service_rate(slots, tasks, beta)
    printed = service_rate(slots, tasks, beta, physical=False)
    held = float(threshold(beta, physical=False)) * tasks
    gained = float(service_rate(held, tasks, beta, physical=False))
    lines = (Line("right", slots, right), Line("as printed", slots, printed, PRINTED))
    return Numbers(
        {
            "tasks": f"{tasks}",
            "gained": number(gained),
            "held": in_slots(held),
            "right": number(float(service_rate(held, tasks, beta))),
        },
        picture=Picture(lines, "slots of the job", "service rate μ"),
    )


def fractional() -> Numbers:
    """Return the work per slot by the copies of each task, whole ones mixed and fractional ones."""
    copies = np.linspace(1, 4, 301)
    theta = float(threshold(BETA))
    promised, real = float(blow_up(theta, BETA)), float(mixed_blow_up(theta, BETA))
    work = "the same work" if worth(real) == "1" else f"{worth(real)} times the work"
    lines = (
        Line("one and two copies mixed, two and three, …", copies, mixed_blow_up(copies, BETA)),
        Line("fractional copies, as printed", copies, blow_up(copies, BETA), PRINTED),
    )
    values = {"promised": worth(promised), "theta": worth(theta), "work": work, "real": worth(real)}
    return Numbers(values, picture=Picture(lines, "copies of each task, on average", "work per slot"))


def not_unique() -> Numbers:
    """Return three ways to hand out the slots, with their sums of rates."""
    tasks, slots = [10, 20, 40], 60
    virtual = virtual_sizes(tasks, BETA)
    given = {
        "smallest first": hopper_allocation(tasks, slots, BETA),
        "in proportion": slots * virtual / virtual.sum(),
        "largest first": np.array([0, slots - virtual[2], virtual[2]]),
    }
    table = pd.DataFrame(
        {
            "shares": [shares(s) for s in given.values()],
            "Σ μ": [number(total_rate(tasks, s, BETA)) for s in given.values()],
        },
        index=list(given),
    )
    return Numbers({"wanted": shares(virtual), "slots": f"{slots}"}, table)


def wrong_count() -> Numbers:
    """Return the shares of Algorithm 2 as printed and corrected, where the printed count is wrong."""
    tasks, slots, epsilon = [30.0, 52.5], 100, 0.5
    printed, right = (
        fair_hopper_allocation(tasks, slots, BETA, epsilon, as_printed=p) for p in (True, False)
    )
    before, after = (total_rate(tasks, s, BETA) for s in (printed, right))
    table = pd.DataFrame(
        {"shares": [shares(printed), shares(right)], "Σ μ": [number(before, 4), number(after, 4)]},
        index=["as printed", "corrected"],
    )
    values = {
        "wanted": shares(virtual_sizes(tasks, BETA)),
        "slots": f"{slots}",
        "epsilon": f"{epsilon}",
        "guarantee": in_slots(fair_regime(tasks, slots, BETA, epsilon).guarantee),
        "limit": f"{slots / 2 - epsilon:g}",
        "lost": percent(1 - before / after),
    }
    return Numbers(values, table)


def no_m2() -> Numbers:
    """Return the shares of Algorithm 2 with fewer slots than jobs, and what the printed conditions say."""
    tasks, slots, epsilon = [0.075, 0.6375], 1, 0.5
    right = fair_hopper_allocation(tasks, slots, BETA, epsilon)
    try:
        fair_hopper_allocation(tasks, slots, BETA, epsilon, as_printed=True)
        answer = "an answer"
    except ValueError:
        answer = "no m₂ at all"
    wanted = shares(virtual_sizes(tasks, BETA))
    return Numbers({"wanted": wanted, "epsilon": f"{epsilon}", "answer": answer, "right": shares(right)})


def one_pass() -> Numbers:
    """Return the shares after one projection and after as many as are needed."""
    tasks, slots, beta, epsilon = [36.0, 36.0, 36.0], 100, 1.6, 0.1
    F = fair_regime(tasks, slots, beta, epsilon).guarantee
    steps = {
        "Hopper, no guarantee": hopper_allocation(tasks, slots, beta),
        "one projection, as printed": projected_fair_allocation(tasks, slots, beta, epsilon, as_printed=True),
        "repeated": projected_fair_allocation(tasks, slots, beta, epsilon),
    }
    table = pd.DataFrame(
        {
            "shares": [shares(s) for s in steps.values()],
            "below F": [f"{int(np.sum(s < F * (1 - 1e-9)))} of 3 jobs" for s in steps.values()],
        },
        index=list(steps),
    )
    wanted = shares(virtual_sizes(tasks, beta))
    return Numbers({"wanted": wanted, "slots": f"{slots}", "guarantee": in_slots(F)}, table)


def cases() -> Numbers:
    """Return how many cases of Algorithm 3 apply to each number of slots."""
    printed = [len(dag_cases(JOBS, WEIGHT, S, BETA, as_printed=True)) for S in SLOTS.tolist()]
    right = [len(dag_cases(JOBS, WEIGHT, S, BETA)) for S in SLOTS.tolist()]
    none, several = printed.count(0), sum(count > 1 for count in printed)
    lines = (Line("corrected", SLOTS, right), Line("as printed", SLOTS, printed, PRINTED))
    axes: tuple[Part, Part] = ({}, {"range": [0, 2.4], "tickvals": [0, 1, 2]})
    values = {"all": f"{SLOTS.size}", "none": f"{none}", "several": f"{several}"}
    return Numbers(
        values | {"right": counted(max(right), "case")},
        picture=Picture(lines, "slots S", "cases that apply", axes=axes),
    )


def single() -> Numbers:
    """Return how many cases apply to a single job, and its share."""
    slots = (10, 20)
    printed = [len(dag_cases([12], [1], S, BETA, as_printed=True)) for S in slots]
    (right,) = dag_allocation([12], [1], slots[0], BETA)
    told = [f"with {S} slots {_apply(count)}" for S, count in zip(slots, printed, strict=True)]
    return Numbers({"printed": ", ".join(told), "right": counted_slots(float(right))})


def _apply(cases: int) -> str:
    """Say how many printed cases apply.

    Examples
    --------
    >>> _apply(0), _apply(1), _apply(2)
    ('no printed case applies', '1 printed case applies', '2 printed cases apply')
    """
    told = counted(cases, "printed case") if cases else "no printed case"
    return f"{told} {'apply' if cases > 1 else 'applies'}"


def too_early() -> Numbers:
    """Return the shares of Algorithm 3 as printed and corrected, where the last job has the least weight."""
    weight, slots = [4, 1, 0.9], 130
    printed, right = (dag_allocation(JOBS, weight, slots, BETA, as_printed=p) for p in (True, False))
    sums = [total_rate(JOBS, s, BETA, weight) for s in (printed, right)]
    table = pd.DataFrame(
        {"shares": [shares(printed), shares(right)], "Σ αμ": [number(x, 4) for x in sums]},
        index=["as printed", "corrected"],
    )
    return Numbers({"slots": f"{slots}", "lost": percent(1 - sums[0] / sums[1])}, table)


def heuristic() -> Numbers:
    """Return what Algorithm 3 loses by the weight of a small job."""
    tasks, slots = [12, 60], 16
    weight = np.geomspace(1e-3, 1, 61)
    lost = [
        distance_from_optimum(tasks, dag_allocation(tasks, [w, 1], slots, BETA), BETA, [w, 1]).shortfall
        for w in weight
    ]
    line = Line("lost by Algorithm 3", weight, lost)
    axes: tuple[Part, Part] = (
        {"type": "log", "tickvals": [0.001, 0.01, 0.1, 1]},
        {"range": [0, 1.02], "tickformat": ".0%"},
    )
    return Numbers(
        {"slots": f"{slots}", "lost": percent(float(lost[0]))},
        picture=Picture((line,), "weight of the small job", "lost", axes=axes),
    )


def drop() -> Numbers:
    """Return the slots of the job of less weight, by all slots."""
    tasks, weight = [12, 60], [0.25, 1.0]
    slots = np.linspace(1, 40, 391)
    given = np.array([dag_allocation(tasks, weight, S, BETA) for S in slots])
    best = np.array([weighted_optimum(tasks, weight, S, BETA) for S in slots])
    below, above = (dag_allocation(tasks, weight, S, BETA) for S in (16, 16.001))
    lines = (
        Line("first job, Algorithm 3", slots, given[:, 0]),
        Line("first job, exact optimum", slots, best[:, 0], OTHER),
    )
    return Numbers(
        {"below": shares(below), "above": shares(above)},
        picture=Picture(lines, "slots S", "slots of the first job"),
    )


def domain() -> Numbers:
    """Return what shares in proportion to V lose, by the slots."""
    root = virtual_sizes(JOBS, BETA) * np.sqrt(WEIGHT)
    slots = np.linspace(5, 450, 90)
    lost = [distance_from_optimum(JOBS, S * root / root.sum(), BETA, WEIGHT).shortfall for S in slots]
    enough = float(root.sum() / np.sqrt(min(WEIGHT)))
    line = Line("lost by equation (6)", slots, lost)
    axes: tuple[Part, Part] = ({}, {"tickformat": ".0%", "rangemode": "tozero"})
    values = {
        "enough": number(enough),
        "lost": percent(distance_from_optimum(JOBS, 50 * root / root.sum(), BETA, WEIGHT).shortfall),
        "sum": number(float(root.sum())),
        "other": number(float(10 * root.sum())),
    }
    marks = ((enough, "ΣV/√α_min"),)
    return Numbers(values, picture=Picture((line,), "slots S", "lost", marks, axes, "top"))


def last_phase() -> Numbers:
    """Return what Algorithm 3 does with a weight of 0."""
    try:
        dag_allocation([12, 60], [1, 0], 100, BETA)
        answer = "accepts"
    except ValueError:
        answer = "refuses"
    return Numbers({"answer": answer})


EVIDENCE = by_name(
    *(no_jump, fewer_than_one, fractional, not_unique, wrong_count, no_m2, one_pass),
    *(cases, too_early, single, heuristic, drop, domain, last_phase),
)
