"""What the claims of Xu and Lau have in common: their settings, open choices and statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sim.claims.claim import Measured
from sim.claims.runs import PAPER, QUICK, Kept, flowtime_at, mean_saved, measured, replicated, run
from sim.presets import preset
from sim.statistics import Estimate, student

#: Weight of slot-time in the paper's resource.
GAMMA = 0.01

LIGHT = (
    "M = 3000, 6 jobs a unit of time, U{1..100} tasks, mean task times U(1, 4) with tail index (alpha) 2, "
    "gamma = 0.01, 1500 units; s, r and the length of a slot are not printed (0.2, 8 and 1 here)"
)
BUSY = (
    "As Fig. 2 with 30 or 40 jobs a unit of time (offered load 1.26 and 1.68), sigma = 1.7, eta = 0.1, "
    "xi = 1; what a scheduler sees and how unfinished jobs count are not printed"
)
SINGLE = (
    "One job of 10,000 tasks of mean 1 and tail index (alpha) 2 on M = 100 machines, 50 runs for each sigma"
)

#: Choices the paper leaves open -> the fields they change.
OPEN: dict[str, dict[str, Any]] = {
    "s = 0.05": {"observe": "fraction:0.05"},
    "s = 0.5": {"observe": "fraction:0.5"},
    "decisions at events": {"decision_interval": 0.0},
}
OPEN_MANTRI = {**OPEN, "Mantri sees elapsed times only": {"observe": "never"}}
#: Thresholds tried, in units of E[x].
SIGMAS = (0.5, 0.8, 1.1, 1.4, 1.7, 2.0, 2.3, 2.6, 3.0, 3.5, 4.0)


def mean_age(kept: Kept) -> float:
    """Mean flowtime, jobs that did not end counted at their age."""
    return float(kept.age.mean())


def mean_resource(kept: Kept) -> float:
    """Mean resource of a job, in the paper's units."""
    return GAMMA * float(kept.resource.mean())


def resource_at(share: float) -> Callable[[Kept], float]:
    """Quantile of the resource of the jobs, in the paper's units."""
    return lambda kept: GAMMA * float(np.quantile(kept.resource, share, method="inverted_cdf"))


def copies_of_sca(quick: bool) -> dict[str, Estimate]:
    """Estimate the saving of SCA where at most 2 or 3 copies are allowed."""
    return {
        f"r = {r}": replicated("xu-lau-fig2", ("mantri-xl", f"sca:copies={r}"), mean_saved, quick)
        for r in (2, 3)
    } | blind_mantri(quick, "sca")


def copies_quantile(quick: bool, share: float) -> dict[str, Estimate]:
    """Estimate a quantile of SCA where at most 2 or 3 copies are allowed."""
    return {
        f"r = {r}": replicated("xu-lau-fig2", (f"sca:copies={r}",), flowtime_at(share), quick) for r in (2, 3)
    }


def without_backup_quantile(quick: bool, share: float) -> dict[str, Estimate]:
    """Estimate a quantile without any backup, which is what Mantri's curve in the paper looks like."""
    return {"no backup at all": replicated("xu-lau-fig2", ("no-backup",), flowtime_at(share), quick)}


def blind_mantri(quick: bool, policy: str) -> dict[str, Estimate]:
    """Estimate savings against a Mantri that sees elapsed times only, and against no backup."""

    def one(replication: int) -> float:
        blind = run("xu-lau-fig2", "mantri-xl", replication, quick, (("observe", "never"),))
        return mean_saved(blind, run("xu-lau-fig2", policy, replication, quick))

    return {
        "Mantri sees elapsed times only": student([one(k) for k in range(QUICK if quick else PAPER)]),
        "against no backup": replicated("xu-lau-fig2", ("no-backup", policy), mean_saved, quick),
    }


def best_sigma(
    name: str, policy: str, statistic: Callable[[Kept], float], quick: bool, replications: int = PAPER
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


def resource_saved_by_ese(quick: bool) -> Measured:
    """Estimate what ESE saves of the job's resource at tail index 4, as a share of what it saves at 2."""
    from theory.detection import sigma_star

    def saved(tail: float, replication: int) -> float:
        changes = (("straggle_tail", tail), ("size_min", (tail - 1) / tail))
        ese = f"ese:sigma={float(sigma_star(tail))!r}"
        before, after = (
            run("xu-lau-fig5", policy, replication, quick, changes) for policy in ("no-backup", ese)
        )
        return float(1 - after.resource[0] / before.resource[0])

    count = QUICK if quick else 50
    savings = {tail: [saved(tail, k) for k in range(count)] for tail in (2.0, 3.0, 4.0)}
    blocks = {
        tail: [b.mean() for b in np.array_split(np.array(v), min(count, PAPER))]
        for tail, v in savings.items()
    }
    ratio = [heavy4 / np.mean(savings[2.0]) for heavy4 in blocks[4.0]]
    return Measured(
        student(ratio),
        replications=count,
        seed=preset("xu-lau-fig5").scenario.seed,
        choices={f"saved at alpha = {tail:g}": student(values) for tail, values in savings.items()},
    )


def finished_quantile(share: float) -> Callable[[Kept], float]:
    """Quantile of the flowtime of the jobs that ended."""
    return lambda kept: float(np.quantile(kept.flowtime, share, method="inverted_cdf"))


#: What the paper leaves open in Fig. 6.
OPEN_BUSY: dict[str, dict[str, Any]] = {
    "every remaining time is seen": {"observe": "fraction:0"},
    "s = 0.5": {"observe": "fraction:0.5"},
    "decisions at events": {"decision_interval": 0.0},
}


def busy_quantile(policy: str, quick: bool) -> Measured:
    """Estimate the 0.8 quantile at 40 jobs a unit of time, under each way of counting."""
    name = "xu-lau-fig6-40"
    more = {"all jobs, unfinished ones at their age": replicated(name, (policy,), flowtime_at(0.8), quick)}
    if policy == "mantri-xl":
        more["Mantri sees elapsed times only"] = replicated(
            name, (policy,), finished_quantile(0.8), quick, {"observe": "never"}
        )
        more["no backup at all"] = replicated(name, ("no-backup",), finished_quantile(0.8), quick)
    return measured(name, (policy,), finished_quantile(0.8), quick, OPEN_BUSY, more)


def finished_mean_saved(before: Kept, after: Kept) -> float:
    """Share of the mean flowtime of the jobs that ended that the second policy saves."""
    return float(1 - after.flowtime.mean() / before.flowtime.mean())


def busy_mean(quick: bool) -> Measured:
    """Estimate what ESE saves of the mean flowtime, under each way of counting."""
    name, pair = "xu-lau-fig6-40", ("mantri-xl", "ese:sigma=1.7")

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


def slot_time_ratio(before: Kept, after: Kept) -> float:
    """Slot-time for each task of a job that ended, the second policy's over the first's."""
    first, second = (kept.resource[kept.done].sum() / kept.tasks[kept.done].sum() for kept in (before, after))
    return float(second / first)


def busy_resource(rate: int, quick: bool) -> Measured:
    """Estimate the resource of ESE over that of Mantri."""
    name = f"xu-lau-fig6-{rate}"
    more = {
        "with clones (xi = 5)": replicated(name, ("mantri-xl", "ese:sigma=1.7,xi=5"), slot_time_ratio, quick),
        "no backup over Mantri": replicated(name, ("mantri-xl", "no-backup"), slot_time_ratio, quick),
    }
    return measured(name, ("mantri-xl", "ese:sigma=1.7"), slot_time_ratio, quick, OPEN_BUSY, more)
