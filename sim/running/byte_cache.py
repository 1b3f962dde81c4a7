"""An LRU cache bounded in bytes, shared by all sessions; each value is computed by one thread."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, MethodType, ModuleType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from cachetools import LRUCache

#: Seconds between two calls of `look_up` while a thread waits for a value that another one computes.
LOOK_UP_S = 0.1
#: The default size method of objects, and types that are shared and no part of a value.
_OF_ANY: Any = object.__sizeof__
_SHARED = (type, ModuleType, FunctionType, MethodType)


#: Caches that have a name.
_NAMED: WeakValueDictionary[str, ByteCache] = WeakValueDictionary()


def held() -> int:
    """Return the bytes of all caches that have a name."""
    return sum(one.bytes for one in list(_NAMED.values()))


class ByteCache:
    """Values by key, of so many bytes together.

    Parameters
    ----------
    most_bytes : int
        A value that is larger alone is not kept.
    name : str, optional
        What `held` calls it.
    """

    def __init__(self, most_bytes: int, name: str = "") -> None:
        if name:
            _NAMED[name] = self
        self._values: LRUCache[Hashable, tuple[Any, int]] = LRUCache(most_bytes, lambda pair: pair[1])
        self._lock = threading.Lock()  # of the two; nothing is made while it is held
        self._makers: dict[Hashable, tuple[threading.Lock, int]] = {}

    def made(
        self, key: Hashable, make: Callable[[], Any], look_up: Callable[[], object] = lambda: None
    ) -> Any:
        """Return the value of a key; one thread computes it while others that want it wait.

        Errors are not cached: the next caller tries again.

        Parameters
        ----------
        key : hashable
        make : callable
        look_up : callable, optional
            Called regularly by a thread that waits for another; may raise to give up.
        """
        found = self._found(key)
        if found is None:
            with self._only_one(key, look_up):
                found = self._found(key)
                if found is None:
                    found = make(), 0
                    self.keep(key, found[0])
        return found[0]

    def keep(self, key: Hashable, value: Any) -> None:
        """Keep a value, in the place of one that has its key."""
        pair = value, size_of(value) + sys.getsizeof(key)
        with self._lock:
            self._values.pop(key, None)
            if pair[1] <= self._values.maxsize:
                self._values[key] = pair

    def drop(self, key: Hashable) -> None:
        """Forget the value of a key, if there is one."""
        with self._lock:
            self._values.pop(key, None)

    def get(self, key: Hashable) -> Any:
        """Return the value of a key, or None."""
        found = self._found(key)
        return found[0] if found else None

    @property
    def bytes(self) -> int:
        """Bytes of all values."""
        return int(self._values.currsize)

    def __len__(self) -> int:
        return len(self._values)

    def _found(self, key: Hashable) -> tuple[Any, int] | None:
        with self._lock:
            return self._values.get(key)

    @contextmanager
    def _only_one(self, key: Hashable, look_up: Callable[[], object]) -> Iterator[None]:
        """Let one thread at a time compute the value of a key."""
        with self._lock:
            lock, count = self._makers.get(key, (threading.Lock(), 0))
            self._makers[key] = lock, count + 1
        try:
            while not lock.acquire(timeout=LOOK_UP_S):
                look_up()
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._lock:
                lock, count = self._makers.pop(key)
                if count > 1:
                    self._makers[key] = lock, count - 1


def size_of(value: Any) -> int:
    """Return about how many bytes a value holds, all its parts together, each counted once.

    An array or a table says so itself (`nbytes`), and so does an object whose class has a ``__sizeof__``.

    Examples
    --------
    >>> import numpy as np
    >>> 8_000_000 < size_of({"a": np.zeros(1_000_000)}) < 8_001_000
    True
    """
    total, seen, parts = 0, set[int](), [value]
    while parts:
        part = parts.pop()
        if id(part) in seen or isinstance(part, _SHARED):
            continue
        seen.add(id(part))
        if isinstance(part, np.ndarray) and part.base is not None:  # a view keeps all that it is a view of
            parts.append(part.base)
            continue
        nbytes = getattr(part, "nbytes", None)
        total += nbytes if isinstance(nbytes, int) else sys.getsizeof(part)
        if isinstance(nbytes, int):
            continue
        if isinstance(part, Mapping):
            parts += part.keys()
            parts += part.values()
        elif isinstance(part, (list, tuple, set, frozenset)):
            parts += part
        elif type(part).__sizeof__ is _OF_ANY:
            parts += getattr(part, "__dict__", {}).values()
            parts += (getattr(part, name, None) for name in getattr(type(part), "__slots__", ()))
    return total
