"""Map: which policy wins where, over two fields; coarse at once, then finer where something changes."""

from __future__ import annotations

import streamlit as st

from pages.map.controls import PANEL, draw_sidebar
from pages.map.layout import PageLayout, open_clicked, show_details
from pages.map.question import ask, follow, prepare
from pages.shared.app.turns import body_and_foot
from pages.shared.words.foreign import show_error
from sim.model.fields import BadInput

prepare()
values = PANEL.begin()
st.title("Which policy wins where?", anchor=False)
with st.sidebar:
    draw_sidebar(values)
PANEL.write(values)
try:
    asked, layout = ask(values), PageLayout()
    body, foot = body_and_foot()
    found = screen = None
    for found in follow(asked, foot):
        open_clicked(asked, found)
        with body:
            screen = layout.show(asked, found)
except BadInput as error:
    show_error(str(error))
    st.stop()
if found is not None and screen is not None:
    show_details(asked, found, screen)
