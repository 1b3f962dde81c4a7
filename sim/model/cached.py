"""Values computed once: per object (`cached_property`, `once_for_each`), or per process (`once`)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, Self, TypeVar, overload
from weakref import WeakKeyDictionary

Value = TypeVar("Value", covariant=True)


class cached_property(Generic[Value]):
    """A property computed on its first use; two threads that come at once may both compute it.

    `functools.cached_property` as it is since Python 3.12. Before, one lock serves all instances: while one
    visitor's question is worked out, or one rule compiled, all others who ask something of the same kind
    would wait.

    Parameters
    ----------
    function : callable
        The method.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self._function = function
        self._name = ""
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> Self | Value:
        if instance is None:
            return self
        held = vars(instance)
        if self._name not in held:
            held[self._name] = self._function(instance)
        value: Value = held[self._name]
        return value


Made = TypeVar("Made")


def once(make: Callable[[], Made]) -> Callable[[], Made]:
    """Return a function that calls `make` the first time and returns the same value until the process ends.

    Threads that come at once wait for one call; `functools.cache` would call `make` twice, and Streamlit's
    ``cache_resource`` can be emptied by a message from any visitor. After an error the next call tries again.

    Examples
    --------
    >>> shared = once(list)
    >>> shared() is shared()
    True
    """
    lock = threading.Lock()
    held: list[Made] = []

    @wraps(make)
    def made() -> Made:
        if not held:
            with lock:
                if not held:
                    held.append(make())
        return held[0]

    return made


Asked = TypeVar("Asked")


def once_for_each(function: Callable[[Asked], Made]) -> Callable[[Asked], Made]:
    """Return a function that keeps what it returned for an object for as long as the object is in use.

    For what a module derives of an object of another module, where `cached_property` has no place; as there,
    two threads that come at once may both compute it. The value must not hold the object.

    Examples
    --------
    >>> class Model: ...
    >>> derived = once_for_each(lambda model: [])
    >>> one, other = Model(), Model()
    >>> derived(one) is derived(one), derived(one) is derived(other)
    (True, False)
    """
    held: WeakKeyDictionary[Asked, Made] = WeakKeyDictionary()

    @wraps(function)
    def kept(asked: Asked) -> Made:
        if asked not in held:
            held[asked] = function(asked)
        return held[asked]

    return kept
