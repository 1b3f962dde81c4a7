"""An independent reference for each formula of `theory`: the same number, found another way.

A reference bears the name of its formula and takes its arguments. It imports nothing of ours: it knows the
model, not the formula. So it integrates survival functions, solves for roots, tries all combinations, or
counts one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: How far apart, relatively, a formula and its reference may be, unless the reference says otherwise.
CLOSE = 1e-6


@dataclass(frozen=True)
class Reference:
    """Another way to a formula's number, arguments to try it on, and how exact it is."""

    value: Callable[..., Any]
    cases: tuple[tuple[Any, ...], ...]
    close: float


#: Name of a formula -> its reference.
REFERENCES: dict[str, Reference] = {}


def reference(
    *cases: tuple[Any, ...], close: float = CLOSE
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function as the reference of the formula of its name; a case is the arguments by place."""

    def enter(value: Callable[..., Any]) -> Callable[..., Any]:
        assert cases, value.__name__
        assert value.__name__ not in REFERENCES, value.__name__
        REFERENCES[value.__name__] = Reference(value, cases, close)
        return value

    return enter
