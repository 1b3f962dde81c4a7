"""How a policy of the probe engine is written: ``protocol[:k=v,...][+speculation[:k=v,...]]``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim import plugins
from sim.fields import BadInput
from sim.policy import Chosen, Policy, of_two, read_pair
from sim.slots import policy as slots
from theory.shown import quoted

if TYPE_CHECKING:
    from sim.probes.central import Central
    from sim.probes.protocol import Protocol
    from sim.slots.rule import Speculation


def protocol_rules() -> dict[str, Protocol | Central]:
    """Return the protocols, and the centralised run they are measured against; imports Numba."""
    from sim.probes.central import CENTRAL
    from sim.probes.protocols import PROTOCOLS

    plugins.load()
    return {**PROTOCOLS, CENTRAL.key: CENTRAL}


def speculation_rules() -> dict[str, Speculation]:
    """Return the rules of the slot engine that can be run at many schedulers."""
    return {key: slots.speculation_rules()[key] for key in ("none", "late", "budget")}


@dataclass(frozen=True, slots=True)
class ProbePolicy(Policy):
    """A protocol and a speculation rule.

    Examples
    --------
    >>> read_policy("hopper").text, ProbePolicy.of("hopper", "late").text
    ('hopper+budget', 'hopper+late')
    >>> read_policy("sparrow:probes=4+late").text
    'sparrow:probes=4+late'
    """

    protocol: Chosen
    speculation: Chosen

    @classmethod
    def of(cls, protocol: str, speculation: str | None = None) -> ProbePolicy:
        """Return the policy of two rules, by their keys; the first brings the second, unless it is given."""
        return cls(*read_pair(protocol, speculation, protocol_rules(), speculation_rules(), protocol))

    @property
    def name(self) -> str:
        """How people call it.

        Examples
        --------
        >>> [read_policy(text).name for text in ("hopper:probes=2", "sparrow+late", "central")]
        ['Hopper, d = 2', 'Sparrow + LATE', 'Central']
        """
        return of_two(
            self.protocol, self.speculation, protocol_rules()[self.protocol.key].default_speculation
        )


def read_policy(text: str) -> ProbePolicy:
    """Parse and check a policy.

    Parameters
    ----------
    text : str
        ``protocol[:k=v,...][+speculation[:k=v,...]]``.

    Raises
    ------
    BadInput
        Naming the rule or parameter, the value and what is accepted.

    Examples
    --------
    >>> read_policy("sparrow+budget")
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: policy: 'sparrow+budget' is not accepted; budget needs virtual sizes, as hopper has
    """
    first, plus, second = text.strip().partition("+")
    protocols = protocol_rules()
    protocol, copies = read_pair(first, second if plus else None, protocols, speculation_rules(), text)
    if copies.key == "budget" and not protocols[protocol.key].budgets:
        raise BadInput(f"policy: {quoted(text)} is not accepted; budget needs virtual sizes, as hopper has")
    return ProbePolicy(protocol, copies)
