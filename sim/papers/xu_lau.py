"""Xu & Lau: Theorems 1 to 3, and Figs. 2 to 6."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from sim.engines.registry import preset
from sim.model.statistics import Estimate, student
from sim.papers.claim import Measured
from sim.papers.runs import (
    PAPER,
    QUICK,
    RunRecord,
    exact,
    flowtime_at,
    mean_saved,
    measured,
    replicated,
    run,
)

#: Weight of slot-time in the paper's resource.
GAMMA = 0.01
#: Tasks of a small job, at most.
SMALL = 10


# --- the theorems: the load of clones, the gradient projection, two copies on detection

#: Tail indices of task times.
TAILS = (1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0)
#: Example of the paper's Fig. 1: tasks, shortest task times, machines, most copies, weight of resource.
EXAMPLE = ((10, 20, 5, 10), (1.0, 2.0, 1.0, 2.0), 2.0, 100, 8, 0.01)
#: Iterations, and how many at the end must stay at the optimum.
ITERATIONS, LAST = 1000, 100
#: Share of the work done when a straggler is detected.
SHARES = (0.0, 0.2, 0.5, 0.8)


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


# --- Fig. 2: flowtimes and resource of SCA, SDA and Mantri in a light cluster

FIG2 = "xu-lau-fig2"
#: Choices the paper leaves open -> the fields they change.
OPEN: dict[str, dict[str, Any]] = {
    "s = 0.05": {"observe": "fraction:0.05"},
    "s = 0.5": {"observe": "fraction:0.5"},
    "decisions at events": {"decision_interval": 0.0},
}
OPEN_MANTRI = {**OPEN, "Mantri sees elapsed times only": {"observe": "never"}}


def resource_at(share: float) -> Callable[[RunRecord], float]:
    """Quantile of the resource of the jobs, in the paper's units."""
    return lambda kept: GAMMA * float(np.quantile(kept.resource, share, method="inverted_cdf"))


def blind_mantri(quick: bool, policy: str) -> dict[str, Estimate]:
    """Estimate savings against a Mantri that sees elapsed times only, and against no backup."""

    def one(replication: int) -> float:
        blind = run(FIG2, "mantri-xl", replication, quick, (("observe", "never"),))
        return mean_saved(blind, run(FIG2, policy, replication, quick))

    return {
        "Mantri sees elapsed times only": student([one(k) for k in range(QUICK if quick else PAPER)]),
        "against no backup": replicated(FIG2, ("no-backup", policy), mean_saved, quick),
    }


def copies_of_sca(quick: bool) -> dict[str, Estimate]:
    """Estimate the saving of SCA where at most 2 or 3 copies are allowed."""
    return {
        f"r = {r}": replicated(FIG2, ("mantri-xl", f"sca:copies={r}"), mean_saved, quick) for r in (2, 3)
    } | blind_mantri(quick, "sca")


def saved_by_sca(quick: bool) -> Measured:
    """Return the share of the mean flowtime that SCA saves, and the same for each open choice."""
    return measured(FIG2, ("mantri-xl", "sca"), mean_saved, quick, OPEN, copies_of_sca(quick))


def saved_by_sda(quick: bool) -> Measured:
    """Return the share of the mean flowtime that SDA saves, and the same for each open choice."""
    return measured(FIG2, ("mantri-xl", "sda"), mean_saved, quick, OPEN, blind_mantri(quick, "sda"))


def quantile_of_sca(share: float, quick: bool) -> Measured:
    """Return the flowtime within which this share of the jobs end under SCA, and with 2 or 3 copies."""
    more = {f"r = {r}": replicated(FIG2, (f"sca:copies={r}",), flowtime_at(share), quick) for r in (2, 3)}
    return measured(FIG2, ("sca",), flowtime_at(share), quick, OPEN, more)


def quantile_of_mantri(share: float, quick: bool) -> Measured:
    """Return the same under Mantri, and without any backup, which is what the paper's curve looks like."""
    more = {"no backup at all": replicated(FIG2, ("no-backup",), flowtime_at(share), quick)}
    return measured(FIG2, ("mantri-xl",), flowtime_at(share), quick, OPEN_MANTRI, more)


def net_saved(before: RunRecord, after: RunRecord, utility: float = 1.0) -> float:
    """Share that the second policy saves of the mean resource plus so many times the flowtime."""
    first, second = (utility * kept.age.mean() + GAMMA * kept.resource.mean() for kept in (before, after))
    return float(1 - second / first)


def fair_metric(quick: bool) -> Measured:
    """Return the share that SCA saves of flowtime plus resource, and the same for each open choice."""
    more = {
        f"a utility of -{weight:g} x flowtime": replicated(
            FIG2, ("mantri-xl", "sca"), partial(net_saved, utility=weight), quick
        )
        for weight in (0.1, 10.0)
    } | {"against no backup": replicated(FIG2, ("no-backup", "sca"), net_saved, quick)}
    return measured(FIG2, ("mantri-xl", "sca"), net_saved, quick, OPEN_MANTRI, more)


def small_saved(before: RunRecord, after: RunRecord) -> float:
    """Share of the mean flowtime of jobs of up to `SMALL` tasks that the second policy saves."""
    small = before.tasks <= SMALL
    return float(1 - after.age[small].mean() / before.age[small].mean())


def sca_beside_sda(statistic: Callable[[RunRecord, RunRecord], float], quick: bool) -> Measured:
    """Estimate a statistic of SDA and SCA on the same jobs, also where SCA may make 2 or 3 copies."""
    more = {f"r = {r}": replicated(FIG2, ("sda", f"sca:copies={r}"), statistic, quick) for r in (2, 3)}
    return measured(FIG2, ("sda", "sca"), statistic, quick, OPEN, more)


def times_as_long(before: RunRecord, after: RunRecord) -> float:
    """Mean flowtime under the second policy over that under the first."""
    return float(after.age.mean() / before.age.mean())


def times_as_dear(before: RunRecord, after: RunRecord) -> float:
    """Mean slot-time of a job under the second policy over that under the first."""
    return float(after.resource.mean() / before.resource.mean())


def fig2_resource(policy: str, quick: bool) -> Measured:
    """Return the resource (0.01 x slot-time) that 80 % of the jobs do not exceed."""
    more = {"no backup at all": replicated(FIG2, ("no-backup",), resource_at(0.8), quick)}
    return measured(FIG2, (policy,), resource_at(0.8), quick, OPEN, more)


# --- Figs. 3 to 5: the threshold at which a statistic is smallest

#: Thresholds tried, in units of E[x].
SIGMAS = (0.5, 0.8, 1.1, 1.4, 1.7, 2.0, 2.3, 2.6, 3.0, 3.5, 4.0)


def mean_age(kept: RunRecord) -> float:
    """Mean flowtime, jobs that did not end counted at their age."""
    return float(kept.age.mean())


def mean_resource(kept: RunRecord) -> float:
    """Mean resource of a job, in the paper's units."""
    return GAMMA * float(kept.resource.mean())


def best_sigma(
    name: str, policy: str, statistic: Callable[[RunRecord], float], quick: bool, replications: int = PAPER
) -> Measured:
    """Estimate the threshold at which a statistic is smallest, in ten blocks of replications."""
    count = QUICK if quick else replications
    table = np.array(
        [
            [statistic(run(name, f"{policy}:sigma={sigma!r}", k, quick)) for sigma in SIGMAS]
            for k in range(count)
        ]
    )
    blocks = [block.mean(axis=0) for block in np.array_split(table, min(count, PAPER))]
    at = {f"sigma = {sigma:g}: mean": student(list(table[:, i])) for i, sigma in enumerate(SIGMAS)}
    none = replicated(name, ("no-backup",), statistic, quick, replications=replications)
    return Measured(
        student([vertex(block) for block in blocks]),
        replications=count,
        seed=preset(name).scenario.seed,
        choices=at | {"no backup: mean": none},
    )


def vertex(means: np.ndarray) -> float:
    """Threshold at the bottom of the parabola through the smallest mean and its neighbours.

    Examples
    --------
    >>> round(vertex(np.square(np.array(SIGMAS) - 1.8)), 6)
    1.8
    """
    i = int(np.clip(np.argmin(means), 1, len(SIGMAS) - 2))
    if np.argmin(means) in (0, len(SIGMAS) - 1):  # at an end: no bottom between
        return SIGMAS[int(np.argmin(means))]
    curve = np.polyfit(SIGMAS[i - 1 : i + 2], means[i - 1 : i + 2], 2)
    return float(-curve[1] / (2 * curve[0]))


def fig3_flowtime(quick: bool) -> Measured:
    """Return the threshold at which the mean flowtime is smallest, replication by replication."""
    return best_sigma("xu-lau-fig3", "sda", mean_age, quick)


def fig3_resource(quick: bool) -> Measured:
    """Return the threshold at which the mean resource is smallest, replication by replication."""
    return best_sigma("xu-lau-fig3", "sda", mean_resource, quick)


def best_threshold(tail: float) -> Estimate:
    """Return the threshold at which the resource of a task by `theory.detection` is smallest."""
    from theory.detection import sigma_star

    best = float(sigma_star(tail))
    return Estimate(best, best, best)


def heavy(quick: bool) -> Measured:
    """Return the best threshold at tail index 2."""
    return Measured(best_threshold(2.0))


def light(quick: bool) -> Measured:
    """Return the best threshold at tail index 3, and beside it those of 4 and 5."""
    best = {f"alpha = {tail:g}": best_threshold(tail) for tail in (3.0, 4.0, 5.0)}
    return Measured(best["alpha = 3"], choices=best)


def least_rise(quick: bool) -> Measured:
    """Return the least rise of the best threshold between tail indices, and the thresholds."""
    best = {tail: best_threshold(tail) for tail in TAILS}
    least = min(np.diff([one.value for one in best.values()]).tolist())
    return Measured(exact(least), choices={f"alpha = {tail:g}": one for tail, one in best.items()})


FIG5 = "xu-lau-fig5"
REPLICATIONS = 50


def fig5_flowtime(quick: bool) -> Measured:
    """Return the threshold at which the job's mean flowtime is smallest, over blocks of runs."""
    return best_sigma(FIG5, "ese", mean_age, quick, REPLICATIONS)


def fig5_resource(quick: bool) -> Measured:
    """Return the threshold at which the job's mean resource is smallest, over blocks of runs."""
    return best_sigma(FIG5, "ese", mean_resource, quick, REPLICATIONS)


def gain(quick: bool) -> Measured:
    """Estimate what ESE saves of the job's resource at tail index 4, as a share of what it saves at 2."""
    from theory.detection import sigma_star

    def saved(tail: float, replication: int) -> float:
        changes = (("straggle_tail", tail), ("size_min", (tail - 1) / tail))
        ese = f"ese:sigma={float(sigma_star(tail))!r}"
        before, after = (run(FIG5, policy, replication, quick, changes) for policy in ("no-backup", ese))
        return float(1 - after.resource[0] / before.resource[0])

    count = QUICK if quick else REPLICATIONS
    savings = {tail: [saved(tail, k) for k in range(count)] for tail in (2.0, 3.0, 4.0)}
    blocks = {
        tail: [b.mean() for b in np.array_split(np.array(v), min(count, PAPER))]
        for tail, v in savings.items()
    }
    ratio = [heavy4 / np.mean(savings[2.0]) for heavy4 in blocks[4.0]]
    return Measured(
        student(ratio),
        replications=count,
        seed=preset(FIG5).scenario.seed,
        choices={f"saved at alpha = {tail:g}": student(values) for tail, values in savings.items()},
    )


# --- Fig. 6: flowtimes and resource of ESE and Mantri in an overloaded cluster

ESE = "ese:sigma=1.7"
#: What the paper leaves open in Fig. 6.
OPEN_BUSY: dict[str, dict[str, Any]] = {
    "every remaining time is seen": {"observe": "fraction:0"},
    "s = 0.5": {"observe": "fraction:0.5"},
    "decisions at events": {"decision_interval": 0.0},
}


def finished_quantile(share: float) -> Callable[[RunRecord], float]:
    """Quantile of the flowtime of the jobs that ended."""
    return lambda kept: float(np.quantile(kept.flowtime, share, method="inverted_cdf"))


def finished_mean_saved(before: RunRecord, after: RunRecord) -> float:
    """Share of the mean flowtime of the jobs that ended that the second policy saves."""
    return float(1 - after.flowtime.mean() / before.flowtime.mean())


def slot_time_ratio(before: RunRecord, after: RunRecord) -> float:
    """Slot-time for each task of a job that ended, the second policy's over the first's."""
    first, second = (kept.resource[kept.done].sum() / kept.tasks[kept.done].sum() for kept in (before, after))
    return float(second / first)


def fig6_quantile(policy: str, quick: bool) -> Measured:
    """Estimate the 0.8 quantile at 40 jobs a unit of time, under each way of counting."""
    name = "xu-lau-fig6-40"
    more = {"all jobs, unfinished ones at their age": replicated(name, (policy,), flowtime_at(0.8), quick)}
    if policy == "mantri-xl":
        more["Mantri sees elapsed times only"] = replicated(
            name, (policy,), finished_quantile(0.8), quick, {"observe": "never"}
        )
        more["no backup at all"] = replicated(name, ("no-backup",), finished_quantile(0.8), quick)
    return measured(name, (policy,), finished_quantile(0.8), quick, OPEN_BUSY, more)


def fig6_mean(quick: bool) -> Measured:
    """Estimate what ESE saves of the mean flowtime, under each way of counting."""
    name, pair = "xu-lau-fig6-40", ("mantri-xl", ESE)

    def blind(replication: int) -> float:
        before = run(name, pair[0], replication, quick, (("observe", "never"),))
        return finished_mean_saved(before, run(name, pair[1], replication, quick))

    more = {
        "all jobs, unfinished ones at their age": replicated(name, pair, mean_saved, quick),
        "Mantri sees elapsed times only": student([blind(k) for k in range(QUICK if quick else PAPER)]),
        "against no backup": replicated(name, ("no-backup", pair[1]), finished_mean_saved, quick),
        "with clones (xi = 5)": replicated(
            name, ("mantri-xl", "ese:sigma=1.7,xi=5"), finished_mean_saved, quick
        ),
    }
    return measured(name, pair, finished_mean_saved, quick, OPEN_BUSY, more)


def fig6_resource(name: str, quick: bool) -> Measured:
    """Estimate the resource of ESE over that of Mantri."""
    more = {
        "with clones (xi = 5)": replicated(name, ("mantri-xl", "ese:sigma=1.7,xi=5"), slot_time_ratio, quick),
        "no backup over Mantri": replicated(name, ("mantri-xl", "no-backup"), slot_time_ratio, quick),
    }
    return measured(name, ("mantri-xl", ESE), slot_time_ratio, quick, OPEN_BUSY, more)


def finished_ratio(before: RunRecord, after: RunRecord) -> float:
    """Mean flowtime of the jobs that ended, under the second policy over that under the first."""
    return float(after.flowtime.mean() / before.flowtime.mean())


def out_of_place(policy: str, quick: bool) -> Measured:
    """Estimate how many times as long jobs take as under ESE, for a policy meant for light clusters."""
    name = "xu-lau-fig6-40"
    more = {
        "of the jobs that ended": replicated(name, (ESE, policy), finished_ratio, quick),
        "against no backup": replicated(name, ("no-backup", policy), times_as_long, quick),
        "against Mantri": replicated(name, ("mantri-xl", policy), times_as_long, quick),
        "30 jobs a unit of time": replicated("xu-lau-fig6-30", (ESE, policy), times_as_long, quick),
    }
    return measured(name, (ESE, policy), times_as_long, quick, OPEN_BUSY, more)


#: Key of a claim -> what measures it.
COMPUTE: dict[str, Callable[[bool], Measured]] = {
    "xl-theorems-one": clones,
    "xl-theorems-two": projection,
    "xl-theorems-three-copies": copies,
    "xl-theorems-three-threshold": independent,
    "xl-fig2-sca-mean": saved_by_sca,
    "xl-fig2-sda-mean": saved_by_sda,
    "xl-fig2-sca-p80": partial(quantile_of_sca, 0.8),
    "xl-fig2-sca-p90": partial(quantile_of_sca, 0.9),
    "xl-fig2-mantri-p80": partial(quantile_of_mantri, 0.8),
    "xl-fig2-mantri-p90": partial(quantile_of_mantri, 0.9),
    "xl-fig2-sca-resource": partial(fig2_resource, "sca"),
    "xl-fig2-mantri-resource": partial(fig2_resource, "mantri-xl"),
    "xl-fig2-fair": fair_metric,
    "xl-fig2-both-small": partial(sca_beside_sda, small_saved),
    "xl-fig2-both-mean": partial(sca_beside_sda, times_as_long),
    "xl-fig2-both-resource": partial(sca_beside_sda, times_as_dear),
    "xl-fig3-flowtime": fig3_flowtime,
    "xl-fig3-resource": fig3_resource,
    "xl-fig4-alpha2": heavy,
    "xl-fig4-alpha3": light,
    "xl-fig4-rises": least_rise,
    "xl-fig5-flowtime": fig5_flowtime,
    "xl-fig5-resource": fig5_resource,
    "xl-fig5-gain": gain,
    "xl-fig6-ese-p80": partial(fig6_quantile, ESE),
    "xl-fig6-mantri-p80": partial(fig6_quantile, "mantri-xl"),
    "xl-fig6-mean": fig6_mean,
    "xl-fig6-resource-40": partial(fig6_resource, "xu-lau-fig6-40"),
    "xl-fig6-resource-30": partial(fig6_resource, "xu-lau-fig6-30"),
    "xl-fig6-sca": partial(out_of_place, "sca"),
    "xl-fig6-sda": partial(out_of_place, "sda"),
}
