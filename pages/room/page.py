"""Room: a teacher asks, a class predicts at once, and the answer is shown to all."""

from __future__ import annotations

import streamlit as st

from pages.frame.vote import PAGE, is_vote
from pages.room.controls import PANEL, key_of, rooms
from pages.room.layout.door import show_door, show_missing
from pages.room.layout.stage import show_stage
from pages.room.layout.student import show_student
from pages.room.layout.teacher import show_teacher
from pages.shared.controls.links import SHOWN, show_messages

was_vote = is_vote(PAGE, st.query_params)
show_messages(messages := PANEL.open())
values = PANEL.values()
code = values["room"]
room = rooms().find(code)
key = key_of(room, values["key"]) if room else ""
to_teach = values["teach"] or bool(values["key"])
PANEL.write({"room": code, "teach": to_teach})  # and not the key: the address is projected
if is_vote(PAGE, st.query_params) != was_vote and not messages:
    st.rerun()  # with the frame that the page has now, or without it

if not code:
    show_door()
elif room is None:
    show_missing(code)
elif key and to_teach and SHOWN in st.query_params:
    show_stage(room, key)
elif key and to_teach:
    show_teacher(room, key)
else:
    show_student(room, to_teach=to_teach)
