"""The scenario of the slot engine: one scheduler, its slots, and the machines they are on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sim.model.fields import About, about_fields, described, kinds_of_fields
from sim.model.speculative import SpeculativeScenario


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotScenario(SpeculativeScenario):
    """A slot cluster and the load offered to it.

    Raises
    ------
    BadInput
        Naming the field, the value and what is accepted.

    Examples
    --------
    >>> SlotScenario(slots=100, machine_slots=8).machines
    13
    """

    ENGINE: ClassVar[str] = "slots"

    machine_slots: int = described(
        1, "slots of one machine", unit="slots", low=1, high=1_000_000, after="barrier"
    )
    slow_share: float = described(
        0.0, "share of the machines that are slow, always", low=0, high=1, after="machine_slots"
    )
    slow_factor: float = described(
        2.0, "how many times longer any copy takes on a slow machine", low=1, high=1e3, after="slow_share"
    )
    replicas: int = described(
        0,
        "machines (all, if there are fewer) that hold the input block of a task of a first phase; "
        "0: every machine reads it alike",
        unit="machines",
        low=0,
        high=20,
        after="slow_factor",
    )
    remote_factor: float = described(
        1.5,
        "how many times longer a copy takes where its input block is not",
        low=1,
        high=1e3,
        after="replicas",
    )
    decision_interval: float = described(
        0.0,
        "slots are given out at multiples of this time only; 0: at every event (Xu and Lau: slotted time)",
        unit="time_unit",
        low=0,
        high=1e12,
        after="observe",
    )

    @property
    def machines(self) -> int:
        """Machines of the cluster; the last one may have fewer slots."""
        return -(-self.slots // self.machine_slots)

    @property
    def slow_machines(self) -> int:
        """Machines that are slow: their share, rounded to a whole number."""
        return round(self.slow_share * self.machines)

    @property
    def healthy_slots(self) -> float:
        r"""Healthy slots that finish as many tasks as this cluster does when it is busy.

        A slot of a slow machine counts as 1 / `slow_factor` of a slot (the last machine as a whole one).
        """
        return self.slots * (1 - self.slow_machines / self.machines * (1 - 1 / self.slow_factor))


#: Descriptions and types of its fields.
ABOUT: dict[str, About] = about_fields(SlotScenario)
KINDS: dict[str, type] = kinds_of_fields(SlotScenario)
