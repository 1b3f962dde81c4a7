"""Policies of the slot engine: whose turn it is, and who gets another copy.

``sharing[:k=v,...][+speculation[:k=v,...]]``, e.g. ``fair+late:speculative_cap=0.2``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sim import plugins
from sim.fields import BadInput
from sim.policy import Chosen, Policy, of_two, read_pair
from theory.shown import quoted

if TYPE_CHECKING:
    from sim.slots.rule import Sharing, Speculation
    from sim.slots.scenario import SlotScenario


@dataclass(frozen=True, slots=True)
class SlotPolicy(Policy):
    """A sharing rule and a speculation rule; any pair runs.

    Examples
    --------
    >>> read_policy("hopper").text, SlotPolicy.of("hopper", "late").text
    ('hopper+budget', 'hopper+late')
    >>> read_policy("fair+late:speculative_cap=0.2").speculation.as_dict["speculative_cap"]
    0.2
    """

    sharing: Chosen
    speculation: Chosen

    @classmethod
    def of(cls, sharing: str, speculation: str | None = None) -> SlotPolicy:
        """Return the policy of two rules, by their keys; the first brings the second, unless it is given."""
        return cls(*read_pair(sharing, speculation, sharing_rules(), speculation_rules(), sharing))

    @property
    def name(self) -> str:
        """How people call it: a system of the papers by its name, else both rules.

        Examples
        --------
        >>> [read_policy(text).name for text in ("fair+late", "hopper:epsilon=0.3", "sda:sigma=1")]
        ['Fair shares + LATE', 'Hopper, ε = 0.3', 'SDA, σ = 1']
        """
        pair = f"{self.sharing.text}+{self.speculation.key}"
        for key, system in SYSTEMS.items():
            if system == pair:
                return self.speculation.called(SYSTEM_TITLES[key])
        brought = sharing_rules()[self.sharing.key].default_speculation
        return of_two(self.sharing, self.speculation, brought)


#: Systems of the papers that fix both rules: name -> pair. Parameters after the name go to the second rule.
SYSTEMS = {
    "sca": "levels+sca",
    "sda": "levels+sda",
    "ese": "levels+ese",
    "mantri-xl": "levels+mantri",
    "no-backup": "levels+none",
    "dolly-task": "fair+dolly",
    "dolly-job": "fair+dolly-job",
}
#: How people call them.
SYSTEM_TITLES = {
    "sca": "SCA",
    "sda": "SDA",
    "ese": "ESE",
    "mantri-xl": "Mantri (Xu and Lau)",
    "no-backup": "No copies (Xu and Lau)",
    "dolly-task": "Dolly",
    "dolly-job": "Dolly for whole jobs",
}


def check_fit(policy: SlotPolicy, scenario: SlotScenario) -> None:
    """Refuse a policy that can do nothing with a scenario.

    Raises
    ------
    BadInput
        Naming the field, the value and what the policy would accept.

    Examples
    --------
    >>> from sim.slots.scenario import SlotScenario
    >>> check_fit(read_policy("sda"), SlotScenario(observe="never"))
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: observe: 'never' is not accepted with sda; give fraction:s or age:a
    """
    rule = speculation_rules()[policy.speculation.key]
    complaint = rule.refuses(scenario, policy.speculation.as_dict) if rule.refuses else None
    if complaint:
        raise BadInput(complaint)


def sharing_rules() -> Mapping[str, Sharing]:
    """Registry of sharing rules; imports Numba, so only on demand."""
    from sim.slots.sharing import SHARING

    plugins.load()
    return SHARING


def speculation_rules() -> Mapping[str, Speculation]:
    """Registry of speculation rules; imports Numba, so only on demand."""
    from sim.slots.speculation import SPECULATION

    plugins.load()
    return SPECULATION


@lru_cache(maxsize=1024)  # a class asks for the same few, over and over
def read_policy(text: str) -> SlotPolicy:
    """Parse and check a policy.

    Parameters
    ----------
    text : str
        ``sharing[:k=v,...][+speculation[:k=v,...]]``, or one of `SYSTEMS` with the parameters of
        its speculation rule.

    Raises
    ------
    BadInput
        Naming the rule or parameter, the value and what is accepted.

    Examples
    --------
    >>> read_policy("fair+late:cap")
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: policy: 'fair+late:cap' is not accepted; give parameters as name=value after late:
    """
    sharing, plus, speculation = _spelled_out(text).partition("+")
    second = speculation if plus else None
    return SlotPolicy(*read_pair(sharing, second, sharing_rules(), speculation_rules(), text, SYSTEMS))


plugins.on_change(read_policy.cache_clear)


def _spelled_out(text: str) -> str:
    """Return the pair that the name of a system stands for; other texts as they are.

    Examples
    --------
    >>> _spelled_out("sda:sigma=1.5")
    'levels+sda:sigma=1.5'
    """
    head, plus, _ = text.strip().partition("+")
    name, colon, values = head.partition(":")
    if name.strip() not in SYSTEMS or name.strip() in sharing_rules():
        return text.strip()
    pair = SYSTEMS[name.strip()]
    if plus:
        raise BadInput(
            f"policy: {quoted(text)} is not accepted; {name} fixes both rules, "
            f"it stands for {pair}, give either"
        )
    return pair + ("," if ":" in pair.partition("+")[2] else ":") * bool(colon) + values
