"""Sparrow: batch sampling and late binding, reservations served first come, first served.

A free slot asks for the job of the oldest reservation of its worker, whose scheduler gives it a task
that has none yet, or a copy of one its speculation rule found slow, or nothing; then the slot asks on.
Copies are best effort: the extra copies of a scheduler's jobs may hold its part of `speculative_cap` of
the slots, where the speculation rule has such a cap.

Reservations left over when a job has all its tasks stay in the queues and cost a question each, as in
the published simulators; with `cancel` their scheduler withdraws them.
"""

from __future__ import annotations

from sim.engines.probes.protocol import PROBES_HELP, Protocol
from sim.engines.probes.queue import take_oldest
from sim.engines.probes.records import SPENT, TAKEN
from sim.engines.probes.signatures import answer, ask, label, update_order
from sim.model.policy import parameter


@label
def nothing(world, j):
    """Say nothing of a job."""
    return 0.0


@ask
def first_come(world, s):
    """Ask for the job of the oldest reservation."""
    return take_oldest(world.cluster, world.net, world.workers, world.entries, world.seats, s)


@answer
def give(world, j, firm):
    """Give a task that has no copy yet, or an extra copy within the scheduler's cap."""
    job, n = world.jobs[j], world.net[0]
    if job.launched < job.released or world.schedulers[j % n.schedulers].extra + 1 <= n.cap:
        return TAKEN
    return SPENT


@update_order
def leave(world, j):
    """File no job."""


RULE = Protocol(
    key="sparrow",
    title="Sparrow",
    summary="d probes a task; free slots serve them first come, first served",
    label=nothing,
    ask=first_come,
    answer=give,
    update_order=leave,
    parameters=(
        parameter(
            "probes", 2, PROBES_HELP, whole=True, low=1, high=100_000, label="Probes per task, d", symbol="d"
        ),
        parameter("cancel", 0, "withdraw reservations when no task is left (1)", whole=True, low=0, high=1),
    ),
    reference="Ousterhout et al., SOSP 2013",
)
