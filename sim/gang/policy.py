"""Policies of the gang engine: how many redundant tasks a job starts with.

``rule[:k=v,...]``, e.g. ``redundant-small:r=2,d=120``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim import plugins
from sim.policy import Chosen, Policy, read_rule

if TYPE_CHECKING:
    from sim.gang.rule import Redundancy


@dataclass(frozen=True, slots=True)
class GangPolicy(Policy):
    """One rule with its parameters.

    Examples
    --------
    >>> read_policy("redundant-small:d=120,r=2").text
    'redundant-small'
    >>> read_policy("all:r=1.5").redundancy.as_dict["r"]
    1.5
    """

    redundancy: Chosen

    @classmethod
    def of(cls, rule: str) -> GangPolicy:
        """Return the policy of a rule, by its key."""
        return cls(Chosen.of(redundancy_rules()[rule]))


def redundancy_rules() -> Mapping[str, Redundancy]:
    """Registry of rules; imports Numba, so only on demand."""
    from sim.gang.redundancy import REDUNDANCY

    plugins.load()
    return REDUNDANCY


def read_policy(text: str) -> GangPolicy:
    """Parse and check a policy.

    Parameters
    ----------
    text : str
        ``rule[:k=v,...]``.

    Raises
    ------
    BadInput
        Naming the rule or parameter, the value and what is accepted.

    Examples
    --------
    >>> read_policy("all:r=0.5")
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: policy 'all:r=0.5', all: r: '0.5' is not accepted; give a number from 1 to 100
    """
    return GangPolicy(read_rule(text, redundancy_rules(), text))
