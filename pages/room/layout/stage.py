"""The stage of a room, for the projector: the question, its picture, the bars once they are shown, the code.

It is the teacher's page in presenter mode (`pages/frame/parts/presenter.js`), in a window of its own beside
the desk (`teacher.py`). Nothing on it can be pressed, and no right answer is on it before it is shown to all.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal
from urllib.parse import urlsplit

import streamlit as st

from pages.frame.browser import qr_code
from pages.lessons import LESSONS
from pages.room.answer import answered, right_answer
from pages.room.controls import link, rooms
from pages.room.layout.door import show_bars
from pages.room.question import Asked, OfLesson
from pages.server.room import Room, RoomState
from pages.shared.charts.on_page import is_dark, show_figure
from pages.shared.charts.serialized import SerializedFigure

# The picture of a lesson as its question has it, on the stage and on every phone; it gives nothing away.


def show_picture(asked: Asked, round_: int, dark: bool) -> None:
    """Draw the cluster to play with of a lesson, or else its scene; a question of one's own has neither."""
    if not isinstance(asked, OfLesson):
        return
    if asked.lesson.sandbox:
        st.html(_sandbox(asked.number, dark))
    else:
        show_figure(f"room:picture:{round_}", *_scene(asked.number, dark))


@lru_cache(maxsize=2 * len(LESSONS))  # a class sees the same one, again and again
def _sandbox(number: int, dark: bool) -> str:
    sandbox = LESSONS[number].sandbox
    assert sandbox
    return sandbox.before.element(dark)


@lru_cache(maxsize=2 * len(LESSONS))
def _scene(number: int, dark: bool) -> tuple[SerializedFigure, str]:
    drawn = LESSONS[number].scene(0, dark)
    return SerializedFigure(drawn.figure, drawn.title), drawn.alt


#: Seconds between two looks at the room.
LOOK_S = 1.0
#: Widths of the question and of the small code beside it.
BESIDE = [8, 1]
#: With what the keys begin of that which presenter mode shows as it is (`presenter.css`).
WHOLE = "stage-room"


def show_stage(room: Room[Asked], key: str) -> None:
    """Draw the stage, which keeps itself up to date."""
    _follow(room.code, key)


def show_code(code: str, width: int | Literal["stretch"] = "stretch") -> None:
    """Draw the address at which students join as a picture."""
    address = link(code)
    if host := urlsplit(address).netloc:
        st.image(qr_code(address, host).decode(), width=width, alt="QR code of the room")


def way_in(code: str) -> str:
    """Say how students join, in Markdown."""
    address = link(code)
    return f"Scan the code, or open `{address.partition('://')[2] or address}`"


@st.fragment(run_every=LOOK_S)
def _follow(code: str, key: str) -> None:
    """Draw the room as it is now."""
    room = rooms().find(code)
    if room is None:
        st.title("This room has ended", anchor=False)
    elif (seen := room.taught(key)).question is None:
        _show_way_in(code, seen)
    else:
        _show_question(code, seen, seen.question)


def _show_way_in(code: str, seen: RoomState[Asked]) -> None:
    """Draw the code as large as it gets: until the first question the last row and latecomers need it."""
    with st.container(key=f"{WHOLE}-door"):
        words, way = st.columns(2, vertical_alignment="center")
        words.title(f"Room {code}", anchor=False)
        words.markdown(f"{way_in(code)}\n\n**{seen.here}** here.")
        with way:
            show_code(code)


def _show_question(code: str, seen: RoomState[Asked], asked: Asked) -> None:
    """Draw the question, its picture and the bars; a large code in their place while nobody is in."""
    right = right_answer(asked) if seen.revealed else None
    nobody = not (seen.here or seen.answers)
    with st.container(key=WHOLE):
        words, *beside = st.columns([1] if nobody else BESIDE)
        words.title(asked.written, anchor=False)
        words.markdown(answered(seen, right))
        for way in beside:
            with way:
                show_code(code)
                st.markdown(f"**{code}**")
    picture = isinstance(asked, OfLesson)
    places = iter(st.columns(max(1, picture + (nobody or seen.has_bars))))
    if picture:
        with next(places):
            show_picture(asked, seen.round, is_dark())
    if nobody:
        with next(places).container(key=f"{WHOLE}-code"):
            show_code(code)
            st.markdown(way_in(code))
    elif seen.has_bars:
        with next(places):
            show_bars(seen, right, is_dark())
