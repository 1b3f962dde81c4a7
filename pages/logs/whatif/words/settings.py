"""Settings in words, and as text to paste."""

from __future__ import annotations

from sim.advice.whatif.systems import System
from sim.engines.slots.policy import SlotPolicy


def called(policy: SlotPolicy, system: System | None) -> str:
    """Return what a setting is called: in the system's own words, or as the rule of a paper.

    Examples
    --------
    >>> from sim.engines.slots.policy import read_policy
    >>> from sim.advice.whatif.systems import SPARK
    >>> called(read_policy("fifo+spark:multiplier=1.5"), SPARK), called(read_policy("fifo+spark"), SPARK)
    ('speculation: multiplier 1.5', 'speculation with its defaults')
    >>> called(read_policy("fifo+none"), SPARK), called(read_policy("fifo+late"), SPARK)
    ('no speculation', 'LATE (not in your system)')
    """
    rule = policy.speculation
    if rule.key == "none":
        return "no speculation"
    if not is_of(policy, system):
        name = rule.name if policy.sharing.key == "fifo" else policy.name
        return f"{name} (not in your system)" if system else name
    changed = rule.called("").lstrip(", ").replace(" = ", " ")
    return f"speculation: {changed}" if changed else "speculation with its defaults"


def is_of(policy: SlotPolicy, system: System | None) -> bool:
    """Whether a system has a setting for a policy."""
    own = {text.partition("+")[2].partition(":")[0] for text in system.options} if system else set()
    return policy.speculation.key in {"none", *own}
