"""Histories read from files: kept while a session that gave one is open, and while memory allows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any

from sim.running.byte_cache import ByteCache

#: Seconds for which a visitor whose connection is gone may come back to what was read.
PATIENCE_S = 120.0


class Read:
    """What was read, by file.

    Parameters
    ----------
    most_bytes : int
        Of all together; the least recently used is dropped first.
    is_there : callable
        Tells whether a session has its page open.
    clock : callable, optional
    """

    def __init__(
        self, most_bytes: int, is_there: Callable[[str], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._kept, self._is_there, self._clock = ByteCache(most_bytes, "read"), is_there, clock
        self._lock = threading.Lock()
        self._asked: dict[Hashable, dict[str, float]] = {}  # file -> session -> when it last asked

    def get(self, key: Hashable, session: str) -> Any:
        """Return what was read from a file, or None."""
        self._note(key, session)
        return self._kept.get(key)

    def keep(self, key: Hashable, value: Any, session: str) -> None:
        """Keep a history that was read, for this session and for others that give the same file."""
        self._note(key, session)
        self._kept.keep(key, value)

    @property
    def bytes(self) -> int:
        """Bytes of all of it."""
        return self._kept.bytes

    def __len__(self) -> int:
        return len(self._kept)

    def _note(self, key: Hashable, session: str) -> None:
        """Note the asking session, and forget histories whose sessions have all gone."""
        now = self._clock()
        with self._lock:
            self._asked.setdefault(key, {})[session] = now
            gone = [one for one, asked in self._asked.items() if not self._wanted(asked, now)]
            for one in gone:
                del self._asked[one]
                self._kept.drop(one)

    def _wanted(self, asked: dict[str, float], now: float) -> bool:
        return any(now - last < PATIENCE_S or self._is_there(session) for session, last in asked.items())
