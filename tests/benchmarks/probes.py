"""How fast the probe engine is: ``python -m tests.benchmarks.probes``.

One core, statistics on, in the two settings of the presets: Sparrow on 10,000 workers of four slots, and
Hopper with 50 schedulers and 10,000 workers (beta = 1.5, U{1..100} tasks a job, load 0.8). Beside each rate
the yardstick of `tests.benchmarks.engine`, since the machine may be busy.
"""

from __future__ import annotations

import sys

from sim.engines.probes.policy import read_policy
from sim.engines.probes.run import ProbeRun
from sim.engines.registry import preset
from sim.model.workload import generate
from tests.benchmarks.engine import arithmetic
from tests.benchmarks.goals import Rate, conclude, tolerated

#: (preset, policy, share of the yardstick as last measured, share that is to be reached)
ROWS: tuple[tuple[str, str, float | None, float | None], ...] = (
    ("sparrow-10k", "sparrow", 0.0436, 0.055),
    ("sparrow-10k", "sparrow-srpt", None, None),
    ("hopper-fig5a", "hopper", None, None),
    ("hopper-fig5a", "hopper:probes=2", None, None),
    ("hopper-fig5a", "hopper:probes=10", None, None),
    ("hopper-fig5a", "sparrow+late", None, None),
)
ROUNDS = 4


def measure(name: str, policy: str) -> tuple[float, float, float]:
    """Best tasks per second of a few rounds, events a task, and the mean flowtime after the warm-up."""
    scenario = preset(name).scenario
    workload = generate(scenario, 0)
    rates = []
    for _ in range(ROUNDS):
        run = ProbeRun(scenario, read_policy(policy), 0, workload)
        while not run.advance(1_000_000):
            pass
        rates.append(run.finished_tasks / run.seconds)
    outcome = run.outcome()
    flowtime = (outcome.finish - outcome.arrival)[int(scenario.warm_up * scenario.jobs) :]
    return max(rates), outcome.events / outcome.tasks_done, float(flowtime.mean())


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return 1 if a rate has fallen."""
    tolerance = tolerated(arguments)
    yardstick = arithmetic()
    print(f"yardstick: {yardstick:.0f} M straggle factors/s")
    rates = []
    for name, policy, last, goal in ROWS:
        rate, events, flowtime = measure(name, policy)
        rates.append(Rate(f"{name:13} {policy:17}", rate / yardstick / 1e6, last, goal))
        print(
            f"{rates[-1].line}; {rate / 1e6:.2f} M tasks/s, {events:.1f} events a task, "
            f"mean flowtime {flowtime:.2f}",
            flush=True,
        )
    return conclude(rates, tolerance)


if __name__ == "__main__":
    sys.exit(main())
