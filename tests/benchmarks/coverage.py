"""How often intervals over replications hold the true value: ``python -m tests.benchmarks.coverage``.

Many experiments of `N` replications, as a page shows them, of systems whose true values are known: jobs on an
idle cluster (a job's flowtime is its slowest task), the wait in M/G/1 (Pollaczek and Khinchine, by Lindley's
recursion), and a busy cluster run by the slot engine (against the mean of all experiments). Beside Student's
interval, which the project uses, the ways to mend it that are in the literature. The outcome is written to
`docs/explanation/coverage.md` with ``--record``; about five minutes of one core.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, stdtrit

from sim.engines.slots.scenario import SlotScenario
from sim.model.outcome import interval_is_reliable
from sim.model.scenario import Scenario
from sim.model.statistics import half_widths
from tests.benchmarks.coverage_table import Row, recorded, write

#: Replications of an experiment, jobs of a replication, most tasks of a job, batches of a replication.
N, JOBS, MOST_TASKS, BATCHES = 10, 1800, 20, 20
#: Tail index of the straggle factors; infinite: exponential.
LAWS = {"1.5": 1.5, "2": 2.0, "2.5": 2.5, "3": 3.0, "exponential": math.inf}
SEED = 20_260
#: Jobs of a replication of the simulated cluster.
FEWER = 900
SIZE = f"{N} replications of {JOBS:,} jobs each ({FEWER} in the simulated cluster)"
#: Load of the queue, and of the busy cluster: at the first a replication is long enough, at the second not.
LOAD, BUSY = 0.7, (0.7, 0.9)


@dataclass(frozen=True)
class Found:
    """Experiments of one statistic: a value for each experiment and replication, and the true value.

    `batches` are means of parts of the replications; `controls` are statistics of what was drawn, less
    their known means.
    """

    values: np.ndarray
    truth: float
    batches: np.ndarray | None = None
    controls: np.ndarray | None = None


def draw(rng: np.random.Generator, tail: float, shape: tuple[int, ...]) -> np.ndarray:
    """Draw straggle factors."""
    return rng.standard_exponential(shape) if math.isinf(tail) else (1 - rng.random(shape)) ** (-1 / tail)


def moment(tail: float, order: int) -> float:
    """Return a moment of a straggle factor."""
    if math.isinf(tail):
        return float(math.factorial(order))
    return tail / (tail - order) if tail > order else math.inf


def scenario(tail: float, **fields: object) -> SlotScenario:
    """Return what is simulated, as the project knows it."""
    law = {"straggle": "exponential"} if math.isinf(tail) else {"straggle_tail": tail}
    return SlotScenario(jobs=JOBS, tasks_max=MOST_TASKS, **law, **fields)


def idle(tail: float, experiments: int, seed: int = SEED) -> dict[str, Found]:
    """Return flowtimes of jobs alone on enough slots, and how two copies of each task change their mean."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[np.ndarray]] = {"flow": [], "work": [], "twice": [], "p50": [], "p95": []}
    for _ in range(experiments):
        tasks = rng.integers(1, MOST_TASKS + 1, N * JOBS)
        first, second = (draw(rng, tail, (int(tasks.sum()),)) for _ in range(2))
        starts = np.cumsum(tasks) - tasks
        flow, twice = (
            np.maximum.reduceat(one, starts).reshape(N, JOBS) for one in (first, np.minimum(first, second))
        )
        columns["flow"].append(flow.reshape(N, BATCHES, -1).mean(2))
        columns["work"].append(np.add.reduceat(first, starts).reshape(N, JOBS).mean(1))
        columns["twice"].append(twice.mean(1))
        for name, share in (("p50", 0.5), ("p95", 0.95)):
            columns[name].append(np.quantile(flow, share, axis=1, method="inverted_cdf"))
    found = {name: np.array(rows) for name, rows in columns.items()}
    means = found["flow"].mean(2)
    controls = found["work"] - (1 + MOST_TASKS) / 2 * moment(tail, 1)
    return {
        "mean": Found(means, slowest(tail), found["flow"], controls[..., None]),
        "p50": Found(found["p50"], slowest_quantile(tail, 0.5)),
        "p95": Found(found["p95"], slowest_quantile(tail, 0.95)),
        "difference of means": Found(found["twice"] - means, slowest(2 * tail, copies=2) - slowest(tail)),
    }


def slowest(tail: float, copies: int = 1) -> float:
    """Return the mean time of a job's slowest task; `tail` is that of the fastest of its copies."""
    k = np.arange(1, MOST_TASKS + 1)
    if math.isinf(tail):
        return float(np.cumsum(1 / k).mean()) / copies
    return float(np.exp(gammaln(k + 1) + gammaln(1 - 1 / tail) - gammaln(k + 1 - 1 / tail)).mean())


def slowest_quantile(tail: float, share: float) -> float:
    """Return the time within which this share of the jobs ends."""
    k = np.arange(1, MOST_TASKS + 1)

    def below(x: float) -> float:
        one = 1 - math.exp(-x) if math.isinf(tail) else 1 - x**-tail
        return float((one**k).mean()) - share

    return float(brentq(below, 1e-9 if math.isinf(tail) else 1 + 1e-12, 1e6))


def waits(tail: float, replications: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return waits in M/G/1 after the warm-up, a row a replication, and what was drawn less its means."""
    gap, shape = moment(tail, 1) / LOAD, (replications, JOBS)
    service, gaps = draw(rng, tail, shape), gap * rng.standard_exponential(shape)
    walk = np.cumsum(np.hstack([np.zeros((replications, 1)), service[:, :-1] - gaps[:, 1:]]), 1)
    controls = [service.mean(1) - moment(tail, 1), gaps.mean(1) - gap]
    if math.isfinite(moment(tail, 2)):
        controls.append((service**2).mean(1) - moment(tail, 2))
    return (walk - np.minimum.accumulate(walk, 1))[:, JOBS // 10 :], np.stack(controls, -1)


def single_server(tail: float, experiments: int, seed: int = SEED) -> dict[str, Found]:
    """Return waits in M/G/1, by Lindley's recursion."""
    rng = np.random.default_rng(seed)
    shares = {"p50": 0.5, "p95": 0.95}
    kept: dict[str, list[np.ndarray]] = {name: [] for name in ("batches", "controls", "some", *shares)}
    for _ in range(experiments):
        wait, controls = waits(tail, N, rng)
        kept["batches"].append(wait.reshape(N, BATCHES, -1).mean(2))
        kept["controls"].append(controls)
        kept["some"].append(wait[:, ::9])
        for name, share in shares.items():
            kept[name].append(np.quantile(wait, share, axis=1, method="inverted_cdf"))
    found = {name: np.array(rows) for name, rows in kept.items()}
    truth = LOAD * moment(tail, 2) / (2 * moment(tail, 1) * (1 - LOAD))
    return {"mean": Found(found["batches"].mean(2), truth, found["batches"], found["controls"])} | {
        name: Found(found[name], float(np.quantile(found["some"], share))) for name, share in shares.items()
    }


def busy(tail: float, experiments: int, load: float = BUSY[0], policy: str = "srpt+none") -> dict[str, Found]:
    """Return flowtimes on a busy cluster, simulated; what is true is the mean of all experiments."""
    from sim.running.experiment import Experiment

    experiment = Experiment.of_texts(busy_scenario(tail, load), ["fifo+none", policy])
    runs = [experiment.replicate(place) for place in range(experiments * N)]
    first, second = (
        {
            name: np.array([run[place].values["flowtime", name] for run in runs]).reshape(-1, N)
            for name in ("mean", "p50", "p95")
        }
        for place in range(2)
    )
    differences = second["mean"] - first["mean"]
    return {name: Found(values, float(values.mean())) for name, values in second.items()} | {
        "difference of means": Found(differences, float(differences.mean()))
    }


def busy_scenario(tail: float, load: float = BUSY[0]) -> Scenario:
    """Return a busy cluster of 100 slots, with fewer jobs since they are simulated one by one."""
    return scenario(tail, slots=100, load=load, seed=SEED).replace(jobs=FEWER)


def student(found: Found) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of Student's interval, as the project computes it."""
    half = half_widths(found.values.T)
    return found.values.mean(1) - half, found.values.mean(1) + half


def _skewness(values: np.ndarray) -> np.ndarray:
    n = values.shape[1]
    deviations = values - values.mean(1, keepdims=True)
    third = n / ((n - 1) * (n - 2)) * (deviations**3).sum(1)
    return np.asarray(third / np.maximum(values.std(1, ddof=1), 1e-300) ** 3)


def johnson(found: Found) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of Johnson's interval (1978), JASA 73, shifted by the skewness."""
    n, error = found.values.shape[1], found.values.std(1, ddof=1) / math.sqrt(found.values.shape[1])
    t = stdtrit(n - 1, 0.975)
    middle = found.values.mean(1) + _skewness(found.values) * error / (6 * math.sqrt(n)) * (1 + 2 * t * t)
    return middle - t * error, middle + t * error


def hall(found: Found) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of Hall's interval (1992), J. R. Statist. Soc. B 54, by his monotone transformation."""
    n, error = found.values.shape[1], found.values.std(1, ddof=1) / math.sqrt(found.values.shape[1])
    g = _skewness(found.values)
    g = np.where(np.abs(g) < 1e-9, 1e-9, g)
    t = stdtrit(n - 1, 0.975)

    def back(x: float) -> np.ndarray:
        return np.asarray(3 * math.sqrt(n) / g * (np.cbrt(1 + g * (x / math.sqrt(n) - g / (6 * n))) - 1))

    return found.values.mean(1) - back(t) * error, found.values.mean(1) - back(-t) * error


def bootstrap_t(found: Found, resamples: int = 999) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the bootstrap-t interval, Efron (1981)."""
    n = found.values.shape[1]
    places = np.random.default_rng(SEED).integers(0, n, (resamples, n))
    ends = []
    for values in found.values:
        again = values[places]
        spread = again.std(1, ddof=1)
        kept = spread > 0
        t = (again.mean(1) - values.mean())[kept] / (spread[kept] / math.sqrt(n))
        low, high = np.quantile(t, [0.025, 0.975]) * values.std(ddof=1) / math.sqrt(n)
        ends.append((values.mean() - high, values.mean() - low))
    low, high = np.array(ends).T
    return low, high


def batch_means(found: Found) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of Student's interval over batches of the replications."""
    assert found.batches is not None
    return student(Found(found.batches.reshape(len(found.batches), -1), found.truth))


def control_variates(found: Found) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the interval of a regression on what was drawn, whose means are known."""
    assert found.controls is not None
    count, n, columns = found.controls.shape
    design = np.concatenate([np.ones((count, n, 1)), found.controls], 2)
    inverse = np.linalg.pinv(design)
    fitted = np.einsum("eij,ej->ei", inverse, found.values)
    left = found.values - np.einsum("eij,ej->ei", design, fitted)
    variance = (left**2).sum(1) / (n - 1 - columns) * (inverse[:, 0, :] ** 2).sum(1)
    half = stdtrit(n - 1 - columns, 0.975) * np.sqrt(variance)
    return fitted[:, 0] - half, fitted[:, 0] + half


METHODS: dict[str, Callable[[Found], tuple[np.ndarray, np.ndarray]]] = {
    "Student": student,
    "Johnson": johnson,
    "Hall": hall,
    "bootstrap-t": bootstrap_t,
    "batch means": batch_means,
    "control variates": control_variates,
}


def covered(found: Found, method: Callable[[Found], tuple[np.ndarray, np.ndarray]] = student) -> float:
    """Return the share of the experiments whose interval holds the true value."""
    low, high = method(found)
    return float(((low <= found.truth) & (found.truth <= high)).mean())


#: Name of a system -> experiments with a tail index, the scenario as the project knows it, how many
#: experiments beside those that are asked for (a simulated one takes longer), and the measure.
SYSTEMS: dict[str, tuple[Callable[[float, int], dict[str, Found]], Callable[[float], Scenario], float]] = {
    "idle cluster, flowtime": (idle, partial(scenario, slots=1_000_000, load=0.01), 1),
    f"M/G/1 at load {LOAD}, wait": (single_server, partial(scenario, slots=1, load=LOAD), 1),
} | {
    f"100 slots at load {load}, flowtime": (partial(busy, load=load), partial(busy_scenario, load=load), 0.4)
    for load in BUSY
}


def marked(system: str, law: str, statistic: str) -> bool:
    """Return whether the project gives a statistic an interval."""
    known = SYSTEMS[system][1](LAWS[law])
    if statistic == "difference of means":
        return interval_is_reliable(known, "flowtime", "mean", paired=True)
    return interval_is_reliable(known, "flowtime", statistic)


def rows(experiments: int, known_already: set[tuple[str, str]]) -> Iterator[Row]:
    """Yield the coverage of each system, law and statistic, but of those that are known already."""
    for system, (simulate, _, share) in SYSTEMS.items():
        for law, tail in LAWS.items():
            if (system, law) in known_already:
                continue
            count = max(int(share * experiments), 1)
            for statistic, found in simulate(tail, count).items():
                tried = {
                    name: covered(found, method)
                    for name, method in METHODS.items()
                    if (name != "batch means" or found.batches is not None)
                    and (name != "control variates" or found.controls is not None)
                    and (name == "Student" or statistic == "mean")
                }
                yield Row(system, law, statistic, count, marked(system, law, statistic), tried)


def main() -> None:
    """Print the table, or record it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument(
        "--record", action="store_true", help="add the missing rows to docs/explanation/coverage.md"
    )
    chosen = parser.parse_args()
    methods = list(METHODS)
    known = {(row.system, row.law) for row in recorded(methods)} if chosen.record else set()
    write(rows(chosen.experiments, known), methods, record=chosen.record, size=SIZE)


if __name__ == "__main__":
    main()
