"""The page of a student: the question and its answer form, then the right answer and the class's answers.

The part that keeps itself up to date is drawn on its own and takes no turn (`pages.shared.app.turns`): it
costs 2 ms, and an answer must not wait behind the screens of other pages. Students' parts are drawn one at a
time: a class that answers at once is a hundred threads, and each that waits for the interpreter, and not for
a lock, wakes every 5 ms to ask for it. On a busy machine they kept the server from sending anything.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any

import streamlit as st

from pages.lessons.prediction import ask
from pages.room.answer import clock, right_answer, shown
from pages.room.controls import PAGE, address, rooms, visitor
from pages.room.layout.door import offer_door, show_answers, show_told
from pages.room.layout.stage import show_picture
from pages.room.question import Amount, Asked
from pages.server.room import Room, RoomState
from pages.server.vote import Refused
from pages.shared.charts.on_page import is_dark
from pages.shared.words.foreign import literal, show_error, show_info
from sim.model.fields import BadInput

#: Seconds between two looks at the room: with 100 students 50 a second.
LOOK_S = 2.0
#: Characters of a number that is typed.
LONGEST = 40
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
    mine = _counted(place, room.own(visitor()))
    if seen.revealed:
        right = right_answer(seen.question)
        show_told(seen, right, mine)
        show_answers(seen, right, is_dark(), mine)
    elif seen.is_open:
        _show_question(room, seen, seen.question, mine)
    else:
        _show_closed(seen, seen.question, mine)


def _counted(place: tuple[str, int], own: Hashable) -> Any:
    """Return what is counted of this visitor in a round; the session knows it when the room has forgotten it.

    What was counted in the round before stays, too: it may have been the first vote on the same question.
    """
    known = st.session_state.get(COUNTED, {})
    if own is not None and known.get(place) != own:
        known = {one: answer for one, answer in known.items() if one == (place[0], place[1] - 1)}
        st.session_state[COUNTED] = known = known | {place: own}
    return known.get(place)


def _show_question(room: Room[Asked], seen: RoomState[Asked], asked: Asked, own: Any) -> None:
    place = (room.code, seen.round)
    unit = asked.prediction.unit if isinstance(asked.prediction, Amount) else ""  # else the answers have it
    st.header(asked.written + (f" ({literal(unit)})" if unit else ""), anchor=False)
    if seen.first is not None:
        before = st.session_state.get(COUNTED, {}).get((room.code, seen.round - 1))
        yours = "" if before is None else f" Your first answer: **{shown(asked, before)}**."
        st.markdown(f"**Second vote.** Answer again, the same or another.{yours}")
    if seen.left is not None:
        st.markdown(f"The vote closes in **{clock(seen.left)}**.")
    widgets = f"{PAGE}:{room.code}:{seen.round}"
    if isinstance(asked.prediction, Amount):
        answer: Any = st.text_input(
            asked.written,
            key=widgets,
            max_chars=LONGEST,
            placeholder="A number",
            label_visibility="collapsed",
        )  # what is typed is here when something else is pressed: an empty field can be sent, and is refused
    else:
        answer = ask(asked.prediction, widgets, above=asked.written)
    _show_sending(place, asked, widgets, answer, own)
    show_picture(asked, seen.round, is_dark())  # last: the answer is sent without scrolling


def _show_sending(place: tuple[str, int], asked: Asked, widgets: str, answer: Any, own: Any) -> None:
    """Draw the button, which says what is counted: whoever has pressed it stays on it, and hears it."""
    sent = own is not None and _is(asked, answer, own)
    st.button(
        f"Sent ✓ {shown(asked, own)}" if sent else "Send" if own is None else "Send this one instead",
        icon=None if sent else ":material/send:",
        width="stretch",
        key=f"{widgets}:send",
        disabled=answer is None,
        on_click=_send,
        args=(*place, widgets),
    )
    if own is not None:
        now = "" if sent else f"Sent: **{shown(asked, own)}**. "
        st.markdown(f"{now}You can change it until the vote is closed.")


def _is(asked: Asked, answer: Any, own: Any) -> bool:
    """Whether what is in the widget is the answer that is counted."""
    try:
        return bool(asked.checked(answer) == own)
    except BadInput:
        return False


def _show_closed(seen: RoomState[Asked], asked: Asked, own: Any) -> None:
    """Draw the question while nobody votes: it is time to discuss."""
    st.header(asked.written, anchor=False)
    st.markdown("**The vote is closed.** What do your neighbours think, and why?")
    if own is not None:
        st.markdown(f"Yours: **{shown(asked, own)}**.")
    show_picture(asked, seen.round, is_dark())


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
