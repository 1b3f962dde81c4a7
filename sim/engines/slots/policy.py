"""Policies of the slot engine: whose turn it is, and who gets another copy."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from sim.engines import plugins
from sim.engines.slots.rule import SYSTEMS, Sharing, Speculation
from sim.model.fields import BadInput
from sim.model.policy import Chosen, Policy

if TYPE_CHECKING:
    from sim.engines.slots.scenario import SlotScenario

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
