"""The scenario of the slot engine: one scheduler, its slots, and the machines they are on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from sim.engines import plugins
from sim.engines.slots.rule import SYSTEMS, Sharing, Speculation
from sim.model.fields import About, BadInput, about_fields, described, kinds_of_fields
from sim.model.policy import Chosen, Policy
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


# Policies of the slot engine: whose turn it is, and who gets another copy.

sharing_rules = partial(plugins.rules, Sharing)
speculation_rules = partial(plugins.rules, Speculation)


@dataclass(frozen=True, slots=True)
class SlotPolicy(Policy):
    """A sharing rule and a speculation rule; any pair runs.

    Examples
    --------
    >>> read_policy("hopper").text, SlotPolicy.of("hopper", "late").text, read_policy("sda:sigma=1.5").text
    ('hopper+budget', 'hopper+late', 'levels+sda:sigma=1.5')
    >>> read_policy("fair+late:speculative_cap=0.2").speculation.as_dict["speculative_cap"]
    0.2
    """

    SYSTEMS: ClassVar = SYSTEMS

    sharing: Chosen = field(metadata={"rules": sharing_rules})
    speculation: Chosen = field(metadata={"rules": speculation_rules})


read_policy = SlotPolicy.read


def check_fit(policy: SlotPolicy, scenario: SlotScenario) -> None:
    """Refuse a policy that can do nothing with a scenario.

    Raises
    ------
    BadInput
        Naming the field, the value and what the policy would accept.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> check_fit(read_policy("sda"), SlotScenario(observe="never"))
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: observe: 'never' is not accepted with sda; give fraction:s or age:a
    """
    rule = speculation_rules()[policy.speculation.key]
    complaint = rule.refuses(scenario, policy.speculation.as_dict) if rule.refuses else None
    if complaint:
        raise BadInput(complaint)
