"""The layout of the Map page: the answer, the map itself, cards, what to notice."""

from __future__ import annotations

from functools import partial
from math import isfinite

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.frame.tabs import go
from pages.map import charts
from pages.map.controls import PAGE
from pages.map.question.asked import Request, compare_link
from pages.map.words import alt, answer, cards, lowest, notices, reading
from pages.shared.app.placeholders import Placeholders
from pages.shared.charts.on_page import CONFIG, is_dark
from pages.shared.live.cards import show_card
from pages.shared.live.drawing import Drawing, Screen
from pages.shared.live.layout import Layout
from sim.map.picture import Picture

#: Where a session has the cell that was clicked.
CLICKED = f"{PAGE}:clicked"


class PageLayout:
    """The places of the page: the answer, the map with the cards beside it, what to notice."""

    def __init__(self) -> None:
        self._top, self._below = Layout(), Layout()
        self._map: DeltaGenerator | None = None
        self._words: Placeholders
        self._cards: list[Placeholders] = []
        self._drawn = 0

    def show(self, asked: Request, found: Picture) -> Screen:
        """Draw what is known of a map; return what has been drawn."""
        drawing, beside, remarks = drawn(asked, found, dark=is_dark()), cards(found), notices(found)
        self._top.show(Screen((), (), (), answer(found)))
        place = self._map or self._lay_out(len(beside))
        self._drawn += 1
        key = f"{PAGE}:chart:{drawing.figure.digest}:{self._drawn if not found.final else 0}"
        place.plotly_chart(
            drawing.figure,
            config=CONFIG,
            alt=drawing.alt,
            key=key,
            theme=None,
            on_select=partial(_clicked, key),
            selection_mode="points",
        )
        self._words.caption("caption", drawing.caption)
        for places, card in zip(self._cards, beside, strict=True):
            show_card(places, card)
        self._below.show(Screen((), (), remarks))
        return Screen((), (drawing,), remarks)

    def _lay_out(self, policies: int) -> DeltaGenerator:
        """Make the places of the map and of a card for each policy; return that of the map."""
        left, right = st.columns([3, 1], gap="medium")
        with left:
            self._map, self._words = st.empty(), Placeholders(st.container())
        with right, st.container(key="beside"):
            self._cards = [Placeholders(st.container(border=True)) for _ in range(policies)]
        return self._map


def drawn(asked: Request, found: Picture, *, dark: bool) -> Drawing:
    """Return the map with its title, its words and how it is read."""
    title = f"Which policy has the {lowest(found.plane.by)}?"
    return Drawing.of(title, charts.draw(asked, found, dark), alt(found), reading(found))


def _clicked(key: str) -> None:
    """Note which cell was clicked; the page opens it."""
    points = st.session_state[key].selection.points
    place = [points[0].get(axis) for axis in ("x", "y")] if points else []
    # a stranger may say that anything was clicked
    if place and all(isinstance(one, (int, float)) and isfinite(one) for one in place):
        st.session_state[CLICKED] = tuple(place)


def open_clicked(asked: Request, found: Picture) -> None:
    """Open the page Compare at the cell that was clicked, if one was."""
    place = st.session_state.pop(CLICKED, None)
    cell = charts.cell_at(found, *place) if place else None
    if cell is None:
        return
    link = compare_link(asked, cell, found.squares[cell].standing.best)
    if link is not None:
        go("compare", link)
