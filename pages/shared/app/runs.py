"""The one door from a page to the simulation: a shared pool, and what is made once for everybody."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from pages.shared.app.turns import turns
from sim.live import Pool
from sim.traces import Trace, read

Made = TypeVar("Made")


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
