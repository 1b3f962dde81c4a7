"""Described fields of frozen value classes: one description serves checks, the shell and the sliders."""

from __future__ import annotations

import dataclasses
import difflib
import math
from dataclasses import dataclass
from typing import Any


class BadInput(ValueError):
    """An input that cannot be used; the message names the field, the value and what is accepted."""


@dataclass(frozen=True, slots=True)
class About:
    """What a field means, in which unit, and what it accepts.

    `low` and `high` are inclusive unless `open_low` is set; `choices` replaces the bounds for words.
    """

    text: str
    unit: str = ""
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    choices: tuple[str, ...] = ()

    def accepted(self, kind: type) -> str:
        """Say in words what the field accepts."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if kind is str:
            return "a word"
        if kind is tuple:
            return f"numbers{self._range(float)}, separated by commas"
        return f"a {'whole ' if kind is int else ''}number{self._range(kind)}"

    def _range(self, kind: type) -> str:
        """Say the bounds in words."""
        low, high = (_spelled(bound, kind) for bound in (self.low, self.high))
        if math.isinf(self.low) and math.isinf(self.high):
            return ""
        if math.isinf(self.low):
            return f" of at most {high}"
        if math.isinf(self.high):
            infinity = "" if kind is int else ", or inf"
            return f" {'above' if self.open_low else 'of at least'} {low}{infinity}"
        return f" above {low} up to {high}" if self.open_low else f" from {low} to {high}"


def described(default: Any, text: str, **about: Any) -> Any:
    """Declare a dataclass field with its description."""
    return dataclasses.field(default=default, metadata={"about": About(text, **about)})


def canonical(name: str, value: Any, kind: type, about: About) -> Any:
    """Return `value` as `kind`, refusing what the field does not accept.

    Canonical means that equal scenarios print equally (``1`` becomes ``1.0`` in a float field,
    NumPy scalars become Python's), so that their `repr` can serve as a cache key.

    Raises
    ------
    BadInput
        Naming the field, the value and what is accepted.

    Examples
    --------
    >>> canonical("slots", 10.0, int, About("slots", low=1))
    10
    >>> canonical("load", "fast", float, About("offered load", low=0, open_low=True))
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: load: 'fast' is not accepted; give a number above 0, or inf
    """
    if kind is str:
        word = str(value).strip()
        if not isinstance(value, str) or not word or (about.choices and word not in about.choices):
            raise _refusal(name, value, kind, about)
        return word
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _refusal(name, value, kind, about) from None
    inside = (about.low < number if about.open_low else about.low <= number) and number <= about.high
    if isinstance(value, bool) or not inside or (kind is int and not number.is_integer()):
        raise _refusal(name, value, kind, about)
    return int(number) if kind is int else number + 0.0  # + 0.0 turns -0.0 into 0.0


def _spelled(bound: float, kind: type) -> str:
    """Spell a bound briefly, but exactly: 1000000 for whole numbers, 1e+12 for others."""
    if kind is int and math.isfinite(bound):
        return str(int(bound))
    return f"{bound:g}" if float(f"{bound:g}") == bound else repr(bound)


def _refusal(name: str, value: Any, kind: type, about: About) -> BadInput:
    return BadInput(f"{name}: {value!r} is not accepted; give {about.accepted(kind)}")


def unknown(what: str, name: str, known: list[str]) -> BadInput:
    """Build the error for a name that is not in a list, with the nearest one that is."""
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return BadInput(f"{what}: {name!r} is not known; {hint}known are {', '.join(known)}")
