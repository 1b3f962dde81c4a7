"""The page of a student: the question and its answer form, then the right answer and the class's answers.

The part that keeps itself up to date is drawn on its own and takes no turn (`pages.shared.app.turns`): it
costs 2 ms, and an answer must not wait behind the screens of other pages. Students' parts are drawn one at a
time: a class that answers at once is a hundred threads, and each that waits for the interpreter, and not for
a lock, wakes every 5 ms to ask for it. On a busy machine they kept the server from sending anything.
"""

from __future__ import annotations

import threading

import streamlit as st

from pages.lessons.ask import ask
from pages.room.answer import right_answer
from pages.room.controls import PAGE
from pages.room.layout.answers import show_answers, show_told
from pages.room.layout.door import offer_door
from pages.room.question import Asked
from pages.room.setting import address, rooms, visitor
from pages.server.room import Refused, Room, Seen
from pages.shared.charts.on_page import is_dark
from pages.shared.words.foreign import literal, show_error, show_info
from sim.fields import BadInput

#: Seconds between two looks at the room: with 100 students 50 a second.
LOOK_S = 2.0
#: Held by the student whose page is drawn.
DRAWN = threading.Lock()
#: Where a session has, by code and round, what is counted of it, and why its last answer is not.
COUNTED, REFUSED = f"{PAGE}:counted", f"{PAGE}:refused"


def show_student(room: Room[Asked], *, to_teach: bool) -> None:
    """Draw the room, which keeps itself up to date."""
    st.title(f"Room {room.code}", anchor=False)
    if to_teach:
        show_error("This is not the key of the room, so you are a student here. Its teacher has the key.")
    _follow(room.code)


@st.fragment(run_every=LOOK_S)
def _follow(code: str) -> None:
    _draw(code)


def _draw(code: str) -> None:
    """Draw the room as it is now, when no other student's page is being drawn."""
    with DRAWN:
        _show(code)


def _show(code: str) -> None:
    """Draw the room as it is now."""
    room = rooms().find(code)
    if room is None:
        show_info("This room has ended.")
        offer_door("Enter another code")
        return
    try:
        seen = room.joined(visitor(), address())
    except Refused as refusal:
        show_info(f"{refusal} This page tries again by itself.")
        return
    if seen.question is None:
        st.markdown("You are in. The first question appears here by itself.")
        return
    place = (code, seen.round)
    if refused := st.session_state.get(REFUSED, {}).get(place):
        show_error(refused)
    if seen.revealed:
        found, mine = right_answer(seen.question), st.session_state.get(COUNTED, {}).get(place)
        show_told(seen, found, mine)
        show_answers(seen, found, is_dark(), mine)
    else:
        st.session_state[COUNTED] = {place: room.own(visitor())}  # votes have no marks once all is revealed
        _show_question(room, seen, seen.question)


def _show_question(room: Room[Asked], seen: Seen[Asked], asked: Asked) -> None:
    widgets = f"{PAGE}:{room.code}:{seen.round}"
    answer, own = ask(asked.prediction, widgets), room.own(visitor())
    st.button(
        "Send" if own is None else "Send this one instead", icon=":material/send:", width="stretch",
        disabled=answer is None or answer == own,
        on_click=_send, args=(room.code, seen.round, widgets),
    )  # fmt: skip
    if own is not None:
        shown = literal(asked.prediction.shown(own))
        st.markdown(f"Sent: **{shown}**. You can change it until the answer is shown.")


def _send(code: str, round_: int, widgets: str) -> None:
    """Send what is in the widgets now, which may have moved since the button was drawn."""
    room = rooms().find(code)
    if room is None:
        return
    try:
        room.vote(visitor(), round_, st.session_state.get(widgets), address())
    except (Refused, BadInput) as error:
        st.session_state[REFUSED] = {(code, round_): str(error)}
    else:
        st.session_state[REFUSED] = {}
