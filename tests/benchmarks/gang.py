"""How fast the gang engine is: ``python -m tests.benchmarks.gang``.

One core, the system of Aktas & Soljanin with b ~ Pareto(10, 3), at the loads at which nothing or little
waits. The machine's own speed is measured beside it, as in `tests.benchmarks.engine`. Then the time of
one point of a figure as in the paper, 30 runs of 100,000 jobs, with its statistics, on all cores.
"""

from __future__ import annotations

import os
import sys
import time

from sim.engines.gang.run import GangRun, read_policy
from sim.engines.gang.scenario import GangScenario
from sim.model.workload import generate
from sim.running.experiment import Experiment, compare
from tests.benchmarks.engine import arithmetic
from tests.benchmarks.goals import Rate, conclude, tolerated

#: (policy, offered load, placement, share of the yardstick as last measured, share that is to be reached)
ROWS: tuple[tuple[str, float, str, float | None, float | None], ...] = (
    ("none", 0.5, "distinct", 0.0477, 0.044),
    ("all:r=2", 0.5, "distinct", 0.0334, 0.028),
    ("none", 0.9, "distinct", None, None),
    ("redundant-small:r=2,d=120", 0.5, "distinct", None, None),
    ("all:r=2", 0.5, "pool", None, None),
)
JOBS = 200_000
ROUNDS = 8
#: Seconds a point of a figure may take on two cores.
POINT = 4.0


def jobs_per_second(scenario: GangScenario, policy: str) -> float:
    """Best rate of a few rounds."""
    workload = generate(scenario, 0)
    rates = []
    for _ in range(ROUNDS):
        run = GangRun(scenario, read_policy(policy), 0, workload)
        while not run.advance():
            pass
        rates.append(workload.n / run.seconds)
    return max(rates)


def point(policy: str) -> float:
    """Seconds of a point of a figure as in the paper."""
    begun = time.perf_counter()
    compare(Experiment.of_texts(GangScenario(size_tail=3), (policy,)), replications=30)
    return time.perf_counter() - begun


def measured(yardstick: float) -> list[Rate]:
    """Measure each row, and print it."""
    rates = []
    for policy, load, placement, last, goal in ROWS:
        best = jobs_per_second(GangScenario(size_tail=3, load=load, placement=placement, jobs=JOBS), policy)
        rates.append(Rate(f"{policy:26} load {load} {placement:8}", best / yardstick / 1e6, last, goal))
        print(f"{rates[-1].line}; {best / 1e6:.2f} M jobs/s", flush=True)
    return rates


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return 1 if a rate has fallen."""
    tolerance = tolerated(arguments)
    yardstick = max(arithmetic() for _ in range(3))
    print(f"yardstick: {yardstick:.0f} M straggle factors/s")
    rates = measured(yardstick)
    for policy in ("none", "all:r=2"):
        seconds = min(point(policy) for _ in range(2))
        print(
            f"{policy:26} 30 x 100,000 jobs: {seconds:.1f} s on {os.cpu_count()} cores (goal {POINT:g} on 2)"
        )
    return conclude(rates, tolerance)


if __name__ == "__main__":
    sys.exit(main())
