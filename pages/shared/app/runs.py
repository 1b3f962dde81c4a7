"""Elements of a page that are drawn once and then replaced in place.

A place made with `st.empty` costs a message before anything is in it. An element that has been drawn is
such a place, too: drawing into it puts the new one there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.server.private import look_up
from pages.shared.app.turns import turns
from sim.model.cached import once
from sim.running.byte_cache import ByteCache
from sim.running.compiled import Engines
from sim.running.live import Pool
from sim.running.live.records import Records
from sim.telling.glossary import defined


def answer_place() -> Placeholders:
    """Return the place of a page's answer, by whose key the browser's parts know it (`pages/frame`)."""
    return Placeholders(st.container(key="answer"))


def show_answer(told: str) -> Placeholders:
    """Draw a page's answer, with what its words mean; return its place, where a better one is said."""
    place = answer_place()
    say(place, told)
    return place


def say(place: Placeholders, told: str) -> None:
    """Draw or replace an answer where it stands."""
    place.markdown("answer", told, help=defined(told) or None)


def body_and_foot() -> tuple[DeltaGenerator, Placeholders]:
    """Return the place of all that answers, and below it that of what the answer rests on."""
    return st.container(), Placeholders(st.container())


def stage() -> DeltaGenerator:
    """Return a container whose content is shown in presenter mode, too."""
    return st.container(key="stage")


class Placeholders:
    """The elements of a container by name: ``places.markdown("title", ...)`` draws or replaces "title".

    Words and numbers that are there already are not sent again: titles stay while answers get better.
    """

    def __init__(self, container: DeltaGenerator) -> None:
        self._container = container
        self._drawn: dict[str, DeltaGenerator] = {}
        self._said: dict[str, tuple[Any, ...]] = {}

    def __getattr__(self, command: str) -> Callable[..., None]:
        """Return a command of Streamlit that takes the name of the place before its own arguments."""

        def draw(name: str, *arguments: Any, **options: Any) -> None:
            said = command, *arguments, *options.items()
            if all(isinstance(one, (str, float)) for one in arguments) and self._said.get(name) == said:
                return
            self._said[name] = said
            place = self._drawn.get(name, self._container)
            self._drawn[name] = getattr(place, command)(*arguments, **options)

        return draw


# The only way from a page to the simulation: a shared pool of workers and a shared cache.

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
