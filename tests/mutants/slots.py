"""Bugs in the slot engine and in the parts that all engines share."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

TWIN = "tests/sim/slots/test_twin.py"

MUTANTS = (
    Mutant(
        "heap-ignores-the-tie-rule",
        "sim/kernel/heap.py",
        "return x.rank < y.rank",
        "return x.rank > y.rank",
        f"tests/sim/kernel/test_heap.py {TWIN} -k 'heap or fair'",
        plain=True,
    ),
    Mutant(
        "heap-forgets-what-was-below-a-removed-node",
        "sim/kernel/heap.py",
        "if rest >= 0:",
        "if False:",
        "tests/sim/kernel/test_heap.py",
        plain=True,
    ),
    Mutant(
        "least-of-a-block-is-kept-when-it-is-gone",
        "sim/kernel/least.py",
        "elif before == numbers[above + block]:",
        "elif before < numbers[above + block]:",
        "tests/sim/kernel/test_least.py",
        plain=True,
    ),
    Mutant(
        "queue-is-in-reverse-order",
        "sim/kernel/queue.py",
        "and precedes(nodes, i, before)",
        "and precedes(nodes, before, i)",
        "tests/sim/kernel/test_queue.py",
        plain=True,
    ),
    Mutant(
        "notices-come-before-finishes",
        "sim/kernel/calendar.py",
        "return (a & 1) == 0",
        "return (a & 1) == 1",
        f"tests/sim/kernel/test_calendar.py {TWIN} -k 'calendar or late'",
        plain=True,
    ),
    Mutant(
        "calendar-skips-the-day-it-jumps-to",
        "sim/kernel/calendar.py",
        "min(first_filed_day(world.cluster, world.items), last) - 1",
        "min(first_filed_day(world.cluster, world.items), last)",
        "tests/sim/kernel/test_calendar.py",
        plain=True,
    ),
    Mutant(
        "luck-of-a-copy-is-that-of-its-task",
        "sim/kernel/streams.py",
        "np.uint64(task) * COPIES + np.uint64(copy) + np.uint64(1)",
        "np.uint64(task) * COPIES + np.uint64(1)",
        "tests/sim/test_laws.py tests/sim/slots/test_dolly.py",
    ),
    Mutant(
        "luck-drawn-ahead-is-that-of-the-first-task",
        "sim/slots/luck.py",
        "uniform(job.key, task + k, 0)",
        "uniform(job.key, task, 0)",
        TWIN,
    ),
    Mutant(
        "luck-drawn-ahead-is-given-to-another-job",
        "sim/slots/luck.py",
        "if c.lucky != j or task >= c.luck_end:",
        "if task >= c.luck_end:",
        TWIN,
    ),
    Mutant(
        "waiting-tasks-are-summed-up-as-jobs",
        "sim/kernel/integrals.py",
        "row[2] = c.area_waiting + left * float(c.waiting)",
        "row[2] = c.area_active + left * float(c.active)",
        f"{TWIN} -k 'busy_cluster and late'",
        plain=True,
    ),
    Mutant(
        "phases-start-before-the-barrier",
        "sim/kernel/phases.py",
        "math.ceil(cluster[0].barrier * feeding.tasks - 1e-9)",
        "math.floor(cluster[0].barrier * feeding.tasks)",
        "tests/sim/slots/test_phases.py tests/sim/slots/test_twin.py -k 'phases or barrier'",
        plain=True,
    ),
    Mutant(
        "a-killed-copy-costs-nothing",
        "sim/slots/ending.py",
        "job.resource += ran",
        "job.resource += ran if fate == 0 else 0.0",
        f"{TWIN} -k 'busy_cluster and late'",
        plain=True,
    ),
    Mutant(
        "a-tasks-other-copies-run-on",
        "sim/slots/ending.py",
        "if s != winner:",
        "if s == -1:",
        f"{TWIN} -k 'busy_cluster and clone'",
        plain=True,
    ),
    Mutant(
        "decisions-come-an-interval-late",
        "sim/slots/engine.py",
        "c.decide_at = (passed + 1.0) * c.interval",
        "c.decide_at = (passed + 2.0) * c.interval",
        f"{TWIN} -k 'nothing_ties and sda'",
        plain=True,
    ),
    Mutant(
        "remote-reads-are-as-fast-as-local-ones",
        "sim/slots/places.py",
        "return c.remote_factor",
        "return 1.0",
        f"{TWIN} -k 'phases_blocks and hopper-local'",
        plain=True,
    ),
)
