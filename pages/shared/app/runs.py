"""The one door from a page to the simulation: a shared pool, and what is made once for everybody."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from pages.shared.app.turns import turns
from sim.compiled import Engines
from sim.live import Pool

Made = TypeVar("Made")


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
    """Return what `make` makes, made once for all sessions; what raises is tried again.

    Parameters
    ----------
    key : tuple
        What it is and all it depends on: of text, numbers, and values that print exactly.
    make : callable
        Draws nothing on the page.
    """
    made: Made = _made_once(repr(key), make)
    return made


# The key is text: Streamlit takes nested dataclasses of equal fields for the same.
@st.cache_resource(max_entries=400, show_spinner=False)
def _made_once(key: str, _make: Callable[[], Made]) -> Made:
    return _make()
