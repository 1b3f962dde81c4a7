"""The order of waiting work: short before long, and owners who have had much after the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable

#: Seconds that work may wait for each second that it is expected to take, before newer work goes after it.
STRETCH = 30.0


class Shares:
    """When work is due, by its owner, when it was asked for and how long it is expected to take.

    Work is done in order of the times at which it is due. So short work overtakes long work, and long work
    waits for a bounded number of others. Each second of work that an owner has had delays the owner's next
    work by `STRETCH` seconds.

    Parameters
    ----------
    clock : callable, optional
        Of `time`.

    Examples
    --------
    >>> shares = Shares(clock=lambda: 100.0)
    >>> shares.due("ann", 2.0), shares.due("bob", 0.1)
    (160.0, 103.0)
    >>> shares.charge("bob", 5.0)
    >>> shares.due("bob", 0.1)
    253.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._behind: dict[Hashable, float] = {}  # owner -> when what the owner has had is made up for
        self._lock = threading.Lock()

    def due(self, owner: Hashable, expected: float) -> float:
        """Return when work is due that this owner asks for now; None owns work that nobody is charged for."""
        now = self._clock()
        with self._lock:
            return max(now, self._behind.get(owner, now)) + STRETCH * expected

    def charge(self, owner: Hashable, seconds: float) -> None:
        """Note what an owner has had."""
        if owner is None:
            return
        now = self._clock()
        with self._lock:
            self._behind = {one: until for one, until in self._behind.items() if until > now}
            self._behind[owner] = max(now, self._behind.get(owner, now)) + STRETCH * seconds
