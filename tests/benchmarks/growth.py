"""The cost of runs and visitors as they grow: ``python -m tests.benchmarks.growth``, on an idle machine.

Processor time per task and memory as slots grow and as jobs grow, of a run in a process of its own; processor
time, wait and memory as visitors grow, on one process and on two (`tests.benchmarks.growth_visitors`).
``--write`` keeps what was measured in ``docs/explanation/growth.json`` and makes page and chart of it;
``--render`` makes them anew of what is kept. All of it takes a quarter of an hour; ``--parts`` measures some
of it and leaves the rest as it is kept; ``--slots``, ``--jobs`` and ``--visitors`` say how far to go.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sim.engines.slots.scenario import SlotScenario
from sim.running.experiment import Experiment
from tests.benchmarks.growth_page import write
from tests.benchmarks.growth_record import DOCS, RunCost, VisitCost

POLICIES = ("srpt+none", "hopper")
#: Slots while jobs grow, jobs while slots grow, and the fewest of either.
SLOTS, JOBS, FEWEST = 1_000, 40_000, (100, 1_000)
VISITORS = (1, 10, 30, 100)


def run(slots: int, jobs: int, policy: str) -> None:
    """Run once in this process; print nanoseconds a task and the most memory in MB."""
    Experiment.of_texts(SlotScenario(slots=100, jobs=100), (policy,)).replicate(0)
    one = Experiment.of_texts(SlotScenario(slots=slots, jobs=jobs, load=0.7), (policy,))
    begun = time.thread_time()  # not the time by the clock: other programs may run
    (found,) = one.replicate(0)
    seconds = time.thread_time() - begun
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(1e9 * seconds / found.tasks, used)


def measure(slots: int, jobs: int, policy: str) -> RunCost:
    """Run once in a process of its own."""
    line = [sys.executable, "-m", "tests.benchmarks.growth", "--point", str(slots), str(jobs), policy]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    nanoseconds, megabytes = map(float, done.stdout.split())
    cost = RunCost(slots, jobs, policy, round(nanoseconds, 1), round(megabytes, 1))
    print(
        f"{slots:>9,} slots {jobs:>10,} jobs  {policy:10} {cost.nanoseconds:7.0f} ns a task, "
        f"{cost.megabytes:6.0f} MB",
        flush=True,
    )
    return cost


def tens(fewest: int, most: int) -> list[int]:
    """Powers of ten from the fewest to the most.

    Examples
    --------
    >>> tens(100, 20_000)
    [100, 1000, 10000]
    """
    return [10**power for power in range(round(math.log10(fewest)), int(math.log10(most) + 1e-9) + 1)]


def caches() -> dict[str, int]:
    """Return the bytes of the caches for data of the first core, where the system tells them."""
    found = {}
    for place in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((place / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            found[f"L{level}"] = int(size.removesuffix("K")) * 1024
    return found


def by_slots(most: int) -> list[RunCost]:
    """Measure ever more slots, under each policy."""
    every = tens(FEWEST[0], most)
    return [measure(slots, max(JOBS, slots // 10), policy) for policy in POLICIES for slots in every]


def by_jobs(most: int) -> list[RunCost]:
    """Measure ever more jobs."""
    return [measure(SLOTS, jobs, POLICIES[0]) for jobs in tens(FEWEST[1], most)]


def by_visitors(most: int) -> list[VisitCost]:
    """Measure ever more visitors of one process, then of two."""
    from tests.benchmarks.growth_visitors import measured

    subprocess.run([sys.executable, "-m", "sim", "compile"], check=True, capture_output=True)
    counts = [count for count in VISITORS if count <= most]
    return [cost for processes in (1, 2) for cost in measured(processes, counts)]


PARTS: dict[str, Callable[[int], list[Any]]] = {"slots": by_slots, "jobs": by_jobs, "visitors": by_visitors}


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="what to measure")
    for name, most in (("slots", 10**6), ("jobs", 10**7), ("visitors", 100)):
        parser.add_argument(f"--{name}", type=int, default=most, help=f"most {name} (%(default)s)")
    parser.add_argument("--write", action="store_true", help="keep the outcome in docs/explanation/growth.*")
    parser.add_argument(
        "--render", action="store_true", help="only make docs/explanation/growth.md and .svg anew"
    )
    parser.add_argument("--point", nargs=3, metavar=("SLOTS", "JOBS", "POLICY"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.point:
        run(int(asked.point[0]), int(asked.point[1]), asked.point[2])
        return
    for part in () if asked.render else asked.parts:
        found = PARTS[part](getattr(asked, part))
        if asked.write:
            keep(part, [asdict(one) for one in found])
    if asked.write or asked.render:
        write()


def keep(part: str, found: list[dict[str, Any]]) -> None:
    """Keep a part of what is measured, and on what; the other parts stay."""
    path = DOCS / "growth.json"
    held = json.loads(path.read_text()) if path.exists() else {key: [] for key in PARTS}
    path.write_text(
        json.dumps(held | {"cores": os.cpu_count() or 1, "caches": caches(), part: found}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
