"""Hooks: functions of rules that receive a view of their engine's world, and named numbers."""

from __future__ import annotations

import inspect
import zlib
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from numba import from_dtype, types

from sim.kernel.handing import reader, taking

#: What a rule keeps of its own, and the arrays beside which its functions see that.
KEPT = {"job_state": ("jobs",), "slot_state": ("slots", "seats")}
FLOATS = types.float64[::1]
#: Names and types of what a rule declares to keep.
States = tuple[tuple[str, np.dtype], ...]


def array_of(dtype: Any) -> types.Array:
    """Return the compiled type of an array of records."""
    return types.Array(from_dtype(dtype), 1, "C")


def own_arrays(own: str) -> dict[str, Any]:
    """Return the arrays that only rules of a kind see, whose names begin so; each rule has its own states."""
    return {f"{own}numbers": FLOATS, **{own + name: None for name in KEPT}}


@dataclass(frozen=True)
class Call:
    """How an engine calls one function of a rule; it decorates the functions that are called so.

    The engine hands over the address of a table of arrays (`sim.kernel.handing`), then what varies.

    Parameters
    ----------
    answers : numba type
    taken : str
        Names of what varies from call to call, which are whole numbers.
    sees : str
        Names of the arrays that `world` has, beside what the rule keeps of its own.
    table : mapping
        Name -> type of all arrays that rules of the engine may see.
    own : str, optional
        How the names of the arrays begin that only rules of this kind see.
    otherwise : callable, optional
        The function of a rule that has none.
    """

    answers: Any
    taken: str
    sees: str
    table: Mapping[str, Any] = field(compare=False, repr=False)
    own: str = ""
    otherwise: Callable[..., Any] | None = field(default=None, compare=False)

    def __call__(self, function: Callable[..., Any]) -> Hook:
        """Declare a function of a rule."""
        return Hook(function, self)

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the function is called with, in order; `world` may be followed by `values`."""
        return ("world", *self.taken.split())

    @property
    def signature(self) -> Any:
        """What the engine calls: whole numbers, the first of which is the address of a table."""
        return self.answers(*(types.int64 for _ in self.arguments))

    @property
    def pointer(self) -> Any:
        """The type by which the engine takes it."""
        return types.FunctionType(self.signature)

    @cached_property
    def left_out(self) -> Hook | None:
        """The function of a rule that has none."""
        return self(self.otherwise) if self.otherwise else None

    def shown(self, states: States) -> States:
        """Return those of a rule's states that the function sees."""
        return tuple((name, kind) for name, kind in states if {*KEPT[name]} & {*self.sees.split()})

    def reader(self, name: str, states: Mapping[str, np.dtype]) -> Any:
        """Return what reads an array from the table that is handed over."""
        if name == "numbers" or name in KEPT:
            kind = array_of(states[name]) if name in KEPT else FLOATS
            return _reader(tuple(self.table), self.own + name, kind)
        return _reader(tuple(self.table), name, self.table[name])


class Hook:
    """A function of a rule, compiled on first use: it is handed a view of the world and named numbers.

    Parameters
    ----------
    function : callable
        ``function(world, ...)``, or ``function(world, values, ...)`` if it needs the rule's numbers; it may
        call functions decorated with `sim.kernel.compile.kernel` or `inlined`.
    call : Call
    """

    def __init__(self, function: Callable[..., Any], call: Call) -> None:
        self.function = function
        self.call = call
        self.__doc__ = function.__doc__

    def compiled(self, values: type, states: States = ()) -> Any:
        """Return what the engine calls (a plain function where compilation is switched off).

        Parameters
        ----------
        values : type of named tuple
            The numbers of the rule.
        states : tuple of (str, dtype), optional
            What the rule keeps of its own.
        """
        reads_values = "values" in inspect.signature(self.function).parameters
        return _compiled(self, values if reads_values else None, self.call.shown(states))

    def _made(self, values: Any, states: States) -> Any:
        """Compile a function of the declared signature that hands the hook its view and its named numbers."""
        _, *rest = (name for name in inspect.signature(self.function).parameters if name != "values")
        names = values._fields if values else ()
        view = view_of((*self.call.sees.split(), *(name for name, _ in states)))
        arrays = ", ".join(f"{name}(world)" for name in view._fields)
        numbers = ", ".join(f"numbers(world)[{place}]" for place in range(len(names)))
        words = [f"View({arrays})", *([f"Values({numbers})"] if names else []), *rest]
        scope = {"View": view, "Values": values}
        scope |= {name: self.call.reader(name, dict(states)) for name in ("numbers", *view._fields)}
        kept = f"{self.function.__name__}_{zlib.crc32(repr((names, states)).encode()):08x}"
        return taking(self.function, self.call.signature, ["world", *rest], words, scope, kept)


@cache
def view_of(names: Iterable[str]) -> Any:
    """Return the type of named tuple that is the `world` of a function."""
    return namedtuple("View", tuple(names))


@cache
def _compiled(hook: Hook, values: Any, states: States) -> Any:
    return hook._made(values, states)


_reader = cache(reader)
