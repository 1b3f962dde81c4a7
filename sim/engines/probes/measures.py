"""Measures of the probe engine beyond jobs and copies."""

from __future__ import annotations

from typing import Any

from sim.engines.engine import Measure

#: Measures of the engine beyond those of all engines.
SCALARS = (
    Measure("messages_per_task", "messages a task"),
    Measure("refusals_per_decision", "refusals a decision"),
    Measure("queue_length", "reservations a worker"),
    Measure("staleness", "age of sizes", is_time=True),
    Measure("overstatement", "sizes overstated"),
    Measure("handover", "hand-over", is_time=True),
)
SENT = ("probes", "questions", "nos", "tasks", "reports", "kills", "cancels")


def messages(network: Any) -> int:
    """Messages of all kinds that were sent."""
    return int(sum(network[f"sent_{kind}"] for kind in SENT))


def scalars(network: Any, tasks: int, tells_sizes: bool) -> dict[str, float | None]:
    """Return `SCALARS`; None where there is nothing to tell.

    Parameters
    ----------
    network : record
        `sim.engines.probes.records.NETWORK` at the end of a run.
    tasks : int
        Tasks that were completed.
    tells_sizes : bool
        Whether workers act on what messages say of jobs.
    """
    window = network.closes - network.opens
    return {
        "messages_per_task": _ratio(messages(network), tasks),
        "refusals_per_decision": _ratio(network.refusals, network.decisions),
        "queue_length": _ratio(network.area_queued, network.workers * window),
        "staleness": _ratio(network.staleness, network.sizes_used) if tells_sizes else None,
        "overstatement": _ratio(network.overstated, network.sizes_used) if tells_sizes else None,
        "handover": _ratio(network.handover, network.given),
    }


def _ratio(total: float, count: float) -> float | None:
    return float(total / count) if count > 0 else None
