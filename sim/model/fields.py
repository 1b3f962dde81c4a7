"""Described fields of frozen value classes: one description serves checks, the shell and the sliders."""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

from sim.telling.words import exact
from theory.quoting import quoted, visible


class BadInput(ValueError):
    """An input that cannot be used; the message names the field, the value and what is accepted.

    It is one line of plain text, whatever is in the value: a page that shows it as Markdown escapes it.

    Parameters
    ----------
    message : str
        With foreign values `quoted`, and foreign names `shortened`.
    """

    def __init__(self, message: str) -> None:
        super().__init__(visible(message))


_Value = TypeVar("_Value")
#: Letters of the papers -> how they are written out, and what a scenario calls those that it has.
_LETTERS = {"α": "alpha", "β": "beta", "ε": "epsilon"}
_SYMBOLS = {"alpha": "straggle_tail", "beta": "straggle_tail"}
#: The unit of a time: the field that says how the scenario's own unit is called.
TIME = "time_unit"


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

    @property
    def is_time(self) -> bool:
        """Whether the field is a time, whose unit is the scenario's."""
        return self.unit == TIME

    def measured_in(self, time: str) -> str:
        """Return the unit in words; of a time, what is given.

        Examples
        --------
        >>> About("latency", unit="time_unit").measured_in("ms"), About("jobs", unit="jobs").measured_in("ms")
        ('ms', 'jobs')
        """
        return time if self.is_time else self.unit

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


def described(
    default: Any,
    text: str,
    *,
    after: str = "",
    read: Callable[[Any], Any] | None = None,
    derived: bool = False,
    **about: Any,
) -> Any:
    """Declare a dataclass field with its description.

    Parameters
    ----------
    default : object
    text : str
        What it means.
    after : str, optional
        Field of a base class behind which listings have it; else it comes behind all of them.
    read : callable, optional
        How a value is checked, instead of by its type and bounds.
    derived : bool, optional
        Whether it follows from other fields and cannot be set.
    **about
        As of `About`.
    """
    metadata = {"about": About(text, **about), "after": after, "read": read}
    return dataclasses.field(default=default, init=not derived, metadata=metadata)


def fields_of(kind: type) -> dict[str, dataclasses.Field[Any]]:
    """Return field name -> field of a class, in the order of listings."""
    return _in_order(kind)


@cache  # a page asks for them dozens of times a run
def _in_order(kind: Any) -> dict[str, dataclasses.Field[Any]]:
    declared = {field.name: field for field in dataclasses.fields(kind)}
    order: list[str] = []
    for name, field in declared.items():
        after = field.metadata["after"]
        order.insert(order.index(after) + 1 if after else len(order), name)
    return {name: declared[name] for name in order}


def about_fields(kind: type) -> dict[str, About]:
    """Return field name -> description of a class, in the order of listings."""
    return {name: field.metadata["about"] for name, field in fields_of(kind).items()}


def kinds_of_fields(kind: type) -> dict[str, type]:
    """Return field name -> type of a class, in the order of listings."""
    return {name: type(field.default) for name, field in fields_of(kind).items()}


def settable(kind: type) -> list[str]:
    """Return the fields of a class that can be set."""
    return [name for name, field in fields_of(kind).items() if field.init]


def in_full(name: str, known: Container[str]) -> str:
    """Return the known name that a symbol of the papers stands for; any other name as it is.

    Examples
    --------
    >>> in_full("β", ["load", "straggle_tail"]), in_full("beta", ["beta"]), in_full("gamma", ["beta"])
    ('straggle_tail', 'beta', 'gamma')
    """
    word = _LETTERS.get(name, name)
    return next((one for one in (name, word, _SYMBOLS.get(word, name)) if one in known), name)


def all_in_full(given: Mapping[str, _Value], known: Container[str]) -> dict[str, _Value]:
    """Return values by the names that `in_full` gives; raises `BadInput` where two are the same.

    Examples
    --------
    >>> all_in_full({"ε": 0.1, "load": 0.5}, ["epsilon", "load"])
    {'epsilon': 0.1, 'load': 0.5}
    """
    found: dict[str, _Value] = {}
    names: dict[str, str] = {}
    for name, value in given.items():
        whole = in_full(name, known)
        if (other := names.setdefault(whole, name)) != name:
            raise BadInput(f"{name}: not accepted together with {other}, which is the same; give one of them")
        found[whole] = value
    return found


def check_settable(name: str, value: Any, kind: type) -> None:
    """Refuse a field that a class does not have or derives from others.

    Raises
    ------
    BadInput
        Naming the field, and those that can be set or what it follows from.
    """
    if name not in fields_of(kind):
        raise unknown("field", name, settable(kind))
    if not fields_of(kind)[name].init:
        text = about_fields(kind)[name].text
        raise BadInput(f"{name}: {quoted(value)} is not accepted; it follows from other fields: {text}")


def checked(value: Any, field: dataclasses.Field[Any]) -> Any:
    """Return the canonical form of a field's value, refusing what the field does not accept."""
    if read := field.metadata["read"]:
        return read(value)
    kind = type(field.default)
    if kind is tuple:
        return _sorted_numbers(field.name, value, field.metadata["about"])
    return canonical(field.name, value, kind, field.metadata["about"])


def from_text(name: str, text: str, kind: type) -> Any:
    """Turn the text of a ``--set field=value`` into a value for that field of a class.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> from_text("samples", "1,1,2.5", SlotScenario)
    (1.0, 1.0, 2.5)
    """
    name = in_full(name, fields_of(kind))
    check_settable(name, text, kind)
    about, type_ = about_fields(kind)[name], kinds_of_fields(kind)[name]
    if type_ is tuple:
        return _sorted_numbers(name, [part for part in text.split(",") if part.strip()], about)
    return canonical(name, text, type_, about)


def _sorted_numbers(name: str, values: Any, about: About) -> tuple[float, ...]:
    """Check the numbers of a list field; sorted, so that equal lists print equally."""
    accepted = about.accepted(tuple)
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise BadInput(f"{name}: {quoted(values)} is not accepted; give {accepted}") from None
    if array.ndim != 1:
        raise BadInput(f"{name}: {quoted(values)} is not accepted; give {accepted}")
    for wrong in array[~((array > about.low) & (array <= about.high))]:
        raise BadInput(f"{name}: {quoted(float(wrong))} is not accepted; give {accepted}")
    return tuple(np.sort(array).tolist())


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
    sim.model.fields.BadInput: load: 'fast' is not accepted; give a number above 0, or inf
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
    return exact(bound)


def _refusal(name: str, value: Any, kind: type, about: About) -> BadInput:
    return BadInput(f"{name}: {quoted(value)} is not accepted; give {about.accepted(kind)}")


#: Names that an error lists.
MOST_LISTED = 60


def unknown(what: str, name: str, known: list[str]) -> BadInput:
    """Build the error for a name that is not in a list, with the nearest one that is.

    Examples
    --------
    >>> print(unknown("statistic", "p59", ["mean", "p50", "p95"]))
    statistic: 'p59' is not known; did you mean 'p95'? known are mean, p50, p95
    >>> print(unknown("claim", "xl", [f"claim-{place}" for place in range(80)]))
    claim: 'xl' is not known; known are claim-0, claim-1, claim-2 and 77 more
    """
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {quoted(near[0])}? " if near else ""
    listed = (
        ", ".join(known) if len(known) <= MOST_LISTED else f"{', '.join(known[:3])} and {len(known) - 3} more"
    )
    return BadInput(f"{what}: {quoted(name)} is not known; {hint}known are {listed}")
