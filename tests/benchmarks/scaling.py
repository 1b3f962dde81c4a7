"""What it costs to run elsewhere: efficiency from one worker to two, overhead of a unit and of a megabyte.

``python -m tests.benchmarks.scaling`` prints it, with Dask where that is installed; see ``docs/scaling.md``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

import numpy as np

from sim.experiment import Experiment, compare
from sim.slots.scenario import SlotScenario
from sim.traces import Trace

#: Jobs of a run of one second and more, runs that are timed, runs of next to nothing.
JOBS, RUNS, TINY = 40_000, 8, 400
POLICIES = ("fair+late",)


def experiment(jobs: int) -> Experiment:
    """Return runs of so many jobs."""
    return Experiment.of_texts(SlotScenario(slots=100, load=0.7, jobs=jobs, tasks_max=100), POLICIES)


def recorded(jobs: int) -> Experiment:
    """Return runs of next to nothing that need a file of so many jobs, of 24 bytes each."""
    arrival = np.arange(jobs, dtype=float)
    trace = Trace(arrival, np.ones(jobs, dtype=np.int64), np.ones(jobs), (), "made.csv", f"made {jobs}")
    scenario = SlotScenario(slots=100, arrivals="trace", tasks="trace", size="trace", jobs=jobs)
    return Experiment.of_texts(scenario, ("fifo+none",), trace)


@contextmanager
def executor(kind: str, workers: int) -> Iterator[Executor]:
    """Open an executor of so many workers."""
    if kind == "processes":
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
            yield pool
    else:
        from sim.dask import connected

        with connected("local", experiment(5), workers) as pool:
            yield pool


def seconds(one: Experiment, replications: int, pool: Executor) -> float:
    """Return how long an experiment takes."""
    begun = time.perf_counter()
    compare(one, replications=replications, executor=pool)
    return time.perf_counter() - begun


def measured(kind: str) -> None:
    """Print what one kind of executor costs."""
    times = {}
    for workers in (1, 2):
        with executor(kind, workers) as pool:
            for one in (experiment(5), recorded(1000)):  # what is compiled or drawn first does not count
                compare(one, replications=4 * workers, executor=pool)
            times[workers] = min(seconds(experiment(JOBS), RUNS, pool) for _ in range(3))
            if workers == 2:
                tiny = min(seconds(experiment(5), TINY, pool) for _ in range(3)) / TINY
                files = {
                    jobs: min(seconds(recorded(jobs), 20, pool) for _ in range(3)) / 20
                    for jobs in (1000, 200_000)
                }
    here = compare(recorded(200_000), replications=1, threads=1)
    run = sum(sample.seconds for result in here.policies.values() for sample in result.samples)
    megabytes = (200_000 - 1000) * 24 / 1e6
    print(
        f"{kind:10} 1 worker {times[1] / RUNS:5.2f} s a run, 2 workers {times[2] / RUNS:5.2f}; "
        f"efficiency {times[1] / times[2] / 2:4.2f}; a unit {1000 * tiny:5.1f} ms; "
        f"a unit of {megabytes:.1f} MB {1000 * (files[200_000] - files[1000]):5.0f} ms more, "
        f"{1000 * run / 2:.0f} ms of which the run on two workers",
        flush=True,
    )


def main() -> None:
    """Measure both kinds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", nargs="*", default=["processes", "dask"])
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, niceness {os.nice(0)}")
    for kind in parser.parse_args().kind:
        measured(kind)


if __name__ == "__main__":
    main()
