"""The three moves of the Start page side by side: what is seen, a run that moves, and a number."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.animation.room import LEGEND, ROOM
from pages.shared.app.placeholders import Placeholders, stage
from pages.shared.charts.on_page import is_dark
from pages.start.words import MOVES, Told

#: What stands for a number until it is known.
WAITING = "…"


class Moves:
    """The places of the moves, drawn before anything is known of them."""

    def __init__(self) -> None:
        with stage():
            columns = st.columns(len(MOVES), border=True)
            self._places = [_place(column, told) for column, told in zip(columns, MOVES, strict=True)]
            st.html(LEGEND)
            self._status = Placeholders(st.container())

    def show(self) -> None:
        """Run what is watched and what is measured, and draw it as it gets known."""
        # the engines, for which the first page need not wait
        from pages.animation.show import shown
        from pages.shared.live.follow import follow
        from pages.start.answer import Request, known, progress
        from pages.start.setting import moves

        asked = [Request.of(move) for move in moves()]
        requests = [request for one in asked for request in one.requests]
        for snapshots in follow(requests, self._status, partial(progress, asked)):
            rest = list(snapshots)
            for place, told, one in zip(self._places, MOVES, asked, strict=True):
                news, rest = rest[: len(one.requests)], rest[len(one.requests) :]
                if len(news) < len(one.requests):
                    break
                *runs, measured = news
                place.html("picture", shown(one.watched, runs, is_dark(), small=told.title))
                found = known(measured.comparison)
                _card(place, told, found.number, found.told, found.sign)


def _place(column: DeltaGenerator, told: Told) -> Placeholders:
    """Draw a move of which only the words are known."""
    places = Placeholders(column)
    places.header("title", told.title, anchor=False)
    places.markdown("told", told.sentence)
    places.html("picture", ROOM)
    _card(places, told, WAITING, told.waiting, 0)
    return places


def _card(places: Placeholders, told: Told, number: str, small: str, sign: int) -> None:
    """Draw the number: green where copies help, red where they hurt."""
    places.metric(
        "number",
        told.label,
        number,
        small,
        delta_color={-1: "green", 0: "gray", 1: "red"}[sign],
        delta_arrow={-1: "down", 0: "off", 1: "up"}[sign],
    )
