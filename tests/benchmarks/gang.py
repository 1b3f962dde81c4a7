"""How fast the gang engine is: ``python -m tests.benchmarks.gang``.

One core, the system of Aktas & Soljanin with b ~ Pareto(10, 3), at the loads at which nothing or little
waits. The machine's own speed is measured beside it, as in `tests.benchmarks.engine`. Then the time of
one point of a figure as in the paper, 30 runs of 100,000 jobs, with its statistics, on all cores.
"""

from __future__ import annotations

import os
import time

from sim.experiment import Experiment, compare
from sim.gang.policy import read_policy
from sim.gang.run import GangRun
from sim.gang.scenario import GangScenario
from sim.workload import generate
from tests.benchmarks.engine import arithmetic

#: (policy, offered load, placement, jobs per second that are to be reached)
GOALS = (
    ("none", 0.5, "distinct", 1.5e6),
    ("all:r=2", 0.5, "distinct", 1.0e6),
    ("none", 0.9, "distinct", None),
    ("redundant-small:r=2,d=120", 0.5, "distinct", None),
    ("all:r=2", 0.5, "pool", None),
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


def main() -> None:
    """Measure and print."""
    yardstick = max(arithmetic() for _ in range(3))
    print(f"yardstick: {yardstick:.0f} M straggle factors/s")
    for policy, load, placement, goal in GOALS:
        best = jobs_per_second(GangScenario(size_tail=3, load=load, placement=placement, jobs=JOBS), policy)
        aim = f"goal {goal / 1e6:g}; " if goal else ""
        print(
            f"{policy:26} load {load} {placement:8} {best / 1e6:5.2f} M jobs/s  "
            f"({aim}{best / yardstick / 1e6:.4f} of the yardstick)"
        )
    for policy in ("none", "all:r=2"):
        seconds = min(point(policy) for _ in range(2))
        print(
            f"{policy:26} 30 x 100,000 jobs: {seconds:.1f} s on {os.cpu_count()} cores (goal {POINT:g} on 2)"
        )


if __name__ == "__main__":
    main()
