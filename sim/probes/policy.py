"""How a policy of the probe engine is written: ``protocol[:k=v,...][+speculation[:k=v,...]]``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim import own
from sim.fields import BadInput
from sim.policy import Chosen, Policy, of_two, read_rule
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

    own.load()
    return {**PROTOCOLS, CENTRAL.key: CENTRAL}


def speculation_rules() -> dict[str, Speculation]:
    """Return the rules of the slot engine that can be run at many schedulers."""
    return {key: slots.speculation_rules()[key] for key in ("none", "late", "budget")}


@dataclass(frozen=True, slots=True)
class ProbePolicy(Policy):
    """A protocol and a speculation rule.

    Examples
    --------
    >>> read_policy("hopper").text
    'hopper+budget'
    >>> read_policy("sparrow:probes=4+late").text
    'sparrow:probes=4+late'
    """

    protocol: Chosen
    speculation: Chosen

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
    protocol_text, plus, speculation_text = text.strip().partition("+")
    protocols = protocol_rules()
    protocol = read_rule(protocol_text, protocols, text)
    if not plus:
        speculation_text = protocols[protocol.key].default_speculation
    speculation = read_rule(speculation_text, speculation_rules(), text)
    if speculation.key == "budget" and not protocols[protocol.key].budgets:
        raise BadInput(f"policy: {quoted(text)} is not accepted; budget needs virtual sizes, as hopper has")
    return ProbePolicy(protocol, speculation)
