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
from dataclasses import dataclass

import numpy as np

from sim.experiment import Experiment, compare
from sim.slots.scenario import SlotScenario
from sim.traces import Trace

#: Jobs of a run of one second and more, runs that are timed, runs of next to nothing, jobs in files.
JOBS, RUNS, TINY, SIZES = 40_000, 8, 400, (1000, 200_000)
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


@dataclass(frozen=True)
class Cost:
    """What a run takes: by the clock, and of the processor here, where all answers pass through."""

    clock: float
    here: float


def cost(one: Experiment, replications: int, pool: Executor, times: int = 3) -> Cost:
    """Return the least of a few times, for each run."""
    found = []
    for _ in range(times):
        begun, used = time.perf_counter(), time.process_time()
        compare(one, replications=replications, executor=pool)
        found.append((time.perf_counter() - begun, time.process_time() - used))
    clock, here = (min(column) / replications for column in zip(*found, strict=True))
    return Cost(clock, here)


def measured(kind: str) -> None:
    """Print what one kind of executor costs."""
    long = {}
    for workers in (1, 2):
        with executor(kind, workers) as pool:
            for one in (experiment(5), recorded(SIZES[0])):  # what is compiled or drawn first does not count
                compare(one, replications=4 * workers, executor=pool)
            long[workers] = cost(experiment(JOBS), RUNS, pool)
            if workers == 2:
                tiny = cost(experiment(5), TINY, pool)
                few, many = (cost(recorded(jobs), 20, pool) for jobs in SIZES)
    megabytes = (SIZES[1] - SIZES[0]) * 24 / 1e6
    print(
        f"{kind:10} a run: {long[1].clock:.2f} s with 1 worker, {long[2].clock:.2f} s with 2, efficiency "
        f"{long[1].clock / long[2].clock / 2:.2f}; a unit of nothing: {1000 * tiny.clock:.1f} ms, of which "
        f"{1000 * tiny.here:.1f} ms of the processor here; a megabyte sent: "
        f"{1000 * (many.here - few.here) / megabytes:.1f} ms of the processor here",
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
