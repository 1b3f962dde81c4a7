"""Coding: redundant tasks of which any k end a job; how many, for which jobs, at what load."""

from __future__ import annotations

import streamlit as st

from pages.coding import controls
from pages.coding.board import show
from pages.coding.controls import PAGE
from pages.coding.details import show_details
from pages.coding.words.captions import capped
from pages.shared.app.placeholders import Placeholders
from pages.shared.charts.on_page import is_dark
from pages.shared.controls.dials import say
from pages.shared.controls.links import open_link, write_link
from sim.fields import BadInput

messages = open_link(PAGE, controls.entries)
with st.sidebar:
    values = controls.draw()

say(messages)
st.title("How much redundancy, for which jobs, at what load?", anchor=False)
st.markdown(
    "An *expanded* job of *k* tasks starts ⌈*r k*⌉, **any *k* of which end it**: good against stragglers, "
    "but it takes capacity from other jobs."
)
write_link(PAGE, controls.entries({"preset": values["preset"]}), values)
status = Placeholders(st.container())
try:
    asked = controls.asked_of(values)
except BadInput as error:
    st.error(str(error), icon=":material/error:")
    st.stop()

answer = show(asked, is_dark(), values["view"] == "tail", status)
if limit := capped(asked):
    st.caption(limit)
if answer is not None:
    show_details(asked, *answer, values["preset"])
