"""Bugs in the engine of jobs that start all at once."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

TWIN = "tests/sim/gang/test_twin.py"

MUTANTS = (
    Mutant(
        "tasks-that-end-at-one-time-are-in-any-order",
        "engine.place_by_count",
        "return places == (count * (count - 1)) >> 1",
        "return places <= (count * (count - 1)) >> 1",
        "tests/sim/gang/test_order.py",
    ),
    Mutant(
        "a-coded-job-waits-for-one-task-more",
        "engine.settle",
        "last = tasks[chosen[jobs[j].left - 1]].end",
        "last = tasks[chosen[min(jobs[j].left, count - 1)]].end",
        TWIN,
        plain=True,
    ),
    Mutant(
        "of-events-at-one-time-any-is-the-first",
        "heap.play",
        "first = (other.key - key) >> 63",
        "first = 0",
        "tests/sim/kernel/test_tournament.py",
    ),
    Mutant(
        "replicas-draw-the-luck-of-other-tasks",
        "engine.draw",
        "ends[i] = uniform(job.key, task, number)",
        "ends[i] = uniform(job.key, task, 0 * number)",
        TWIN,
        plain=True,
    ),
    Mutant(
        "all-numbers-of-a-rule-are-the-first",
        "_made.numbers",
        "numbers(world)[{place}]",
        "numbers(world)[0]",
        TWIN,
        plain=True,
    ),
    Mutant(
        "small-jobs-are-those-of-few-tasks",
        "small.expand_small",
        "job.tasks * job.task_size <= values.d",
        "job.tasks <= values.d",
        TWIN,
        plain=True,
    ),
    Mutant(
        "expansion-of-the-engine-rounds-down",
        "expansion.expanded",
        "else math.ceil(product)",
        "else math.floor(product)",
        TWIN,
        plain=True,
    ),
    Mutant(
        "two-tasks-of-a-job-on-one-node",
        "engine.pick",
        "if nodes[node].mark != mark:",
        "if True:",
        f"{TWIN} tests/sim/gang/test_invariants.py",
        plain=True,
    ),
    Mutant(
        "best-demand-is-the-worst",
        "best.smallest",
        "smallest = min(stable, key=lambda demand: stable[demand])",
        "smallest = max(stable, key=lambda demand: stable[demand])",
        "tests/sim/gang/test_sweep.py",
    ),
)
