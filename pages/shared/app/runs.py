"""The only way from a page to the simulation: a shared pool of workers and a shared cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pages.server.private import look_up
from pages.shared.app.turns import turns
from sim.model.cached import once
from sim.running.byte_cache import ByteCache
from sim.running.compiled import Engines
from sim.running.live import Pool
from sim.running.live.records import Records

Made = TypeVar("Made")

#: Bytes of drawings and tables that are kept: sixty screens of Compare.
MADE_BYTES = 6 * 2**20


@once
def pool() -> Pool:
    """Return the workers that all sessions share; they refine nothing while a session waits to draw."""
    drawing = turns()
    return Pool(busy=lambda: drawing.wanted, ready=engines().ready, records=records())


@once
def records() -> Records:
    """Return what was computed beforehand."""
    return Records()


@once
def engines() -> Engines:
    """Return the engines, which are compiled once while pages are already served."""
    return Engines()


def made_once(key: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """Return what `make` makes, made once for all sessions and kept while there is room.

    Errors are not cached. A waiting session stops waiting when its visitor leaves the page.

    Parameters
    ----------
    key : tuple
        What it is and all it depends on: of text, numbers, and values that print exactly.
    make : callable
        Draws nothing on the page.
    """
    made: Made = _drawings().made(repr(key), make, look_up())
    return made


@once
def _drawings() -> ByteCache:
    """Return what is made once for all sessions: screens, charts, tables."""
    return ByteCache(MADE_BYTES, "drawn")
