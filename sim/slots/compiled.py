"""The compiled hooks of a rule in the order in which the engines take them."""

from __future__ import annotations

from typing import Any

from sim.slots.rule import Sharing, Speculation
from sim.slots.signatures import never, nobody, nothing


def sharing_hooks(rule: Sharing, values: Any) -> tuple[Any, ...]:
    """Return the compiled hooks of a sharing rule, in the order in which the engine takes them."""
    return rule.update_order.compiled(type(values)), rule.next_job.compiled(type(values))


def speculation_hooks(rule: Speculation, values: Any) -> tuple[Any, ...]:
    """Return the compiled hooks of a speculation rule, in the order in which the engine takes them."""
    hooks = (
        rule.next_check or never,
        rule.check or never,
        rule.on_copy_end or nothing,
        rule.select_task or nobody,
        rule.evict or nobody,
    )
    return tuple(hook.compiled(type(values)) for hook in hooks)
