"""Bugs in the engine of many schedulers and in its counts."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

TWIN = "tests/sim/probes/test_twin.py"
COUNTS = "tests/sim/probes/test_counts.py"

MUTANTS = (
    Mutant(
        "messages-leave-out-the-kills",
        "sim/probes/measures.py",
        '"reports", "kills", "cancels")',
        '"reports", "cancels")',
        COUNTS,
        plain=True,
    ),
    Mutant(
        "messages-per-task-are-per-question",
        "sim/probes/measures.py",
        '"messages_per_task": _ratio(messages(network), tasks)',
        '"messages_per_task": _ratio(messages(network), network.sent_questions)',
        COUNTS,
        plain=True,
    ),
    Mutant(
        "queue-length-is-of-all-workers",
        "sim/probes/measures.py",
        "network.workers * window",
        "window",
        COUNTS,
        plain=True,
    ),
    Mutant(
        "queues-are-counted-without-who-leaves",
        "sim/probes/queue.py",
        "count_time(cluster, net, -1)",
        "count_time(cluster, net, 0)",
        COUNTS,
        plain=True,
    ),
    Mutant(
        "hand-over-counts-questions",
        "sim/probes/measures.py",
        "_ratio(network.handover, network.given)",
        "_ratio(network.handover, network.sent_questions)",
        COUNTS,
        plain=True,
    ),
    Mutant(
        "refusals-are-firm",
        "sim/probes/protocols/hopper.py",
        "if firm or world.jobs[j].held < virtual_size(world.cluster, world.jobs, j):",
        "if world.jobs[j].held < virtual_size(world.cluster, world.jobs, j):",
        TWIN,
        plain=True,
    ),
    Mutant(
        "sparrow-serves-the-youngest-reservation",
        "sim/probes/queue.py",
        "take(cluster, net, workers, entries, seats, s, workers[w].segment)",
        "take(cluster, net, workers, entries, seats, s, workers[w].segment + workers[w].queued - 1)",
        TWIN,
        plain=True,
    ),
    Mutant(
        "messages-arrive-before-copies-end",
        "sim/probes/engine.py",
        "return message.time < w.items[w.front[0]].time",
        "return message.time <= w.items[w.front[0]].time",
        TWIN,
        plain=True,
    ),
    Mutant(
        "messages-do-not-look-at-outputs",
        "sim/probes/engine.py",
        "if c.deliveries > 0 and w.deliveries[0].time <= message.time:",
        "if c.deliveries > 0 and w.deliveries[0].time < message.time:",
        TWIN,
        plain=True,
    ),
    Mutant(
        "probes-of-one-batch-meet-on-a-worker",
        "sim/probes/probing.py",
        "place = (number - first) % probes",
        "place = 0",
        TWIN,
        plain=True,
    ),
)
