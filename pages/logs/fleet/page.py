"""Fleet: looks at many logs and shows which lost most, what to do first, and what can be won."""

from __future__ import annotations

import streamlit as st

from pages.logs.fleet.answer import Step, follow
from pages.logs.fleet.controls import FLEET, PAGE, PANEL, offered
from pages.logs.fleet.details import chosen, show_details, show_table
from pages.logs.fleet.layout import screen
from pages.logs.fleet.question import given, named
from pages.logs.words import show_help
from pages.shared.app.placeholders import Placeholders, body_and_foot
from pages.shared.charts.on_page import is_dark
from pages.shared.controls import file_in_link
from pages.shared.controls.links import key
from pages.shared.live.drawing import Screen
from pages.shared.live.layout import Layout
from pages.shared.words.foreign import show_error
from sim.fields import BadInput
from sim.fleet.look import Look
from sim.whatif.price import Price

FILES = key(PAGE, "files")
values = PANEL.begin()
st.title("Which of your applications lost most, and what to do first?", anchor=False)
left, right, beside = st.columns([5, 4, 2])
with left:
    st.file_uploader(
        "Drop many logs, or a zip of them",
        accept_multiple_files=True,
        key=FILES,
        on_change=file_in_link.forget_removed,
        args=(PAGE, FILES),
        help="Of any format that Diagnose reads, of many applications; parts of a rolled log are put "
        "together. A zip may hold 1,000 logs, together 2 GiB. They stay in this session and are gone when "
        "you leave.",
    )
    if st.session_state.get(FILES):
        file_in_link.warn_of_reload()
with right:
    fleets = [*offered(), *([values["fleet"]] if values["fleet"] not in offered() else [])]
    values |= {"fleet": FLEET.draw(PAGE, offered=fleets, disabled=bool(st.session_state.get(FILES)))}
with beside:
    show_help()

asked = st.columns(2)
for column, name in zip(asked, ("compute", "price"), strict=True):
    with column:
        values |= {name: PANEL.draw(name)}
try:
    files = file_in_link.given(PAGE, FILES, values[file_in_link.NAME])
    fleet = given(files) if files else named(values["fleet"])
except BadInput as error:
    show_error(str(error))
    PANEL.write(values)
    if values[file_in_link.NAME] and not st.session_state.get(FILES):
        file_in_link.offer_without(PAGE)
    st.stop()

above = st.container()
st.header("Logs", anchor=False)
filters = st.columns(3)
for column, name in zip(filters, ("format", "rows", "sort"), strict=True):
    with column:
        values |= {name: PANEL.draw(name)}
PANEL.write(values | {file_in_link.NAME: file_in_link.text_of(files)})

with above:
    body, foot = body_and_foot()
layout = Layout()
price, dark = Price(slot=values["price"]), is_dark()
known: list[tuple[Step, list[Look], Screen]] = []
below: Placeholders | None = None
for seen in follow(fleet, values["compute"], foot):
    rows = chosen(seen.looks, values["format"], values["rows"], values["sort"])
    known.append((seen, rows, screen(seen, price, dark)))
    with body:
        layout.show(known[-1][2])
    if below is None:  # the table stands while remedies come in
        below = Placeholders(st.container())
        show_table(below, rows, price)
        show_details(lambda: known[-1], price)
    else:
        show_table(below, rows, price)
