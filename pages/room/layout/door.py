"""The page for a visitor without a room: how to open one, how to join one, or why there is none."""

from __future__ import annotations

import streamlit as st

from pages.frame.menu import onwards
from pages.lessons.prediction import Answer
from pages.room.answer import Right, answered
from pages.room.charts import Votes, alt, bars, sent
from pages.room.controls import PAGE, PANEL, address, is_elsewhere, link, rooms, visitor
from pages.room.question import Asked, OfLesson
from pages.server.room import LEFT_S, RoomState
from pages.server.vote import Refused
from pages.shared.charts.on_page import show_figure
from pages.shared.controls.links import VERSION, remember
from pages.shared.words.foreign import show_error, show_info
from sim.model.fields import BadInput

# The answers of a class: a chart, and once the answer is shown the right one and its reason.


def show_told(seen: RoomState[Asked], right: Right | None, mine: Answer | None = None) -> None:
    """Draw the question and, in words, how many have answered or what is right.

    Parameters
    ----------
    seen : RoomState
    right : Right or None
        The right answer, where it is shown.
    mine : str, float or tuple, optional
        What the visitor has answered.
    """
    assert seen.question is not None
    st.header(seen.question.written, anchor=False)
    st.markdown(answered(seen, right, mine))


def show_answers(seen: RoomState[Asked], right: Right | None, dark: bool, mine: Answer | None = None) -> None:
    """Draw the answers and, where the right one is shown, why it is; `right` and `mine` as in `show_told`."""
    assert seen.question is not None
    show_bars(seen, right, dark, mine)
    if right and right.why:
        _show_reason(seen.question, right)


def show_bars(seen: RoomState[Asked], right: Right | None, dark: bool, mine: Answer | None = None) -> None:
    """Draw the answers alone; `right` and `mine` as in `show_told`."""
    assert seen.question is not None
    votes = (seen.answers,) if seen.first is None else (seen.first, seen.answers)
    show_votes(seen.question, votes, right, dark, mine, key=f"room:answers:{seen.round}")


def show_votes(
    asked: Asked, votes: Votes, right: Right | None, dark: bool, mine: Answer | None = None, *, key: str
) -> None:
    """Draw the chart of one vote, or of a first and a second one."""
    answer = right.answer if right else None
    words = alt(bars(asked.prediction, votes, answer))
    show_figure(key, sent(asked.prediction, votes, answer, mine, dark), words)


def _show_reason(asked: Asked, right: Right) -> None:
    """Draw why the answer is right, and the link to its lesson."""
    with st.expander("Why", icon=":material/lightbulb:"):
        st.markdown("\n\n".join(right.why))
    if isinstance(asked, OfLesson):
        onwards("learn", f"The lesson: {asked.lesson.title}", {"v": VERSION, "lesson": str(asked.number)})


#: Key of the field in which a code is typed, and of what is wrong with it.
TYPED, WRONG = f"{PAGE}:typed", f"{PAGE}:wrong"


def show_door() -> None:
    """Offer a teacher to open a room and a student to join one."""
    st.title("What does your class predict?", anchor=False)
    st.markdown(
        "Ask first, show later: everybody answers on a phone, without a name. The answers appear at the "
        "front as they come, and you show the right one to all at once."
    )
    if wrong := st.session_state.pop(WRONG, ""):
        show_error(wrong)
    teach, join = st.columns(2, gap="medium")
    with teach.container(border=True, height="stretch"):
        _offer_room()
    with join.container(border=True, height="stretch"):
        st.header("I was given a code", anchor=False)
        st.text_input("Code of the room", key=TYPED, max_chars=20, placeholder="1KTWXB", on_change=_join)
        st.button("Join", icon=":material/login:", on_click=_join, width="stretch")
    st.caption(
        "Nothing to sign up for. A room and its answers are only in the memory of this server: nobody can "
        "tell who has answered what, and all is gone when the room ends."
    )


def _offer_room() -> None:
    st.header("I teach", anchor=False)
    own = rooms().opened_by(visitor())
    if own is None:
        st.markdown(
            "A room has a code and a QR code for your students. Its questions are those of the lessons, "
            "and your own."
        )
    else:
        st.markdown(f"Your room **{own.code}** is open. Another one would take its place.")
        st.button(
            f"Back to room {own.code}",
            icon=":material/arrow_forward:",
            width="stretch",
            on_click=_enter,
            args=(own.code, True),
        )
    if own is None:
        st.button("Open a room", icon=":material/add:", width="stretch", on_click=_open)
    else:
        st.button("Open another room", width="stretch", on_click=_open)


def _open() -> None:
    try:
        room = rooms().open(visitor(), address())
    except Refused as refusal:
        st.session_state[WRONG] = str(refusal)
    else:
        _enter(room.code, True)


def _join() -> None:
    try:
        code = PANEL.controls["room"].values.read("room", str(st.session_state.get(TYPED, "")))
    except BadInput as error:
        st.session_state[WRONG] = str(error)
    else:
        _enter(code, False)


def _enter(code: str, teaches: bool) -> None:
    remember(PAGE, "room", code)
    remember(PAGE, "teach", teaches)
    remember(PAGE, "key", "")


def leave() -> None:
    """Go back to the door; for a button."""
    _enter("", False)


def offer_door(label: str) -> None:
    """Draw a button that leads to the door, from a part of the page that is drawn on its own."""
    if st.button(label):
        leave()
        st.rerun()


def show_missing(code: str) -> None:
    """Say why there is no room with this code here."""
    st.title(f"There is no room {code} here", anchor=False)
    if is_elsewhere(code):
        show_info("This server has several processes, and the room is in another one.")
        st.link_button("Go to the room", link(code), icon=":material/arrow_forward:")
        st.caption(
            "If you come back here, the room has ended, or the proxy before this server does not know rooms: "
            "see “A room and several processes” in deploy/README.md."
        )
    else:
        show_info(
            "Check the code: a letter may be wrong. Or the room has ended: a room ends "
            f"{LEFT_S / 60:.0f} minutes after its teacher has left, and when the server is started again."
        )
    st.button("Enter another code", on_click=leave)
