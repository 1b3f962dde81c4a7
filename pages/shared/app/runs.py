"""The one door from a page to the simulation: a shared pool, and figures drawn once for everybody."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from pages.shared.app.turns import turns
from sim.live import Pool
from sim.traces import Trace, read

Drawing = TypeVar("Drawing")


@st.cache_resource(show_spinner=False)
def pool() -> Pool:
    """Return the workers that all sessions share; they refine nothing while somebody waits to draw."""
    drawing = turns()
    return Pool(busy=lambda: drawing.wanted)


def read_workload(data: bytes, name: str) -> Trace:
    """Read an uploaded file, once for each content; raises `BadInput` naming the line."""
    return _read_workload(data, hashlib.sha256(data).hexdigest(), name)


# Streamlit samples large arguments when it makes a key: hence the digest of the whole file.
@st.cache_data(max_entries=20, show_spinner="Reading the workload …")
def _read_workload(_data: bytes, digest: str, name: str) -> Trace:
    return read(_data, name)


class Shelf:
    """The latest drawings, made once for each key however many sessions ask at the same moment.

    Parameters
    ----------
    most : int
        Drawings that are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[Any, Any] = OrderedDict()
        self._locks: dict[Any, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Any, make: Callable[[], Drawing]) -> Drawing:
        """Return the drawing of this key, making it if nobody has."""
        with self._lock:
            own = self._locks.setdefault(key, threading.Lock())
        with own:
            drawing = self._made.get(key)
            if drawing is None:
                drawing = make()
            with self._lock:
                self._made[key] = drawing
                self._made.move_to_end(key)
                while len(self._made) > self._most:
                    oldest, _ = self._made.popitem(last=False)
                    self._locks.pop(oldest, None)
            return drawing


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    """Return the drawings that all sessions share."""
    return Shelf(most=400)
