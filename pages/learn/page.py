"""Learn: a question, a prediction, and then the answer drawn onto it."""

from __future__ import annotations

import streamlit as st

from pages.learn.controls import LESSON, PAGE, PANEL, SHEET, TEACHER
from pages.learn.details import show_next_lesson, show_sheet
from pages.learn.layout import show_lesson, show_prediction
from pages.learn.question import Request
from pages.lessons import LESSONS
from pages.lessons.course import TITLE, builds_on
from pages.shared.charts.on_page import is_dark

values = PANEL.begin()
asked = Request(int(values["lesson"]))
is_course = values["teacher"] and values["sheet"] == "course"
st.title(TITLE if is_course else asked.lesson.question, anchor=False)
with st.container(horizontal=True, vertical_alignment="center"):
    LESSON.draw(PAGE, label_visibility="collapsed", width=320)
    here = f"Lesson {asked.number} of {len(LESSONS)}, about {asked.lesson.minutes} minutes. "
    whole = f"{len(LESSONS)} lessons, each of them a question to predict before it is answered."
    st.caption(whole if is_course else here + builds_on(asked.number), width="content")
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
