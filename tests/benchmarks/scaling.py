"""The cost of running elsewhere: efficiency from one worker to two, overhead per work item and per megabyte.

``python -m tests.benchmarks.scaling`` prints it, with Dask where that is installed; see
``docs/explanation/scaling.md``.
Two processes side by side, each handed all its runs at once, show what the machine itself loses.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

import numpy as np

from sim.engines.slots.scenario import SlotScenario
from sim.logs import Trace
from sim.running import sample_store
from sim.running.experiment import Experiment, compare
from tests.benchmarks.latencies import conclude, held, with_allowance

#: Jobs of a run of one second and more, runs that are timed, runs of next to nothing, jobs in files.
JOBS, RUNS, TINY, SIZES = 80_000, 6, 400, (1000, 200_000)
#: How often one worker and two are measured in turn, since the speed of a machine varies.
TURNS = 5
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
        from sim.running.dask import connected

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


def in_a_row(runs: list[sample_store.WorkItem]) -> None:
    """Run units one after the other: nobody hands them out, and nothing comes back."""
    for one in runs:
        sample_store.run(one)


def side_by_side(workers: int, pool: Executor) -> float:
    """Return the seconds of a run where each worker is handed its share of all runs at once."""
    work = experiment(JOBS)
    runs = [sample_store.work_item(work, number, 0) for number in range(RUNS)]
    begun = time.perf_counter()
    for share in [pool.submit(in_a_row, runs[first::workers]) for first in range(workers)]:
        share.result()
    return (time.perf_counter() - begun) / RUNS


@dataclass(frozen=True)
class Turn:
    """Seconds of a run with one worker, and the efficiency from one to two: handed out, and in a row."""

    alone: float
    efficiency: float
    machine: float


def alternating(kind: str) -> list[Turn]:
    """Measure one worker and two in turn, handed out by this kind of executor, and left to themselves."""
    turns = []
    with (
        executor(kind, 1) as one,
        executor(kind, 2) as two,
        executor("processes", 1) as single,
        executor("processes", 2) as pair,
    ):
        for workers, pool in ((1, one), (2, two), (1, single), (2, pair)):  # what is compiled does not count
            compare(experiment(5), replications=4 * workers, executor=pool)
        for _ in range(TURNS):
            alone, both = (cost(experiment(JOBS), RUNS, pool, times=1).clock for pool in (one, two))
            bare, side = side_by_side(1, single), side_by_side(2, pair)
            turns.append(Turn(alone, alone / both / 2, bare / side / 2))
    return turns


def told(values: Iterable[float]) -> str:
    """Return the median of the turns, and their range."""
    found = sorted(values)
    return f"{median(found):.2f} ({found[0]:.2f} to {found[-1]:.2f})"


def measured(kind: str) -> None:
    """Print what one kind of executor costs."""
    turns = alternating(kind)
    print(
        f"{kind:10} a run with one worker: {median(turn.alone for turn in turns):.2f} s; in {TURNS} turns, "
        f"efficiency from one to two: {told(turn.efficiency for turn in turns)}; "
        f"of two processes left to themselves: {told(turn.machine for turn in turns)}; "
        f"the first over the second: {told(turn.efficiency / turn.machine for turn in turns)}",
        flush=True,
    )
    share = median(turn.efficiency / turn.machine for turn in turns)
    held(f"{kind}: efficiency of two workers, of the machine's own", share, 0.9, at_least=True)
    with executor(kind, 2) as pool:
        for one in (experiment(5), recorded(SIZES[0])):
            compare(one, replications=8, executor=pool)
        tiny = cost(experiment(5), TINY, pool)
        few, many = (cost(recorded(jobs), 20, pool) for jobs in SIZES)
    megabytes = (SIZES[1] - SIZES[0]) * 24 / 1e6
    print(
        f"{kind:10} an empty item: {1000 * tiny.clock:.1f} ms, of which {1000 * tiny.here:.1f} ms of the "
        f"processor here; a megabyte sent: {1000 * (many.here - few.here) / megabytes:.1f} ms of it",
        flush=True,
    )


def main() -> int:
    """Measure both kinds; return 1 if a second worker gains too little."""
    parser = with_allowance(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("kind", nargs="*", default=["processes", "dask"])
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, niceness {os.nice(0)}")
    for kind in chosen.kind:
        measured(kind)
    return conclude(chosen.allowance)


if __name__ == "__main__":
    sys.exit(main())
