"""What-if: reads a cluster's own log and says which setting to switch on, with its gain and its cost."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.frame.tabs import link
from pages.logs.controls import chosen_log, draw_files, has_files
from pages.logs.leaving_out import groups_of
from pages.logs.whatif.answer import follow
from pages.logs.whatif.controls import PAGE, PANEL, draw_sidebar
from pages.logs.whatif.details import show_details
from pages.logs.whatif.layout import PageLayout
from pages.logs.whatif.question import ask, read
from pages.logs.words import briefly_read, show_help, what_was_read, whose
from pages.shared.app.placeholders import body_and_foot
from pages.shared.charts.on_page import is_dark
from pages.shared.controls import file_in_link
from pages.shared.words.foreign import literal, show_error, show_warning
from sim.fields import BadInput
from sim.whatif.report import LOG

values = PANEL.begin()
st.title("Which setting should you switch on, and what would it gain?", anchor=False)
left, right, beside = st.columns([5, 4, 2])
with left:
    draw_files(PAGE)
with right:
    values |= {"log": PANEL.draw("log", disabled=has_files(PAGE))}
with beside:
    show_help()

try:
    log, files = chosen_log(PAGE, values["log"], values[file_in_link.NAME])
    reading = read(log, values["leave_out"], values["left_out"])
except BadInput as error:
    show_error(str(error))
    PANEL.write(values)
    if values[file_in_link.NAME] and not has_files(PAGE):
        file_in_link.offer_without(PAGE)
    st.stop()
values |= {file_in_link.NAME: file_in_link.text_of(files)}
with st.sidebar:
    values = draw_sidebar(values, groups_of(reading.history))
PANEL.write(values)

show_source = partial(st.caption, f"{whose(log)}{briefly_read(reading)}", help=what_was_read(reading))
if reading.model is None:
    show_source()
    show_warning(f"Nothing can be played again. {reading.reason}")
    if reading.first:
        st.markdown(f"{LOG} **{literal(reading.first)}**")
    link("diagnose", "What this history can tell: Diagnose")
    st.stop()
try:
    asked, layout, dark = ask(log, reading, values), PageLayout(), is_dark()
    body, foot = body_and_foot()
    show_source()
    shown = screen = None
    for shown in follow(asked, foot):
        with body:
            screen = layout.show(asked, shown, dark)
except BadInput as error:
    show_error(str(error))
    st.stop()
if shown is not None and screen is not None:
    show_details(asked, shown, screen, dark)
