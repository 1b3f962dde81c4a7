"""The one door from a page to the simulation: a shared pool, and what is made once for everybody."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner_utils.script_run_context import get_run_yield_check

from pages.shared.app.turns import turns
from sim.compiled import Engines
from sim.kept import Kept
from sim.live import Pool

Made = TypeVar("Made")

#: Bytes of drawings and tables that are kept: some hundred screens of Compare.
MADE_BYTES = 192 * 2**20


@st.cache_resource(show_spinner=False)
def pool() -> Pool:
    """Return the workers that all sessions share; they refine nothing while somebody waits to draw."""
    drawing = turns()
    return Pool(busy=lambda: drawing.wanted, ready=engines().ready)


@st.cache_resource(show_spinner=False)
def engines() -> Engines:
    """Return the engines, which are compiled once while pages are already served."""
    return Engines()


def made_once(key: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """Return what `make` makes, made once for all sessions and kept while there is room.

    What raises is tried again. Who waits for another that makes it ends when his visitor has moved on.

    Parameters
    ----------
    key : tuple
        What it is and all it depends on: of text, numbers, and values that print exactly.
    make : callable
        Draws nothing on the page.
    """
    made: Made = _drawings().made(repr(key), make, get_run_yield_check() or (lambda: None))
    return made


@st.cache_resource(show_spinner=False)
def _drawings() -> Kept:
    """Return what is made once for all sessions: screens, charts, tables."""
    return Kept(MADE_BYTES)
