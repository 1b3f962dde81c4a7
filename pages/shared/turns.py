"""Sessions take turns to draw: a class whose hundred scripts run at once would wait for the slowest of them.

Scripts that run at the same time take the interpreter from one another and from the thread that sends
what is ready, so that everybody's page comes last. In turns half of a class has its page in half the time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

#: Sessions that draw at the same time: a slow page (a large file is read) leaves the others room.
DRAWING = 2


class Turns:
    """Turns of which so many can be taken at the same time.

    Parameters
    ----------
    most : int
    """

    def __init__(self, most: int) -> None:
        self._free = threading.Semaphore(most)
        self._mine = threading.local()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for a turn and have it."""
        with self._free:
            self._mine.taken = True
            try:
                yield
            finally:
                self._mine.taken = False

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Let somebody else draw while this thread, if it has a turn, waits for something."""
        if not getattr(self._mine, "taken", False):
            yield
            return
        self._free.release()
        try:
            yield
        finally:
            self._free.acquire()


@st.cache_resource(show_spinner=False)
def turns() -> Turns:
    """Return the turns that all sessions share."""
    return Turns(DRAWING)
