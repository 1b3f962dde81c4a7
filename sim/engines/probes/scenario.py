"""A cluster of many schedulers and many workers, and the load offered to it, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sim.model.fields import BadInput, described
from sim.model.speculative import SpeculativeScenario

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
