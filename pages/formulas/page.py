"""Formulas: one page, whose tabs say what the papers' formulas answer, each thing in the same place."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import streamlit as st

from pages.formulas.simulation import Top, cards_with_placeholder, follow_all, show_files
from pages.formulas.tab import Tab, draw_sidebar
from pages.frame.limits import limits
from pages.frame.menu import link, now
from pages.shared.app.turns import show_answer
from pages.shared.charts.on_page import said, show_headlines, side_by_side
from pages.shared.controls.links import VERSION, remember
from pages.shared.words.foreign import noticed
from pages.shared.words.tables import SHARE, downloads, json_text, show_formulas

tab: Tab[Any] = import_module(f"{now().package}.layout").TAB
page = tab.panel.page
values = draw_sidebar(tab)

st.title(tab.title, anchor=False)
for name, reading in tab.readings.items():
    control = tab.panel.controls[name]
    if values[name] != control.default and (told := reading.told(values)):
        with st.container(horizontal=True, vertical_alignment="center", key=f"reading-{name}"):
            st.caption(told, width="content")
            if limits(page).leaves(name):
                st.button(
                    reading.back, type="tertiary", on_click=remember, args=(page, name, control.default)
                )

seen = tab.ask(values)
simulation = tab.simulated(seen, values) if tab.simulated else None
top: Top | None = None
if simulation is None:
    show_answer(tab.words.answer(seen))
    show_headlines(tab.words.cards(seen))
else:
    top = cards_with_placeholder(tab.words.answer(seen), tab.words.cards(seen), simulation.card)
side_by_side(seen, **tab.charts)
st.caption(said(tab.about, seen))
st.markdown(noticed(tab.words.notices(seen)))
if tab.extra is not None:
    tab.extra(seen, values)
last = follow_all(simulation, tab.panel, top) if simulation and top else None

show_formulas(page, tab.formulas)
if simulation and last is not None:
    show_files(simulation, page, tab.words.reading(seen), *last)
elif tab.table is not None:
    table = tab.table
    downloads(
        ("Numbers (CSV)", f"{page}.csv", lambda: table(seen).to_csv(index=False)),
        ("Everything (JSON)", f"{page}.json", lambda: json_text(tab.words.reading(seen))),
    )
st.caption(SHARE)
link("errata", "Where the paper differs", {"v": VERSION, "paper": tab.paper}, icon=":material/fact_check:")
