"""How fast the slot engine is: ``python -m tests.benchmarks.engine``.

One core, beta = 1.5, tasks per job U{1..100} (in four phases under `hopper-dag`), load 0.7, statistics
on. The machine's own speed is measured beside it (addressed straggle factors per second, a fixed amount
of arithmetic), so that runs on different machines, or on a busy one, can be compared as ratios. Ends with 1
if a rate falls below a share of the last one (``--tolerance``).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from os import environ

import numpy as np

from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.kernel.compile import OPTIONS
from sim.kernel.streams import factor, uniform
from sim.model.laws import StraggleLaw
from sim.model.workload import generate
from tests.benchmarks.goals import Rate, conclude, tolerated

#: (slots, policy, share of the yardstick as last measured on an idle machine, share that is to be reached).
#: Processors differ in these shares by up to a quarter: compare two versions in turn, on one machine.
ROWS: tuple[tuple[int, str, float | None, float | None], ...] = (
    (1_000, "srpt+none", 0.216, 0.20),
    (1_000, "srpt+mantri", 0.151, 0.13),
    (1_000, "fair+late", 0.0628, 0.049),
    (1_000, "hopper", 0.0296, 0.025),
    (3_000, "no-backup", None, None),
    (3_000, "mantri-xl", None, None),
    (3_000, "sda", None, None),
    (3_000, "ese:xi=5", None, None),
    (3_000, "sca", 0.0565, 0.0495),
    (3_000, "dolly-task", 0.0784, 0.0585),
    (3_000, "dolly-job", None, None),
    (100_000, "srpt+none", 0.135, 0.062),
    (100_000, "hopper", 0.0137, 0.010),
)
JOBS = {1_000: 40_000, 3_000: 40_000, 100_000: 80_000}
ROUNDS = 3


#: The law that is the yardstick, and one from data, which may be slower by a factor of 0.7.
PARETO = StraggleLaw("pareto", (1.5,))
TABLE = StraggleLaw("table", (1.5, 0.1, *np.linspace(0.5, 4, 1001)))


def arithmetic(law: StraggleLaw = PARETO) -> float:
    """Straggle factors per second, in millions: the yardstick."""
    import numba

    @numba.njit(**{**OPTIONS, "cache": False})
    def draw(count, code, numbers):
        total = 0.0
        for i in range(count):
            total += factor(code, numbers, 0.0, uniform(np.uint64(1), i, 0))
        return total

    numbers = np.array(law.numbers)
    draw(10, law.code, numbers)
    seconds = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        draw(10_000_000, law.code, numbers)
        seconds.append(time.perf_counter() - begun)
    return 10 / min(seconds)


def tasks_per_second(slots: int, policy: str) -> tuple[float, float, float]:
    """Best rate of a few rounds, extra copies a task, and the first round's rate."""
    scenario = SlotScenario().replace(slots=slots, load=0.7, jobs=JOBS[slots])
    workload = generate(scenario, 0)
    rates = []
    for _ in range(ROUNDS):
        run = SlotRun(scenario, read_policy(policy), 0, workload)
        while not run.advance(1_000_000):
            pass
        rates.append(run.finished_tasks / run.seconds)
    outcome = run.outcome()
    return max(rates), outcome.extra.sum() / outcome.tasks_done, rates[0]


def start_up(cache: str) -> float:
    """Seconds from the start of Python to the first result, with this folder for compiled code."""
    line = [sys.executable, "-m", "sim", "run", "--preset", "small", "--replications", "1"]
    begun = time.perf_counter()
    subprocess.run(line, env={**environ, "NUMBA_CACHE_DIR": cache}, check=True, capture_output=True)
    return time.perf_counter() - begun


def measured(yardstick: float) -> list[Rate]:
    """Measure each row, and print it."""
    rates = []
    for slots, policy, last, goal in ROWS:
        best, extra, _ = tasks_per_second(slots, policy)
        rates.append(Rate(f"{slots:>7,} slots  {policy:12}", best / yardstick / 1e6, last, goal))
        print(f"{rates[-1].line}; {best / 1e6:.2f} M tasks/s, {extra:.2f} extra copies a task", flush=True)
    return rates


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; return 1 if a rate has fallen."""
    tolerance = tolerated(arguments)
    yardstick = arithmetic()
    print(f"yardstick: {yardstick:.0f} M straggle factors/s")
    print(f"a law from data: {arithmetic(TABLE) / yardstick:.2f} of it (goal 0.7)")
    rates = measured(yardstick)
    with tempfile.TemporaryDirectory() as cache:
        print(f"cold compile and first result: {start_up(cache):.1f} s (goal 60)")
        print(f"fresh process, warm cache: {min(start_up(cache) for _ in range(3)):.2f} s (goal 1.5)")
    return conclude(rates, tolerance)


if __name__ == "__main__":
    sys.exit(main())
