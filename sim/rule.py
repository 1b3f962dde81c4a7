"""The common part of the rules of all engines: names, parameters, and the numbers that their hooks read."""

from __future__ import annotations

import functools
import warnings
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeVar

from sim.policy import Parameter
from theory.shown import quoted

_Declaration = TypeVar("_Declaration", bound=type)


def warn_of_old_name(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that a rule of one's own uses a name of release 0.2, which the next release still accepts."""
    told = f"{old} is called {new} since release 0.3, which is the last one to accept {old}"
    warnings.warn(told, DeprecationWarning, stacklevel)


def accepts_old_names(**renamed: str) -> Callable[[_Declaration], _Declaration]:
    """Let a declaration be made, and read, by old names of its fields, with a warning.

    Parameters
    ----------
    **renamed : str
        Old name -> the name of now.
    """

    def accepting(declaration: Any) -> Any:
        init = declaration.__init__

        @functools.wraps(init)
        def named_anew(self: Any, **given: Any) -> None:
            for old in renamed.keys() & given.keys():
                warn_of_old_name(old, renamed[old])
                if renamed[old] in given:
                    raise TypeError(f"{old} and {renamed[old]} are the same; give {renamed[old]}")
                given[renamed[old]] = given.pop(old)
            init(self, **given)

        def read(self: Any, name: str) -> Any:
            """Return what has an old name; called only where no attribute has it."""
            if name not in renamed:
                raise AttributeError(f"{type(self).__name__} has no {quoted(name)}", name=name, obj=self)
            warn_of_old_name(name, renamed[name])
            return getattr(self, renamed[name])

        declaration.__init__, declaration.__getattr__ = named_anew, read
        return declaration

    return accepting


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
