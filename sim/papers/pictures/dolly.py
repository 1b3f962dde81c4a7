"""Pictures of Dolly's figures, and of numbers of its sections 2 and 3."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.model.statistics import Estimate, student
from sim.papers.dolly import busy, by_chance, ended, over_blocks, scenario, shares_up_to
from sim.papers.picture import Curve, Mark, Panel, picture
from sim.papers.record import outcomes

#: Busy slots at which their distribution is drawn, in per cent.
BUSY = np.arange(2, 101, 2)


def fig1(quick: bool) -> tuple[Curve, ...]:
    """Return the share of the time with no more busy slots, over runs without copies."""
    shares = [student([float((100 * one <= most).mean()) for one in busy(quick)]) for most in BUSY]
    return (Curve("slots", tuple(BUSY.tolist()), tuple(shares)),)


#: Points of a curve.
POINTS = 120


def fig2(quick: bool) -> tuple[Curve, ...]:
    """Return the shares of the jobs and of the work in jobs of no more tasks, by the law of tasks."""
    at = np.unique(np.geomspace(1, scenario().tasks_max, POINTS).round())
    jobs, work = zip(*shares_up_to(tuple(at.tolist())), strict=True)
    return (Curve.of_theory("jobs", at, jobs), Curve.of_theory("their work", at, work))


#: Tasks of a job at which the slowest is drawn.
SIZES = np.unique(np.geomspace(2, 1000, 25).round()).astype(int).tolist()


def fig3(quick: bool) -> tuple[Curve, ...]:
    """Return the slowest task over the median one: mean, median and 90th percentile over jobs."""
    named: dict[str, Callable[[np.ndarray], float]] = {
        "mean": np.mean,
        "half of the jobs": np.median,
        "nine jobs in ten": lambda block: float(np.quantile(block, 0.9)),
    }
    return tuple(
        Curve(name, tuple(SIZES), tuple(over_blocks(tasks, statistic) for tasks in SIZES))
        for name, statistic in named.items()
    )


#: Bar -> the claim that it is, and what the paper reports, in per cent.
GAINS = {
    "no outliers, all jobs": ("dolly-section2-ceiling", 46.0),
    "no outliers, small jobs": ("dolly-section2-ceiling-small", 49.0),
    "whole clones, small jobs": ("dolly-section2-strawman", 35.0),
}


def section2(quick: bool) -> tuple[Curve, ...]:
    """Return what is recorded of the claims, a bar each, in per cent."""
    return (Curve("saved", tuple(GAINS), tuple(in_percent(outcomes(key)[""]) for key, _ in GAINS.values())),)


#: Lengths of a window, in units of time.
WINDOWS = (5, 10, 20, 30, 50, 75, 100)


def section3(quick: bool) -> tuple[Curve, ...]:
    """Return how p_m varies over machines that are alike, by chance."""
    at = tuple(round(ended(units), 3) for units in WINDOWS)
    return (Curve("machines all alike", at, tuple(by_chance(units, True) for units in WINDOWS)),)


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


PICTURES = (
    picture(
        "dolly-fig1",
        panels=(Panel("busy slots (%)", "share of the time with no more", xlim=(0, 100), ylim=(0, 1.02)),),
        draw=fig1,
        marks=(Mark("median 21 %", x=21.0, y=0.5), Mark("up to 50 % for 92 % of the time", x=50.0, y=0.92)),
        simulated=True,
    ),
    picture(
        "dolly-fig2",
        panels=(Panel("tasks of a job", "share in jobs of no more tasks", log=True, ylim=(0, 1.02)),),
        draw=fig2,
        marks=(
            Mark("82 % of the jobs have fewer than 10 tasks", x=9.0, y=0.82),
            Mark("6 % of the work", x=9.0, y=0.06),
        ),
    ),
    picture(
        "dolly-fig3",
        panels=(Panel("tasks of a job", "slowest task / median task", log=True, ylim=(0, 60)),),
        draw=fig3,
        marks=(Mark("over 12 in small jobs", y=12.0),),
        simulated=True,
    ),
    picture(
        "dolly-section2",
        panels=(Panel("what is compared with LATE", "saved of the mean flowtime (%)", ylim=(0, 75)),),
        draw=section2,
        marks=tuple(Mark(f"{y:g} %", x=name, y=y) for name, (_, y) in GAINS.items()),
    ),
    picture(
        "dolly-section3",
        panels=(
            Panel(
                "tasks that end on a machine in a window, on average",
                "coefficient of variation of p_m",
                xlim=(0, 11),
                ylim=(0, 4),
            ),
        ),
        draw=section3,
        marks=(Mark("2.12", y=2.12),),
    ),
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
