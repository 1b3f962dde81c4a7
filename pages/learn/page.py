"""Learn: a question, a prediction, and then the answer drawn onto it."""

from __future__ import annotations

import streamlit as st

from pages.learn.controls import LESSON, PAGE, PANEL, SHEET, TEACHER
from pages.learn.details import show_next_lesson, show_sheet
from pages.learn.layout import show_lesson, show_prediction
from pages.learn.question import Request
from pages.lessons import LESSONS
from pages.lessons.course import builds_on
from pages.shared.charts.on_page import is_dark

values = PANEL.begin()
asked = Request(int(values["lesson"]))
st.title(asked.lesson.question, anchor=False)
with st.container(horizontal=True, vertical_alignment="center"):
    LESSON.draw(PAGE, label_visibility="collapsed", width=320)
    st.caption(
        f"Lesson {asked.number} of {len(LESSONS)}, about {asked.lesson.minutes} minutes. "
        f"{builds_on(asked.number)}",
        width="content",
    )
    TEACHER.draw(PAGE)
    if values["teacher"]:
        SHEET.draw(PAGE, label_visibility="collapsed")
PANEL.write(values)

if values["teacher"]:
    show_sheet(values["sheet"], asked, is_dark())
elif asked.predicted is None:
    show_prediction(asked, is_dark())
else:
    show_lesson(asked, is_dark())
show_next_lesson(asked.number)
