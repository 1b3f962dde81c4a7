"""Coding: a job ends when any k of its tasks are done; how many to add, for which jobs, at what load."""

from __future__ import annotations

import streamlit as st

from pages.coding.controls import PANEL, asked_of, draw_sidebar
from pages.coding.layout import show, show_details
from pages.coding.words import capped
from pages.shared.charts.on_page import is_dark
from pages.shared.words.foreign import show_error
from sim.model.fields import BadInput

values = PANEL.begin()
with st.sidebar:
    draw_sidebar(values)

st.title("How much redundancy, for which jobs, at what load?", anchor=False)
st.markdown(
    "A job starts more tasks than it needs and **ends when enough are done**. It outruns its stragglers, and "
    "takes slots from other jobs."
)
PANEL.write(values)
try:
    asked = asked_of(values)
except BadInput as error:
    show_error(str(error))
    st.stop()

answer = show(asked, is_dark(), values["view"] == "tail")
if limit := capped(asked):
    st.caption(limit)
if answer is not None:
    show_details(asked, *answer, values["preset"])
