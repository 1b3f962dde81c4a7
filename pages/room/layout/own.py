"""Where a teacher writes questions for this room, takes them home in a small file, and opens such a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.lessons.prediction import MOST_OPTIONS
from pages.room.controls import PAGE
from pages.room.question import Asked, Own
from pages.room.question.own import (
    FILE_BYTES,
    KINDS,
    LARGEST,
    LONGEST,
    LONGEST_OPTION,
    LONGEST_UNIT,
    as_file,
    read,
    read_file,
    right_of,
)
from pages.room.setting import rooms
from pages.server.room import MOST_KEPT, Room
from pages.server.vote import Refused
from pages.shared.words.foreign import literal, show_error
from sim.fields import BadInput

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
