"""How fast the probe engine is: ``python -m tests.benchmarks.probes``.

One core, statistics on, in the two settings of the presets: Sparrow on 10,000 workers of four slots, and
Hopper with 50 schedulers and 10,000 workers (beta = 1.5, U{1..100} tasks a job, load 0.8). Beside each rate
the yardstick of `tests.benchmarks.engine`, since the machine may be busy.
"""

from __future__ import annotations

from sim.presets import preset
from sim.probes.policy import read_policy
from sim.probes.run import ProbeRun
from sim.workload import generate
from tests.benchmarks.engine import arithmetic

#: (preset, policy, tasks per second that are to be reached; 0: none is set)
GOALS = (
    ("sparrow-10k", "sparrow", 1.0e6),
    ("sparrow-10k", "sparrow-srpt", 0),
    ("hopper-fig5a", "hopper", 0.15e6),
    ("hopper-fig5a", "hopper:probes=2", 0),
    ("hopper-fig5a", "hopper:probes=10", 0),
    ("hopper-fig5a", "sparrow+late", 0),
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


def main() -> None:
    """Measure and print."""
    yardstick = arithmetic()
    print(f"yardstick: {yardstick:.0f} M straggle factors/s")
    for name, policy, goal in GOALS:
        rate, events, flowtime = measure(name, policy)
        wanted = f"goal {goal / 1e6:g}; " if goal else ""
        print(
            f"{name:13} {policy:17} {rate / 1e6:5.2f} M tasks/s  ({wanted}{events:.1f} events a task; "
            f"{rate / yardstick / 1e6:.4f} of the yardstick; mean flowtime {flowtime:.2f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
