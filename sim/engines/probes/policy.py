"""Policies of the probe engine: how slots and jobs find each other, and who gets another copy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sim.engines import plugins
from sim.engines.probes.protocol import Protocol
from sim.engines.slots.rule import Speculation
from sim.model.policy import Chosen, Policy

if TYPE_CHECKING:
    from sim.engines.probes.central import Central


def protocol_rules() -> dict[str, Protocol | Central]:
    """Return the protocols, and the centralised run they are measured against; imports Numba."""
    from sim.engines.probes.central import CENTRAL

    return {**plugins.rules(Protocol), CENTRAL.key: CENTRAL}


def speculation_rules() -> dict[str, Speculation]:
    """Return the rules of the slot engine that can be run at many schedulers."""
    return {key: plugins.rules(Speculation)[key] for key in ("none", "late", "budget")}


@dataclass(frozen=True, slots=True)
class ProbePolicy(Policy):
    """A protocol and a speculation rule.

    Examples
    --------
    >>> read_policy("hopper").text, ProbePolicy.of("hopper", "late").text
    ('hopper+budget', 'hopper+late')
    >>> read_policy("sparrow:probes=4+late").text
    'sparrow:probes=4+late'
    >>> [read_policy(text).name for text in ("hopper:probes=2", "sparrow+late", "central")]
    ['Hopper, d = 2', 'Sparrow + LATE', 'Central']
    >>> read_policy("sparrow+budget")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: policy: 'sparrow+budget' is not accepted; budget needs virtual sizes...
    """

    NOTE: ClassVar = "; budget needs virtual sizes (hopper, central)"

    protocol: Chosen = field(metadata={"rules": protocol_rules})
    speculation: Chosen = field(metadata={"rules": speculation_rules})

    def complaint(self) -> str | None:
        """Say why the rules do not go together, if they do not."""
        sizes = protocol_rules()[self.protocol.key].budgets or self.speculation.key != "budget"
        return None if sizes else "budget needs virtual sizes, as hopper has"


read_policy = ProbePolicy.read
