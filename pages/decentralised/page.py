"""Decentralised: what schedulers lose that know only what messages tell them.

The sidebar makes a setting; the shared workers answer at once, then find the points of the curves.
Nothing is computed here.
"""

from __future__ import annotations

import streamlit as st

from pages.decentralised.controls import PANEL, choose_axis, choose_statistic, draw_sidebar, setting_of
from pages.decentralised.layout import show, show_decision, show_details
from pages.decentralised.question import AXES, Curves
from pages.decentralised.words import phases_told
from pages.shared.charts.on_page import is_dark
from pages.shared.words.foreign import show_error, show_info
from sim.model.fields import BadInput

values = PANEL.begin()
with st.sidebar:
    draw_sidebar(values["phases"])

st.title("How much does a scheduler lose by not knowing everything?", anchor=False)
try:
    setting = setting_of(values)
    cut = setting.cuts
except BadInput as error:
    show_error(str(error))
    st.stop()
if cut:
    show_info(cut)
with st.container(horizontal=True, vertical_alignment="center"):
    st.markdown(
        "Many schedulers each ask **a few** workers. **Central** is one scheduler that knows everything. "
        + phases_told(setting)
    )
    statistic = choose_statistic(setting)
axis = choose_axis(setting)
PANEL.write(values | {"against": axis.field})

last = show(Curves(setting, (AXES["probes"], axis)), is_dark(), statistic)
show_decision(setting)
if last is not None:
    show_details(*last)
