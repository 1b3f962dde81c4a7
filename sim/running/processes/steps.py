"""How far work is, in steps: amounts that are told become parts of a whole."""

from __future__ import annotations

import threading
from collections.abc import Callable

#: Steps in which it is told how much is done.
STEPS = 1000


class Steps:
    """Tells of amounts how many more of `STEPS` are done; called from any thread.

    Parameters
    ----------
    tell : callable
    total : float, optional
        What the amounts add up to; nothing is told before it is known.

    Examples
    --------
    >>> told = []
    >>> steps = Steps(told.append)
    >>> steps(1)
    >>> steps.expect(4)
    >>> steps(1), steps(5), sum(told)
    (None, None, 1000)
    """

    def __init__(self, tell: Callable[[int], object], total: float = 0) -> None:
        self._tell, self._total = tell, total
        self._done = self._told = 0
        self._lock = threading.Lock()

    def expect(self, total: float) -> None:
        """Say what the amounts add up to."""
        with self._lock:
            self._total = total

    def __call__(self, amount: int) -> None:
        """Count an amount that is done."""
        with self._lock:
            self._done += amount
            now = min(STEPS, int(STEPS * self._done / self._total)) if self._total else 0
            if now > self._told:
                more, self._told = now - self._told, now
                self._tell(more)
