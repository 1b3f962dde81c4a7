"""The map of the lessons and the plans of a course, to print."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.learn import charts
from pages.learn.question import Asked
from pages.lessons.course import Session, plans
from pages.shared.charts.on_page import show_figure
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.words.numbers import counted


def show_course(asked: Asked, dark: bool) -> None:
    """Draw the map, and a table for each session of each plan."""
    left, right = st.columns(2, gap="medium")
    with left:
        figure = SerializedFigure(charts.draw(asked.number, dark), "Which lesson builds on which")
        show_figure(asked.key("map"), figure, charts.alt())
    short, long = list(plans().items())[:-1], list(plans().items())[-1]
    with right:
        for name, (only,) in short:
            st.markdown(f"**Course of {name}**")
            _show_session(only)
    name, sessions = long
    st.markdown(f"**Course of {name}**")
    halves = st.columns(2, gap="medium")
    for place, one in enumerate(sessions):
        with halves[place % len(halves)]:
            st.markdown(f"Session {place + 1}")
            _show_session(one)


def _show_session(session: Session) -> None:
    rows = [(counted(step.minutes, "minute"), step.what) for step in session.steps]
    if spare := session.minutes - session.taken:
        rows.append((counted(spare, "minute"), "For questions"))
    table = pd.DataFrame(rows, columns=["Time", "What"])
    st.table(table, border="horizontal", hide_index=True, hide_header=True)
