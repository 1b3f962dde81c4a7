"""The page that a teacher projects: how to join, the question, the answers as they come, the buttons."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from pages.frame.qr import qr_code
from pages.lessons import LESSONS
from pages.room.answer import right_answer
from pages.room.controls import PAGE
from pages.room.layout.answers import show_answers, show_told
from pages.room.layout.door import leave, offer_door
from pages.room.question import Asked, following
from pages.room.setting import is_alone, link, rooms
from pages.server.room import LEFT_S, Room, Seen
from pages.shared.app.placeholders import stage
from pages.shared.charts.on_page import is_dark
from pages.shared.words.foreign import show_info

#: Seconds between two looks at the room.
LOOK_S = 1.0
#: Key of the menu of questions.
NEXT = f"{PAGE}:next"


def show_teacher(room: Room[Asked], key: str) -> None:
    """Draw the room, which keeps itself up to date, beside how to join it."""
    st.title(f"Room {room.code}", anchor=False)
    left, right = stage().columns([7, 3], gap="medium")
    with right:
        _show_way_in(room, key)
    with left:
        _follow(room.code, key)


def _show_way_in(room: Room[Asked], key: str) -> None:
    address = link(room.code)
    host = urlsplit(address).netloc
    if host:
        st.image(qr_code(address, host).decode(), width="stretch", alt="QR code of the room")
    st.markdown(f"Scan it, or open `{address.partition('://')[2] or address}`")
    if is_alone():
        show_info(
            "Only this machine reaches that address. Serve the network (README, A classroom on the local "
            "network) and open the lab under the address that others have."
        )
    if room.is_shut:
        st.caption("The door is closed: nobody else comes in.")
    with st.popover("Door, other device, end the room", width="stretch"):
        st.button(
            "Open the door" if room.is_shut else "Close the door", width="stretch",
            help="Who is in the room stays. Close it when all are here, so that no stranger takes part.",
            on_click=room.shut, args=(key, not room.is_shut),
        )  # fmt: skip
        st.markdown(
            "To teach from another device, open this address there. Whoever has it teaches this room."
        )
        st.code(f"{address}&key={key}", language=None, wrap_lines=True)
        st.button("End the room", on_click=_end, args=(room.code, key), width="stretch")


@st.fragment(run_every=LOOK_S)
def _follow(code: str, key: str) -> None:
    """Draw the room as it is now."""
    room = rooms().find(code)
    if room is None:
        show_info(
            f"This room has ended: no teacher was here for {LEFT_S / 60:.0f} minutes, or it was closed."
        )
        offer_door("Open another room")
        return
    seen = room.taught(key)
    if seen.question is None:
        st.header("Ask the first question when all are here", anchor=False)
        st.markdown(f"**{seen.here}** here.")
        _show_next(room, key, seen, ready=False)
    else:
        found = right_answer(seen.question)  # which begins to compute it
        shown = found if seen.revealed else None
        show_told(seen, shown)
        _show_next(room, key, seen, ready=found is not None)
        show_answers(seen, shown, is_dark())


def _show_next(room: Room[Asked], key: str, seen: Seen[Asked], *, ready: bool) -> None:
    """Draw what the teacher does next: show the answer once it is ready, or ask a question."""
    is_open = seen.question is not None and not seen.revealed
    st.session_state.setdefault(NEXT, following(seen.question.number if seen.question else 0))
    show, menu, ask = st.columns([2, 4, 2], vertical_alignment="bottom")
    show.button(
        "Computing …" if is_open and not ready else "Show the answer",
        icon=":material/visibility:", disabled=not (is_open and ready), width="stretch",
        key=f"{PAGE}:show", on_click=room.reveal, args=(key, seen.round),
    )  # fmt: skip
    menu.selectbox(
        "Next question", list(LESSONS), format_func=lambda one: f"{one}. {LESSONS[one].title}", key=NEXT
    )
    ask.button("Ask it", icon=":material/campaign:", width="stretch", on_click=_ask, args=(room, key))


def _ask(room: Room[Asked], key: str) -> None:
    """Ask what is in the menu now, which may have moved since the button was drawn."""
    number = st.session_state.get(NEXT)
    if isinstance(number, int) and number in LESSONS:
        room.ask(key, Asked(number))
        st.session_state[NEXT] = following(number)


def _end(code: str, key: str) -> None:
    rooms().close(code, key)
    leave()
