"""Sparrow whose workers serve the reservation of the job with the fewest remaining tasks.

A probe says how many of the job's tasks have not finished; that number stays with the reservation, so
it is as old as the probe. Ties go to the older job, then to the older reservation.
"""

from __future__ import annotations

from sim.engines.probes.protocol import PROBES_HELP, Protocol
from sim.engines.probes.protocols.sparrow import give, leave
from sim.engines.probes.queue import smallest, take
from sim.engines.probes.signatures import ask, label
from sim.model.policy import parameter


@label
def remaining(world, j):
    """Say how many tasks have not finished, as far as the scheduler knows."""
    job = world.jobs[j]
    return float(job.tasks - job.finished)


@ask
def shortest(world, s):
    """Ask for the job with the fewest remaining tasks."""
    e = smallest(world.workers, world.entries, world.seats[s].worker)
    if e < 0:
        return 0
    world.seats[s].firm = 0
    take(world.cluster, world.net, world.workers, world.entries, world.seats, s, e)
    return 1


RULE = Protocol(
    key="sparrow-srpt",
    title="Sparrow-SRPT",
    summary="as sparrow, but free slots serve the job with the fewest remaining tasks",
    label=remaining,
    ask=shortest,
    answer=give,
    update_order=leave,
    parameters=(
        parameter(
            "probes", 2, PROBES_HELP, whole=True, low=1, high=100_000, label="Probes per task, d", symbol="d"
        ),
        parameter("cancel", 0, "withdraw reservations when no task is left (1)", whole=True, low=0, high=1),
    ),
    tells_sizes=True,
    reference="Hopper (SIGCOMM 2015), section 7: the SRPT variant of Sparrow",
)
