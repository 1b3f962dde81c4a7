"""The parameters of the chosen policies, each with a slider or a switch."""

from __future__ import annotations

from collections.abc import Mapping

from pages.compare.controls import EPSILON, PAGE, leaves_epsilon_open
from pages.shared.controls import parameters
from sim.policy import Parameter
from sim.slots.policy import SlotPolicy, read_policy


def tune(policies: Mapping[int, SlotPolicy], unit: str) -> None:
    """Draw the parameters of each policy; moving one changes its policy."""
    parameters.tune(PAGE, "policies", read_policy, policies, _free, unit)


def _free(policy: SlotPolicy, part: str, parameter: Parameter) -> bool:
    """Whether a parameter has its slider here: the ε of a Hopper that leaves it open has one of its own."""
    return not (part == "sharing" and parameter.name == EPSILON and leaves_epsilon_open(policy))
