"""The desk of a room, from which its teacher runs it; the class sees its stage (`stage.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import streamlit as st

from pages.lessons import LESSONS
from pages.lessons.prediction import MOST_OPTIONS
from pages.room.answer import has, right_answer, shown, timer
from pages.room.charts import sent
from pages.room.controls import PAGE, is_alone, link, rooms, stage_link
from pages.room.details import csv_text, page_text, recorded
from pages.room.layout.door import leave, offer_door, show_answers, show_told, show_votes
from pages.room.layout.stage import LOOK_S, show_code, way_in
from pages.room.question import (
    FILE_BYTES,
    KINDS,
    LARGEST,
    LONGEST,
    LONGEST_OPTION,
    LONGEST_UNIT,
    Asked,
    OfLesson,
    Own,
    as_file,
    following,
    read,
    read_file,
    right_of,
)
from pages.server.room import LEFT_S, MOST_KEPT, Room, RoomState
from pages.server.vote import Refused, Result
from pages.shared.charts.on_page import is_dark
from pages.shared.words.foreign import literal, show_error, show_info
from sim.model.fields import BadInput
from sim.telling.words import counted

# Where a teacher writes questions for this room, takes them home in a small file, and opens such a file.

#: Keys of what the menu of questions is to have, of what is wrong with what was written, and of the fields.
WANTED, WRONG, FIELD = f"{PAGE}:wanted", f"{PAGE}:wrong question", f"{PAGE}:own"
#: How the number of a question of one's own is written in that menu's values.
OWN = "own "
#: What the field of the right answer asks for.
RIGHT = {
    "slider": "A number, or nothing",
    "choice": "The number of its line, or nothing",
    "ranking": "The numbers of the lines in the right order, such as 2 1 3, or nothing",
    "number": "A number, or nothing",
}


@st.fragment
def show_own(code: str, key: str) -> None:
    """Draw the questions of a room's teacher, and the fields for one more."""
    room = rooms().find(code)
    if room is None:
        return
    with st.expander("Questions of your own", icon=":material/edit_note:"):
        if wrong := st.session_state.pop(WRONG, ""):
            show_error(wrong)
        st.caption(
            "They are in this room only, and go with it. Students see them once you ask them. Save them as a "
            "file to open it in another room."
        )
        written, new = st.columns(2, gap="large")
        with written:
            _list(room, key)
        with new:
            _write(room, key)


def _list(room: Room[Asked], key: str) -> None:
    """Draw what has been written, and the way to and from a file."""
    kept = room.kept(key)
    for number, question in kept.items():
        text, button = st.columns([5, 2], vertical_alignment="center")
        text.markdown(literal(question.title))
        button.button(
            "Remove", key=f"{FIELD}:remove:{number}", on_click=room.drop, args=(key, number), width="stretch"
        )
    if kept:
        st.download_button(
            "Save as a file",
            lambda: _file(room, key),
            "questions.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
        )
    else:
        st.markdown("You have written none yet.")
    uploader = _uploader()
    st.file_uploader(
        "Open a file of questions",
        "json",
        key=uploader,
        max_upload_size=1,
        on_change=_open,
        args=(room, key, uploader),
        help=f"One that was saved here; {FILE_BYTES // 1024} kB at most.",
    )


def _write(room: Room[Asked], key: str) -> None:
    """Draw the fields for one more question."""
    kind = st.segmented_control(
        "Students answer by",
        list(KINDS),
        format_func=KINDS.__getitem__,
        default="choice",
        required=True,
        key=f"{FIELD}:kind",
    )
    kind = kind or "choice"
    st.text_area("Your question", key=f"{FIELD}:question", max_chars=LONGEST, height=80)
    if kind in ("choice", "ranking"):
        st.text_area(
            f"Options, one a line, {MOST_OPTIONS} at most",
            key=f"{FIELD}:options",
            max_chars=MOST_OPTIONS * (LONGEST_OPTION + 1),
            height=120,
        )
    else:
        _write_range(kind)
    st.text_input(
        "Right answer",
        key=f"{FIELD}:right",
        max_chars=40,
        placeholder=RIGHT[kind],
        help="It is shown when you show the answer. Without one, all see what the class has answered.",
    )
    st.button(
        "Add the question", icon=":material/add:", on_click=_add, args=(room, key, kind), width="stretch"
    )


def _write_range(kind: str) -> None:
    names = {"low": ("From", 0.0), "high": ("To", 100.0)}
    if kind == "slider":
        names["step"] = ("In steps of", 1.0)
    for place, (name, (label, default)) in zip(st.columns(len(names) + 1), names.items(), strict=False):
        field = f"{FIELD}:{name}"
        st.session_state.setdefault(field, default)
        with place:
            st.number_input(label, -LARGEST, LARGEST, key=field, format="%.10g")
    with place:
        st.text_input("Unit", key=f"{FIELD}:unit", max_chars=LONGEST_UNIT)


def _add(room: Room[Asked], key: str, kind: str) -> None:
    """Add what is in the fields to the questions of the room."""
    try:
        question = read(_given(kind))
        number = room.keep(key, question)
    except (BadInput, Refused) as error:
        st.session_state[WRONG] = str(error)
    else:
        st.session_state[WANTED] = f"{OWN}{number}"
        for name in ("question", "options", "right"):
            st.session_state[f"{FIELD}:{name}"] = ""


def _given(kind: str) -> Mapping[str, Any]:
    """Return what is in the fields, as `read` takes it."""
    held = {name: st.session_state.get(f"{FIELD}:{name}") for name in ("question", "low", "high", "step")}
    unit = str(st.session_state.get(f"{FIELD}:unit") or "")
    given: dict[str, Any] = {"kind": kind, "question": held["question"]}
    if kind in ("choice", "ranking"):
        lines = str(st.session_state.get(f"{FIELD}:options") or "").splitlines()
        given["options"] = [line for line in lines if line.strip()]
    else:
        given |= {"low": held["low"], "high": held["high"], "unit": unit}
        given |= {"step": held["step"]} if kind == "slider" else {}
    right = right_of(kind, str(st.session_state.get(f"{FIELD}:right") or ""), unit)
    return given if right is None else given | {"right": right}


def _uploader() -> str:
    """Return the key of the field for a file: another one after each, so that no file stays in it."""
    return f"{FIELD}:file:{st.session_state.get(f'{FIELD}:files', 0)}"


def _open(room: Room[Asked], key: str, uploader: str) -> None:
    """Add the questions of a file that are not there yet."""
    file = st.session_state.get(uploader)
    if file is None:
        return
    st.session_state[f"{FIELD}:files"] = st.session_state.get(f"{FIELD}:files", 0) + 1
    try:
        there = [*room.kept(key).values()]
        new = [one for one in read_file(file.getvalue()) if one not in there]
        if len(there) + len(new) > MOST_KEPT:
            raise Refused(
                f"file: {len(new)} questions are not accepted; with {len(there)} that are here a room holds "
                f"{MOST_KEPT}"
            )
        for one in new:
            room.keep(key, one)
    except (BadInput, Refused) as error:
        st.session_state[WRONG] = str(error)


def _file(room: Room[Asked], key: str) -> str:
    return as_file(one for one in room.kept(key).values() if isinstance(one, Own))


#: Keys of the menu of questions, of the timer, and of the menu of earlier questions.
NEXT, TIMER, EARLIER = f"{PAGE}:next", f"{PAGE}:timer", f"{PAGE}:earlier"
#: Keys of the round whose answer is shown only if one is sure, and of whether an open vote has bars.
SURE, BARS = f"{PAGE}:sure", f"{PAGE}:bars"
#: Seconds that a vote may be open; 0 is no timer.
TIMERS = (0, 30, 60, 120, 300)
#: Pixels of the code on the desk.
SMALL = 180


def show_teacher(room: Room[Asked], key: str) -> None:
    """Draw the room, which keeps itself up to date, beside how to join it."""
    st.title(f"Room {room.code}", anchor=False)
    left, right = st.columns([7, 3], gap="medium")
    with right:
        _show_way_in(room, key)
    with left:
        _follow(room.code, key)
    show_own(room.code, key)


def _show_way_in(room: Room[Asked], key: str) -> None:
    st.link_button(
        "Open the stage",
        stage_link(room.code),
        icon=":material/present_to_all:",
        width="stretch",
        help="A window for the projector: the question, its picture, the bars and the code. Nothing of this "
        "desk is on it.",
    )
    show_code(room.code, SMALL)
    st.markdown(way_in(room.code))
    if is_alone():
        show_info(
            "Only this machine reaches that address. Serve the network (README, A classroom on the local "
            "network) and open the lab under the address that others have."
        )
    if room.is_shut:
        st.caption("The door is closed: nobody else comes in.")
    with st.popover("Door, results, end the room", width="stretch"):
        st.button(
            "Open the door" if room.is_shut else "Close the door",
            width="stretch",
            help="Who is in the room stays. Close it when all are here, so that no stranger takes part.",
            on_click=room.shut,
            args=(key, not room.is_shut),
        )
        st.toggle(
            "Bars while they vote",
            room.taught(key).bars,
            key=BARS,
            on_change=lambda: room.show_bars(key, st.session_state[BARS]),
            help="Without them nobody follows the others; the bars are there when the vote is closed.",
        )
        _offer_results(room, key)
        st.markdown(
            "To teach from another device, open this address there. Whoever has it teaches this room."
        )
        st.code(f"{link(room.code)}&key={key}", language=None, wrap_lines=True)
        st.button("End the room", on_click=_end, args=(room.code, key), width="stretch")


def _offer_results(room: Room[Asked], key: str) -> None:
    """Draw buttons that save what has come of all questions when they are pressed."""
    st.markdown("The results of all questions, without anything on who has answered what:")
    for label, ending, kind, made in (
        ("Table", "csv", "text/csv", lambda: csv_text(recorded(room.results(key)))),
        (
            "Page to print",
            "html",
            "text/html",
            lambda: page_text(room.code, date.today().isoformat(), recorded(room.results(key))),
        ),
    ):
        st.download_button(
            label,
            made,
            f"room-{room.code}.{ending}",
            kind,
            icon=":material/download:",
            on_click="ignore",
            width="stretch",
        )


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
        _show_next(room, key, seen)
        return
    right = right_answer(seen.question)  # which begins to compute it
    now = right if seen.revealed else None
    show_told(seen, now)
    _show_steps(room, key, seen, ready=right is not None)
    _show_next(room, key, seen)
    if seen.has_bars:
        show_answers(seen, now, is_dark())
    else:
        st.caption("The bars are here when the vote is closed.")
    _show_earlier(room, key, seen)


def _show_steps(room: Room[Asked], key: str, seen: RoomState[Asked], *, ready: bool) -> None:
    """Draw what can be done with the present question: one button for each step that is possible now."""
    if seen.few and st.session_state.get(SURE) == seen.round and not seen.revealed:
        _ask_whether(room, key, seen)
        return
    has_right = not isinstance(seen.question, Own) or seen.question.right is not None
    first, second, third = st.columns(3)
    if seen.revealed:
        if seen.can_take_back:
            first.button(
                "Take it back",
                icon=":material/undo:",
                width="stretch",
                key=f"{PAGE}:back",
                on_click=room.take_back,
                args=(key, seen.round),
            )
        return
    first.button(
        "Computing …" if not ready else "Show the answer" if has_right else "Show it to all",
        icon=":material/visibility:",
        disabled=not ready,
        width="stretch",
        key=f"{PAGE}:show",
        on_click=_reveal,
        args=(room, key, seen.round, False),
    )
    if seen.is_open:
        second.button(
            "Close the vote",
            icon=":material/lock:",
            width="stretch",
            key=f"{PAGE}:close",
            on_click=room.close_vote,
            args=(key, seen.round),
        )
    else:
        second.button(
            "Open it again",
            icon=":material/lock_open:",
            width="stretch",
            key=f"{PAGE}:open",
            on_click=_with_timer,
            args=(room.open_vote, key, seen.round),
        )
    if seen.first is None and not seen.is_open:
        third.button(
            "Second vote",
            icon=":material/how_to_vote:",
            width="stretch",
            key=f"{PAGE}:again",
            on_click=_with_timer,
            args=(room.vote_again, key, seen.round),
        )


def _ask_whether(room: Room[Asked], key: str, seen: RoomState[Asked]) -> None:
    """Ask whether the answer is to be shown though few have answered."""
    many = len(seen.answers)
    show_info(f"Only {many} of {seen.here} {has(many, seen.here)} answered. Show it all the same?")
    yes, no = st.columns(2)
    yes.button(
        "Show it all the same",
        width="stretch",
        key=f"{PAGE}:yes",
        on_click=_reveal,
        args=(room, key, seen.round, True),
    )
    no.button("Wait", width="stretch", key=f"{PAGE}:no", on_click=_reveal, args=(room, key, 0, False))


def _reveal(room: Room[Asked], key: str, round_: int, sure: bool) -> None:
    """Show the answer; if few have answered, and nobody has said that one is sure, ask first."""
    is_shown = room.reveal(key, round_, sure=sure)
    st.session_state[SURE] = 0 if is_shown else round_


def _show_next(room: Room[Asked], key: str, seen: RoomState[Asked]) -> None:
    """Draw the menu of questions, the timer, and the button that asks."""
    kept = room.kept(key)
    offered = [*(f"{OWN}{number}" for number in kept), *LESSONS]
    wanted = st.session_state.pop(WANTED, None)
    if wanted in offered or st.session_state.get(NEXT) not in offered:  # else it is the browser's
        st.session_state[NEXT] = wanted if wanted in offered else _after(seen.question, kept)

    def title(one: int | str) -> str:
        return OfLesson(one).title if isinstance(one, int) else kept[_number(one)].title

    menu, clock, ask = st.columns([4, 2, 2], vertical_alignment="bottom")
    menu.selectbox("Next question", offered, format_func=title, key=NEXT)
    clock.selectbox("Timer", TIMERS, format_func=timer, key=TIMER)
    ask.button("Ask it", icon=":material/campaign:", width="stretch", on_click=_ask, args=(room, key))


def _number(one: str) -> int:
    return int(one.removeprefix(OWN))


def _after(asked: Asked | None, kept: dict[int, Asked]) -> int | str:
    """Return what the menu of questions has after one: the one below it."""
    if isinstance(asked, OfLesson):
        return following(asked.number)
    later = [number for number in kept if asked is not None and number > _place(asked, kept)]
    return f"{OWN}{later[0]}" if later else following(0)


def _place(asked: Asked, kept: dict[int, Asked]) -> int:
    """Return the number of a question of one's own; if it is not there any more, one beyond all."""
    return next((number for number, one in kept.items() if one == asked), max(kept, default=0))


def _with_timer(act: object, key: str, round_: int) -> None:
    act(key, round_, _seconds())  # type: ignore[operator]


def _seconds() -> float | None:
    """Return the seconds of the timer, as it is set now."""
    chosen = st.session_state.get(TIMER)
    return float(chosen) if chosen in TIMERS and chosen else None


def _ask(room: Room[Asked], key: str) -> None:
    """Ask what is in the menu now, which may have moved since the button was drawn."""
    chosen, kept = st.session_state.get(NEXT), room.kept(key)
    if isinstance(chosen, int) and chosen in LESSONS:
        asked: Asked | None = OfLesson(chosen)
    else:
        asked = next((one for number, one in kept.items() if chosen == f"{OWN}{number}"), None)
    if asked is not None:
        room.ask(key, asked, _seconds())
        st.session_state[NEXT] = _after(asked, kept)


def _show_earlier(room: Room[Asked], key: str, seen: RoomState[Asked]) -> None:
    """Draw a menu of the questions before this one, and what has come of the one that is chosen."""
    results = room.results(key)
    earlier = results[:-1] if seen.answers or seen.first else results
    if not earlier:
        return
    place = st.selectbox(
        "Look again at",
        range(len(earlier) + 1),
        key=EARLIER,
        format_func=lambda one: "choose an earlier question" if one == 0 else _titled(one, earlier[one - 1]),
    )
    if place:
        _show_result(place, earlier[place - 1])


def _titled(place: int, result: Result[Asked]) -> str:
    return f"Question {place}: {result.question.title}"


def _show_result(place: int, result: Result[Asked]) -> None:
    asked = result.question
    right = right_answer(asked) if result.revealed else None
    many = ", then ".join(counted(len(answers), "answer") for answers in result.votes)
    told = f" Right: **{shown(asked, right.answer)}**." if right and right.answer is not None else ""
    st.markdown(f"**{asked.written}** {many}.{told}")
    show_votes(asked, result.votes, right, is_dark(), key=f"{PAGE}:earlier:{place}")


def _end(code: str, key: str) -> None:
    rooms().close(code, key)
    sent.cache_clear()  # which has answers and, of questions of one's own, words
    leave()
