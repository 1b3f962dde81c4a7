"""What the rules of all engines declare alike: names, parameters, and the numbers that their hooks read."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from sim.policy import Parameter


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What rules of every engine declare alike.

    `prepare` turns a scenario and the parameters into the named tuple of numbers that the hooks read as
    `values`; without it those are the parameters. ``docs/how-to/write-a-rule.md`` shows how to write
    a rule.
    """

    key: str
    title: str
    summary: str
    parameters: tuple[Parameter, ...] = ()
    prepare: Callable[[Any, Mapping[str, float]], NamedTuple] | None = None
    reference: str = ""

    def values(self, scenario: Any, chosen: Mapping[str, float]) -> Any:
        """Return the numbers that the hooks read, as a named tuple of floats."""
        if self.prepare is not None:
            return self.prepare(scenario, chosen)
        return values_type(tuple(parameter.name for parameter in self.parameters))(**chosen)


@cache
def values_type(names: tuple[str, ...]) -> Any:
    """Return the type of named tuple that hooks read parameters from."""
    return namedtuple("Values", names)
