"""Pictures of the figures of Aktas & Soljanin and of Dolly."""

from __future__ import annotations

import math

import numpy as np

from sim.model.statistics import Estimate
from sim.papers.picture import Curve, Mark, Panel, picture
from sim.papers.record import outcomes
from sim.papers.sweeps import LOADS, RATE, played, read, scenario
from sim.running.gang_sweep import BASELINE, LEARNED, redundant_small

TAIL_OF_SKETCH = 3.0
TIMES = np.linspace(1, 6, 201)


def fig1(quick: bool) -> tuple[Curve, ...]:
    """Return the probability that the job still runs, with two tasks and with three."""
    from theory.order_statistics import order_statistic_tail

    return tuple(
        Curve.of_theory(name, TIMES, order_statistic_tail(TIMES, n, 2, TAIL_OF_SKETCH))
        for name, n in (("both of two tasks", 2), ("any two of three tasks", 3))
    )


#: Tasks that must finish, and tail indices of the slowdowns.
NEEDED, TAILS = 10, (1.5, 2.0, 3.0)
STARTED = np.arange(NEEDED, 3 * NEEDED + 1)


def cost(quick: bool) -> tuple[Curve, ...]:
    """Return the closed form for each tail index."""
    from theory.coding import coded_cost

    return tuple(
        Curve.of_theory(f"α = {tail:g}", STARTED, coded_cost(STARTED, NEEDED, tail)) for tail in TAILS
    )


SOME_LOADS = (0.3, 0.5, 0.6, 0.7, 0.9)
#: Where d infinite is drawn, and what is more than any demand of a run.
END = 10_000.0
GRID = np.geomspace(10, END, 90)


def fig2(quick: bool) -> tuple[Curve, ...]:
    """Return the simulated means where no queue grows, and Claim 1."""
    from sim.running.gang_sweep import claim1

    curves = []
    for load in SOME_LOADS:
        points = [one for one in read(3.0, load, True, "flowtime", "mean") if not one.unstable and one.demand]
        at = tuple(END if math.isinf(one.demand) else one.demand for one in points)
        name = f"offered load {load:g}"
        curves.append(Curve(name, at, tuple(one.estimate for one in points)))
        promised = claim1(scenario(3.0, load, True), GRID.tolist(), RATE)
        known = np.isfinite(promised)
        curves.append(Curve.of_theory(name, GRID[known].tolist(), promised[known].tolist()))
    return (*curves, _best())


def _best() -> Curve:
    """Return the best demands by Claim 1, as the paper marks them."""
    from theory.optimal_demand import optimal_demand
    from theory.response_time import response_time

    best = [(load, float(optimal_demand(load, RATE, 3.0, 3.0))) for load in SOME_LOADS]
    at = [(d, float(response_time(d, RATE, load, 3.0, 3.0))) for load, d in best if 0 < d < math.inf]
    at.sort()
    return Curve.of_theory("d* of Claim 1", [d for d, _ in at], [time for _, time in at])


def promised(load: float) -> str:
    """Return Redundant-small with the best demand by Claim 1."""
    from theory.optimal_demand import optimal_demand

    demand = float(optimal_demand(load, RATE, 3.0, 3.0))
    return BASELINE if demand == 0 else redundant_small(demand, RATE).text


def fig3(quick: bool) -> tuple[Curve, ...]:
    """Return the mean slowdown under each policy."""
    names: dict[str, dict[float, str]] = {
        "Redundant-RL": dict.fromkeys(LOADS, LEARNED),
        "Redundant-small, d*": {load: promised(load) for load in LOADS},
        "no redundancy": dict.fromkeys(LOADS, BASELINE),
    }
    return tuple(
        Curve(name, LOADS, tuple(_mean(load, of[load]) for load in LOADS)) for name, of in names.items()
    )


def _mean(load: float, policy: str) -> Estimate:
    return played(3.0, load, True).policies[policy].estimate("slowdown", "mean")


#: Tasks of a job; probability that a task is an outlier. Neither is printed.
TASKS, PROBABILITY = (10, 50), 0.09
COPIES = tuple(range(1, 11))


def dolly_fig5(quick: bool) -> tuple[Curve, ...]:
    """Return both formulas for two jobs."""
    from theory.cloning import job_outlier_probability, task_outlier_probability

    rules = {"whole jobs cloned": job_outlier_probability, "each task cloned": task_outlier_probability}
    return tuple(
        Curve.of_theory(f"{name}, {tasks} tasks", COPIES, rule(PROBABILITY, tasks, COPIES))
        for name, rule in rules.items()
        for tasks in TASKS
    )


#: Bar -> the claim of the panel it is read from, against LATE and against Mantri.
BARS = {
    "each task, all jobs": ("dolly-fig6-task-late", "dolly-fig6-task-mantri"),
    "whole jobs, all jobs": ("dolly-fig6-job-late", "dolly-fig6-job-mantri"),
    "each task, small jobs": ("dolly-fig6-small-late", "dolly-fig6-small-mantri"),
    "small only, all jobs": ("dolly-fig6-overall-late", "dolly-fig6-overall-mantri"),
}
#: What the paper reports of them, in per cent.
REPORTED = ((44.0, 31.0, 47.0, 40.0), (35.0, 26.0, 39.0, 33.0))
BASELINES = ("LATE", "Mantri")


def in_percent(share: Estimate) -> Estimate:
    """Return a share in per cent.

    Examples
    --------
    >>> in_percent(Estimate(0.5, 0.25, 0.75))
    Estimate(value=50.0, low=25.0, high=75.0, reliable=True)
    """
    ends = (None if one is None else 100 * one for one in (share.value, share.low, share.high))
    return Estimate(*ends)


def dolly_fig6(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claims, a bar each, in per cent."""
    curves = []
    for panel, baseline in enumerate(BASELINES):
        keys = {name: pair[panel] for name, pair in BARS.items()}
        found = tuple(in_percent(outcomes(key)[""]) for key in keys.values())
        curves.append(Curve(f"saved against {baseline}", tuple(keys), found, panel))
    return tuple(curves)


AKTAS_SOLJANIN = (
    picture(
        "as-fig1",
        panels=(
            Panel("time (task sizes)", "probability that the job still runs", xlim=(1, 6), ylim=(0, 1.02)),
        ),
        draw=fig1,
    ),
    picture(
        "as-cost",
        panels=(Panel("tasks started, n", "mean cost E[C] (task sizes)", xlim=(NEEDED, 3 * NEEDED)),),
        draw=cost,
    ),
    picture(
        "as-fig2",
        panels=(
            Panel("largest demand d that gets redundancy", "mean response time", log=True, ylim=(0, 120)),
        ),
        draw=fig2,
        simulated=True,
    ),
    picture(
        "as-fig3",
        panels=(Panel("offered load ρ₀", "mean slowdown", xlim=(0.05, 0.95), ylim=(0, 8)),),
        draw=fig3,
        simulated=True,
    ),
)


DOLLY = (
    picture(
        "dolly-fig5",
        panels=(
            Panel(
                "copies, the original included", "probability of an outlier", xlim=(0.8, 10.2), ylim=(0, 1.02)
            ),
        ),
        draw=dolly_fig5,
        marks=(Mark("at most 5 % with 3 copies, for 96 % of the jobs", x=3, y=0.05),),
    ),
    picture(
        "dolly-fig6",
        panels=tuple(
            Panel("what is cloned", "saved of the mean flowtime (%)", f"Against {one}", ylim=(-230.0, 60.0))
            for one in BASELINES
        ),
        draw=dolly_fig6,
        marks=tuple(
            Mark(f"{share:g} %", x=name, y=share, panel=panel)
            for panel, reported in enumerate(REPORTED)
            for name, share in zip(BARS, reported, strict=True)
        ),
    ),
)
