"""What a run costs as it grows: ``python -m tests.benchmarks.growth``, on an idle machine.

Time per task of `srpt+none` and `hopper` as slots grow, time per task and memory per job as jobs grow. Each
point is a process of its own, so that its memory is its own. ``--write`` puts the tables and their chart into
``docs/``; ``--slots`` and ``--jobs`` say how far to go.
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from sim.slots.policy import read_policy
from sim.slots.run import SlotRun
from sim.slots.scenario import SlotScenario
from sim.workload import generate
from tests.benchmarks.growth_chart import chart

DOCS = Path(__file__).parents[2] / "docs"
POLICIES = ("srpt+none", "hopper")
#: Slots while jobs grow, jobs while slots grow, and the fewest of either.
SLOTS, JOBS, FEWEST = 1_000, 40_000, (100, 1_000)
HEAD = "# What a run costs as it grows\n\n`python -m tests.benchmarks.growth --write` measures it."


@dataclass(frozen=True, slots=True)
class Point:
    """What a run of so many slots and jobs has cost."""

    slots: int
    jobs: int
    policy: str
    nanoseconds: float  # a task
    megabytes: float  # most memory of the process


def run(slots: int, jobs: int, policy: str) -> None:
    """Run once in this process; print nanoseconds a task and the most memory in MB."""
    warm = SlotScenario(slots=100, jobs=100)
    SlotRun(warm, read_policy(policy), 0, generate(warm, 0)).advance(1)
    scenario = SlotScenario(slots=slots, jobs=jobs, load=0.7)
    replication = SlotRun(scenario, read_policy(policy), 0, generate(scenario, 0))
    begun = time.thread_time()  # not the time by the clock: other programs may run
    while not replication.advance(1_000_000):
        pass
    seconds = time.thread_time() - begun
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(1e9 * seconds / replication.finished_tasks, used)


def measure(slots: int, jobs: int, policy: str) -> Point:
    """Run once in a process of its own."""
    line = [sys.executable, "-m", "tests.benchmarks.growth", "--point", str(slots), str(jobs), policy]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    point = Point(slots, jobs, policy, *map(float, done.stdout.split()))
    print(
        f"{slots:>9,} slots {jobs:>10,} jobs  {policy:10} {point.nanoseconds:7.0f} ns a task, "
        f"{point.megabytes:6.0f} MB",
        flush=True,
    )
    return point


def tens(fewest: int, most: int) -> list[int]:
    """Powers of ten from the fewest to the most.

    Examples
    --------
    >>> tens(100, 20_000)
    [100, 1000, 10000]
    """
    return [10**power for power in range(round(math.log10(fewest)), int(math.log10(most) + 1e-9) + 1)]


def table(points: list[Point]) -> str:
    """Return the points as a table."""
    lines = ["| slots | jobs | policy | ns a task | MB |", "|---|---|---|---|---|"]
    lines += [
        f"| {one.slots:,} | {one.jobs:,} | `{one.policy}` | {one.nanoseconds:.0f} | {one.megabytes:.0f} |"
        for one in points
    ]
    return "\n".join(lines)


def memory(points: list[Point]) -> str:
    """Say what a job takes of memory: from the run of fewest jobs to that of most.

    Examples
    --------
    >>> memory([Point(10, 1000, "srpt+none", 90.0, 100.0), Point(10, 2001000, "srpt+none", 90.0, 500.0)])
    'A job takes 210 bytes.'
    """
    few, many = points[0], points[-1]
    return f"A job takes {(many.megabytes - few.megabytes) * 2**20 / (many.jobs - few.jobs):.0f} bytes."


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--slots", type=int, default=10**6, help="most slots")
    parser.add_argument("--jobs", type=int, default=10**7, help="most jobs")
    parser.add_argument("--write", action="store_true", help="write docs/growth.md and docs/growth.svg")
    parser.add_argument("--point", nargs=3, metavar=("SLOTS", "JOBS", "POLICY"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.point:
        run(int(asked.point[0]), int(asked.point[1]), asked.point[2])
        return
    every = tens(FEWEST[0], asked.slots)
    wider = [measure(slots, max(JOBS, slots // 10), policy) for policy in POLICIES for slots in every]
    longer = [measure(SLOTS, jobs, POLICIES[0]) for jobs in tens(FEWEST[1], asked.jobs)]
    text = f"## More slots\n\n{table(wider)}\n\n## More jobs\n\n{table(longer)}\n\n{memory(longer)}\n"
    print(text)
    if asked.write:
        curves: dict[str, list[tuple[float, float]]] = {policy: [] for policy in POLICIES}
        for point in wider:
            curves[point.policy].append((point.slots, point.nanoseconds))
        (DOCS / "growth.svg").write_text(chart(curves, "slots", "ns a task"))
        (DOCS / "growth.md").write_text(f"{HEAD}\n\n![Time per task over slots](growth.svg)\n\n{text}")


if __name__ == "__main__":
    main()
