"""The scenario of the probe engine, and its measures beyond jobs and copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sim.engines.engine import Measure
from sim.model.fields import BadInput, described
from sim.model.speculative import SpeculativeScenario

# A cluster of many schedulers and many workers, and the load offered to it, as one frozen value.

#: Slots beyond which no engine goes.
MOST_SLOTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeScenario(SpeculativeScenario):
    """Schedulers that own jobs, workers that own slots, messages between them.

    Raises
    ------
    BadInput
        Naming the field, the value and what is accepted.

    Examples
    --------
    >>> ProbeScenario(workers=500, slots_per_worker=4).slots
    2000
    """

    ENGINE: ClassVar[str] = "probes"

    slots: int = described(
        1000, "slots of the cluster: workers x slots_per_worker", derived=True, low=1, high=MOST_SLOTS
    )
    workers: int = described(1000, "workers; each has a queue of reservations", low=1, high=MOST_SLOTS)
    slots_per_worker: int = described(1, "slots of each worker", low=1, high=1000)
    schedulers: int = described(
        10, "schedulers; job j belongs to scheduler j modulo their number", low=1, high=100_000
    )
    latency: float = described(0.001, "one-way delay of every message", unit="time_unit", low=0, high=1e9)

    def _derive(self) -> None:
        """Count the slots."""
        slots = self.workers * self.slots_per_worker
        if slots > MOST_SLOTS:
            raise BadInput(
                f"slots_per_worker: {self.slots_per_worker} is not accepted; give at most "
                f"{MOST_SLOTS // self.workers}, so that {self.workers} workers have "
                f"at most {MOST_SLOTS} slots"
            )
        object.__setattr__(self, "slots", slots)


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
