"""Pictures of Xu & Lau's figures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from sim.model.statistics import student
from sim.papers.picture import Curve, Mark, Panel, picture
from sim.papers.record import outcomes
from sim.papers.runs import RunRecord, run
from sim.papers.xu_lau import ESE, FIG2, GAMMA, SIGMAS

#: Runs behind a distribution: as many as in Xu and Lau's paper.
RUNS = 3


def shares(
    name: str,
    preset: str,
    policy: str,
    quick: bool,
    at: np.ndarray,
    measure: Callable[[RunRecord], np.ndarray],
    panel: int = 0,
) -> Curve:
    """Return the share of the jobs up to each of some values, over runs of a preset.

    Parameters
    ----------
    name, panel
        Of the curve.
    preset, policy, quick
        As `sim.papers.runs.run` takes them.
    at : ndarray
    measure : callable
        Run -> a number a job.
    """
    found = [np.sort(measure(run(preset, policy, k, quick))) for k in range(RUNS)]
    table = np.array([np.searchsorted(one, at, side="right") / one.size for one in found])
    return Curve(name, tuple(at.tolist()), tuple(student(list(column)) for column in table.T), panel)


def draw_sigmas(key: str, system: str, quick: bool) -> tuple[Curve, ...]:
    """Return flowtime and resource over the threshold, and without backup beside."""
    curves = []
    for panel, measure in enumerate(("flowtime", "resource")):
        found = outcomes(f"{key}-{measure}")
        swept = tuple(found[f"sigma = {sigma:g}: mean"] for sigma in SIGMAS)
        curves.append(Curve(system, SIGMAS, swept, panel))
        none = found["no backup: mean"]
        curves.append(Curve("no backup", (SIGMAS[0], SIGMAS[-1]), (none, none), panel))
    return tuple(curves)


TASKS, SCALES = (10, 20, 5, 10), (1.0, 2.0, 1.0, 2.0)
ITERATIONS = 60
#: Steps of the two panels; in the second the price's is small enough.
PRINTED, SMALL = (0.2, 0.3, 0.4), (0.002, 0.3, 0.4)


def fig1(quick: bool) -> tuple[Curve, ...]:
    """Return the copies of each job by iteration, as printed and with a small step of the price."""
    from theory.gradient_projection import gradient_projection

    curves = []
    for panel, steps in enumerate((PRINTED, SMALL)):
        path = gradient_projection(
            TASKS, SCALES, 2.0, 100, 8, 0.01, steps=steps, iterations=ITERATIONS
        ).copies
        for job in range(len(TASKS)):
            curves.append(Curve.of_theory(f"job {job + 1}", range(len(path)), path[:, job], panel))
    return tuple(curves)


ACROSS, UPWARDS, YLIM = "iteration", "copies of each task", (0.0, 8.5)
POLICIES = {"SCA": "sca", "SDA": "sda", "Mantri": "mantri-xl", "no backup": "no-backup"}
FLOWTIMES, RESOURCES = np.linspace(0, 40, 41), np.linspace(0, 8, 33)


def fig2(quick: bool) -> tuple[Curve, ...]:
    """Return the distributions of both panels under each policy."""
    curves = []
    for name, policy in POLICIES.items():
        curves.append(shares(name, FIG2, policy, quick, FLOWTIMES, lambda kept: kept.age))
        curves.append(shares(name, FIG2, policy, quick, RESOURCES, lambda kept: GAMMA * kept.resource, 1))
    return tuple(curves)


TAILS = (2.0, 3.0, 4.0, 5.0)
FINE_SIGMAS = np.linspace(0.1, 6, 119)


def fig4(quick: bool) -> tuple[Curve, ...]:
    """Return equation (30) to (33) for each tail index."""
    from theory.ese import ese_resource

    return tuple(
        Curve.of_theory(f"α = {tail:g}", FINE_SIGMAS, ese_resource(FINE_SIGMAS, tail)) for tail in TAILS
    )


BUSY_POLICIES = {"ESE": ESE, "Mantri": "mantri-xl", "no backup": "no-backup"}
FIG6 = "xu-lau-fig6-40"
FLOWTIMES, RESOURCES = np.linspace(0, 40, 41), np.linspace(0, 8, 33)


def fig6(quick: bool) -> tuple[Curve, ...]:
    """Return the distributions of the jobs that ended, under each policy."""
    curves = []
    for name, policy in BUSY_POLICIES.items():
        curves.append(shares(name, FIG6, policy, quick, FLOWTIMES, lambda kept: kept.flowtime))
        curves.append(
            shares(name, FIG6, policy, quick, RESOURCES, lambda kept: GAMMA * kept.resource[kept.done], 1)
        )
    return tuple(curves)


PICTURES = (
    picture(
        "xl-fig1",
        panels=(
            Panel(ACROSS, UPWARDS, "Steps 0.2, 0.3, 0.4, as printed", ylim=YLIM),
            Panel(ACROSS, UPWARDS, f"Step {SMALL[0]} of the price", ylim=YLIM),
        ),
        draw=fig1,
    ),
    picture(
        "xl-fig2",
        panels=(
            Panel("flowtime (units)", "share of the jobs", ylim=(0, 1.02)),
            Panel("resource (γ × slot-time)", "share of the jobs", ylim=(0, 1.02)),
        ),
        draw=fig2,
        marks=(
            Mark("80 % within 6, SCA", x=6, y=0.8),
            Mark("90 % within 9, SCA", x=9, y=0.9),
            Mark("80 % within 17, Mantri", x=17, y=0.8),
            Mark("90 % within 25, Mantri", x=25, y=0.9),
            Mark("80 % below 2, SCA", x=2, y=0.8, panel=1),
            Mark("80 % below 1.5, Mantri", x=1.5, y=0.8, panel=1),
        ),
        simulated=True,
    ),
    picture(
        "xl-fig3",
        panels=(
            Panel("threshold σ (mean task times)", "mean flowtime (units)", xlim=(0, 4.2), ylim=(6.0, 17.0)),
            Panel("threshold σ (mean task times)", "mean resource", xlim=(0, 4.2), ylim=(1.1, 1.4)),
        ),
        draw=partial(draw_sigmas, "xl-fig3", "SDA"),
        marks=(Mark("smallest at 1 + √2/2", x=1.707), Mark("smallest at 1 + √2/2", x=1.707, panel=1)),
    ),
    picture(
        "xl-fig4",
        panels=(Panel("threshold σ (mean task times)", "E[R] / E[x]", xlim=(0, 6), ylim=(0.94, 1.3)),),
        draw=fig4,
        marks=(Mark("smallest at 1.7 for α = 2", x=1.7), Mark("very close to 2 for α ≥ 3", x=2.0)),
    ),
    picture(
        "xl-fig5",
        panels=(
            Panel("threshold σ (mean task times)", "flowtime", xlim=(0, 4.2), ylim=(100, 260)),
            Panel("threshold σ (mean task times)", "resource", xlim=(0, 4.2), ylim=(90, 120)),
        ),
        draw=partial(draw_sigmas, "xl-fig5", "ESE"),
        marks=(Mark("smallest close to 1.7", x=1.7), Mark("smallest close to 1.7", x=1.7, panel=1)),
    ),
    picture(
        "xl-fig6",
        panels=(
            Panel("flowtime (units)", "share of the jobs that ended", ylim=(0, 1.02)),
            Panel("resource (γ × slot-time)", "share of the jobs that ended", ylim=(0, 1.02)),
        ),
        draw=fig6,
        marks=(Mark("80 % within 10, ESE", x=10, y=0.8), Mark("80 % within 18, Mantri", x=18, y=0.8)),
        simulated=True,
    ),
)
