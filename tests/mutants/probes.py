"""Bugs in the engine of many schedulers and in its counts."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

TWIN = "tests/sim/probes/test_twin.py"
COUNTS = "tests/sim/probes/test_counts.py"

MUTANTS = (
    Mutant(
        "messages-leave-out-the-kills",
        "probes.scenario.SENT",
        '"reports", "kills", "cancels")',
        '"reports", "cancels")',
        COUNTS,
        plain=True,
    ),
    Mutant(
        "messages-per-task-are-per-question",
        "probes.scenario.scalars",
        '"messages_per_task": _ratio(messages(network), tasks)',
        '"messages_per_task": _ratio(messages(network), network.sent_questions)',
        COUNTS,
        plain=True,
    ),
    Mutant(
        "queue-length-is-of-all-workers",
        "probes.scenario.scalars",
        "network.workers * window",
        "window",
        COUNTS,
        plain=True,
    ),
    Mutant(
        "queues-are-counted-without-who-leaves",
        "queue.drop",
        "count_time(cluster, net, -1)",
        "count_time(cluster, net, 0)",
        COUNTS,
        plain=True,
    ),
    Mutant(
        "hand-over-counts-questions",
        "probes.scenario.scalars",
        "_ratio(network.handover, network.given)",
        "_ratio(network.handover, network.sent_questions)",
        COUNTS,
        plain=True,
    ),
    Mutant(
        "refusals-are-firm",
        "hopper.accept",
        "if firm or world.jobs[j].held < virtual_size(world.cluster, world.jobs, j):",
        "if world.jobs[j].held < virtual_size(world.cluster, world.jobs, j):",
        TWIN,
        plain=True,
    ),
    Mutant(
        "sparrow-serves-the-youngest-reservation",
        "queue.take_oldest",
        "take(cluster, net, workers, entries, seats, s, workers[w].segment)",
        "take(cluster, net, workers, entries, seats, s, workers[w].segment + workers[w].queued - 1)",
        TWIN,
        plain=True,
    ),
    Mutant(
        "messages-arrive-before-copies-end",
        "probes.engine.is_next",
        "return message.time < w.items[w.front[0]].time",
        "return message.time <= w.items[w.front[0]].time",
        TWIN,
        plain=True,
    ),
    Mutant(
        "messages-do-not-look-at-outputs",
        "probes.engine.is_next",
        "if c.deliveries > 0 and w.deliveries[0].time <= message.time:",
        "if c.deliveries > 0 and w.deliveries[0].time < message.time:",
        TWIN,
        plain=True,
    ),
    Mutant(
        "probes-of-one-batch-meet-on-a-worker",
        "worker.worker_of",
        "place = (number - first) % probes",
        "place = 0",
        TWIN,
        plain=True,
    ),
)
