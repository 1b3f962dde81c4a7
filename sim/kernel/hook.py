"""Hooks: functions of rules that receive a view of their engine's world, and named numbers."""

from __future__ import annotations

import inspect
import zlib
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from sim.kernel.compile import inlined, options

# Passes the arrays of a world to the compiled functions of a rule by one address.
#
# Functions called through a pointer get every array as seven words, written before the call and read after
# it, whether they use it or not: with six arrays that costs more than what most rules do. So a run has a
# table, which says for each array that rules may see where it begins and how long it is, and a rule's
# function is handed the address of that table: it reads what it needs.
#
# What it buys: with arrays `sparrow` on 10,000 workers takes 1.23 of its time.

WORD = ir.IntType(64)


if numba.config.DISABLE_JIT:

    def table_of(names: Iterable[str], arrays: Mapping[str, np.ndarray]) -> Any:
        """Return the arrays themselves: Python hands everything by its address."""
        return SimpleNamespace(**arrays)

    def handed(table: Any) -> Any:
        """Return the table itself."""
        return table

    def reader(names: tuple[str, ...], name: str, kind: Any) -> Callable[[Any], Any]:
        """Return a function that reads an array of a table handed over."""
        return attrgetter(name)

else:

    def table_of(names: Iterable[str], arrays: Mapping[str, np.ndarray]) -> Any:
        """Return a table that says where the arrays of these names are; whoever has it must keep them.

        There may be none of some names.
        """
        there = [arrays.get(name) for name in names]
        return np.array([at for one in there for at in _place(one)], np.int64)

    def _place(array: Any) -> tuple[int, int]:
        return (0, 0) if array is None else (array.ctypes.data, array.size)

    @intrinsic  # type: ignore[untyped-decorator]
    def handed(typing: Any, table: Any) -> Any:
        """Return the address of a table."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(table)(context, builder, arguments[0]).data
            return builder.ptrtoint(data, WORD)

        return types.int64(table), emit

    def reader(names: tuple[str, ...], name: str, kind: Any) -> Callable[[Any], Any]:
        """Return a function that reads an array of this type from the table at an address."""
        place = 2 * names.index(name)

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            table = builder.inttoptr(arguments[0], WORD.as_pointer())
            begin, count = (builder.load(builder.gep(table, [WORD(place + i)])) for i in range(2))
            array = context.make_array(kind)(context, builder)
            size = WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
            begin = builder.inttoptr(begin, array.data.type)
            populate_array(array, begin, [count], [size], size, None)
            return array._getvalue()

        @intrinsic  # type: ignore[untyped-decorator]
        def read(typing: Any, address: Any) -> Any:
            return kind(types.int64), emit

        return read


def taking(
    function: Callable[..., Any],
    signature: Any,
    arguments: Sequence[str],
    words: Sequence[str],
    scope: Mapping[str, Any],
    name: str,
) -> Any:
    """Compile a function of a declared signature that reads what a rule's function wants and calls that.

    Parameters
    ----------
    function : callable
        Of a rule. What is returned claims to come from its file, so that Numba's cache on disk notices when
        that file changes.
    signature : numba signature
        What the engine calls.
    arguments : sequence of str
        Names of what it is called with, such as the world handed over, and a job.
    words : sequence of str
        What the function is called with, as expressions of `arguments` and of what is in `scope`.
    scope : mapping
        Name -> what the expressions need.
    name : str
        Under which it is kept: another one for each way to call a function.
    """
    source = f"def {name}({', '.join(arguments)}): return rule({', '.join(words)})"
    inner = inlined(function)
    names = dict(scope) | {"__name__": function.__module__, "rule": inner}
    exec(compile(source, inspect.getfile(function), "exec"), names)
    return numba.njit(signature, **options(function))(names[name])


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

    The engine hands over the address of a table of arrays (`sim.kernel.hook`), then what varies.

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
