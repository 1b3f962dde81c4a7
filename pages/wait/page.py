"""Still running: wait for the last task, start a copy of it, or restart it, with a probability."""

from __future__ import annotations

import streamlit as st

from pages.frame.menu import now
from pages.shared.controls import file_in_link
from pages.shared.words.foreign import show_error
from pages.wait.controls import FILE, PAGE, PANEL
from pages.wait.layout import draw_answer, draw_input, draw_sidebar, has_file, stage_of
from pages.wait.question import answer
from pages.wait.words import SOURCES
from sim.model.fields import BadInput

values = PANEL.begin()
draw_sidebar(values)
st.title(now().question, anchor=False)
draw_input(values)
try:
    files = file_in_link.given(PAGE, FILE, values[file_in_link.NAME])
    values[file_in_link.NAME] = file_in_link.text_of(files)
    stage = stage_of(files, values) if files else None
    seen = answer(values, stage, values[file_in_link.NAME])
except BadInput as error:
    show_error(str(error))
    PANEL.write(values)  # what is typed stays, right or wrong
    if values[file_in_link.NAME] and not has_file():
        file_in_link.offer_without(PAGE)
    elif not values["running"].strip():
        st.markdown(SOURCES)
    st.stop()
PANEL.write(values)
draw_answer(seen, values)
