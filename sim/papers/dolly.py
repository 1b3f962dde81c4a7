"""Dolly: its formulas for clones by enumeration of all outcomes, Fig. 6, and numbers of sections 2 and 3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache, partial
from itertools import product
from typing import Any

import numpy as np

from sim.engines.registry import preset
from sim.engines.slots.scenario import SlotScenario
from sim.model.statistics import Estimate, student
from sim.papers.claim import Measured
from sim.papers.runs import PAPER, QUICK, RunRecord, exact, measured, replicated, run

# --- the formulas

PROBABILITIES = (0.05, 0.2, 0.5)
#: Jobs of up to so many tasks with up to so many copies: at most 2^9 outcomes each.
MOST = 3
#: Where numbers of copies are checked.
SIZES, TARGETS = (1, 2, 5, 10, 50, 200), (0.01, 0.05, 0.2)


def enumerated(p: float, tasks: int, copies: int, fails: Callable[[np.ndarray], bool]) -> float:
    """Return the probability that a job fails, over all outcomes of its copies (True: an outlier)."""
    total = 0.0
    for bits in product((False, True), repeat=tasks * copies):
        outlier = np.array(bits).reshape(tasks, copies)
        if fails(outlier):
            total += p ** outlier.sum() * (1 - p) ** (outlier.size - outlier.sum())
    return total


def gap(formula: Callable[..., Any], fails: Callable[[np.ndarray], bool]) -> Measured:
    """Return the largest difference of a formula from the enumeration."""
    cases = product(PROBABILITIES, range(1, MOST + 1), range(1, MOST + 1))
    gaps: list[float] = [abs(float(formula(p, n, c)) - enumerated(p, n, c, fails)) for p, n, c in cases]
    return Measured(exact(max(gaps)))


def job_formula(quick: bool) -> Measured:
    """Compare with: every whole copy of the job has an outlier."""
    from theory.cloning import job_outlier_probability

    return gap(job_outlier_probability, lambda outlier: bool(outlier.any(axis=0).all()))


def task_formula(quick: bool) -> Measured:
    """Compare with: some task has nothing but outliers."""
    from theory.cloning import task_outlier_probability

    return gap(task_outlier_probability, lambda outlier: bool(outlier.all(axis=1).any()))


def fewest(quick: bool) -> Measured:
    """Return the share of cases in which the number of copies meets the target, and one fewer does not."""
    from theory.cloning import misread_task_level_copies, task_level_copies, task_outlier_probability

    def share(rule: Callable[..., Any]) -> Estimate:
        good = []
        for p, n, target in product(PROBABILITIES, SIZES, TARGETS):
            c = int(rule(p, n, target))
            meets = task_outlier_probability(p, n, c) <= target * (1 + 1e-12)
            fewer = task_outlier_probability(p, n, c - 1) if c > 1 else 1.0
            good.append(bool(meets) and bool(fewer > target))
        return exact(sum(good) / len(good))

    other = {"the other place of the lost parentheses": share(misread_task_level_copies)}
    return Measured(share(task_level_copies), choices=other)


# --- Fig. 6: how much cloning shortens the mean flowtime against LATE and Mantri, and its cost

NAME = "dolly-fig6"
#: Choices the paper leaves open -> the fields they change.
OPEN: dict[str, dict[str, Any]] = {
    "remaining times seen after a fifth of the work": {"observe": "fraction:0.2"},
    "elapsed times only": {"observe": "never"},
}


def saved(small: bool) -> Callable[[RunRecord, RunRecord], float]:
    """Share of the mean flowtime that the second policy saves, of all jobs or of those of up to 10 tasks."""

    def statistic(before: RunRecord, after: RunRecord) -> float:
        chosen = before.tasks <= 10 if small else np.ones(before.tasks.size, dtype=bool)
        return float(1 - after.age[chosen].mean() / before.age[chosen].mean())

    return statistic


def more_busy(before: RunRecord, after: RunRecord) -> float:
    """Points of utilisation that the second policy uses more."""
    return 100 * (after.utilisation - before.utilisation)


def times_as_busy(before: RunRecord, after: RunRecord) -> float:
    """Utilisation under the second policy over that under the first."""
    return after.utilisation / before.utilisation


def against(
    baseline: str,
    policy: str,
    statistic: Callable[[RunRecord, RunRecord], float],
    quick: bool,
    more: Mapping[str, Estimate] | None = None,
) -> Measured:
    """Estimate a statistic of two policies, under each way of seeing stragglers and of learning."""
    head, _, values = policy.partition(":")
    learned, printed = (
        f"{head}:" + ",".join([*filter(None, [values]), one]) for one in ("window=20", "printed=1")
    )
    others = {
        "p learned in windows of 20 units": replicated(NAME, (baseline, learned), statistic, quick),
        "against no copies": replicated(NAME, ("fair+none", policy), statistic, quick),
        "Pseudocode 1 as printed": replicated(NAME, (baseline, printed), statistic, quick),
    }
    return measured(NAME, (baseline, policy), statistic, quick, OPEN, others | dict(more or {}))


def task_level(baseline: str, quick: bool) -> Measured:
    """Return the share of the mean flowtime saved by task-level cloning of all jobs."""
    small = replicated(NAME, (baseline, "dolly-task"), saved(small=True), quick)
    return against(baseline, "dolly-task", saved(small=False), quick, {"jobs of up to 10 tasks": small})


def task_level_cost(quick: bool) -> Measured:
    """Return how many times as busy the slots are when all jobs are cloned task by task."""
    return against("fair+late", "dolly-task", times_as_busy, quick)


def small_only(baseline: str, quick: bool) -> Measured:
    """Return the share of the mean flowtime of small jobs saved by cloning these only."""
    return against(baseline, "dolly-task:small=10", saved(small=True), quick)


def small_only_of_all(baseline: str, quick: bool) -> Measured:
    """Return the share of the mean flowtime of all jobs saved by cloning small ones only."""
    return against(baseline, "dolly-task:small=10", saved(small=False), quick)


def small_only_cost(quick: bool) -> Measured:
    """Return the points of utilisation used more when small jobs are cloned."""
    return against("fair+late", "dolly-task:small=10", more_busy, quick)


def job_level(baseline: str, quick: bool) -> Measured:
    """Return the share of the mean flowtime saved by job-level cloning, and the same for each open choice."""
    more = {
        "jobs of up to 10 tasks": replicated(NAME, (baseline, "dolly-job"), saved(small=True), quick),
        "against no copies": replicated(NAME, ("fair+none", "dolly-job"), saved(small=False), quick),
    }
    return measured(NAME, (baseline, "dolly-job"), saved(small=False), quick, OPEN, more)


def times_as_much(task: RunRecord, job: RunRecord) -> float:
    """Return slot-time of all copies at job level / the same at task level."""
    return float(job.resource.sum() / task.resource.sum())


def times_as_much_small(task: RunRecord, job: RunRecord) -> float:
    """Return the same for jobs of up to 10 tasks."""
    small = task.tasks <= 10
    return float(job.resource[small].sum() / task.resource[small].sum())


def job_level_cost(quick: bool) -> Measured:
    """Return how many times as much slot-time is used, and the same for each open choice."""
    policies = ("dolly-task", "dolly-job")
    more = {"jobs of up to 10 tasks": replicated(NAME, policies, times_as_much_small, quick)}
    return measured(NAME, policies, times_as_much, quick, OPEN, more)


# --- sections 2 and 3: no outliers, whole clones of small jobs, clones that are enough, luck of machines


WHOLE = "dolly-job:small=10"
#: Outliers that a job is to have with this probability at most.
ACCEPTED = 0.05
#: Jobs by which a law is drawn, and jobs of a size whose slowest task is.
DRAWN, SLOWEST = 200_000, 4000
BUSY_HALF = 0.5
#: Units of time of a window in which p is learned, as in `against`.
WINDOW = 20


def scenario() -> SlotScenario:
    """Return the scenario of the preset."""
    found = preset(NAME).scenario
    assert isinstance(found, SlotScenario)
    return found


def over_half(quick: bool) -> Measured:
    """Return the share of the time with more than half of the slots busy, without copies."""
    found = [float((one > BUSY_HALF).mean()) for one in busy(quick)]
    return Measured(student(found), len(found), scenario().seed)


@lru_cache(maxsize=2)
def busy(quick: bool) -> list[np.ndarray]:
    """Return the share of the slots that is busy without copies, by time, of each replication."""
    from sim.running.experiment import Experiment, compare

    own = scenario().replace(jobs=scenario().jobs // 10) if quick else scenario()
    found = compare(Experiment.of_texts(own, ["fair+none"]), replications=QUICK if quick else 2 * PAPER)
    (result,) = found.policies.values()
    return [one.series[:, 0] / own.slots for one in result.samples]


@cache
def shares_up_to(at: tuple[float, ...]) -> tuple[tuple[float, float], ...]:
    """Return the share of the jobs, and of their work, in jobs of no more tasks than each number."""
    tasks = scenario().task_law.quantile((np.arange(DRAWN) + 0.5) / DRAWN)
    work = np.cumsum(tasks) / tasks.sum()
    return tuple((k / DRAWN, float(work[k - 1])) for k in np.searchsorted(tasks, at, side="right").tolist())


def small_work(quick: bool) -> Measured:
    """Return the share of the work in jobs of fewer than ten tasks, and the share of these jobs."""
    ((jobs, work),) = shares_up_to((9.0,))
    return Measured(exact(work), choices={"share of the jobs": exact(jobs)})


def slowest(tasks: int) -> np.ndarray:
    """Return the slowest task over the median one in jobs of so many tasks, without copies."""
    luck = np.random.default_rng([scenario().seed, tasks])
    factors = scenario().straggle_law.quantile(luck.random((SLOWEST, tasks)))
    return factors.max(axis=1) / np.median(factors, axis=1)


def over_blocks(tasks: int, statistic: Callable[[np.ndarray], float]) -> Estimate:
    """Estimate a statistic of the slowest tasks over ten blocks of jobs."""
    return student([float(statistic(block)) for block in np.split(slowest(tasks), 10)])


def slow_in_small(quick: bool) -> Measured:
    """Return the mean over jobs of ten tasks, their median, and the mean for jobs of other sizes."""
    others = {f"{tasks} tasks": over_blocks(tasks, np.mean) for tasks in (2, 5, 50, 200)}
    others["median over the jobs"] = over_blocks(10, np.median)
    return Measured(over_blocks(10, np.mean), 10, scenario().seed, others)


def over_runs(statistic: Callable[[Callable[..., RunRecord]], float], quick: bool) -> Estimate:
    """Estimate a statistic of runs on the same jobs: of a policy, or without any outlier (``None``).

    Without outliers as many jobs come in a unit of time, so that the load offered is less.
    """
    own = scenario()
    healthy = (("outlier_share", 0.0), ("load", own.load / own.straggle_law.mean))

    def one(replication: int) -> float:
        def of(policy: str | None) -> RunRecord:
            return run(NAME, policy or "fair+none", replication, quick, () if policy else healthy)

        return statistic(of)

    return student([one(k) for k in range(QUICK if quick else PAPER)])


def beside_no_copies(statistic: Callable[[str], Estimate], quick: bool) -> Measured:
    """Return a number against LATE, and against no copies as another choice."""
    choices = {"against no copies": statistic("fair+none")}
    return Measured(statistic("fair+late"), QUICK if quick else PAPER, scenario().seed, choices)


def ceiling(small: bool, quick: bool) -> Measured:
    """Return the share of the mean flowtime that goes with the outliers, of all jobs or of small ones."""
    gained = saved(small)
    return beside_no_copies(
        lambda baseline: over_runs(lambda of: gained(of(baseline), of(None)), quick), quick
    )


def strawman(quick: bool) -> Measured:
    """Return the share of the mean flowtime of small jobs that whole clones of them save."""
    none = {"against no copies": replicated(NAME, ("fair+none", WHOLE), saved(small=True), quick)}
    return measured(NAME, ("fair+late", WHOLE), saved(small=True), quick, OPEN, none)


def of_ideal(quick: bool) -> Measured:
    """Return what whole clones of small jobs save of what goes with the outliers."""
    gained = saved(small=True)
    return beside_no_copies(
        lambda baseline: over_runs(
            lambda of: gained(of(baseline), of(WHOLE)) / gained(of(baseline), of(None)), quick
        ),
        quick,
    )


def three_clones(quick: bool) -> Measured:
    """Return the share of the jobs that three copies of each task keep from an outlier well enough."""
    from sim.engines.slots.speculation.dolly import outlier_probability
    from theory.cloning import task_outlier_probability

    p = outlier_probability(scenario())

    def share(copies: int) -> Estimate:
        def good(of: Callable[..., RunRecord]) -> float:
            tasks = of("fair+none").tasks
            return float(np.mean(task_outlier_probability(p, tasks, copies) <= ACCEPTED))

        return over_runs(good, quick)

    others = {f"c = {copies}": share(copies) for copies in (1, 2, 4)}
    return Measured(share(3), QUICK if quick else PAPER, scenario().seed, others)


def variation(quick: bool) -> Measured:
    """Return the coefficient of variation of p_m over machines that are alike, by length of the window."""
    found = {units: by_chance(units, quick) for units in (5, 10, WINDOW, 50, 100)}
    own = found.pop(WINDOW)
    choices = {f"windows of {units} units": one for units, one in found.items()}
    return Measured(own, QUICK if quick else PAPER, scenario().seed, choices)


def ended(units: float) -> float:
    """Return how many tasks end on a machine in a window, on average."""
    return units * scenario().load / scenario().straggle_law.mean


def by_chance(units: float, quick: bool) -> Estimate:
    """Estimate how p_m varies over machines that are alike, by the luck of the tasks that end on each.

    How many end in a window is Poisson; a machine on which none ends has no p_m.
    """
    own = scenario()
    found = []
    for replication in range(QUICK if quick else PAPER):
        luck = np.random.default_rng([own.seed, replication])
        tasks = luck.poisson(ended(units), own.slots)
        shares = luck.binomial(tasks[tasks > 0], own.outlier_share) / tasks[tasks > 0]
        found.append(float(shares.std() / shares.mean()))
    return student(found)


#: Key of a claim -> what measures it.
COMPUTE: dict[str, Callable[[bool], Measured]] = {
    "dolly-formulas-job": job_formula,
    "dolly-formulas-task": task_formula,
    "dolly-formulas-copies": fewest,
    "dolly-fig1-half": over_half,
    "dolly-fig2-work": small_work,
    "dolly-fig3-small": slow_in_small,
    "dolly-section2-ceiling": partial(ceiling, False),
    "dolly-section2-ceiling-small": partial(ceiling, True),
    "dolly-section2-strawman": strawman,
    "dolly-section2-ideal": of_ideal,
    "dolly-fig5-three": three_clones,
    "dolly-section3-variation": variation,
    "dolly-fig6-task-late": partial(task_level, "fair+late"),
    "dolly-fig6-task-mantri": partial(task_level, "fair+mantri"),
    "dolly-fig6-job-late": partial(job_level, "fair+late"),
    "dolly-fig6-job-mantri": partial(job_level, "fair+mantri"),
    "dolly-fig6-task-cost": task_level_cost,
    "dolly-fig6-job-cost": job_level_cost,
    "dolly-fig6-small-late": partial(small_only, "fair+late"),
    "dolly-fig6-small-mantri": partial(small_only, "fair+mantri"),
    "dolly-fig6-overall-late": partial(small_only_of_all, "fair+late"),
    "dolly-fig6-overall-mantri": partial(small_only_of_all, "fair+mantri"),
    "dolly-fig6-small-cost": small_only_cost,
}
