"""Hooks: functions of rules that receive a view of their engine's world, and named numbers."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar

from sim.kernel.handing import reader, taking


class Hook:
    """A function of a rule, compiled on first use: it is handed a view of the world and named numbers.

    The engine calls it with the address of the world's table (`sim.kernel.handing`), then with what varies.
    An engine's subclass says which arrays are in its table, and which of them has the rule's numbers.

    Parameters
    ----------
    function : callable
        ``function(world, ...)``, or ``function(world, values, ...)`` if it needs the rule's numbers; it may
        call functions decorated with `sim.kernel.compile.kernel` or `inlined`.
    signature : numba signature
        What the engine calls.
    view : type of named tuple
        What `world` is.
    """

    #: The arrays that rules of the engine may see, by name.
    handed: ClassVar[Mapping[str, Any]]
    #: The name of that with the numbers of the rule.
    numbers: str
    #: Whether how it is called depends on how many numbers there are, though it reads none.
    counts_values: ClassVar[bool] = False

    def __init__(self, function: Callable[..., Any], signature: Any, view: Any) -> None:
        self.function = function
        self.signature = signature
        self.view = view
        self.__doc__ = function.__doc__

    def compiled(self, values: type) -> Any:
        """Return what the engine calls (a plain function where compilation is switched off).

        Parameters
        ----------
        values : type of named tuple
            The numbers of the rule.
        """
        return _compiled(self, values if self._reads_values or self.counts_values else None)

    @property
    def _reads_values(self) -> bool:
        return "values" in inspect.signature(self.function).parameters

    @property
    def _rest(self) -> list[str]:
        """What varies from call to call, by name."""
        _, *rest = (name for name in inspect.signature(self.function).parameters if name != "values")
        return rest

    def _name(self, names: tuple[str, ...]) -> str:
        """Return the name under which the function is kept for these numbers."""
        return f"{self.function.__name__}_{zlib.crc32(repr(names).encode()):08x}"

    def _made(self, values: Any) -> Any:
        """Compile a function of the declared signature that hands the hook its view and its named numbers."""
        names = values._fields if values else ()
        arrays = ", ".join(f"{name}(world)" for name in self.view._fields)
        numbers = ", ".join(f"numbers(world)[{place}]" for place in range(len(names)))
        words = [f"View({arrays})", *([f"Values({numbers})"] if names else []), *self._rest]
        scope = {"View": self.view, "Values": values, "numbers": self._reader(self.numbers)}
        scope |= {name: self._reader(name) for name in self.view._fields}
        arguments = ["world", *self._rest]
        return taking(self.function, self.signature, arguments, words, scope, self._name(names))

    def _reader(self, name: str) -> Any:
        """Return what reads an array of a world that has been handed over."""
        return _reader(tuple(self.handed), name, self.handed[name])


@cache
def _compiled(hook: Hook, values: Any) -> Any:
    return hook._made(values)


_reader = cache(reader)
