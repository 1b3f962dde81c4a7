"""Theorems 1 to 3 of Xu and Lau: the load of clones, the gradient projection, two copies on detection."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from sim.model.statistics import Estimate
from sim.papers.claim import FAILED, Claim, Measured, Region

#: Tail indices of task times.
TAILS = (1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0)
#: Example of the paper's Fig. 1: tasks, shortest task times, machines, most copies, weight of resource.
EXAMPLE = ((10, 20, 5, 10), (1.0, 2.0, 1.0, 2.0), 2.0, 100, 8, 0.01)
#: Iterations, and how many at the end must stay at the optimum.
ITERATIONS, LAST = 1000, 100
#: Share of the work done when a straggler is detected.
SHARES = (0.0, 0.2, 0.5, 0.8)


def exact(value: float) -> Estimate:
    """Return a number without doubt."""
    return Estimate(float(value), float(value), float(value))


def clones(quick: bool) -> Measured:
    """Return the largest relative gap of the load of two copies from an integral of the law's tail."""
    from scipy.integrate import quad

    from theory.cutoff import cloning_load_limit

    gaps = []
    for tail in TAILS:
        mean = tail / (tail - 1)
        shorter = 1 + quad(lambda t, a=tail: t ** (-2 * a), 1, np.inf)[0]
        gaps.append(abs(2 * shorter / mean * float(cloning_load_limit(tail)) - 1))
    limits = {
        f"limit of the load at alpha = {one:g}": exact(float(cloning_load_limit(one)))
        for one in (1.2, 2.0, 4.0)
    }
    return Measured(exact(max(gaps)), choices={} if quick else limits)


def distance(steps: Sequence[float], decay: float = 0.0) -> Estimate:
    """Return how far the last iterations of the gradient projection are from the optimum, in copies."""
    from theory.gradient_projection import gradient_projection
    from theory.optimal_cloning import optimal_cloning

    best = np.asarray(optimal_cloning(*EXAMPLE).copies)
    path = gradient_projection(*EXAMPLE, steps=steps, decay=decay, iterations=ITERATIONS).copies
    return exact(float(np.abs(path[-LAST:] - best).max()))


def projection(quick: bool) -> Measured:
    """Return the distance with the printed steps, and with a smaller or a falling one."""
    others = {
        "steps 0.002, 0.3, 0.4": distance((0.002, 0.3, 0.4)),
        "printed steps, falling with the iteration": distance((0.2, 0.3, 0.4), decay=0.1),
    }
    return Measured(distance((0.2, 0.3, 0.4)), choices=others)


def copies(quick: bool) -> Measured:
    """Return the number of copies that is farthest from two, over the tail indices."""
    from theory.detection import detection_optimum

    best = {f"alpha = {tail:g}": exact(float(detection_optimum(tail).copies)) for tail in TAILS}
    return Measured(max(best.values(), key=lambda one: one.value or 0.0), choices=best)


def independent(quick: bool) -> Measured:
    """Return how much the best threshold moves with the share of the work after which stragglers are seen."""
    from scipy.optimize import minimize_scalar

    from theory.detection import detection_resource

    spreads = {}
    for tail in (1.5, 2.0, 3.0):
        best = [
            minimize_scalar(
                lambda sigma, s=share, a=tail: float(detection_resource(2, sigma, a, s)),
                bounds=((tail - 1) / tail + 1e-9, 4.0),
                method="bounded",
                options={"xatol": 1e-10},
            ).x
            for share in SHARES
        ]
        spreads[f"alpha = {tail:g}"] = exact(max(best) - min(best))
    return Measured(max(spreads.values(), key=lambda one: one.value or 0.0), choices=spreads)


claim = partial(Claim, paper="XL", system="Theorem")

CLAIMS = (
    claim(
        key="xl-theorems-one",
        place="Theorem 1",
        statement="Two copies of every task multiply the load by 4 (alpha - 1) / (2 alpha - 1).",
        setting="Pareto task times, two copies of every task from the start",
        method="Largest relative gap of the formula from twice the integral of the squared tail of the law, "
        "over twelve tail indices from 1.1 to 5.",
        reported=0.0,
        unit="of the load",
        compute=clones,
        region=Region(-1e-6, 1e-6),
    ),
    claim(
        key="xl-theorems-two",
        place="Theorem 2",
        statement="With positive steps the gradient projection converges to the optimum.",
        setting="The four jobs of Fig. 1 on 100 machines, r = 8, steps 0.2, 0.3, 0.4; gamma is not printed",
        method="Largest distance of any job's copies from the exact optimum of P2 in the last 100 of 1,000 "
        "iterations, gamma = 0.01.",
        reported=0.0,
        unit="copies",
        compute=projection,
        region=Region(-0.01, 0.01),
        because={
            FAILED: "The proof is for continuous time: with a step of the price this large the iteration "
            "jumps over the optimum for ever, with a small one or steps that fall it converges."
        },
    ),
    claim(
        key="xl-theorems-three-copies",
        place="Theorem 3",
        statement="Two copies are optimal once a straggler is detected.",
        setting="Pareto task times; the threshold is the best for each number of copies",
        method="The number of copies of least resource that is farthest from two, over twelve tail indices "
        "from 1.1 to 5.",
        reported=2.0,
        unit="copies",
        compute=copies,
        region=Region(2.0, 2.0),
        because={
            FAILED: "At alpha = 1.5 the least is used by {alpha = 1.5|count} copies, at 1.6 by "
            "{alpha = 1.6|count}; from there on the theorem holds, at the paper's alpha = 2 among them."
        },
    ),
    claim(
        key="xl-theorems-three-threshold",
        place="Theorem 3",
        statement="The optimal threshold depends on the tail index alone.",
        setting="Pareto task times, two copies on detection",
        method="Difference between the numerically best thresholds for s = 0, 0.2, 0.5 and 0.8, the largest "
        "of three tail indices; a mean task time only sets the unit.",
        reported=0.0,
        unit="E[x]",
        compute=independent,
        region=Region(-1e-4, 1e-4),
    ),
)
