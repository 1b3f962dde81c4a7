"""Xu & Lau: which load is light, how many clones, and copies once a straggler is detected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pages.errata.evidence import OTHER, PRINTED, Line, Numbers, Picture, by_name
from sim.telling.plot import Part
from sim.telling.words import number, percent, plain
from theory.cloned_job import cloned_job_resource
from theory.cutoff import cloning_load_limit, cloning_speed_up, cutoff_load, offered_load, single_copy_delay
from theory.detection import critical_tail_index, detection_optimum, detection_resource, sigma_star
from theory.ese import ese_resource, mantri_sigma
from theory.gradient_projection import gradient_projection, largest_stable_step
from theory.optimal_cloning import optimal_cloning
from theory.pareto import pareto_tail

#: The cluster of the paper's simulations; the variability is that of mean task times uniform on [1, 4].
MACHINES, TASKS, MEAN, VARIABILITY = 3000, 50.5, 2.5, 1.12
#: The four jobs of the paper's Fig. 1, and the weight of resource of its simulations.
FIG1: dict[str, Any] = {"m": [10, 20, 5, 10], "scale": [1, 2, 1, 2], "alpha": 2, "machines": 100, "limit": 8}
GAMMA, PRINTED_STEPS, SHORT_STEPS = 0.01, (0.2, 0.3, 0.4), (0.002, 0.3, 0.4)


def cutoff() -> Numbers:
    """Return the cutoff by the tail index, for equal jobs and for jobs as simulated."""
    alpha = np.linspace(1.05, 6, 200)
    at_two, at_three = float(cutoff_load(2.0)), [float(cutoff_load(3.0, k)) for k in (1, VARIABILITY)]
    lines = (
        Line("cutoff, equal jobs", alpha, cutoff_load(alpha)),
        Line("cutoff, jobs as simulated", alpha, cutoff_load(alpha, VARIABILITY), OTHER),
    )
    axes: tuple[Part, Part] = ({}, {"range": [0, 1.6]})
    values = {
        "two": plain(at_two),
        "wait": "for ever" if np.isinf(single_copy_delay(0.5, 2.0)) else "a while",
        "three": number(at_three[0]),
        "simulated": number(at_three[1]),
    }
    across, upwards = "tail index α of task times", "load up to which two copies pay"
    return Numbers(values, picture=Picture(lines, across, upwards, axes=axes))


def overload() -> Numbers:
    """Return the loads of the simulations, without copies and with the best saving."""
    rates = [6, 30, 40]
    saving = float(ese_resource(sigma_star(2.0), 2.0))
    load = np.asarray(offered_load(rates, MACHINES, TASKS, MEAN))
    table = pd.DataFrame(
        {
            "load, no copies": [number(x) for x in load],
            "with the best ESE": [number(x) for x in load * saving],
        },
        index=[f"λ = {rate}" for rate in rates],
    )
    values = {"machines": f"{MACHINES}", "tasks": f"{TASKS}", "mean": f"{MEAN}"}
    return Numbers(values | {"saved": percent(1 - saving)}, table)


def bound() -> Numbers:
    """Return how many times as fast a task is, by its copies, and the bound."""
    copies = np.arange(1, 11)
    gain, limit = np.asarray(cloning_speed_up(2.0, copies)), 2.0 / (2.0 - 1.0)
    lines = (
        Line("speed-up", copies, gain, marked=True),
        Line("α/(α − 1), printed as a lower bound", copies, np.full(copies.size, limit), PRINTED),
    )
    values = {"two": number(float(gain[1])), "ten": number(float(gain[-1])), "limit": plain(limit)}
    return Numbers(values, picture=Picture(lines, "copies r", "mean time, one copy ÷ r copies"))


def stability() -> Numbers:
    """Return the largest load of two, three and four copies, by the tail index."""
    alpha = np.linspace(1.1, 4, 120)
    lines = tuple(
        Line(f"{r} copies", alpha, cloning_load_limit(alpha, r), role) for role, r in enumerate((2, 3, 4))
    )
    axes: tuple[Part, Part] = ({}, {"range": [0, 2.5]})
    values = {
        "heavy": plain(float(cloning_load_limit(1.25))),
        "two": plain(float(cloning_load_limit(2.0))),
        "three": number(float(cloning_load_limit(2.0, 3))),
    }
    across, upwards = "tail index α of task times", "largest load before cloning"
    return Numbers(values, picture=Picture(lines, across, upwards, axes=axes))


def _listed(copies: np.ndarray) -> str:
    return f"({', '.join(f'{c:.2f}' for c in copies)})"


def cycle() -> Numbers:
    """Return the copies of a job along the iteration, with the printed step and with a short one."""
    rounds = np.arange(31)
    printed = gradient_projection(**FIG1, gamma=GAMMA, steps=PRINTED_STEPS, iterations=30).copies
    short = gradient_projection(**FIG1, gamma=GAMMA, steps=SHORT_STEPS, iterations=30).copies
    low, high = (printed[-3:][place] for place in (printed[-3:, 0].argmin(), printed[-3:, 0].argmax()))
    best = optimal_cloning(**FIG1, gamma=GAMMA).copies
    values = {
        "gamma": f"{GAMMA}",
        "best": _listed(best),
        "step": f"{PRINTED_STEPS[0]}",
        "low": _listed(low),
        "high": _listed(high),
        "limit": number(largest_stable_step(**FIG1, gamma=GAMMA), 2),
        "short": f"{SHORT_STEPS[0]}",
    }
    lines = (
        Line("job 1, short step", rounds, short[:, 0]),
        Line("job 1, step of Fig. 1", rounds, printed[:, 0], PRINTED, marked=True),
        Line("optimum", rounds, np.full(rounds.size, best[0]), OTHER),
    )
    return Numbers(values, picture=Picture(lines, "iteration k", "copies of each task"))


def stopping() -> Numbers:
    """Return where the corrected test stops the iteration, and the optimum."""
    path = gradient_projection(**FIG1, gamma=GAMMA, iterations=20)
    best = optimal_cloning(**FIG1, gamma=GAMMA).copies
    stopped = path.stopped
    where = "never" if stopped is None else f"in iteration {stopped}, at {_listed(path.copies[stopped])}"
    return Numbers({"where": where, "best": _listed(best)})


def no_box() -> Numbers:
    """Return where the maximum ceases to exist, and where the iteration ends within bounds."""
    path = gradient_projection(**FIG1, gamma=GAMMA, box=False, iterations=100)
    boxed = gradient_projection(**FIG1, gamma=GAMMA, steps=SHORT_STEPS, iterations=200)
    values = {"at": f"{path.unbounded}", "low": f"{path.copies.min():.2f}"}
    return Numbers(values | {"boxed": _listed(boxed.copies[-1])})


def corner() -> Numbers:
    """Return the logarithm of the tail of the law, and the copies of least cost."""
    time, copies = np.linspace(0.2, 4, 200), np.linspace(1, 4, 901)
    log_tail = np.log(pareto_tail(time, 1.0, 1.5))
    cost = np.asarray(cloned_job_resource(1, copies, 1.0, 1.5))
    best = float(copies[cost.argmin()])
    picture = Picture((Line("ln(1 − F)", time, log_tail),), "time t", "ln(1 − F(t))")
    return Numbers({"best": number(best)}, picture=picture)


def rounding() -> Numbers:
    """Return the real optimum, the same rounded down, and the best whole numbers."""
    real = optimal_cloning(**FIG1, gamma=GAMMA)
    whole = optimal_cloning(**FIG1, gamma=GAMMA, integer=True)
    floor = np.floor(real.copies)
    tasks = np.array(FIG1["m"])
    table = pd.DataFrame(
        {
            "copies": [_listed(real.copies), str(tuple(map(int, floor))), str(tuple(map(int, whole.copies)))],
            "machines used": [number(float(c @ tasks)) for c in (real.copies, floor, whole.copies)],
        },
        index=["real optimum", "rounded down", "best whole numbers"],
    )
    return Numbers({}, table)


def gamma() -> Numbers:
    """Return the optimum for several weights of resource."""
    weights = (0.0, 0.01, 0.1, 1.0)
    plans = [optimal_cloning(**FIG1, gamma=weight) for weight in weights]
    table = pd.DataFrame(
        {
            "copies": [_listed(plan.copies) for plan in plans],
            "price of a machine": [plain(round(plan.price, 4)) for plan in plans],
        },
        index=[f"γ = {plain(weight)}" for weight in weights],
    )
    return Numbers({}, table)


def three_copies() -> Numbers:
    """Return what three copies on detection save beside two, by the tail index."""
    alpha = np.linspace(1.15, 2.2, 85)
    best = [1 - np.asarray(detection_resource(c, sigma_star(alpha, c), alpha, 0.0)) for c in (2, 3)]
    critical, at = critical_tail_index(), detection_optimum(1.3)
    lines = (Line("three copies over two", alpha, best[1] - best[0]),)
    axes: tuple[Part, Part] = ({}, {"tickformat": "+.1%", "zeroline": True, "zerolinewidth": 1})
    marks = ((critical, "α_c"),)
    values = {"critical": f"{critical:.2f}", "copies": f"{at.copies}", "sigma": number(at.sigma)}
    return Numbers(
        values | {"saved": percent(1 - at.resource)},
        picture=Picture(lines, "tail index α of task times", "saved in addition", marks, axes),
    )


def integrand() -> Numbers:
    """Return G and 1 - G by time."""
    alpha, threshold = 2.0, 2.0
    time = np.linspace(threshold, 20, 200)
    both = np.asarray(pareto_tail(time, 1.0, alpha)) ** 2  # one new copy, looked at when the task starts
    values = {
        "first": number(float(both[0])),
        "last": number(float(both[-1]), 2),
        "printed": number(float(1 - both[-1]), 5),
    }
    lines = (Line("G, right", time, both), Line("1 − G, as printed", time, 1 - both, PRINTED))
    return Numbers(values, picture=Picture(lines, "time t", "integrand"))


def same_threshold() -> Numbers:
    """Return the best threshold of SDA and ESE by the tail index."""
    alpha = np.linspace(1.05, 6, 150)
    sigma = np.asarray(sigma_star(alpha))
    two, one = float(sigma_star(2.0)), float(sigma_star(1.1))
    scan = np.linspace(1, 3, 20001)
    ese = float(scan[np.argmin(ese_resource(scan, 2.0))])
    axes: tuple[Part, Part] = ({}, {"range": [0, 2.1]})
    marks = ((2.0, "α = 2"),)
    line = Line("σ*, for SDA and ESE", alpha, sigma)
    values = {"two": f"{two:.4f}", "ese": f"{ese:.4f}", "one": number(one), "six": number(float(sigma[-1]))}
    across, upwards = "tail index α of task times", "best threshold σ*"
    return Numbers(values, picture=Picture((line,), across, upwards, marks, axes))


def saving() -> Numbers:
    """Return the machine time under ESE by the threshold, for three tail indices."""
    sigma = np.linspace(0.3, 5, 300)
    lines = tuple(
        Line(f"α = {plain(alpha)}", sigma, ese_resource(sigma, alpha), role)
        for role, alpha in enumerate((1.5, 2.0, 4.0))
    )
    saved = {alpha: 1 - float(ese_resource(sigma_star(alpha), alpha)) for alpha in (1.5, 2.0, 4.0)}
    values = {
        "saved": ", ".join(f"{percent(share)} at α = {plain(alpha)}" for alpha, share in saved.items()),
        "cost": percent(float(ese_resource(0.5, 2.0)) - 1),
    }
    return Numbers(values, picture=Picture(lines, "threshold σ", "machine time, in mean tasks"))


def mantri() -> Numbers:
    """Return the machine time by the threshold, with Mantri's and the best one."""
    alpha, delta = 2.0, 0.25
    sigma = np.linspace(0.55, 3, 200)
    rule, best = float(mantri_sigma(alpha, delta)), float(sigma_star(alpha))
    used = [float(detection_resource(2, s, alpha, 0.0)) for s in (rule, best)]
    line = Line("with a copy on detection", sigma, detection_resource(2, sigma, alpha, 0.0))
    marks = ((rule, "Mantri, δ = 0.25"), (best, "σ*"))
    values = {"rule": f"{rule:.3f}", "best": f"{best:.3f}"}
    values |= {"saved": percent(1 - used[0]), "most": percent(1 - used[1])}
    return Numbers(values, picture=Picture((line,), "threshold σ", "machine time, in mean tasks", marks))


EVIDENCE = by_name(
    *(cutoff, overload, bound, stability),
    *(cycle, stopping, no_box, corner, rounding, gamma),
    *(three_copies, integrand, same_threshold, saving, mantri),
)
